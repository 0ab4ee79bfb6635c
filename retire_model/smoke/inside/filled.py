"""Whether loading fills every parameter and finds a place for every weight: each is not-a-number until it is loaded."""

from __future__ import annotations

from typing import Any


class Filled:
    """Watches the engine's loader in this process."""

    def __init__(self) -> None:
        self._found: dict[str, Any] | None = None

    def watch(self) -> None:
        """Wrap the loader of whole checkpoints; a release that has none of that name is not watched."""
        try:
            from vllm.model_executor.model_loader.default_loader import DefaultModelLoader
        except ImportError:
            return
        load, read = DefaultModelLoader.load_weights, DefaultModelLoader.get_all_weights
        elements: dict[str, int] = {}

        def counted(loader: Any, *arguments: Any, **options: Any) -> Any:
            for name, weight in read(loader, *arguments, **options):
                elements[name] = weight.numel()
                yield name, weight

        def watched(loader: Any, model: Any, *arguments: Any, **options: Any) -> Any:
            _poison(model)
            loaded = load(loader, model, *arguments, **options)
            self._found = {
                "unfilled": _unfilled(model),
                "weights": len(elements),
                "elements": sum(elements.values()),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            }
            return loaded

        DefaultModelLoader.get_all_weights = counted
        DefaultModelLoader.load_weights = watched

    def found(self) -> dict[str, Any] | None:
        """What loading did; None where it was done elsewhere, as by workers."""
        return self._found


def _poison(model: Any) -> None:
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point() and parameter.element_size() > 1:
                parameter.fill_(float("nan"))


def _unfilled(model: Any) -> list[str]:
    return [
        name
        for name, parameter in model.named_parameters()
        if parameter.is_floating_point() and parameter.element_size() > 1 and parameter.isnan().any().item()
    ]
