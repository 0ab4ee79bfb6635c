"""What the forward of a module class does with its linears and with attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.locations import Location

ATTENTION = "attention"
"""What came out of the attention interface."""
LINEAR, MODULE, PARAMETER, THROUGH = "linear ", "module ", "parameter ", "through "
"""What an origin begins with; a name follows. `through` is a child without linears that the value passed."""

Origins = frozenset[str]
NOWHERE: Origins = frozenset()


@dataclass(frozen=True, slots=True)
class LinearCall:
    """A call of one of the module's own linears."""

    linear: str
    origins: Origins
    parameter: str | None
    """The parameter of the forward that it reads as it is, None where something was done to it before."""
    traced: bool
    """Whether a symbolic trace of the forward gets as far as this call."""
    location: Location


@dataclass(frozen=True, slots=True)
class Reshape:
    """A `view` or `reshape` of a value that came from a linear."""

    origins: Origins
    counts_heads: bool
    """One of the sizes counts heads."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class FullWidth:
    """A norm or a parameter as wide as all heads that meets a value."""

    origins: Origins
    gathers: bool
    """It is a norm by the root mean square, which some backends replace by one that gathers all ranks' parts."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class Cut:
    """A `split` or `chunk` of a linear's output."""

    origins: Origins
    direct: bool
    """It is called on the linear's call itself, with three sizes written out."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class AttentionCall:
    """The call of the attention interface."""

    query: Origins
    key: Origins
    value: Origins
    location: Location


@dataclass(frozen=True, slots=True)
class GatedUnit:
    """`activation(gate(x)) * up(x)`, written as one expression."""

    gate: str
    up: str
    activation: str


@dataclass(frozen=True, slots=True)
class Projections:
    """The values of one module class."""

    linear_calls: tuple[LinearCall, ...]
    reshapes: tuple[Reshape, ...]
    full_widths: tuple[FullWidth, ...]
    cuts: tuple[Cut, ...]
    attention_calls: tuple[AttentionCall, ...]
    gated: GatedUnit | None
    returned: Origins
    """Where the (first) value that the forward returns came from."""
    returned_traced: bool
    """Whether a symbolic trace gets to the end."""
