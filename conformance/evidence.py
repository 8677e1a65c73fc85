"""Writes analyzer/keepstate/rules/evidence.json: what rule pages, hovers and ``keepstate explain`` say was measured.

A pair is about a rule if that is the only one that it breaks: by the profile that tells all changes (vvr), or by the
flink profile where that one says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import keepstate
from candidates import examples
from keepstate import JobVersion
from keepstate.report import Effect
from keepstate.rules.measured_outcomes import STARTED, example_digest
from keepstate.rules.page_files import page_examples
from keepstate.rules.rule_pages import PAGES
from measured import OUTCOMES, MeasuredPair
from shared_analyses import check
from version_store import by_key, measured_versions, numbers

EVIDENCE = Path(keepstate.__file__).parent / "rules" / "evidence.json"


def write_evidence(given: Sequence[MeasuredPair], own: Sequence[MeasuredPair]) -> None:
    """Writes the outcomes of these pairs, and of the examples."""
    parts = {"given": _outcomes(given), "pairs": _outcomes(own), "examples": dict(_examples())}
    versions = f'"versions": {json.dumps(measured_versions())}'
    EVIDENCE.write_text("{\n" + ",\n".join([versions, *(_object(*part) for part in parts.items())]) + "\n}\n", "utf-8")


def _outcomes(pairs: Sequence[MeasuredPair]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        if pair.id not in found:
            found[pair.id] = {"rule": _rule(pair), "measured": {}}
        # Where the rows cannot tell exact from lost, either is no evidence.
        if pair.discriminating or pair.effect in (Effect.DOES_NOT_START, Effect.WRONG_RESULTS):
            found[pair.id]["measured"][pair.setting.name] = pair.effect.value
    for key, of_pair in found.items():
        of_pair["measured"] |= _again(key, of_pair["measured"])
    return {key: found[key] for key in sorted(found)}


def _again(key: str, known: Mapping[str, str]) -> dict[str, str]:
    """The outcomes on further versions, with the rows of ``measure.py``: where these rows show on the newest version
    what was measured there before.
    """
    words = {version: _word(outcome) for version, outcome in by_key().get(key, {}).items()}
    newest = max(words, key=numbers, default="")
    if not newest or words[newest] != known.get(newest):
        return {}
    return {version: word for version, word in words.items() if word not in ("", STARTED) and version not in known}


def _object(name: str, entries: Mapping[str, Any]) -> str:
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
    return f"{json.dumps(name)}: {{\n{lines}\n}}"


def _rule(pair: MeasuredPair) -> str | None:
    given = dict(pair.setting.parameters)
    current, baseline = JobVersion(pair.current, given), JobVersion(pair.baseline, given)
    for engine in ("vvr", "flink"):
        rules = {f"{one.query_kind}/{one.rule}" for one in check(current, baseline, engine).findings}
        if rules:
            return rules.pop() if len(rules) == 1 else None
    return None


def _examples() -> Iterator[tuple[str, dict[str, str]]]:
    outcomes = by_key()
    by_page: dict[tuple[str, str], list[str]] = {}
    for example in examples():
        by_page.setdefault((example.page, example.section), []).append(example.key)
    for page in PAGES:
        pairs = page_examples(page.query_kind, page.name)
        keys = by_page.get((page.query_kind, page.name), [])
        if len(pairs) != len(keys):
            # The same pair twice on one page has one key; nothing tells which block is which.
            continue
        for pair, key in zip(pairs, keys, strict=True):
            words = {version: _word(outcome) for version, outcome in outcomes.get(key, {}).items()}
            shown = {version: word for version, word in words.items() if word}
            if shown:
                yield example_digest(pair.baseline.text, pair.current.text), shown


def _word(outcome: str) -> str:
    """An effect, or that it started; empty for an example that could not be run, or without result."""
    if outcome == "S":
        return STARTED
    effect = OUTCOMES.get(outcome.removesuffix("?"))
    if effect is None:
        return ""
    # Rows that come out with state and without show no more than that it starts.
    return STARTED if outcome.endswith("?") and effect is not Effect.WRONG_RESULTS else effect.value
