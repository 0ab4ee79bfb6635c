"""Reads files of a tree and the Python in them: bytes, syntax trees, names across files."""
