"""Modules I to IV, and the pipeline that runs them. Importing a file of this package loads torch; `settings` does not."""
