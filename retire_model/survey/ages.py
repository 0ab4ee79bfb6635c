"""How old models are: by the repository's history, else by the releases that lie in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.bespoke import module_entry_file
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import RetireModelError
from codemods.writing.git_history import first_days

if TYPE_CHECKING:
    from analyzer.engine.engine_tree import EngineTree
    from retire_model.sources.releases import ReleaseCache

MODEL_FOLDERS = "vllm"


def ages_by_commit(engine: EngineTree) -> dict[str, str]:
    """For each module the day of its first commit; none outside a repository. Raises `EnvironmentProblem`."""
    days = first_days(engine.root, MODEL_FOLDERS)
    return {module: day for module in _modules(engine) if days and (day := _day(engine, module, days))}


def _day(engine: EngineTree, module: str, days: dict[str, str]) -> str | None:
    try:
        return days.get(module_entry_file(engine, module))
    except RetireModelError:
        return None


def ages_by_release(cache: ReleaseCache) -> dict[str, str]:
    """For each module the first release in the cache that has it: nothing is fetched. Raises the errors of reading."""
    first: dict[str, str] = {}
    for number, version in enumerate(cache.cached_versions("vllm")):
        for module in _modules(open_engine_tree(cache.engine(version))):
            first.setdefault(module, f"{version} or before" if number == 0 else str(version))
    return first


def _modules(engine: EngineTree) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.module for e in engine.registry.bespoke_entries() if e.module is not None))
