"""Reads the models of a Transformers release."""
