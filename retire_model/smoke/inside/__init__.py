"""Runs inside the engine's Python, which need not have this package; `retire_model.by_path` loads it there.

The only code beside the probe's that imports torch, Transformers and the engine.
"""
