"""The torch modules that hold the parameters, and their settings, which load no torch."""
