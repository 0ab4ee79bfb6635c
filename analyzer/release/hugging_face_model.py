"""Everything that rules ask about the Hugging Face side of one architecture."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.release.altered_classes import AlteredClass, read_altered_classes
from analyzer.release.attention import INTERFACE, AttentionModule, read_attention_modules
from analyzer.release.attention_masks import BuiltMask, read_masks
from analyzer.release.checkpoints import CheckpointWeights, read_checkpoint_weights
from analyzer.release.configuration_defaults import ConfigurationDefaults
from analyzer.release.configuration_fields import ConfigurationFields, read_configuration_fields
from analyzer.release.decoder_layers import DecoderLayers, read_decoder_layers
from analyzer.release.forward_signature import ForwardSignature, read_forward_signatures
from analyzer.release.latent_attention import read_latent_expansion
from analyzer.release.layer_passes import LayerPasses, read_layer_passes
from analyzer.release.layer_pitfalls import Pitfall, read_mask_uses, read_uneven_heads, read_weight_uses
from analyzer.release.model_modules import (
    BuiltLayer,
    ImplementationLookup,
    LinearWithForward,
    ModelModules,
    linears_with_forward,
    read_model_modules,
)
from analyzer.release.output_head import OutputHead, read_output_head
from analyzer.release.parallel_plans import ParallelPlan, read_plan
from analyzer.release.passed_on import ForwardOnTheWay, read_forwards_on_the_way
from analyzer.release.projecting_modules import ProjectingModule, read_projecting_modules
from analyzer.release.stage_handover import StageHandover, read_stage_handover
from analyzer.release.stage_layout import StageLayout, read_stage_layout
from analyzer.source.nesting import follow
from analyzer.source.words import words_mentioned

if TYPE_CHECKING:
    from analyzer.locations import Location
    from analyzer.release.hugging_face import HuggingFaceSource
    from analyzer.source.classes import ClassResolver, ClassSource

EXPERT_COUNTS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
"""Configuration fields by which the engine tells a mixture of experts (`CONFIG_FIELD_ALIASES`, vLLM 0.33.0)."""


@dataclass(frozen=True, slots=True)
class HuggingFaceModel:
    """The Hugging Face side of an architecture, as one release has it."""

    release: str
    architecture: str
    head: Location
    base_class: str
    base: Location
    configuration_class: str
    configuration: Location
    altered: tuple[AlteredClass, ...]
    """Classes of it that are not, or not only, what their class statements say."""
    endless: Location | None
    """A class of it that inherits from itself, by however many steps."""
    multimodal: bool
    mixture_of_experts: bool
    tensor_parallel_plan: ParallelPlan | None
    pipeline_parallel_plan: ParallelPlan | None
    plan_readable: bool
    """False where the language model's configuration is whatever a checkpoint names."""
    declares_attention_backend: bool
    """`_supports_attention_backend`, own or inherited."""
    attention: tuple[AttentionModule, ...]
    names_interface: bool
    """Its base model's file names the attention interface, wherever."""
    conv1d: tuple[BuiltLayer, ...]
    implementation_lookups: tuple[ImplementationLookup, ...]
    linears_with_forward: tuple[LinearWithForward, ...]
    attributes: frozenset[str]
    """The names under which its modules are kept."""
    layers: DecoderLayers
    stages: StageLayout
    """Of the decoder: the language model, or the decoder that it keeps."""
    passes: LayerPasses
    handover: StageHandover
    key_value_heads: int | None
    """By default; None where the configuration does not say."""
    projecting: tuple[ProjectingModule, ...]
    """The classes of the language model that hold linears."""
    forwards: tuple[ForwardSignature, ...]
    """Of the base model and its decoder."""
    on_the_way: tuple[ForwardOnTheWay, ...]
    """The forwards from the base model to the attention interface."""
    output_head: OutputHead
    tied_embeddings: bool | None
    """Whether the output projection shares the embedding's weights by default; None where reading cannot tell."""
    model_types: tuple[str, ...]
    """Of the configuration and of its language model's part."""
    fields: ConfigurationFields
    words: frozenset[str]
    """Every attribute and string of its modeling files: what it may read of a configuration, and its parameters."""
    masks: tuple[BuiltMask, ...]
    mask_uses: tuple[Pitfall, ...]
    """Where a layer takes it that there is a mask."""
    weight_uses: tuple[Pitfall, ...]
    """Where it computes with the weight of a linear itself."""
    uneven_heads: tuple[Pitfall, ...]
    """Where the number or the size of heads depends on the layer."""
    latent_expansion: Location | None
    """The method in which attention expands a latent to keys and values."""
    checkpoint: CheckpointWeights
    processor: str | None
    """The class that prepares images, sound or video for it; None where the release names none."""


def read_hugging_face_model(source: HuggingFaceSource, architecture: str) -> HuggingFaceModel | None:
    """Read `architecture`; None where the release has no such model. Raises `UnreadableSource`."""
    with follow(f"the source of {architecture} in Transformers {source.label}"):
        return _read(source, architecture)


def _read(source: HuggingFaceSource, architecture: str) -> HuggingFaceModel | None:
    classes = source.find(architecture)
    if classes is None:
        return None
    resolver = source.resolver
    text = classes.text_configuration
    language_model = source.language_model(classes)
    modules = read_model_modules(resolver, language_model)
    files = {found.file for found in (classes.head, classes.base, *modules.classes)}
    configurations = [c for c in (text, classes.configuration) if c is not None]
    attention = read_attention_modules(resolver, modules)
    decoder = _decoder(modules, language_model)
    stages = read_stage_layout(resolver, decoder)
    return HuggingFaceModel(
        release=source.label,
        architecture=architecture,
        head=classes.head.location,
        base_class=classes.base.name,
        base=classes.base.location,
        configuration_class=classes.configuration.name,
        configuration=classes.configuration.location,
        altered=read_altered_classes(resolver, (classes.head, *modules.classes)),
        endless=next((c.location for c in (classes.head, *modules.classes) if resolver.inherits_itself(c)), None),
        multimodal=classes.multimodal,
        mixture_of_experts=text is not None and _has_experts(source, text),
        tensor_parallel_plan=_plan(source, text, "base_model_tp_plan"),
        pipeline_parallel_plan=_plan(source, text, "base_model_pp_plan"),
        plan_readable=text is not None,
        declares_attention_backend=_default(source, classes.head, "_supports_attention_backend") is True,
        attention=attention,
        names_interface=INTERFACE.encode() in source.files.read(classes.base.file),
        conv1d=modules.conv1d,
        implementation_lookups=modules.lookups,
        linears_with_forward=linears_with_forward(modules),
        attributes=frozenset(modules.attribute_of.values()),
        stages=stages,
        handover=read_stage_handover(resolver, decoder, stages.lists),
        passes=read_layer_passes(resolver, decoder, stages.lists),
        key_value_heads=_key_value_heads(resolver, text),
        layers=read_decoder_layers(resolver, language_model, text, modules, attention),
        projecting=read_projecting_modules(resolver, modules, text),
        forwards=read_forward_signatures(resolver, language_model, modules),
        on_the_way=read_forwards_on_the_way(resolver, modules, attention),
        output_head=read_output_head(resolver, classes.head, language_model),
        tied_embeddings=None if text is None else _default(source, text, "tie_word_embeddings"),
        model_types=tuple(dict.fromkeys(filter(None, (source.model_type(c) for c in reversed(configurations))))),
        fields=read_configuration_fields(resolver, *configurations),
        words=words_mentioned(source.files.read(file) for file in files),
        masks=read_masks(resolver, language_model),
        mask_uses=read_mask_uses(resolver, modules),
        weight_uses=read_weight_uses(resolver, modules),
        uneven_heads=read_uneven_heads(resolver, modules),
        latent_expansion=read_latent_expansion(resolver, modules),
        checkpoint=read_checkpoint_weights(source, classes),
        processor=source.processor(classes.configuration) if classes.multimodal else None,
    )


def _decoder(modules: ModelModules, language_model: ClassSource) -> ClassSource:
    """What `get_decoder` of a language model answers with, Transformers 5.5 to 5.24."""
    kept = (c for c in modules.classes if modules.path_of.get((c.file, c.name)) == "decoder")
    return next(kept, language_model)


def _key_value_heads(resolver: ClassResolver, configuration: ClassSource | None) -> int | None:
    if configuration is None:
        return None
    defaults = ConfigurationDefaults(resolver, configuration)
    if defaults.get("multi_query") is True:
        return 1
    heads = defaults.get("num_key_value_heads")
    return heads if isinstance(heads, int) else None


def _plan(source: HuggingFaceSource, configuration: ClassSource | None, name: str) -> ParallelPlan | None:
    return read_plan(source.resolver, configuration, name) if configuration is not None else None


def _default(source: HuggingFaceSource, owner: ClassSource, name: str) -> bool | None:
    """The boolean that a class attribute is set to, own or inherited; None where there is none."""
    attribute = source.resolver.attribute(owner, name)
    match attribute and attribute.value:
        case ast.Constant(value=bool() as flag):
            return flag
        case _:
            return None


def _has_experts(source: HuggingFaceSource, configuration: ClassSource) -> bool:
    """Whether the configuration itself has a field that counts experts, and not switched off by default."""
    fields = read_configuration_fields(source.resolver, configuration)
    off = {name for name, value in fields.defaults if not value}
    init = source.resolver.method(configuration, "__init__")
    arguments = {argument.arg for argument in init.node.args.args} if init is not None else set()
    own = (n for n in EXPERT_COUNTS if n in arguments or source.resolver.attribute(configuration, n) is not None)
    return any(name not in off for name in own)
