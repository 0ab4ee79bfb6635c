"""Reads which layers a model is made of, and whether each of them attends.

Facts of Transformers 4.57 to 5.24: the layers stand in an `nn.ModuleList` of the base model or its decoder; which
kind a layer is comes from `layer_types` (or `layers_block_type`) of the configuration.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analyzer.release.configuration_defaults import ConfigurationDefaults
from analyzer.release.model_modules import class_names, constructors
from analyzer.source.classes import last_name
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.locations import Location
    from analyzer.release.attention import AttentionModule
    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource, Method

_KIND_FIELDS = ("layer_types", "layers_block_type", "block_types")
DEEPEST = 6


@dataclass(frozen=True, slots=True)
class DecoderLayers:
    """The layers of a language model."""

    kinds: tuple[str, ...]
    """The kinds of layer that the configuration has by default, each once; empty where it names none."""
    all_attend: bool
    """Whether every layer class builds an attention module that dispatches, whatever the kind of the layer."""
    sharing: tuple[str, ...]
    """Where more than one module of one layer dispatches: their qualified names."""
    location: Location
    """The layer's class, else the base model's."""


def read_decoder_layers(
    resolver: ClassResolver,
    base: ClassSource,
    configuration: ClassSource | None,
    modules: ModelModules,
    attention: Iterable[AttentionModule],
) -> DecoderLayers:
    """Read the layers of `base`."""
    defaults = ConfigurationDefaults(resolver, configuration) if configuration is not None else None
    dispatching = {(module.location.file, module.name) for module in attention if module.dispatches}
    reader = _Reader(resolver, defaults, dispatching)
    layers = [c for c in modules.classes if modules.path_of.get((c.file, c.name), "").endswith(".0")]
    layers = [layer for layer in layers if reader.reaches(layer, DEEPEST)]
    paths = tuple(sorted(set(reader.paths(base, "", DEEPEST))))
    return DecoderLayers(
        kinds=tuple(dict.fromkeys(_kinds(defaults))) if defaults is not None else (),
        all_attend=reader.all_listed_attend(base) if layers else True,
        sharing=paths if len(paths) > 1 else (),
        location=layers[0].location if layers else base.location,
    )


def _kinds(defaults: ConfigurationDefaults) -> Iterator[str]:
    for name in _KIND_FIELDS:
        values = defaults.get(name)
        if isinstance(values, list | tuple) and values:
            yield from (value for value in values if isinstance(value, str))
            return


@dataclass(frozen=True, slots=True)
class _Reader:
    resolver: ClassResolver
    defaults: ConfigurationDefaults | None
    dispatching: set[tuple[str, str]]
    known: dict[tuple[str, str], tuple[_Step, ...]] = field(default_factory=dict)

    def reaches(self, source: ClassSource, depth: int) -> bool:
        """Whether building `source` may build a dispatching module."""
        if (source.file, source.name) in self.dispatching:
            return True
        return depth > 0 and any(
            self.reaches(child, depth - 1) for step in self.steps(source) for child in step.classes
        )

    def always_reaches(self, source: ClassSource, depth: int) -> bool:
        """Whether building `source` builds a dispatching module on every path."""
        if (source.file, source.name) in self.dispatching:
            return True
        steps = [step for step in self.steps(source) if step.classes and depth > 0]
        if any(not s.conditional and all(self.always_reaches(c, depth - 1) for c in s.classes) for s in steps):
            return True
        # Both sides of one choice may assign the same attribute.
        chosen: dict[str, list[_Step]] = {}
        for step in steps:
            chosen.setdefault(step.attribute, []).append(step)
        return any(
            len(group) > 1 and all(self.always_reaches(c, depth - 1) for s in group for c in s.classes)
            for attribute, group in chosen.items()
            if attribute
        )

    def all_listed_attend(self, base: ClassSource) -> bool:
        """Whether all classes that stand in the lists which hold attending layers attend themselves."""
        for source in (base, *(c for step in self.steps(base) for c in step.classes)):
            for step in self.steps(source):
                listed = step.classes if step.listed else ()
                if any(self.reaches(c, DEEPEST) for c in listed):
                    return all(self.always_reaches(c, DEEPEST) for c in listed)
        return True

    def paths(self, source: ClassSource, path: str, depth: int) -> Iterator[str]:
        """The qualified names of the dispatching modules of one layer, as the defaults build them."""
        if (source.file, source.name) in self.dispatching:
            yield path
            return
        for step in self.steps(source) if depth > 0 else ():
            for child in step.classes[:1]:
                parts = (path, step.attribute, "0" if step.listed else "")
                yield from self.paths(child, ".".join(filter(None, parts)), depth - 1)

    def steps(self, source: ClassSource) -> tuple[_Step, ...]:
        key = (source.file, source.name)
        if key not in self.known:
            methods = constructors(self.resolver, source)
            self.known[key] = tuple(s for m in methods for s in self._block(m, m.node.body, conditional=False))
        return self.known[key]

    def _block(self, method: Method, body: Iterable[ast.stmt], *, conditional: bool) -> Iterator[_Step]:
        for statement in body:
            match statement:
                case ast.If(test=test, body=inner, orelse=other):
                    decided = self._decided(method, test)
                    if decided is not False:
                        yield from self._block(method, inner, conditional=conditional or decided is None)
                    if decided is not True:
                        yield from self._block(method, other, conditional=conditional or decided is None)
                case ast.For(body=inner) | ast.With(body=inner):
                    yield from self._block(method, inner, conditional=conditional)
                case ast.Assign(targets=[target, *_], value=value):
                    attribute = target.attr if isinstance(target, ast.Attribute) else ""
                    yield from self._calls(method, attribute, value, conditional)
                case ast.Expr(value=value) | ast.AnnAssign(value=ast.expr() as value):
                    yield from self._calls(method, "", value, conditional)

    def _calls(self, method: Method, attribute: str, value: ast.expr, conditional: bool) -> Iterator[_Step]:
        listed = isinstance(value, ast.Call) and last_name(value.func).endswith(("ModuleList", "append"))
        if listed and not attribute and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            attribute = ast.unparse(value.func.value).removeprefix("self.")
        for node in every(value, ast.Call):
            names = list(class_names(self.resolver, method, node.func))
            found = [c for n, _ in names if (c := self.resolver.find_class(method.owner.file, n)) is not None]
            own = tuple(c for c in found if c.file.startswith("transformers/models/"))
            if own:
                yield _Step(attribute, own, listed, conditional or isinstance(value, ast.IfExp))

    def _decided(self, method: Method, test: ast.expr) -> bool | None:
        """What a test gives by default: a field of the configuration, or a constructor argument's default."""
        match test:
            case ast.Attribute(value=ast.Name(id="config"), attr=attr):
                value = self.defaults.get(attr) if self.defaults is not None else None
                return value if isinstance(value, bool) else None
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                given = [n.value for n in every(method.node, ast.Assign) if _sets(n, attr)]
                return self._decided(method, given[0]) if len(given) == 1 else None
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._decided(method, operand)
                return None if inner is None else not inner
            case _:
                return None


def _sets(node: ast.Assign, attribute: str) -> bool:
    return any(isinstance(target, ast.Attribute) and target.attr == attribute for target in node.targets)


@dataclass(frozen=True, slots=True)
class _Step:
    """The classes that one expression of a constructor may build."""

    attribute: str
    classes: tuple[ClassSource, ...]
    listed: bool
    conditional: bool
