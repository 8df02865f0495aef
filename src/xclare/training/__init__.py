"""Modules I to IV, and the pipeline that runs them. Every file of this package loads torch, but `settings`."""
