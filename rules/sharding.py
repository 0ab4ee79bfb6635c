"""What becomes of a model's projections when the backend runs it on several ranks, and where that cannot work.

Shared by the rules about tensor parallelism. The backend's own fusers, as far as the tree has them, shard what
they recognise; the plan shards what is left; the rest is replicated. Attention serves one rank's part of the heads.
Modelled on `recursive_replace` in `base.py` and on `fusers/` of vLLM 0.24 to 0.33.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from analyzer.release.projection_facts import ATTENTION, LINEAR, MODULE, PARAMETER, THROUGH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from analyzer.locations import Location
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan
    from analyzer.release.projecting_modules import ProjectingModule
    from analyzer.release.projection_facts import AttentionCall, Origins


class Share(StrEnum):
    """What one rank holds of a linear's output, or takes as its input."""

    PART = "a part of the output"
    WHOLE = "the whole output"
    REDUCED = "a part of the input"


class Cause(StrEnum):
    """The kinds of failure."""

    HEAD_COUNT = "head count"
    PACKED = "packed projection"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True)
class ShardedLinear:
    """How one linear ends up."""

    module: str
    name: str
    share: Share
    reached_by: str
    """`plan`, the name of a fuser, or empty for a linear that nothing reaches."""
    style: str


@dataclass(frozen=True, slots=True)
class ShardingProblem:
    """A place that fails, or computes something else, on more than one rank."""

    cause: Cause
    message: str
    location: Location


_GATHERING_NORMS = "RMSNormFuser"
"""What puts a norm in place that gathers the parts of all ranks first, in every release that has it (0.25 on)."""
_SHARE_OF_STYLE = {
    "colwise": Share.PART,
    "rowwise": Share.REDUCED,
}
"""Styles whose output or input stays split. All others, known or not, leave whole values on each rank."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """The linears of a model on several ranks, and what does not work."""

    linears: tuple[ShardedLinear, ...]
    problems: tuple[ShardingProblem, ...]
    overruled: tuple[tuple[ShardedLinear, str], ...]
    """Linears that a fuser shards otherwise than the plan has them, each with the plan's style."""


def shard(model: HuggingFaceModel, fusers: tuple[str, ...]) -> Sharding:
    """Work out what a backend with these fusers makes of `model` on several ranks."""
    linears: list[ShardedLinear] = []
    problems: list[ShardingProblem] = []
    overruled: list[tuple[ShardedLinear, str]] = []
    for module in model.projecting:
        found = _fused(module, fusers) or {}
        planned = {name: _planned(module, name, model.tensor_parallel_plan) for name in module.linears}
        held = planned | found
        overruled.extend((s, planned[n].style) for n, s in found.items() if _overrules(s, planned[n]))
        linears.extend(held.values())
        problems.extend(_problems(module, held, gathers=_GATHERING_NORMS in fusers))
    return Sharding(tuple(linears), tuple(problems), tuple(overruled))


def _overrules(fused: ShardedLinear, planned: ShardedLinear) -> bool:
    return bool(planned.reached_by) and planned.share is not fused.share


def _planned(module: ProjectingModule, name: str, plan: ParallelPlan | None) -> ShardedLinear:
    """As the plan says: keys are regular expressions from the start of the name, the first match wins."""
    qualified = module.qualified(name)
    for entry in plan.entries if plan is not None else ():
        if pattern_matches(entry.pattern, qualified):
            share = _SHARE_OF_STYLE.get(entry.style, Share.WHOLE)
            return ShardedLinear(module.name, name, share, "plan", entry.style)
    return ShardedLinear(module.name, name, Share.WHOLE, "", "replicate")


@cache
def pattern_matches(pattern: str, qualified: str) -> bool:
    """Whether a plan's pattern is taken for the start of a module's name, as the backend's `re.match` takes it.

    Plans hold letters, points and stars alone (Transformers 4.57 to 5.24); anything else stands for itself. Followed
    state by state, so that no pattern takes longer than it is long: plans are what strangers wrote.
    """
    steps = _steps(pattern)
    states = _passed({0}, steps)
    for character in qualified:
        if len(steps) in states:
            return True
        if not states:
            return False
        fitting = {state for state in states if steps[state][0] in (".", character)}
        states = _passed({state if steps[state][1] else state + 1 for state in fitting}, steps)
    return len(steps) in states


@cache
def _steps(pattern: str) -> list[tuple[str, bool]]:
    return [(step[0], step.endswith("*")) for step in re.findall(r"[^*]\*?", pattern)]


def _passed(states: set[int], steps: list[tuple[str, bool]]) -> set[int]:
    """The states, and those behind steps that may be left out."""
    reached = set(states)
    for first in states:
        state = first
        while state < len(steps) and steps[state][1]:
            state += 1
            reached.add(state)
    return reached


def _fused(module: ProjectingModule, fusers: tuple[str, ...]) -> dict[str, ShardedLinear] | None:
    """What the first fuser that fits shards, in the backend's own order of priority."""
    if len(module.linears) < 2:
        return None
    for fuser in fusers:
        shares = _FUSERS[fuser](module) if fuser in _FUSERS else None
        if shares:
            return {n: ShardedLinear(module.name, n, share, fuser, "") for n, share in shares.items()}
    return None


def _gated(module: ProjectingModule) -> dict[str, Share] | None:
    unit = module.projections.gated
    if unit is None:
        return None
    shares = {unit.gate: Share.PART, unit.up: Share.PART}
    expected = {f"{LINEAR}{unit.gate}", f"{LINEAR}{unit.up}", f"{THROUGH}{unit.activation}"}
    for call in module.projections.linear_calls:
        if call.origins == expected:
            shares[call.linear] = Share.REDUCED
    return shares


def _separate_heads(module: ProjectingModule) -> dict[str, Share] | None:
    group = [names for names in _siblings(module) if len(names) == 3]
    calls = module.projections.attention_calls
    if len(group) != 1 or not calls:
        return None
    return dict.fromkeys(group[0], Share.PART) | _output(module, group[0])


def _packed_heads(module: ProjectingModule) -> dict[str, Share] | None:
    for cut in module.projections.cuts:
        names = [o.removeprefix(LINEAR) for o in cut.origins if o.startswith(LINEAR)]
        if cut.direct and len(names) == 1:
            return {names[0]: Share.PART} | _output(module, names)
    return None


def _merged(module: ProjectingModule) -> dict[str, Share] | None:
    groups = [names for names in _siblings(module) if len(names) >= 2]
    return dict.fromkeys(groups[0], Share.PART) if len(groups) == 1 else None


def _latent(module: ProjectingModule) -> dict[str, Share] | None:
    """Attention through a latent: what expands the normed output of another linear is split by heads."""
    if not module.projections.attention_calls:
        return None
    first = {call.linear for call in module.projections.linear_calls if call.parameter is not None}
    expanding = {
        call.linear
        for call in module.projections.linear_calls
        if any(o.startswith(THROUGH) for o in call.origins)
        and any(o.removeprefix(LINEAR) in first for o in call.origins)
    }
    if not expanding:
        return None
    compressing = {
        o.removeprefix(LINEAR) for c in module.projections.linear_calls if c.linear in expanding for o in c.origins
    }
    whole = dict.fromkeys(first & compressing, Share.WHOLE)
    queries = dict.fromkeys(first - compressing, Share.PART)
    return whole | queries | dict.fromkeys(expanding, Share.PART) | _output(module, first | expanding)


_FUSERS = {
    "MLAFuser": _latent,
    "GLUFuser": _gated,
    "QKVFuser": _separate_heads,
    "PackedQKVFuser": _packed_heads,
    "MergedColumnParallelFuser": _merged,
}


def _siblings(module: ProjectingModule) -> list[list[str]]:
    """The linears that read the same parameter of the forward as it is, grouped."""
    groups: dict[str, dict[str, None]] = {}
    for call in module.projections.linear_calls:
        if call.parameter is not None and call.traced:
            groups.setdefault(call.parameter, {})[call.linear] = None
    return [list(names) for names in groups.values()]


def _output(module: ProjectingModule, inputs: Iterable[str]) -> dict[str, Share]:
    """The linear whose output the forward returns, as far as a trace of the forward gets there."""
    projections = module.projections
    returned = {o.removeprefix(LINEAR) for o in projections.returned if o.startswith(LINEAR)}
    if projections.returned_traced and len(returned) == 1 and not returned & set(inputs):
        return {returned.pop(): Share.REDUCED}
    return {}


def _problems(
    module: ProjectingModule, held: Mapping[str, ShardedLinear], *, gathers: bool
) -> Iterator[ShardingProblem]:
    projections = module.projections
    for call in projections.attention_calls:
        problem = _whole_heads(module, call, held)
        if problem is not None:
            yield problem
            return
    for reshape in projections.reshapes:
        if reshape.counts_heads and _is_part(reshape.origins, held):
            yield ShardingProblem(
                Cause.HEAD_COUNT,
                f"{module.name} reshapes one rank's part of a projection by a width that counts all heads: "
                f"`{reshape.source}`",
                reshape.location,
            )
            return
    for wide in projections.full_widths:
        if _is_part(wide.origins, held) and not (wide.gathers and gathers):
            yield ShardingProblem(
                Cause.HEAD_COUNT,
                f"{module.name} computes `{wide.source}` as wide as all heads, of one rank's part of them",
                wide.location,
            )
            return
    for use in projections.linear_calls:
        share = held[use.linear].share
        if _is_part(use.origins, held) and share is not Share.REDUCED:
            yield ShardingProblem(
                Cause.COVERAGE,
                f"{module.name}.{use.linear} takes one rank's part of its input, and neither the plan nor a fuser "
                "makes it rowwise",
                use.location,
            )
            return
        if share is Share.REDUCED and _is_whole(use.origins, held):
            yield ShardingProblem(
                Cause.COVERAGE,
                f"{module.name}.{use.linear} is rowwise, and nothing splits its input",
                use.location,
            )
            return


def _whole_heads(
    module: ProjectingModule, call: AttentionCall, held: Mapping[str, ShardedLinear]
) -> ShardingProblem | None:
    """Attention that is handed all heads, where it serves one rank's part of them."""
    sources = {o for o in call.query | call.key | call.value if o.startswith((LINEAR, MODULE))}
    if any(o.startswith(MODULE) for o in sources) or not sources or _is_part(call.query, held):
        return None
    packed = any(cut.origins & sources for cut in module.projections.cuts)
    names = ", ".join(sorted(o.removeprefix(LINEAR) for o in sources))
    return ShardingProblem(
        Cause.PACKED if packed or len(sources) == 1 else Cause.COVERAGE,
        f"{module.name} hands all heads to attention, which serves one rank's part of them: nothing shards {names}",
        call.location,
    )


def _is_part(origins: Origins, held: Mapping[str, ShardedLinear]) -> bool:
    """Whether a value with these origins is one rank's part."""
    return ATTENTION in origins or any(
        o.startswith(LINEAR) and held[o.removeprefix(LINEAR)].share is Share.PART for o in origins
    )


def _is_whole(origins: Origins, held: Mapping[str, ShardedLinear]) -> bool:
    """Whether a value is known to be whole on each rank; what comes from outside may be either."""
    if _is_part(origins, held) or any(o.startswith((PARAMETER, MODULE)) for o in origins):
        return False
    return any(o.startswith(LINEAR) for o in origins)
