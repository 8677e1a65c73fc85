"""Candidates for a restart on each version of Flink: the examples of the rule pages, and a choice of the pairs.

A candidate is named by ``key``. That of an example has its page, its section and a digest of both its sides, so an edit
makes it a new one; that of a pair is its id. ``chosen`` candidates are measured first, the others as time permits.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import keepstate
from keepstate import JobVersion
from keepstate.rules.page_files import page_examples
from measured import MeasuredPair, given_pairs, own_pairs
from version_store import NOT_RUN, measured_versions, outcomes_of

_EVIDENCE = Path(keepstate.__file__).parent / "rules" / "evidence.json"
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_DECLARED = re.compile(r"(?:CREATE|ALTER|SET|USE|RESET)\b[\s\S]*?(?:;|\Z)(?=\s|\Z)", re.IGNORECASE)
_NOT_TEXT = re.compile(r"INTERVAL\s*'[^']*'|'[^']*'\s*=\s*'[^']*'", re.IGNORECASE)
_CONNECTOR = re.compile(r"'connector'\s*=\s*'([^']+)'", re.IGNORECASE)
_LIKE_KAFKA = frozenset({"kafka", "upsert-kafka", "pulsar", "mysql-cdc", "print", "blackhole"})
"""Connectors that Tables.java can stand in for: nothing but watermarks and metadata is pushed into their sources."""
_LITERALS, _LONGEST_LITERAL = 4, 19


@dataclass(frozen=True)
class Candidate:
    """Two versions of a script. ``rule`` is the page and section that it is about; empty for a near miss of one."""

    key: str
    rule: str
    baseline: JobVersion
    current: JobVersion

    @property
    def obstacle(self) -> str:
        """The reason why the candidate cannot be tried, as far as the text shows it; empty if it can."""
        if self.baseline.engine_version or self.current.engine_version:
            return "it is about versions of another engine"
        both = self.baseline.text + self.current.text
        others = sorted({name for name in _CONNECTOR.findall(both) if name not in _LIKE_KAFKA})
        if others:
            return f"connector {', '.join(others)} is not stood in for"
        return ""

    @property
    def literals(self) -> tuple[str, ...]:
        """Texts that its queries compare with, so that rows can contain them."""
        found = []
        for version in (self.baseline, self.current):
            found += _TEXT.findall(_NOT_TEXT.sub("", _DECLARED.sub("", version.text)))
        return tuple(dict.fromkeys(text for text in found if 0 < len(text) <= _LONGEST_LITERAL))[:_LITERALS]


@dataclass(frozen=True)
class MeasuredExample(Candidate):
    """An example of a rule page: ``section`` is the rule, ``line`` that of its current block."""

    page: str
    section: str
    line: int


@cache
def examples() -> tuple[MeasuredExample, ...]:
    """All examples of the rule pages, in their order; the same pair once for each section."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rules"))
    found: dict[str, MeasuredExample] = {}
    for example, fires in _written():
        sides = (example.baseline, example.current)
        identity = json.dumps([[side.text, sorted(side.parameters.items()), side.engine_version] for side in sides])
        section = f"{example.page}/{example.section}"
        key = f"{section}/{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
        rule = section if fires else ""
        found[key] = MeasuredExample(key, rule, *sides, example.page, example.section, example.line)
    return tuple(found.values())


def _written() -> Iterator[tuple[Any, bool]]:
    """The examples as tests have them, each with the answer whether its rule is found in it."""
    pages = import_module("rule_pages")
    for page in pages.PAGES:
        blocks = page_examples(page.query_kind, page.name)
        for example, block in zip(pages.examples_of(page), blocks, strict=True):
            yield example, block.fires or page.words is None


@cache
def pairs() -> tuple[Candidate, ...]:
    """The measured pairs that are about one rule."""
    evidence = json.loads(_EVIDENCE.read_text("utf-8"))
    rules = {name: pair["rule"] for part in ("given", "pairs") for name, pair in evidence[part].items()}
    found: dict[str, Candidate] = {}
    for pair in _measured_pairs():
        rule = rules.get(pair.id)
        if rule and pair.id not in found and not pair.setting.parameters and not pair.note:
            found[pair.id] = Candidate(pair.id, rule, JobVersion(pair.baseline), JobVersion(pair.current))
    return tuple(found.values())


def _measured_pairs() -> tuple[MeasuredPair, ...]:
    return (*given_pairs("pairs"), *given_pairs("pairs-2"), *own_pairs())


@cache
def candidates() -> tuple[Candidate, ...]:
    """All candidates, the chosen ones first."""
    every = (*examples(), *pairs())
    first = {candidate.key for candidate in chosen()}
    return (*chosen(), *(candidate for candidate in every if candidate.key not in first))


@cache
def chosen() -> tuple[Candidate, ...]:
    """Candidates that stand for the others: for each rule an example of each outcome on the newest version; a pair
    where a rule has no such example; and the pairs whose outcome is not the same on all versions of their set.
    """
    versions = measured_versions()
    newest = outcomes_of(versions[-1]) if versions else {}
    found: dict[tuple[str, str], Candidate] = {}
    for example in examples():
        outcome = newest.get(example.key, NOT_RUN)
        if example.rule and not outcome.startswith(NOT_RUN):
            found.setdefault((example.rule, outcome[0]), example)
    by_pair: dict[str, dict[str, str]] = {}
    for pair in _measured_pairs():
        if not pair.setting.parameters:
            by_pair.setdefault(pair.id, {})[pair.setting.name] = pair.effect.value
    covered = {rule for rule, _ in found}
    kinds: dict[tuple[str, ...], Candidate] = {}
    for candidate in pairs():
        effects = sorted(by_pair[candidate.key].values())
        if len(set(effects)) > 1:
            kinds[(candidate.key,)] = candidate
        elif candidate.rule not in covered:
            kinds.setdefault((candidate.rule, *effects), candidate)
    return (*found.values(), *kinds.values())
