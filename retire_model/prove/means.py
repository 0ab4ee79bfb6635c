"""Where cases are run: on this machine's cores, or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retire_model.prove.local import LocalWorkers, fitting_jobs
from retire_model.smoke.bench import NVIDIA_DRIVER
from retire_model.smoke.settings import Device
from retire_model.sources.cache_layout import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.prove.cases import Case
    from retire_model.prove.on_ray import RayWorkers
    from retire_model.smoke.engine_python import EnginePython


@dataclass(frozen=True, slots=True)
class Means:
    """As the command line has it."""

    jobs: int | None
    ray: str | None
    case_seconds: int
    """That one case may take."""
    device: str
    """`auto`, or what models are to run on."""

    def workers(self, cases: Sequence[Case], pythons: Sequence[EnginePython]) -> LocalWorkers | RayWorkers:
        """What runs them; to be used as a context. Raises `EnvironmentProblem` where they cannot run there."""
        logs = cache_folder() / "prove" / "logs"
        for_gpus = self.device != Device.CPU and not all(p.engine is not None and p.engine.is_for_cpu for p in pythons)
        if self.ray is not None:
            from retire_model.prove.on_ray import RayWorkers

            return RayWorkers(self.ray, logs, self.case_seconds, cases, for_gpus=for_gpus)
        if self.jobs is not None:
            return LocalWorkers(self.jobs, logs, self.case_seconds)
        # One case has all GPUs of a machine.
        on_gpus = for_gpus and NVIDIA_DRIVER.exists()
        jobs = 1 if on_gpus else fitting_jobs(max(case.workers for case in cases))
        return LocalWorkers(jobs, logs, self.case_seconds)
