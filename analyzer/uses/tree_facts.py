"""What is asked of an engine tree to see whether its parts agree; each is read when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.engine.conversions import converted_from, read_default_tasks
from analyzer.engine.documented_architectures import read_documented_architectures
from analyzer.engine.registry import Registry, read_registry
from analyzer.engine.test_registry import tested_architectures
from analyzer.source.classes import ClassResolver
from analyzer.uses.ci_paths import MODEL_FOLDERS, read_ci_paths
from analyzer.uses.dangling_imports import find_dangling_imports
from analyzer.uses.module_index import ModuleIndex
from analyzer.uses.sub_models import SubModels

if TYPE_CHECKING:
    from analyzer.engine.documented_architectures import DocumentedArchitecture
    from analyzer.engine.test_registry import TestedArchitecture
    from analyzer.source.source_tree import SourceTree
    from analyzer.uses.ci_paths import CiPath
    from analyzer.uses.dangling_imports import DanglingImport


class TreeFacts:
    """The facts of one tree. Each raises `UnreadableSource` where what it is read from cannot be read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.index = ModuleIndex(tree)
        self.resolver = ClassResolver(tree)
        self.sub_models = SubModels(tree)

    @cached_property
    def registry(self) -> Registry:
        """The engine's registry."""
        return read_registry(self.tree)

    @cached_property
    def live(self) -> frozenset[str]:
        """The architectures that the engine serves by the registry."""
        return frozenset(entry.architecture for entry in self.registry.live_entries())

    @cached_property
    def tested(self) -> tuple[TestedArchitecture, ...]:
        """The test registry; nothing of it where the tree has none, as an installed engine."""
        return tested_architectures(self.tree)

    @cached_property
    def documented(self) -> tuple[DocumentedArchitecture, ...]:
        """What the docs list."""
        return read_documented_architectures(self.tree)

    @cached_property
    def ci_paths(self) -> tuple[CiPath, ...]:
        """The paths of models in the tree's CI."""
        return read_ci_paths(self.tree)

    @cached_property
    def dangling_imports(self) -> tuple[DanglingImport, ...]:
        """The imports that lead nowhere."""
        return find_dangling_imports(self.tree)

    @cached_property
    def model_files(self) -> frozenset[str]:
        """The files of the folders of models."""
        return frozenset(f for folder in MODEL_FOLDERS for f in self.tree.walk(folder, frozenset({".py"})))

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        return tuple(ending for ending, _ in read_default_tasks(self.tree))

    def is_served(self, architecture: str) -> bool:
        """Whether the registry has `architecture`, or one that the engine converts it from."""
        return architecture in self.live or converted_from(architecture, self._endings, self.live) is not None
