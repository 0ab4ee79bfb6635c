"""Reads what an engine tree is: its registries, hand-written models, backend and docs."""
