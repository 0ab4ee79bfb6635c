"""Runs in a process of its own, the only code here that imports torch, Transformers and the modeling files judged.

Nothing outside this package imports it: `retire_model.probe.process` starts it by path, with any Python that has torch.
"""
