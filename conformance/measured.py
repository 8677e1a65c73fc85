"""Pairs of queries with what real Flink did when the second took over a savepoint of the first.

``measured_pairs.json`` beside this holds tables by name, and pairs that name their tables and have the outcomes of each
setting: one letter for each position of the savepoint. E: as if the new query had always run; D: other rows; L: as if
there had been no state; F: did not start. A question mark behind it says that the data could not tell E from L.
More pairs are in tests/truth: the restores, and the planned pairs that were restored as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from keepstate import JobVersion
from keepstate.report import Effect, Report
from shared_analyses import check
from truth import restores, sampled_restores

PAIRS = Path(__file__).with_name("measured_pairs.json")
OUTCOMES = {"E": Effect.EXACT, "L": Effect.STATE_LOST, "F": Effect.DOES_NOT_START, "D": Effect.WRONG_RESULTS}


@dataclass(frozen=True)
class Setting:
    """Under which a pair was measured: the engine version, and job parameters."""

    name: str
    engine_version: str
    parameters: tuple[tuple[str, str], ...] = ()


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("2.3.0", "2.3"),
        Setting("1.20.5", "1.20"),
        Setting("2.3.0 uid ALWAYS", "2.3", (("table.exec.uid.generation", "ALWAYS"),)),
    )
}


@dataclass(frozen=True)
class MeasuredPair:
    """A pair of scripts and its measured effect: the most severe of its outcomes. ``discriminating`` is false where the
    data give the same rows for a restored state and for a lost one.

    ``note`` says that an outcome is exact by the luck of these rows, so that no profile has to foresee it.
    """

    id: str
    baseline: str
    current: str
    setting: Setting
    effect: Effect
    discriminating: bool = True
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.id} on {self.setting.name}"

    @property
    def family(self) -> str:
        """Part of the id before the stroke; the planned pairs have ids without one, and are one family."""
        family, stroke, _ = self.id.partition("/")
        return family if stroke else "planned"

    @property
    def versions(self) -> tuple[JobVersion, JobVersion]:
        """The current version, and the one that wrote the savepoint."""
        given = dict(self.setting.parameters)
        current, baseline = (
            JobVersion(text, given, self.setting.engine_version) for text in (self.current, self.baseline)
        )
        return current, baseline

    def report(self) -> Report:
        """The report of the flink profile."""
        return check(*self.versions, "flink")


def most_severe(effects: Iterable[Effect]) -> Effect:
    return max(effects, key=lambda effect: effect.precedence)


_NAMES = {
    "RESTORED_EXACT": Effect.EXACT,
    "RESTORED_DIFFERENT": Effect.WRONG_RESULTS,
    "RESTORED_STATE_LOST": Effect.STATE_LOST,
    "FAILED_STATE_MIGRATION": Effect.DOES_NOT_START,
    "FAILED_UNMAPPED_STATE": Effect.DOES_NOT_START,
    "FAILED_OTHER": Effect.DOES_NOT_START,
    "B_NOT_PLANNED": Effect.DOES_NOT_START,
}
_NOT_RUN = "B_FAILED_ALONE"
_COLUMNS = {
    "2.3.0": ("2.3.0", "2.3.0 second cut", "2.3.0 third cut"),
    "1.20.5": ("1.20.5",),
    "2.3.0 uid ALWAYS": ("2.3.0 uid ALWAYS",),
}


@cache
def given_pairs(name: str) -> tuple[MeasuredPair, ...]:
    """The restores of one file of tests/truth (``pairs``, ``pairs-2``), under each setting that was measured."""
    found = []
    for pair in restores(name):
        for setting, columns in _COLUMNS.items():
            outcomes = [pair.measured[column] for column in columns if column in pair.measured]
            if outcomes:
                effect = most_severe(_NAMES[outcome.outcome] for outcome in outcomes)
                discriminating = any(outcome.discriminating for outcome in outcomes)
                texts = pair.baseline, pair.current
                found.append(MeasuredPair(pair.id, *texts, SETTINGS[setting], effect, discriminating, pair.note))
    return tuple(found)


@cache
def sampled_pairs() -> tuple[MeasuredPair, ...]:
    """The planned pairs of tests/truth that were restored, but for those whose changed job did not run by itself."""
    return tuple(
        MeasuredPair(pair.id, pair.a, pair.b, SETTINGS["2.3.0"], _NAMES[pair.outcome], bool(pair.discriminating))
        for pair in sampled_restores()
        if pair.outcome != _NOT_RUN
    )


@cache
def own_pairs() -> tuple[MeasuredPair, ...]:
    """All pairs of this folder, under each setting that they were measured in."""
    data = json.loads(PAIRS.read_text("utf-8"))
    found = []
    for pair in data["pairs"]:
        texts = [
            "\n".join([*(data["tables"][name] for name in pair.get(f"{side} tables") or pair["tables"]), *pair[side]])
            for side in ("baseline", "current")
        ]
        for setting, letters in pair["measured"].items():
            outcomes = letters.split()
            effect = most_severe(OUTCOMES[outcome[0]] for outcome in outcomes)
            discriminating = any(not outcome.endswith("?") for outcome in outcomes)
            found.append(MeasuredPair(pair["id"], texts[0], texts[1], SETTINGS[setting], effect, discriminating))
    return tuple(found)
