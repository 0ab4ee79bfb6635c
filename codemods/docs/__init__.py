"""Edits of documentation pages."""
