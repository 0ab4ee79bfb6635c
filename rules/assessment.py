"""Brings facts and rules together: a model of the engine, judged against one or several releases."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from analyzer.engine.backend import Backend, read_backend
from analyzer.engine.bespoke import BespokeModule, read_bespoke_module
from analyzer.engine.engine_configurations import engine_configuration, named_configuration
from analyzer.engine.model_names import BespokeModel, NamedModel, ServedOtherwise
from analyzer.engine.suppressions import Suppressions
from analyzer.release.configuration_fields import ConfigurationFields, read_configuration_fields
from analyzer.release.hugging_face_model import HuggingFaceModel, read_hugging_face_model
from analyzer.source.classes import ClassResolver
from analyzer.source.nesting import follow
from analyzer.uses.references import find_references
from analyzer.uses.sub_model_needs import SubModelNeeds, read_sub_model_needs
from analyzer.uses.sub_models import SubModels
from rules.catalogue import RULES
from rules.rule import Rule, Subject
from rules.verdict import Judgement, Verdict, judge, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.registry import RegistryEntry
    from analyzer.release.hugging_face import HuggingFaceSource
    from analyzer.uses.reference import Reference
    from rules.findings import Capability

PACKAGE = "vllm"
"""Where dependents are looked for: tests that name a model are edited or run as they are."""


@dataclass(frozen=True, slots=True)
class OneArchitecture:
    """What holds for one of several architectures on a module: its entry may go where the module has to stay."""

    architecture: str
    verdict: Verdict
    losses: tuple[Capability, ...]


@dataclass(frozen=True, slots=True)
class Assessment:
    """A model and what was judged of it."""

    model: NamedModel
    module: BespokeModule | None
    """None where the tree has no hand-written module for it."""
    backend_classes: tuple[tuple[str, str], ...]
    """For each architecture the backend's class that is to serve it."""
    judgements: tuple[Judgement, ...]
    """One for each Transformers release, in the order they were asked for."""
    each: tuple[OneArchitecture, ...]
    """What holds for each architecture alone, under every release."""

    @property
    def judgement(self) -> Judgement:
        """What holds under every release that was asked for."""
        return together(self.judgements)

    @property
    def architectures(self) -> tuple[str, ...]:
        """The architectures meant."""
        return (self.model.architecture,) if isinstance(self.model, ServedOtherwise) else self.model.architectures

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return self.module.name if self.module is not None else self.architectures[0]

    @property
    def entry(self) -> RegistryEntry | None:
        """Where the registry has a model that is served otherwise."""
        return self.model.entry if isinstance(self.model, ServedOtherwise) else None


class Assessor:
    """Judges the models of one tree, reading what they share once."""

    def __init__(
        self, engine: EngineTree, sources: tuple[HuggingFaceSource, ...], rules: tuple[Rule, ...] = RULES
    ) -> None:
        self.engine = engine
        self.sources = sources
        self.rules = rules
        self.suppressions = Suppressions(engine.files)
        self.resolver = ClassResolver(engine.files)
        self.backend: Backend = read_backend(engine, self.resolver)
        self.sub_models = SubModels(engine.files)
        self._modules: frozenset[str] = frozenset()
        self._found_references: dict[str, tuple[Reference, ...]] = {}

    def against(self, source: HuggingFaceSource) -> Assessor:
        """The same for another release; what was read of the tree is shared."""
        other = copy(self)
        other.sources = (source,)
        return other

    def assess_all(self, models: Sequence[NamedModel]) -> list[Assessment]:
        """Judge each of `models`; the tree is searched once for what needs their modules. Raises as `assess`."""
        self._modules |= {model.module for model in models if isinstance(model, BespokeModel)}
        return [self.assess(model) for model in models]

    def assess(self, model: NamedModel) -> Assessment:
        """Judge `model` against every release. Raises the errors of reading."""
        with follow(f"the source of {model.module if isinstance(model, BespokeModel) else model.architecture}"):
            return self._assess(model)

    def _assess(self, model: NamedModel) -> Assessment:
        module = (
            read_bespoke_module(self.engine, self.resolver, model.module) if isinstance(model, BespokeModel) else None
        )
        architectures = model.architectures if isinstance(model, BespokeModel) else (model.architecture,)
        judgements: list[Judgement] = []
        alone: dict[str, list[Judgement]] = {architecture: [] for architecture in architectures}
        classes: dict[str, str] = {}
        for source in self.sources:
            subjects = [self._subject(source, architecture, module) for architecture in architectures]
            classes = {s.architecture: s.backend_class_name for s in subjects}
            for subject in subjects:
                alone[subject.architecture].append(judge(subject, self.rules, self.suppressions))
            judgements.append(together([found[-1] for found in alone.values()]))
        each = ((architecture, together(found)) for architecture, found in alone.items() if found)
        verdicts = tuple(OneArchitecture(a, found.verdict, found.losses) for a, found in each)
        return Assessment(model, module, tuple(classes.items()), tuple(judgements), verdicts)

    def know_references(self, found: Mapping[str, tuple[Reference, ...]]) -> None:
        """Take over what was found to need each module, so that it is not looked for again."""
        self._found_references.update(found)

    def forget(self, most_bytes: int) -> None:
        """Give syntax trees back once they stand for more than `most_bytes` of source in one tree."""
        for resolver in (self.resolver, *(source.resolver for source in self.sources)):
            if resolver.tree.parsed_bytes > most_bytes:
                resolver.forget()

    def _subject(self, source: HuggingFaceSource, architecture: str, module: BespokeModule | None) -> Subject:
        facts: HuggingFaceModel | None = read_hugging_face_model(source, architecture)
        name = self.backend.class_for(
            architecture,
            multimodal=facts is not None and facts.multimodal,
            mixture_of_experts=facts is not None and facts.mixture_of_experts,
        )
        return Subject(
            architecture=architecture,
            release=source.label,
            backend=self.backend,
            backend_class_name=name,
            backend_class=self.backend.backend_class(name),
            model=facts,
            entry=module.entry_of(architecture) if module is not None else None,
            bespoke=module.serving(architecture) if module is not None else None,
            engine_configuration=named_configuration(self.resolver, facts.model_types[0])
            if facts and facts.model_types
            else None,
            engine_fields=self._engine_fields(facts.model_types if facts is not None else ()),
            references=partial(self._references, module) if module is not None else tuple,
            sub_models=partial(self._needs, module, architecture, name) if module is not None else tuple,
        )

    def _needs(self, module: BespokeModule, architecture: str, name: str) -> tuple[SubModelNeeds, ...]:
        """What other modules take of the architecture, which they build by name, for the backend's class `name`."""
        backend_class = self.backend.backend_class(name)
        others = tuple(s for s in self.sub_models.of(architecture) if s.location.file not in module.files)
        return read_sub_model_needs(self.resolver, others, backend_class) if backend_class is not None else ()

    def _engine_fields(self, model_types: tuple[str, ...]) -> ConfigurationFields | None:
        found = (engine_configuration(self.resolver, model_type) for model_type in model_types)
        own = [configuration for configuration in found if configuration is not None]
        return read_configuration_fields(self.resolver, *own) if own else None

    def _references(self, module: BespokeModule) -> tuple[Reference, ...]:
        """What needs the module, looked for together with that of all modules to be judged."""
        if module.name not in self._found_references:
            wanted = (self._modules | {module.name}) - self._found_references.keys()
            found = find_references(self.engine.files, wanted, below=PACKAGE)
            for name in wanted:
                self._found_references[name] = tuple(reference for reference in found if reference.subject == name)
        return self._found_references[module.name]
