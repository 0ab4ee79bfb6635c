"""Replays the retirements that the engine's maintainers did by hand, and compares line by line."""
