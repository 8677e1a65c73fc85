"""Writes analyzer/keepstate/rules/evidence.json: what rule pages, hovers and ``keepstate explain`` say was measured.

A pair is about a rule if that is the only one that it breaks: by the profile that tells all changes (vvr), or by the
flink profile where that one says nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import keepstate
from keepstate import JobVersion, check
from keepstate.report import Effect
from keepstate.rules.evidence import STARTED, example_digest
from keepstate.rules.pages import PAGES, sections
from measured import OUTCOMES, MeasuredPair
from measured_examples import examples, measured

EVIDENCE = Path(keepstate.__file__).parent / "rules" / "evidence.json"
_BLOCK = re.compile(r"^```sql (baseline|current)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_evidence(given: Sequence[MeasuredPair], own: Sequence[MeasuredPair]) -> None:
    """Writes the outcomes of these pairs, and of the examples."""
    parts = {"given": _outcomes(given), "pairs": _outcomes(own), "examples": dict(_examples())}
    EVIDENCE.write_text("{\n" + ",\n".join(_object(*part) for part in parts.items()) + "\n}\n", "utf-8")


def _outcomes(pairs: Sequence[MeasuredPair]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        if pair.id not in found:
            found[pair.id] = {"rule": _rule(pair), "measured": {}}
        # Where the rows cannot tell exact from lost, either is no evidence.
        if pair.told or pair.effect in (Effect.DOES_NOT_START, Effect.WRONG_RESULTS):
            found[pair.id]["measured"][pair.setting.name] = pair.effect.value
    return {key: found[key] for key in sorted(found)}


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
    outcomes = measured()
    by_section: dict[tuple[str, str], list[str]] = {}
    for example in examples():
        by_section.setdefault((example.page, example.section), []).append(example.key)
    for query_kind, page in PAGES.items():
        for section in sections(query_kind):
            blocks = list(_blocks(section.text))
            keys = by_section.get((page.removesuffix(".md"), section.name), [])
            if len(blocks) != len(keys):
                # The same pair twice in one section has one key; nothing tells which block is which.
                continue
            for (baseline, current), key in zip(blocks, keys, strict=True):
                told = {version: _word(outcome) for version, outcome in outcomes.get(key, {}).items()}
                shown = {version: word for version, word in told.items() if word}
                if shown:
                    yield example_digest(baseline, current), shown


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    baseline = ""
    for block in _BLOCK.finditer(text):
        if block[1] == "baseline":
            baseline = block[2]
        else:
            yield baseline, block[2]


def _word(outcome: str) -> str:
    """An effect, or that it started; empty for what could not be run, or told nothing."""
    if outcome == "S":
        return STARTED
    effect = OUTCOMES.get(outcome.removesuffix("?"))
    if effect is None:
        return ""
    # Rows that come out with state and without show no more than that it starts.
    return STARTED if outcome.endswith("?") and effect is not Effect.WRONG_RESULTS else effect.value
