"""The examples of the rule pages as pairs to be measured, and what was measured of them.

``measured_examples.json`` beside this holds, for each example, the outcome by version of Flink: a letter of
``restores.Restart``, or a sentence on why the example cannot be tried there. An example is named by its page, its
section and a digest of both its sides, so an edit makes it a new one.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from keepstate import JobVersion

STORE = Path(__file__).with_name("measured_examples.json")
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_DECLARED = re.compile(r"(?:CREATE|ALTER|SET|USE|RESET)\b[\s\S]*?(?:;|\Z)(?=\s|\Z)", re.IGNORECASE)
_NOT_TEXT = re.compile(r"INTERVAL\s*'[^']*'|'[^']*'\s*=\s*'[^']*'", re.IGNORECASE)
_CONNECTOR = re.compile(r"'connector'\s*=\s*'([^']+)'", re.IGNORECASE)
_LIKE_KAFKA = frozenset({"kafka", "upsert-kafka", "pulsar", "mysql-cdc", "print", "blackhole"})
"""Connectors that Tables.java can stand in for: nothing but watermarks and metadata is pushed into their sources."""


@dataclass(frozen=True)
class MeasuredExample:
    """An example of a rule page: ``section`` is the rule, ``key`` its name among the measured ones."""

    page: str
    section: str
    line: int
    key: str
    baseline: JobVersion
    current: JobVersion

    @property
    def obstacle(self) -> str:
        """The reason why the example cannot be tried, as far as the text shows it; empty if it can."""
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
        return tuple(dict.fromkeys(text for text in found if text and len(text) < 20))[:4]


@cache
def examples() -> tuple[MeasuredExample, ...]:
    """All examples of the rule pages, in their order; the same pair once for each section."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rules"))
    found = {}
    for example in import_module("rule_pages").all_examples():
        sides = (example.baseline, example.current)
        identity = json.dumps([[side.text, sorted(side.parameters.items()), side.engine_version] for side in sides])
        key = f"{example.page}/{example.section}/{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
        found[key] = MeasuredExample(example.page, example.section, example.line, key, *sides)
    return tuple(found.values())


def measured() -> dict[str, dict[str, str]]:
    """Outcomes by example and version of Flink; those of examples that there are no more are left out."""
    known = {example.key for example in examples()}
    stored: Mapping[str, dict[str, str]] = json.loads(STORE.read_text("utf-8")) if STORE.is_file() else {}
    return {key: outcomes for key, outcomes in stored.items() if key in known}


def store(outcomes: Mapping[str, Mapping[str, str]]) -> None:
    """Write all outcomes, in the order of the pages; a reader meanwhile finds the former file."""
    lines = [
        f"{json.dumps(example.key)}: {json.dumps(outcomes[example.key], sort_keys=True)}"
        for example in examples()
        if example.key in outcomes
    ]
    unfinished = STORE.with_suffix(".unfinished")
    unfinished.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    unfinished.replace(STORE)
