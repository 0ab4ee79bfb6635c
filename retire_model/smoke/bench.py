"""What all runs share: the folder, the logs, the overlays and the keepers, and that all of it ends."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.keeper import Keeper
from retire_model.smoke.outcomes import Ran
from retire_model.smoke.overlay import Overlay, lay_over
from retire_model.smoke.run_folder import TEMPORARY
from retire_model.smoke.settings import Device

if TYPE_CHECKING:
    from retire_model.smoke.engine_python import EnginePython
    from retire_model.smoke.sides import Side

ENGINE_MODULES = ("vllm.entrypoints.llm",)
NVIDIA_DRIVER = Path("/dev/nvidiactl")
COMMON = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    # The engine's core runs in the run's own process: its errors are at hand, and so is the model.
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "PYTHONFAULTHANDLER": "1",
    "NO_COLOR": "1",
}


@dataclass
class Bench:
    """Use it as a context: at its end every process that it has started is gone."""

    python: EnginePython
    folder: Path
    logs: Path
    device: Device = Device.CPU
    _keepers: dict[object, Keeper] = field(default_factory=dict)
    _overlays: dict[object, Overlay] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def plain(self) -> Keeper:
        """The keeper that has torch and Transformers alone."""
        # A process that has looked at a GPU cannot be forked: where there is one, each run imports for itself.
        modules = () if NVIDIA_DRIVER.exists() else ("transformers",)
        return self._keeper("transformers", "transformers", modules, {})

    def keeper_of(self, side: Side) -> Keeper:
        """The keeper that has the engine of a side. Raises `EnvironmentProblem` where it cannot be laid over."""
        overlay = self.overlay_of(side)
        modules = ENGINE_MODULES if self.device is Device.CPU else ()
        name = overlay.folder.name
        return self._keeper(_key(side), name, modules, {"PYTHONPATH": str(overlay.folder)})

    def overlay_of(self, side: Side) -> Overlay:
        """The engine of a side. Sides of one tree with the same files share it."""
        key = _key(side)
        if key not in self._overlays:
            if self.python.engine is None:
                raise EnvironmentProblem(f"{self.python.program} has no vllm", "`make engine` makes one that has.")
            folder = self.folder / f"engine-{len(self._overlays) + 1}"
            self._overlays[key] = lay_over(side.tree.root, self.python.engine, folder, side.changes)
        return self._overlays[key]

    def overlays(self) -> tuple[Overlay, ...]:
        """Those in use."""
        return tuple(self._overlays.values())

    def gpus(self) -> list[str]:
        """The GPUs that torch finds there."""
        outcome = self.plain().run({"kind": "device", "environment": {}}, "device", 120)
        return list(outcome.told["gpus"]) if isinstance(outcome, Ran) else []

    def _keeper(self, key: object, name: str, modules: tuple[str, ...], more: dict[str, str]) -> Keeper:
        if key not in self._keepers:
            temporary, cache = self.folder / TEMPORARY, self.folder / f"cache-{name}"
            try:
                temporary.mkdir(exist_ok=True)
                cache.mkdir(exist_ok=True)
            except OSError as error:
                raise EnvironmentProblem(f"cannot write to {self.folder}: {error}", "Make room there.") from error
            environment = {
                **COMMON,
                "TMPDIR": str(temporary),
                "VLLM_RPC_BASE_PATH": str(temporary),
                "VLLM_CACHE_ROOT": str(cache),
                "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
                "TRITON_CACHE_DIR": str(cache / "triton"),
                **more,
            }
            self._keepers[key] = self._stack.enter_context(
                Keeper(self.python.program, modules, environment, self.logs, name)
            )
        return self._keepers[key]


def _key(side: Side) -> object:
    return (side.tree.root.resolve(), tuple(sorted(side.changes.items())))
