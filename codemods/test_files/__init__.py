"""Edits of the engine's tests."""
