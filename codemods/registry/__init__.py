"""Edits of the model registry."""
