"""Whether a tree and an installed engine are of one version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from packaging.version import Version

    from analyzer.engine.engine_tree import EngineTree
    from retire_model.smoke.engine_python import Package


def refuse_other_version(tree: EngineTree, installed: Package) -> None:
    """Raise `EnvironmentProblem` where the compiled extensions of `installed` are not those of the tree."""
    has = f"the installed engine is {installed.distribution} {installed.version}"
    if tree.version is None:
        raise EnvironmentProblem(
            f"{tree.root} does not say its version, and {has}",
            "Build the checkout once (that writes vllm/_version.py), or use an unpacked release.",
        )
    if installed.version is None or _plain(tree.version) != _plain(installed.version):
        raise EnvironmentProblem(
            f"{tree.root} is vLLM {tree.version}, and {has}: extensions and Python files have to match",
            "Install that version beside the tree, or name another --engine-python.",
        )


def _plain(version: Version) -> str:
    """Without what names a build: `0.32.0+cpu` is 0.32.0."""
    return version.public
