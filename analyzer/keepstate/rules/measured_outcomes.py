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
from keepstate.rules.page_files import page_examples

STARTED = "started"
_FEW = 2
_SHORTEST_RUN = 3
"""Number of versions from which on a gapless run of them is named by its ends."""


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
    return _outcomes(example_digest(baseline, current))


def example_digest(baseline: str, current: str) -> str:
    return hashlib.sha256(f"{baseline.strip()}\0{current.strip()}".encode()).hexdigest()[:12]


def measured_versions() -> tuple[str, ...]:
    """Return the versions of Flink on which restarts were measured, oldest first.

    >>> measured_versions()[0]
    '1.18.1'
    """
    return tuple(_data()["versions"])


def unmeasured_flink(version: str | None) -> str | None:
    """Return the first two numbers of a version of Flink on which no restart was measured, as text; ``None`` for one
    with measurements, and for a text that names no version of Flink.

    >>> unmeasured_flink("2.3.0"), unmeasured_flink("1.9"), unmeasured_flink(None)
    (None, '1.9', None)
    """
    flink = _two_numbers(version)
    return None if flink is None or any(one.startswith(f"{flink}.") for one in measured_versions()) else flink


def finding_evidence(finding: Finding, engine: str, version: str | None = None) -> str:
    """Return the versions of real Flink that confirmed a finding, in words for behind a colon.

    The result is empty for an engine without measurements. ``version`` is that of the engine, as people write it: what
    was not measured on that one is said to be so.

    >>> from keepstate import JobVersion, check
    >>> was, now = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> finding_evidence(check(now, was, "vvr").findings[0], "vvr")
    ''

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    if PROFILES[engine].decides_by_kind or finding.effect is Effect.UNDETERMINED:
        return ""
    release = _two_numbers(version)
    about = pairs_about(finding.query_kind, finding.rule)
    examples = example_versions(finding.query_kind, finding.rule, finding.effect)
    if release is not None:
        own = [one for one in examples if one.startswith(f"{release}.")]
        words = in_words(about, finding.effect, release) or (_of_examples(own) if own else "")
        if words:
            return words
    words = in_words(about, finding.effect) or (_of_examples(examples) if examples else "")
    if not words:
        return "never for this kind of change; it follows from what is stored"
    return words if release is None else f"not on {release}, but {words}"


def example_versions(query_kind: str, rule: str, effect: Effect, near_misses: bool = False) -> list[str]:
    """Return the versions on which an example of a page had an effect; an example without an underlined clause is a
    near miss, and counts only on demand.
    """
    versions: dict[str, None] = {}
    for fires, digest in digested_examples(query_kind, rule):
        if fires or near_misses:
            outcomes = _outcomes(digest)
            versions |= dict.fromkeys(version for version, outcome in outcomes.items() if outcome == effect.value)
    return list(versions)


@cache
def digested_examples(query_kind: str, rule: str) -> tuple[tuple[bool, str], ...]:
    """Return for each example of a page if it has an underlined clause, and its digest. A page is read once."""
    return tuple(
        (bool(each.fires), example_digest(each.baseline.text, each.current.text))
        for each in page_examples(query_kind, rule)
    )


def _outcomes(digest: str) -> Mapping[str, str]:
    outcomes: Mapping[str, str] = _data()["examples"].get(digest, {})
    return outcomes


def _of_examples(versions: list[str]) -> str:
    return f"on {listed_versions(versions)}: examples of its page"


def _two_numbers(version: str | None) -> str | None:
    numbers = EngineVersion.of(version).flink if version is not None else None
    return None if numbers is None else f"{numbers[0]}.{numbers[1]}"


def in_words(evidence: tuple[Evidence, ...], effect: Effect, release: str | None = None) -> str:
    """``on 2.3.0 and 1.20.5: `group/avg_add_sum`, `group/sum_add` and 7 more``; empty if none had this effect.
    With ``release`` only that version of Flink counts, by its first two numbers.
    """
    prefix = "" if release is None else f"{release}."
    matches = [
        Evidence(one.pair, of_version)
        for one in evidence
        if effect in (of_version := {at: was for at, was in one.outcomes.items() if at.startswith(prefix)}).values()
    ]
    if not matches:
        return ""
    versions = {version: None for one in matches for version, outcome in one.outcomes.items() if outcome is effect}
    names = [f"`{one.pair}`" for one in matches[:_FEW]]
    more = f" and {len(matches) - _FEW} more" if len(matches) > _FEW else ""
    return f"on {listed_versions(list(versions))}: {', '.join(names)}{more}"


def outcomes_in_words(outcomes: Mapping[str, str]) -> str:
    """Return ``Flink 2.3.0 and 1.20.5: wrong-results``, the outcomes by version."""
    versions: dict[str, list[str]] = {}
    for version, outcome in outcomes.items():
        versions.setdefault(outcome, []).append(version)
    return "; ".join(f"Flink {listed_versions(names)}: **{outcome}**" for outcome, names in versions.items())


def listed_versions(names: list[str]) -> str:
    """Return ``1.18.1 to 2.3.0``, the ends of a run of measured versions without a gap; other versions one by one,
    newest first, and settings such as ``2.3.0 uid ALWAYS`` behind them.
    """
    measured = measured_versions()
    plain = sorted({name for name in names if name in measured}, key=measured.index)
    other_names = [name for name in names if name not in measured]
    first = measured.index(plain[0]) if plain else 0
    if len(plain) >= _SHORTEST_RUN and tuple(plain) == measured[first : first + len(plain)]:
        return list_words([f"{plain[0]} to {plain[-1]}", *other_names])
    return list_words([*reversed(plain), *other_names])


def list_words(words: list[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("keepstate.rules").joinpath("evidence.json").read_text("utf-8"))
    return data


@cache
def _pairs() -> tuple[Evidence, ...]:
    return tuple(_evidence())


@cache
def _all_pairs() -> dict[str, Any]:
    return {**_data()["given"], **_data()["pairs"]}


def _evidence() -> Iterator[Evidence]:
    for name, pair in _all_pairs().items():
        yield Evidence(name, {version: Effect(outcome) for version, outcome in pair["measured"].items()})


@cache
def _by_rule() -> dict[str, tuple[Evidence, ...]]:
    by_rule: dict[str, tuple[Evidence, ...]] = {}
    for one in _pairs():
        rule = _all_pairs()[one.pair]["rule"]
        if rule is not None:
            by_rule[rule] = (*by_rule.get(rule, ()), one)
    return by_rule
