"""Configuration classes: fields, parts, and those that the engine keeps for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.engine_configurations import engine_configuration
from analyzer.release.configuration_fields import read_configuration_fields
from analyzer.release.sub_configurations import sub_configurations
from tests.analyzer.sources import class_of, resolver_of

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATIONS = """
class Base:
    is_encoder_decoder: bool = False
    def __init__(self, inherited=1, *, keyword=None, **kwargs):
        self.assigned = kwargs

class Text(Base):
    attribute_map = {"num_heads": "heads", **more}
    heads: int = 4
    layer_types: list[str] | None = None
    window = 128
    size: int = heads * 2
    @property
    def made(self):
        return self.layer_types

class Vision(Base):
    depth: int = 3
    heads: int = 16

class Composite(Base):
    sub_configs = {"text_config": Text, "vision_config": Vision, "other": Missing}

class Later(Base):
    sub_configs_defaults = {"text_config": SubConfigSpec(config_class=Text), "vision_config": Vision}

class Plain(Base):
    sub_configs = {}
"""


def test_reads_fields_defaults_and_second_names(tmp_path: Path) -> None:
    resolver = resolver_of(tmp_path, {"c.py": CONFIGURATIONS})
    fields = read_configuration_fields(resolver, class_of(resolver, "c.py", "Text"))
    assert {"heads", "num_heads", "made", "inherited", "keyword", "assigned", "window"} <= fields.known
    assert dict(fields.defaults)["heads"] == 4
    assert dict(fields.defaults)["keyword"] is None
    assert "size" not in dict(fields.defaults)
    assert fields.names_of("heads") == fields.names_of("num_heads") == {"heads", "num_heads"}
    assert {"layer_types", "made"} <= fields.used
    assert "window" not in fields.used


def test_neutral_is_off_or_unknown(tmp_path: Path) -> None:
    resolver = resolver_of(tmp_path, {"c.py": CONFIGURATIONS})
    fields = read_configuration_fields(resolver, class_of(resolver, "c.py", "Text"))
    assert [fields.neutral(f) for f in ("window", "layer_types", "is_encoder_decoder", "size")] == [
        False,
        True,
        True,
        True,
    ]


def test_the_outer_default_comes_before_a_parts(tmp_path: Path) -> None:
    resolver = resolver_of(tmp_path, {"c.py": CONFIGURATIONS})
    text, composite = (class_of(resolver, "c.py", name) for name in ("Text", "Composite"))
    fields = read_configuration_fields(resolver, text, composite)
    assert dict(fields.defaults)["heads"] == 4
    assert "depth" in fields.known


def test_parts_before_and_since_5_20(tmp_path: Path) -> None:
    resolver = resolver_of(tmp_path, {"c.py": CONFIGURATIONS})

    def names(configuration: str) -> dict[str, str | None]:
        parts = sub_configurations(resolver, class_of(resolver, "c.py", configuration))
        return {name: part.name if part else None for name, part in parts.items()}

    assert names("Composite") == {"text_config": "Text", "vision_config": "Vision", "other": None}
    assert names("Later") == {"text_config": "Text", "vision_config": "Vision"}
    assert names("Plain") == {}


def test_the_engines_own_configuration(tmp_path: Path) -> None:
    folder = "vllm/transformers_utils"
    files = {
        f"{folder}/config.py": (
            "_CONFIG_REGISTRY: dict = LazyConfigDict(toy='ToyConfig', named=OtherConfig, gone='GoneConfig',\n"
            "    **{'dashed-toy': 'ToyConfig'}, strange=1)\n"
        ),
        f"{folder}/configs/__init__.py": (
            f"from {folder.replace('/', '.')}.configs.other import OtherConfig\n"
            f"_CLASS_TO_MODULE = {{'ToyConfig': '{folder.replace('/', '.')}.configs.toy', 'GoneConfig': 'vllm.gone'}}\n"
        ),
        f"{folder}/configs/toy.py": "class ToyConfig: ...\n",
        f"{folder}/configs/other.py": "class OtherConfig: ...\n",
    }
    resolver = resolver_of(tmp_path, files)
    found = {name: engine_configuration(resolver, name) for name in ("toy", "named", "dashed-toy", "gone", "strange")}
    assert {name: source.file.rpartition("/")[2] if source else None for name, source in found.items()} == {
        "toy": "toy.py",
        "named": "other.py",
        "dashed-toy": "toy.py",
        "gone": None,
        "strange": None,
    }


def test_an_engine_without_configurations(tmp_path: Path) -> None:
    assert engine_configuration(resolver_of(tmp_path, {}), "toy") is None
