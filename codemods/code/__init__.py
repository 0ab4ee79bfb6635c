"""Edits of Python files: what is dead, what is shared, what may be cut."""
