"""Reads which configurations a composite configuration class is made of.

Facts of Transformers 4.57 to 5.24: `sub_configs = {"text_config": TextConfig, …}`; since 5.20
`sub_configs_defaults = {"text_config": SubConfigSpec(config_class=TextConfig), …}`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.classes import dotted_name

if TYPE_CHECKING:
    from analyzer.source.classes import Attribute, ClassResolver, ClassSource

_ATTRIBUTES = ("sub_configs_defaults", "sub_configs")
_CLASS_KEYWORD = "config_class"


def sub_configurations(resolver: ClassResolver, configuration: ClassSource) -> dict[str, ClassSource | None]:
    """For the name of each part its class; None for one that cannot be found. Empty where it is not composite."""
    for name in _ATTRIBUTES:
        attribute = resolver.attribute(configuration, name)
        if attribute is not None and isinstance(attribute.value, ast.Dict) and attribute.value.keys:
            return _parts(resolver, attribute, attribute.value)
    return {}


def _parts(resolver: ClassResolver, attribute: Attribute, display: ast.Dict) -> dict[str, ClassSource | None]:
    parts: dict[str, ClassSource | None] = {}
    for key, value in zip(display.keys, display.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            name = dotted_name(_class_of(value))
            parts[key.value] = resolver.find_class(attribute.owner.file, name) if name else None
    return parts


def _class_of(value: ast.expr) -> ast.expr:
    keywords = value.keywords if isinstance(value, ast.Call) else []
    return next((keyword.value for keyword in keywords if keyword.arg == _CLASS_KEYWORD), value)
