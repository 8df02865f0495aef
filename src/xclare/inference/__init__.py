"""Prediction from a model folder, without torch."""
