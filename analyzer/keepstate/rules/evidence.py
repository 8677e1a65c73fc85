"""Outcomes on real Flink: of measured pairs by rule, and of the examples of the rule pages.

``conformance/evidence.py`` alone writes ``evidence.json`` beside this module. An outcome is an effect; that of an
example may be ``started``, if its rows differ from run to run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from keepstate.engines import PROFILES
from keepstate.plan.engine_version import EngineVersion
from keepstate.report import Effect, Finding

STARTED = "started"
_FEW = 2


@dataclass(frozen=True)
class Evidence:
    """A measured pair for one rule; ``outcomes`` by version of Flink (and by setting, if several were measured)."""

    pair: str
    outcomes: Mapping[str, Effect]


def pairs_about(query_kind: str, rule: str) -> tuple[Evidence, ...]:
    """Return the measured pairs that differ in the subject of a rule, and in nothing else."""
    return _by_rule().get(f"{query_kind}/{rule}", ())


def pairs_named(name: str) -> tuple[Evidence, ...]:
    """Return the pairs with a name, which may omit its family."""
    return tuple(one for one in _pairs() if one.pair == name or one.pair.endswith(f"/{name}"))


def example_outcomes(baseline: str, current: str) -> Mapping[str, str]:
    """Return the outcomes of an example, by version of Flink; empty if it was never run. The blocks are passed as they
    stand in the page.
    """
    found: Mapping[str, str] = _data()["examples"].get(example_digest(baseline, current), {})
    return found


def example_digest(baseline: str, current: str) -> str:
    return hashlib.sha256(f"{baseline.strip()}\0{current.strip()}".encode()).hexdigest()[:12]


def finding_evidence(finding: Finding, engine: str, version: str | None = None) -> str:
    """Return the versions of real Flink that confirmed a finding, in words for behind a colon.

    The result is empty for an engine without measurements. ``version`` is that of the engine, as people write it.

    >>> from keepstate import JobVersion, check
    >>> was, now = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> finding_evidence(check(now, was, "vvr").findings[0], "vvr")
    ''

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    if PROFILES[engine].decides_by_kind or finding.effect is Effect.UNDETERMINED:
        return ""
    numbers = EngineVersion.of(version).flink if version is not None else None
    about = pairs_about(finding.query_kind, finding.rule)
    asked = in_words(about, finding.effect, f"{numbers[0]}.{numbers[1]}") if numbers is not None else ""
    return asked or in_words(about, finding.effect) or "never for this kind of change; it follows from what is stored"


def in_words(evidence: tuple[Evidence, ...], effect: Effect, asked: str | None = None) -> str:
    """``on 2.3.0 and 1.20.5: `group/avg_add_sum`, `group/sum_add` and 7 more``; empty if none had this effect.
    With ``asked`` only that version of Flink counts, by its first two numbers.
    """
    wanted = "" if asked is None else f"{asked}."
    shown = [
        Evidence(one.pair, of_version)
        for one in evidence
        if effect in (of_version := {at: was for at, was in one.outcomes.items() if at.startswith(wanted)}).values()
    ]
    if not shown:
        return ""
    versions = {version: None for one in shown for version, outcome in one.outcomes.items() if outcome is effect}
    names = [f"`{one.pair}`" for one in shown[:_FEW]]
    more = f" and {len(shown) - _FEW} more" if len(shown) > _FEW else ""
    return f"on {listed(list(versions))}: {', '.join(names)}{more}"


def outcomes_in_words(outcomes: Mapping[str, str]) -> str:
    """Return ``Flink 2.3.0 and 1.20.5: wrong-results``, the outcomes by version."""
    versions: dict[str, list[str]] = {}
    for version, outcome in outcomes.items():
        versions.setdefault(outcome, []).append(version)
    return "; ".join(f"Flink {listed(names)}: **{outcome}**" for outcome, names in versions.items())


def listed(words: list[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("keepstate.rules").joinpath("evidence.json").read_text("utf-8"))
    return data


@cache
def _pairs() -> tuple[Evidence, ...]:
    return tuple(_evidence())


def _all_pairs() -> dict[str, Any]:
    return {**_data()["given"], **_data()["pairs"]}


def _evidence() -> Iterator[Evidence]:
    for name, pair in _all_pairs().items():
        yield Evidence(name, {version: Effect(outcome) for version, outcome in pair["measured"].items()})


@cache
def _by_rule() -> dict[str, tuple[Evidence, ...]]:
    found: dict[str, tuple[Evidence, ...]] = {}
    for one in _pairs():
        rule = _all_pairs()[one.pair]["rule"]
        if rule is not None:
            found[rule] = (*found.get(rule, ()), one)
    return found
