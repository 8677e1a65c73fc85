"""Verdicts on generated pairs, held against what Flink plans: the counts of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from equivalence_budgets import ENGINES, measure_of
from generated_pairs import GeneratedPair
from keepstate import JobVersion, check
from keepstate.report import Verdict
from plan_equality import Comparison
from truth import PlannedPair


@dataclass(frozen=True)
class ScoredPair:
    """A pair with Flink's answer, ``None`` where Flink refuses one side, and the verdict of each profile."""

    number: int
    kind: str
    context: str
    compared: Comparison | None
    verdicts: Mapping[str, str] = field(default_factory=dict)

    def measure(self, engine: str) -> str | None:
        """The measure that the verdict counts in; ``None`` where it says what Flink's plans say."""
        if self.compared is None:
            return None
        facts = self.compared
        planned = PlannedPair(
            str(self.number), self.kind, self.context, "", "", facts.plan_equal, facts.state_equal, facts.ids_equal,
            facts.schema_equal, facts.meaning_equal,
        )  # fmt: skip
        return measure_of(planned, Verdict(self.verdicts[engine]))

    @property
    def is_dangerous(self) -> bool:
        """Return whether types of what is stored or ids differ, so that a restore fails or reads other state."""
        return self.compared is not None and not (self.compared.schema_equal and self.compared.ids_equal)

    def to_json(self) -> dict[str, Any]:
        facts = vars(self.compared) if self.compared else None
        return {
            "number": self.number, "kind": self.kind, "context": self.context, "compared": facts,
            "verdicts": dict(self.verdicts),
        }  # fmt: skip

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> ScoredPair:
        facts = Comparison(**record["compared"]) if record["compared"] else None
        return ScoredPair(record["number"], record["kind"], record["context"], facts, record["verdicts"])


def verdicts(pair: GeneratedPair) -> dict[str, str]:
    return {engine: check(JobVersion(pair.b), JobVersion(pair.a), engine).verdict.value for engine in ENGINES}


@dataclass
class KindCounts:
    """The pairs of one kind, and those of each profile that are wrong."""

    pairs: int = 0
    refused: int = 0
    plan_equal: int = 0
    state_equal: int = 0
    state_differs: int = 0
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By measure and profile; ``dangerous`` are the silences where stored types or ids differ."""

    def add(self, scored: ScoredPair) -> None:
        self.pairs += 1
        facts = scored.compared
        if facts is None:
            self.refused += 1
            return
        if not (facts.state_equal and facts.ids_equal):
            self.state_differs += 1
        elif facts.plan_equal:
            self.plan_equal += 1
        else:
            self.state_equal += 1
        for engine in ENGINES:
            measure = scored.measure(engine)
            if measure is not None:
                self.wrong[measure, engine] += 1
            if measure == "silent" and scored.is_dangerous:
                self.wrong["dangerous", engine] += 1


def by_kind(scored: Iterable[ScoredPair]) -> dict[str, KindCounts]:
    found: dict[str, KindCounts] = {}
    for pair in scored:
        found.setdefault(pair.kind, KindCounts()).add(pair)
    return found
