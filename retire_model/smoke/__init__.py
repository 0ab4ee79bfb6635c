"""The smoke run: the engine itself, before and after a retirement, on tiny checkpoints."""
