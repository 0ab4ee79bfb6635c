"""Reads the engine's hand-written modeling files: which classes, which interfaces, which layers."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from analyzer.engine.bespoke_parts import BespokePart, read_bespoke_parts
from analyzer.engine.configuration_reads import ConfigurationRead, read_configuration_reads
from analyzer.engine.engine_calls import EngineCall, read_engine_calls
from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.engine.modalities import read_modalities
from analyzer.engine.weight_loading import WeightLoading, read_weight_loading
from analyzer.errors import Refused, UnreadableSource
from analyzer.locations import Location
from analyzer.source.classes import ClassResolver, ClassSource, ImportedName
from analyzer.source.import_statements import code_of, column_of

if TYPE_CHECKING:
    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.registry import RegistryEntry


@dataclass(frozen=True, slots=True)
class _Use:
    """How code uses something: by a name that ends so, and behind what."""

    name: re.Pattern[bytes]
    before: re.Pattern[bytes]
    """The line up to there; `start` is where the whole name begins."""


PARALLEL_LINEAR = _Use(
    re.compile(rb"ParallelLinear[ \t]*\("), re.compile(rb"(?<![\w.])(?<!\bclass )(?<!\bdef )(?P<start>[\w.]*)\Z")
)
"""A call of `ColumnParallelLinear`, `QKVParallelLinear` … of `vllm/model_executor/layers/linear.py`."""
POOLING_FLAG = "is_pooling_model"
POOLING_INTERFACE = "VllmModelForPooling"
COMPILE_DECORATOR = _Use(re.compile(rb"support_torch_compile\b"), re.compile(rb"\A[ \t]*@(?P<start>[\w.]*)\Z"))


@dataclass(frozen=True)
class BespokeClass:
    """The class that serves an architecture today. What only some rules ask for is read when it is asked for."""

    name: str
    """As the registry has it; where that is another name for the class, not the one of its class statement."""
    location: Location
    interfaces: frozenset[str]
    """Names of everything it inherits from, such as `SupportsLoRA`, or declares by a flag."""
    parallel_linear: Location | None
    """A tensor parallel layer that it builds, itself or through what it inherits."""
    compiled: Location | None
    """A class decorated for `torch.compile`."""
    source: ClassSource = field(repr=False, compare=False)
    resolver: ClassResolver = field(repr=False, compare=False)

    @cached_property
    def _parts(self) -> tuple[BespokePart, ...]:
        return read_bespoke_parts(self.resolver, self.source)

    @cached_property
    def engine_calls(self) -> tuple[EngineCall, ...]:
        """Layers and operators of the engine that it and its parts call."""
        return read_engine_calls(self.resolver, self._parts)

    @cached_property
    def configuration_reads(self) -> tuple[ConfigurationRead, ...]:
        """Fields of the model's configuration that its own file reads; what it shares with others is left out."""
        return read_configuration_reads(part for part in self._parts if part.file == self.source.file)

    @cached_property
    def weight_loading(self) -> WeightLoading:
        """How it maps a checkpoint's weights."""
        return read_weight_loading(self._parts)

    @cached_property
    def modalities(self) -> frozenset[str]:
        """What a prompt may hold besides text: `image`, `video`, `audio`."""
        return read_modalities(part.node for part in self._parts)


@dataclass(frozen=True, slots=True)
class BespokeModule:
    """A modeling file (or package) of the engine and the registry entries that point at it."""

    name: str
    files: tuple[str, ...]
    lines: int
    entries: tuple[RegistryEntry, ...]
    classes: tuple[BespokeClass, ...]

    @property
    def architectures(self) -> tuple[str, ...]:
        """Each architecture once, in the registry's order."""
        return tuple(dict.fromkeys(entry.architecture for entry in self.entries))

    def entry_of(self, architecture: str) -> Location | None:
        """The line of the registry that names the module for `architecture`."""
        return next((entry.location for entry in self.entries if entry.architecture == architecture), None)

    def serving(self, architecture: str) -> BespokeClass | None:
        """The class the registry names for `architecture`."""
        names = [entry.class_name for entry in self.entries if entry.architecture == architecture]
        return next((c for c in self.classes if c.name in names), None)


def module_entry_file(engine: EngineTree, module: str) -> str:
    """The file that a registry's module name is imported from.

    Raises `Refused` for a name that is no module path (`..`, slashes) and `UnreadableSource` where no file is.
    """
    if not all(part.isidentifier() for part in module.split(".")):
        raise Refused(f"the registry names a module {module!r} that is no Python module name", "Mend the registry.")
    stem = module.replace(".", "/") if module.startswith("vllm.") else f"{MODELS_FOLDER}/{module.replace('.', '/')}"
    for file in (f"{stem}.py", f"{stem}/__init__.py"):
        engine.files.locate(file)
        if engine.files.exists(file):
            return file
    raise UnreadableSource(f"the registry names module {module!r}, but there is no {stem}.py", "Mend the registry.")


def read_bespoke_module(engine: EngineTree, resolver: ClassResolver, module: str) -> BespokeModule:
    """Read the module that registry entries call `module`.

    Raises as `module_entry_file` does, and `UnreadableSource` where the file that has a class is not valid Python.
    """
    entries = engine.registry.entries_of(module)
    entry_file = module_entry_file(engine, module)
    if entry_file.endswith("/__init__.py"):
        folder = entry_file.removesuffix("/__init__.py")
        files = tuple(sorted(engine.files.walk(folder, frozenset({".py"}))))
    else:
        files = (entry_file,)
    engine.files.parse(entry_file)
    lines = sum(engine.files.read(file).count(b"\n") for file in files)
    classes = []
    for name in dict.fromkeys(entry.class_name for entry in entries if entry.class_name):
        found = resolver.find_class(entry_file, name)
        if found is not None:
            classes.append(_read_class(resolver, found, name))
        else:
            # It may stand in a file that cannot be read, which is then to be told.
            for file in files:
                engine.files.parse(file)
    return BespokeModule(module, files, lines, entries, tuple(classes))


def _read_class(resolver: ClassResolver, source: ClassSource, name: str) -> BespokeClass:
    files = _model_files(resolver, source)
    return BespokeClass(
        name=name,
        location=source.location,
        interfaces=resolver.base_names(source) | _declared_interfaces(resolver, source),
        parallel_linear=_first_use(resolver, files, PARALLEL_LINEAR),
        compiled=_first_use(resolver, files, COMPILE_DECORATOR),
        source=source,
        resolver=resolver,
    )


def _declared_interfaces(resolver: ClassResolver, source: ClassSource) -> frozenset[str]:
    """Interfaces that the engine goes by a flag for, whether or not the class inherits them."""
    flag = resolver.attribute(source, POOLING_FLAG)
    declared = flag is not None and isinstance(flag.value, ast.Constant) and flag.value.value is True
    return frozenset({POOLING_INTERFACE} if declared else ())


def _model_files(resolver: ClassResolver, source: ClassSource) -> tuple[str, ...]:
    """The files of the class and of the model classes it is built from: its bases and what their file imports."""
    files = dict.fromkeys(member.file for member in resolver.linearization(source))
    for file in tuple(files):
        for symbol in resolver.symbols(file).values():
            if isinstance(symbol, ImportedName):
                origin = resolver.module_file(file, symbol)
                if origin is not None and origin.startswith(f"{MODELS_FOLDER}/"):
                    files.setdefault(origin)
    return tuple(files)


def _first_use(resolver: ClassResolver, files: tuple[str, ...], use: _Use) -> Location | None:
    """The first place, file by file, where code has `use`."""
    places = ((file, resolver.tree.fact(file, use, partial(_place_of, use))) for file in files)
    return next((Location(file, *place) for file, place in places if place is not None), None)


def _place_of(use: _Use, data: bytes) -> tuple[int, int] | None:
    """The line and the column of the first place where code has `use`."""
    code = code_of(data) if use.name.search(data) is not None else b""
    for found in use.name.finditer(code):
        begin = code.rfind(b"\n", 0, found.start()) + 1
        before = use.before.search(code[begin : found.start()])
        if before is not None:
            return column_of(data, begin + before.start("start"))
    return None
