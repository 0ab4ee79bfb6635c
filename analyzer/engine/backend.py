"""Reads what the engine's Transformers modeling backend demands and gives, from its own source.

Facts of `vllm/model_executor/models/transformers/`, vLLM 0.11.2 to 0.33.0. What it demands changes with each
release: 0.24 raises without a plan, 0.33 infers one. So nothing here is assumed of a version.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.backend_attention import BackendAttention, read_backend_attention
from analyzer.engine.backend_demands import RequiredField, read_forward_arguments, read_required_fields
from analyzer.engine.backend_functions import BACKEND_PACKAGE, functions_of
from analyzer.engine.backend_head import BackendHead, read_backend_head
from analyzer.engine.backend_layers import (
    read_compile_location,
    read_fusers,
    read_parallel_styles,
    read_replaced_layers,
)
from analyzer.engine.backend_plans import PlanDemand, read_plan_demand
from analyzer.engine.conversions import read_default_tasks
from analyzer.engine.engine_calls import EngineNames, read_engine_names
from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.engine.modalities import read_modalities
from analyzer.errors import EnvironmentProblem
from analyzer.locations import Location, location_of
from analyzer.release.latent_attention import LatentModelTypes, read_latent_model_types
from analyzer.source.classes import ClassResolver, ClassSource, dotted_name
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.engine_tree import EngineTree

LOADER_FILE = f"{MODELS_FOLDER}/utils.py"
_AUTO_HEAD = "AutoModelFor"


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
    trees = {file: engine.files.parse(file) for file in files}
    functions = functions_of(trees)
    passed = read_forward_arguments(functions)
    words = {name for tree in trees.values() for name in _imported(tree)}
    backend = Backend(
        classes=tuple(_backend_classes(resolver, init)),
        tensor_parallel=read_plan_demand(functions, "tp_plan"),
        pipeline_parallel=read_plan_demand(functions, "supports_pp_plan"),
        replaced_layers=tuple(read_replaced_layers(functions)),
        parallel_styles=read_parallel_styles(resolver, trees),
        fusers=read_fusers(trees),
        compile_location=read_compile_location(functions),
        forward_arguments=passed[0],
        forward_location=passed[1],
        required_fields=tuple(read_required_fields(functions)),
        head=read_backend_head(engine.files, functions),
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
    return (alias.name for node in every(tree, ast.ImportFrom) for alias in node.names)


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
