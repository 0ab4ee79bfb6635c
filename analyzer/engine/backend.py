"""Reads what the engine's Transformers modeling backend demands and gives, from its own source.

Facts of `vllm/model_executor/models/transformers/`, vLLM 0.11.2 to 0.33.0. What it demands changes with each
release: 0.24 raises without a plan, 0.33 infers one. So nothing here is assumed of a version.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.engine.backend_attention import BackendAttention, read_backend_attention
from analyzer.engine.conversions import read_default_tasks
from analyzer.engine.engine_calls import EngineNames, read_engine_names
from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.engine.modalities import read_modalities
from analyzer.errors import EnvironmentProblem
from analyzer.locations import Location, location_of
from analyzer.release.forward_signature import POSITIONS
from analyzer.release.latent_attention import LatentModelTypes, read_latent_model_types
from analyzer.source.classes import ClassResolver, ClassSource, dotted_name
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.engine_tree import EngineTree

BACKEND_PACKAGE = f"{MODELS_FOLDER}/transformers"
LOADER_FILE = f"{MODELS_FOLDER}/utils.py"
_AUTO_HEAD = "AutoModelFor"


class WithoutPlan(StrEnum):
    """What the backend does with a model that has no parallel plan."""

    RAISES = "raises"
    INFERS = "infers"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PlanDemand:
    """How the backend treats a missing plan, and the line that decides."""

    without: WithoutPlan
    location: Location | None


@dataclass(frozen=True, slots=True)
class BackendClass:
    """A `Transformers*` class and the names of everything it inherits from, each with its line."""

    name: str
    location: Location
    inherits: tuple[tuple[str, Location], ...]

    def interface(self, name: str) -> Location | None:
        """The line on which `name` is inherited, None where it is not."""
        return next((location for base, location in self.inherits if base == name), None)


@dataclass(frozen=True, slots=True)
class BackendHead:
    """The output head that the backend puts in place of the model's own."""

    name: str
    """The attribute, and so the name that weights are loaded under."""
    fields: tuple[str, ...]
    """The configuration fields that it applies to the logits."""
    takes_bias: bool
    location: Location | None


@dataclass(frozen=True, slots=True)
class RequiredField:
    """A configuration field that the backend cannot do without, under any of these names."""

    names: tuple[str, ...]
    for_experts: bool
    """Asked for where it replaces experts only."""
    location: Location


@dataclass(frozen=True, slots=True)
class Backend:
    """The backend of one engine tree."""

    classes: tuple[BackendClass, ...]
    tensor_parallel: PlanDemand
    pipeline_parallel: PlanDemand
    replaced_layers: tuple[tuple[str, Location], ...]
    """Layer classes it replaces by its own, such as `nn.Linear`; `*RMSNorm` stands for a name's ending."""
    parallel_styles: tuple[str, ...]
    fusers: tuple[str, ...]
    """The names of its fusers in order of priority; none before vLLM 0.25."""
    compile_location: Location | None
    """Where it decorates the decoder for `torch.compile`."""
    forward_arguments: tuple[str, ...]
    """What it passes by name to the forward of the Hugging Face model, and cannot do without."""
    forward_location: Location | None
    required_fields: tuple[RequiredField, ...]
    head: BackendHead
    attention: BackendAttention
    engine: EngineNames
    """What it imports from the engine."""
    modalities: frozenset[str]
    """What it takes besides text."""
    heads: frozenset[str]
    """The heads it builds by an `AutoModelFor…` of Transformers, such as `SequenceClassification`."""
    converts_weights: bool
    """It applies the conversions of checkpoints that Transformers declares, not only the renamings."""
    dropped_weights: frozenset[str]
    """Parts of names that its loader leaves out by itself."""
    latent_model_types: LatentModelTypes | None
    """The model types that the engine keeps a latent for; None where it has no such list."""
    default_tasks: tuple[tuple[str, str], ...]
    """`(architecture suffix, convert type)` in order: the engine's own table of what a name's ending means."""

    def backend_class(self, name: str) -> BackendClass | None:
        """The class called `name`."""
        return next((c for c in self.classes if c.name == name), None)

    def replaces(self, layer: str) -> Location | None:
        """Where the backend replaces layers of the class `layer` (last part of the name), None where it does not."""
        return next((place for name, place in self.replaced_layers if name.rpartition(".")[2] == layer), None)

    def task_of(self, architecture: str) -> str:
        """What the ending of an architecture's name stands for: `none` (it generates), `embed` or `classify`."""
        return next((task for suffix, task in self.default_tasks if architecture.endswith(suffix)), "none")

    def class_for(self, architecture: str, *, multimodal: bool, mixture_of_experts: bool) -> str:
        """The name of the class that the backend chooses, whether or not it has such a class.

        The rule of `ModelConfig._get_transformers_backend_cls` in `vllm/config/model.py`.
        """
        endings = {"embed": "EmbeddingModel", "classify": "ForSequenceClassification"}
        ending = endings.get(self.task_of(architecture), "ForCausalLM")
        return f"Transformers{'MultiModal' * multimodal}{'MoE' * mixture_of_experts}{ending}"


def read_backend(engine: EngineTree, resolver: ClassResolver) -> Backend:
    """Read the backend of an engine tree. Raises `EnvironmentProblem` for a tree without one, or one not understood."""
    init = f"{BACKEND_PACKAGE}/__init__.py"
    if not engine.files.exists(init):
        raise EnvironmentProblem(
            f"{engine.files.real_root} has no Transformers modeling backend in {BACKEND_PACKAGE}",
            "The backend is a package since vLLM 0.11; older trees cannot be served.",
        )
    files = tuple(engine.files.walk(BACKEND_PACKAGE, frozenset({".py"})))
    functions = {file: tuple(_functions(engine.files.parse(file))) for file in files}
    passed = _forward_arguments(functions)
    trees = {file: engine.files.parse(file) for file in files}
    words = {name for tree in trees.values() for name in _imported(tree)}
    backend = Backend(
        classes=tuple(_backend_classes(resolver, init)),
        tensor_parallel=_plan_demand(functions, "tp_plan"),
        pipeline_parallel=_plan_demand(functions, "supports_pp_plan"),
        replaced_layers=tuple(_replaced_layers(functions)),
        parallel_styles=_parallel_styles(resolver, files),
        fusers=_fusers(engine, files),
        compile_location=_compile_location(functions),
        forward_arguments=passed[0],
        forward_location=passed[1],
        required_fields=tuple(_required_fields(functions)),
        head=_head(engine, functions),
        attention=read_backend_attention(functions, trees),
        engine=read_engine_names(trees),
        modalities=read_modalities(trees.values()),
        heads=frozenset(name.removeprefix(_AUTO_HEAD) for name in words if name.startswith(_AUTO_HEAD)),
        converts_weights="WeightConverter" in words,
        dropped_weights=frozenset(_dropped_weights(engine, trees)),
        latent_model_types=read_latent_model_types(engine.files),
        default_tasks=read_default_tasks(engine.files),
    )
    _refuse_not_understood(engine, backend)
    return backend


def _refuse_not_understood(engine: EngineTree, backend: Backend) -> None:
    """What every backend does, whatever its release: where one of these was not found, nothing can be said of it."""
    essential = {
        "classes that serve models": backend.classes,
        "call of the Hugging Face model": backend.forward_location,
        "replacement of layers": backend.replaced_layers,
        "output head": backend.head.location,
        "attention layers": backend.attention.location,
    }
    missing = [what for what, found in essential.items() if not found]
    if missing:
        raise EnvironmentProblem(
            f"the Transformers modeling backend of {engine.root} cannot be understood: no {', no '.join(missing)} "
            f"in {BACKEND_PACKAGE}",
            "Restore its files; the backends of vLLM 0.11 to 0.33 are known.",
        )


def _imported(tree: ast.Module) -> Iterator[str]:
    return (alias.name for node in walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)


def _dropped_weights(engine: EngineTree, trees: dict[str, ast.Module]) -> Iterator[str]:
    """What the backend's mappers drop, and the loader's own list of weights that nothing uses."""
    loader = [engine.files.parse(LOADER_FILE)] if engine.files.exists(LOADER_FILE) else []
    for node in (node for tree in [*trees.values(), *loader] for node in walk(tree)):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    match key, value:
                        case ast.Constant(value=str() as text), ast.Constant(value=None):
                            yield text
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=parts)) if name.endswith("UNUSED_WEIGHTS"):
                yield from (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in walk(tree) if isinstance(node, ast.FunctionDef))


def _backend_classes(resolver: ClassResolver, init: str) -> Iterator[BackendClass]:
    for symbol in resolver.symbols(init).values():
        if not isinstance(symbol, ast.ClassDef):
            continue
        inherits: dict[str, Location] = {}
        for member in resolver.linearization(ClassSource(init, symbol)):
            for base in member.node.bases:
                name = dotted_name(base)
                if name:
                    inherits.setdefault(name, location_of(base, member.file))
        yield BackendClass(symbol.name, location_of(symbol, init), tuple(inherits.items()))


def _plan_demand(functions: dict[str, tuple[ast.FunctionDef, ...]], plan: str) -> PlanDemand:
    """The branch taken without a plan: it raises, or it goes on and infers one."""
    for file, found in functions.items():
        for function in found:
            for node in walk(function):
                if isinstance(node, ast.If) and (branch := _branch_without(node, plan)) is not None:
                    raising = next((s for s in branch if isinstance(s, ast.Raise)), None)
                    if raising is not None:
                        return PlanDemand(WithoutPlan.RAISES, location_of(raising, file))
                    return PlanDemand(WithoutPlan.INFERS, location_of(branch[0], file))
    return PlanDemand(WithoutPlan.UNKNOWN, None)


def _branch_without(node: ast.If, plan: str) -> list[ast.stmt] | None:
    for part in node.test.values if isinstance(node.test, ast.BoolOp) else (node.test,):
        match part:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if _last_name(operand) == plan:
                return node.body
            case _ if _last_name(part) == plan and node.orelse:
                return node.orelse
    return None


def _last_name(node: ast.expr) -> str:
    return (dotted_name(node) or "").rpartition(".")[2]


def _replaced_layers(functions: dict[str, tuple[ast.FunctionDef, ...]]) -> Iterator[tuple[str, Location]]:
    """The classes asked for by the test that stands before each replacement, each once."""
    seen: set[str] = set()
    for file, found in functions.items():
        for function in found:
            if not function.name.endswith("recursive_replace"):
                continue
            for branch in walk(function):
                if not isinstance(branch, ast.If):
                    continue
                for name, place in _tested_classes(branch.test):
                    if name not in seen:
                        seen.add(name)
                        yield name, location_of(place, file)


def _tested_classes(test: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id="child_module"), wanted]):
            for part in wanted.elts if isinstance(wanted, ast.Tuple) else (wanted,):
                if name := dotted_name(part):
                    yield name, part
        case ast.Call(func=ast.Attribute(attr="endswith"), args=[ast.Constant(value=str() as ending)]):
            yield f"*{ending}", test


def _parallel_styles(resolver: ClassResolver, files: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the `Style` literal that types the replacement of linear layers."""
    for file in files:
        style = resolver.symbols(file).get("Style")
        if isinstance(style, ast.Subscript):
            return tuple(n.value for n in walk(style) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return ()


def _fusers(engine: EngineTree, files: tuple[str, ...]) -> tuple[str, ...]:
    """The longest tuple of classes called `…Fuser`: the one that is gone through for each module."""
    found: tuple[str, ...] = ()
    for file in files:
        if b"Fuser" in engine.files.read(file):
            for node in walk(engine.files.parse(file)):
                if isinstance(node, ast.Tuple):
                    names = tuple(
                        part.id for part in node.elts if isinstance(part, ast.Name) and part.id.endswith("Fuser")
                    )
                    found = names if len(names) == len(node.elts) and len(names) > len(found) else found
    return found


def _compile_location(functions: dict[str, tuple[ast.FunctionDef, ...]]) -> Location | None:
    for file, found in functions.items():
        for function in found:
            for node in walk(function):
                if isinstance(node, ast.Call) and _last_name(node.func) == "support_torch_compile":
                    return location_of(node, file)
    return None


def _forward_arguments(functions: dict[str, tuple[ast.FunctionDef, ...]]) -> tuple[tuple[str, ...], Location | None]:
    """The names of the call `self.model(input_ids=…, position_ids=…, …)` that hand over what the engine computed."""
    for file, found in functions.items():
        for function in found:
            for node in walk(function):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="model"), keywords=keywords):
                        names = tuple(
                            k.arg for k in keywords if k.arg is not None and not isinstance(k.value, ast.Constant)
                        )
                        if POSITIONS in names:
                            return names, location_of(node, file)
    return (), None


def _required_fields(functions: dict[str, tuple[ast.FunctionDef, ...]]) -> Iterator[RequiredField]:
    """What is read as `x = getattr_iter(text_config, [names], None)` and then asserted not to be None."""
    for file, found in functions.items():
        for function in found:
            read: dict[str, tuple[str, ...]] = {}
            for node in walk(function):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)],
                        value=ast.Call(
                            func=ast.Name(id="getattr_iter"), args=[_, ast.List(elts=parts), ast.Constant(value=None)]
                        ),
                    ):
                        names = (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))
                        read[name] = tuple(names)
                    case ast.Assert(test=ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()])) if name in read:
                        yield RequiredField(read[name], file.endswith("/moe.py"), location_of(node, file))


def _head(engine: EngineTree, functions: dict[str, tuple[ast.FunctionDef, ...]]) -> BackendHead:
    """The head, read from the file that builds a `ParallelLMHead`."""
    for file, found in functions.items():
        for function in found:
            for node in walk(function):
                match node:
                    case ast.Assign(
                        targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                        value=ast.Call(func=ast.Name(id="ParallelLMHead"), keywords=keywords) as call,
                    ):
                        sizes = set(_configuration_fields(call))
                        fields = dict.fromkeys(f for f in _configuration_fields(function) if f not in sizes)
                        bias = any(k.arg == "bias" for k in keywords) or f"{name}.bias".encode() in engine.files.read(
                            file
                        )
                        return BackendHead(name, tuple(fields), bias, location_of(node, file))
    return BackendHead("lm_head", (), False, None)


def _configuration_fields(function: ast.AST) -> Iterator[str]:
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as field), *_]):
                if _last_name(owner).endswith("config"):
                    yield field
            case ast.Attribute(value=owner, attr=field) if _last_name(owner) == "text_config":
                yield field
