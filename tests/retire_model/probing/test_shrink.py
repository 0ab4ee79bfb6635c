"""Configurations are shrunk by the names of their fields and by trying; no torch is needed for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from retire_model.probing.repairs import repaired
from retire_model.probing.shrink import CannotShrinkError, attending, cut, proportional, shrink, small_settings
from retire_model.probing.sizes import size_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Configuration:
    """As Transformers has it: keywords with defaults, unknown ones kept, aliases in `attribute_map`."""

    defaults: ClassVar[dict[str, Any]] = {}
    attribute_map: ClassVar[dict[str, str]] = {}
    model_type = "toy"
    is_encoder_decoder = False

    def __init__(self, **given: Any) -> None:
        for name, value in {**self.defaults, **given}.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in type(self).attribute_map:
            return getattr(self, type(self).attribute_map[name])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


def configuration(aliases: dict[str, str] | None = None, **defaults: Any) -> type[Configuration]:
    return type("ToyConfig", (Configuration,), {"defaults": defaults, "attribute_map": aliases or {}})


LARGE: dict[str, Any] = {"vocab_size": 128000, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}


def settings(aliases: dict[str, str] | None = None, **defaults: Any) -> dict[str, Any]:
    return small_settings(configuration(aliases, **{**LARGE, **defaults})())


def built(**defaults: Any) -> Callable[[Callable[[Any], None]], dict[str, Any]]:
    kind = configuration(**{**LARGE, **defaults})
    return lambda build: shrink(kind, build)[1]


@pytest.mark.parametrize(
    ("name", "default", "size"),
    [
        ("hidden_size", 4096, 128),
        ("decoder_attention_heads", 16, 4),
        ("swa_num_key_value_heads", 8, 2),
        ("num_key_value_heads", 1, 1),
        ("qk_rope_head_dim", 64, 32),
        ("moe_shared_expert_intermediate_size", 1024, 64),
        ("num_experts_per_tok", 8, 2),
        ("num_experts_per_tok", 1, 1),
        ("type_vocab_size", 2, 2),
        ("num_attention_heads_per_layer", 48, 4),
        ("shared_intermediate_size", 0, 0),
        ("max_position_embeddings", 8192, 8192),
    ],
)
def test_sizes_by_name(name: str, default: int, size: int) -> None:
    assert size_of(name, default) == size


def test_small_settings() -> None:
    assert settings() == {"vocab_size": 256, "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    assert settings(use_cache=True, name="x", head_dim=None, ratio=0.5) == settings()
    assert settings(id2label={0: "a"}, base_model_tp_plan={"a": "colwise"}, _hidden_size=4096) == settings()


def test_aliases() -> None:
    found = small_settings(configuration({"num_experts": "things"}, things=64)())
    assert found == {"things": 4}


@pytest.mark.parametrize(
    ("name", "given", "small"),
    [
        ("layer_types", ["a"] * 31 + ["b"], ["a", "a", "a", "b"]),
        ("layer_types", ["a", "b"] * 16, ["a", "b", "a", "b"]),
        ("intermediate_size", [8192] * 32, [256] * 4),
        ("activation_pattern", [0.5] * 32, [0.5] * 4),
        ("cross_attention_layers", [3, 8, 13], [3]),
        ("hybrid_layer_ids", [6, 12, 18], [1, 3]),
        ("attention_types", [[["global", "local"], 16]], [[["global", "local"], 2]]),
        ("axial_dims", (1024, 3072), (32, 96)),
        ("languages", ["en", "de"], None),
    ],
)
def test_lists(name: str, given: Any, small: Any) -> None:
    assert settings(**{name: given}).get(name) == small


@pytest.mark.parametrize("layers", [4, None])
def test_lists_of_few_or_unknown_layers_stay(layers: int | None) -> None:
    assert "kinds" not in settings(num_hidden_layers=layers, kinds=["a"] * 32)


def test_cut_keeps_what_has_no_room_for_twice() -> None:
    assert cut(["a", "b", "c", "d", "e"]) == ["a", "b", "c", "d"]
    assert sorted(cut(["a", "a", "a", "a", "b", "c"])) == ["a", "a", "b", "c"]


def test_proportional_adds_up() -> None:
    assert proportional([24, 20, 20], 16) == [6, 5, 5]


def test_token_ids_move_into_the_vocabulary() -> None:
    found = settings(bos_token_id=128000, eos_token_id=[128001], pad_token_id=3, image_token_id=129000)
    assert {n: v for n, v in found.items() if "token" in n} == {
        "bos_token_id": 1,
        "eos_token_id": [2],
        "image_token_id": 3,
    }


def test_sections_of_the_rotary_dimensions() -> None:
    rope = {"rope_type": "default", "mrope_section": [24, 20, 20]}
    assert settings(head_dim=128, rope_parameters=rope)["rope_parameters"]["mrope_section"] == [6, 5, 5]
    nested = settings(head_dim=128, rope_parameters={"full": rope})
    assert nested["rope_parameters"]["full"]["mrope_section"] == [6, 5, 5]


def test_parts_are_shrunk_as_well() -> None:
    part = configuration(hidden_size=1152)()
    assert settings(vision_config=part)["vision_config"] == {"model_type": "toy", "hidden_size": 128}


def test_a_decoder_is_told_to_be_one() -> None:
    assert settings(is_decoder=False)["is_decoder"] is True
    assert "is_decoder" not in settings(is_decoder=False, is_encoder_decoder=True)


def fails_unless(**wanted: Any) -> Callable[[Any], None]:
    def build(found: Any) -> None:
        for name, value in wanted.items():
            if getattr(found, name) != value:
                raise ValueError(f"{name} does not fit")

    return build


def test_what_is_built_at_once_is_not_repaired() -> None:
    assert built()(lambda _: None) == settings()


@pytest.mark.parametrize(
    ("defaults", "wanted"),
    [
        ({"num_key_value_heads": 8}, {"num_key_value_heads": 4}),
        ({"head_dim": None}, {"head_dim": 32}),
        ({"indexer_kv_heads": 8}, {"indexer_kv_heads": 1}),
        ({"mid_hidden_size": 8192}, {"mid_hidden_size": 256}),
        ({"head_dim": 256}, {"head_dim": 64}),
        ({"odd_intermediate_size": 3000}, {"odd_intermediate_size": 3000}),
        ({"layer_types": None}, {"layer_types": ["full_attention"] * 4}),
        ({"default_language": None, "languages": ["en"]}, {"default_language": "en"}),
        ({"head_dim": None, "num_key_value_heads": 8}, {"head_dim": 32, "num_key_value_heads": 4}),
    ],
)
def test_repairs(defaults: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = built(**defaults)(fails_unless(**wanted))
    assert {name: found.get(name, defaults[name]) for name in wanted} == wanted


def test_a_missing_field_is_given_where_it_belongs() -> None:
    part = configuration(kv_heads=8)

    def build(found: Any) -> None:
        if "rope_theta" not in found.attention_config:
            raise AttributeError("'PartConfig' object has no attribute 'rope_theta'")

    found = built(attention_config=part())(build)
    assert found["attention_config"]["rope_theta"] == 10000.0


def test_rotary_parameters_for_each_kind_of_layer() -> None:
    def build(found: Any) -> None:
        found.rope_parameters["full_attention"]

    assert "full_attention" in built(rope_parameters={}, layer_types=["full_attention"] * 32)(build)["rope_parameters"]


def test_sections_that_the_class_knows_and_leaves_out() -> None:
    def build(found: Any) -> None:
        if "mrope_section" not in found.rope_parameters:
            raise RuntimeError("the sizes do not match")

    kind = configuration(**LARGE, rope_parameters={"rope_type": "default", "x_section": [32, 32]}, head_dim=128)
    kind.ignore_keys_at_rope_validation = {"mrope_section"}  # type: ignore[attr-defined]
    assert shrink(kind, build)[1]["rope_parameters"]["mrope_section"] == [6, 6, 4]


def test_a_layer_that_attends_is_put_in_where_it_can() -> None:
    assert built(attn_layer_indices=None)(lambda _: None)["attn_layer_indices"] == [1]
    kinds = built(layer_types=["linear_attention"] * 32)(lambda _: None)["layer_types"]
    assert kinds == ["linear_attention", "full_attention", "linear_attention", "linear_attention"]
    assert list(attending({}, configuration(layer_types=["full_attention"])())) == []


def test_a_layer_that_attends_is_left_out_where_it_fails() -> None:
    def build(found: Any) -> None:
        if "full_attention" in found.layer_types:
            raise ValueError("no such layer")

    assert set(built(layer_types=["linear_attention"] * 32)(build)["layer_types"]) == {"linear_attention"}


def test_what_cannot_be_built_says_why_it_failed_first() -> None:
    def build(_: Any) -> None:
        raise ImportError("needs another library")

    with pytest.raises(CannotShrinkError, match="ImportError: needs another library"):
        built()(build)


def test_no_repair_makes_a_model_large_again() -> None:
    for repair in repaired(settings(), configuration(**LARGE)(), "ValueError: hidden_size does not fit"):
        assert repair["hidden_size"] == 128
        assert repair["num_hidden_layers"] == 4
