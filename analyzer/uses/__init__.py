"""Finds what of a tree uses or names a model."""
