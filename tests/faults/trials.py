"""Scenarios tried with each fault, or with a share of them, and what was wrong."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fault_harness import Harness, before_and_after
from fault_wrongs import ANSWERED, answer, differing, wrongs
from scenarios import Outcome, Point, Scenario, cases, racing

OPEN: dict[tuple[str, str, str, str], str] = {}
"""Known faults, with the reason: scenario, event, subject, kind. Each has to occur still."""

_Item = TypeVar("_Item")


@dataclass
class Trial:
    """The result of one scenario: the number of its points, the trials, the faults."""

    scenario: str
    points: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """Number of failures of a point, by kind."""
    races: int = 0
    wrong: list[str] = field(default_factory=list)
    known: set[tuple[str, str, str, str]] = field(default_factory=set)
    """The entries of ``OPEN`` that were met."""


def tried(harness: Harness, scenario: Scenario, share: int | None = None, seed: int = 0) -> Trial:
    """Let each point of the scenario fail in each way; with ``share``, so many of them, chosen by ``seed``. A command
    that writes is raced as well, and run again where it was killed.
    """
    before, whole = before_and_after(harness, scenario)
    points = [point for point in whole.points if scenario.has(point)]
    trial = Trial(scenario.name, len(points))
    for point, kind in chosen(cases(points, each=not scenario.jvm), share, seed):
        trial.failed[kind] += 1
        outcome = harness.run(scenario, point.number, kind)
        found = wrongs(point, kind, whole, outcome, before)
        if found and _is_of_the_missing_file(harness, scenario, point, kind, outcome, before):
            # The answer is right then; what lies there has to be so as well.
            found = [one for one in found if not one.startswith(ANSWERED)]
        if scenario.resumes(kind, outcome):
            found += _run_again(harness, scenario, whole)
        if found:
            _note(trial, scenario, point, kind, found, outcome)
    if scenario.rival:
        for point in chosen(racing(points), None if share is None else max(1, share // 4), seed):
            trial.races += 1
            trial.wrong += [
                f"{scenario.name}, raced at {point.number} ({point.event} {point.about}): {one}"
                for one in _race(harness, scenario, point, whole, before)
            ]
    return trial


def chosen(items: Sequence[_Item], share: int | None, seed: int) -> Iterable[_Item]:
    """The items, or ``share`` of them, drawn by chance."""
    if share is None or share >= len(items):
        return items
    return random.Random(seed).sample(items, share)


def _note(trial: Trial, scenario: Scenario, point: Point, kind: str, found: list[str], outcome: Outcome) -> None:
    key = (scenario.name, point.event, point.about, kind)
    if key in OPEN:
        trial.known.add(key)
        return
    said = outcome.stderr.strip()[-300:]
    where = f"{scenario.name}, point {point.number} ({point.event} {point.about}), {kind}"
    trial.wrong.append(f"{where}: {'; '.join(found)}; it said {said!r}")


def _is_of_the_missing_file(
    harness: Harness, scenario: Scenario, point: Point, kind: str, outcome: Outcome, before: dict[str, str]
) -> bool:
    """Return whether the answer is that of a run without the file whose opening failed with ENOENT."""
    if kind != "ENOENT" or point.event != "open" or point.about not in before:
        return False
    return answer(harness.run(scenario, without=point.about)) == answer(outcome)


def _run_again(harness: Harness, scenario: Scenario, whole: Outcome) -> list[str]:
    """Faults after a second run of a command that was killed, or that failed."""
    again = harness.again(scenario)
    if again.status != 0:
        return [f"run again, it ends with {again.status}: {again.stderr.strip()[-300:]}"]
    return [f"run again, it leaves another {name}" for name in differing(again.files, whole.files)]


def _race(harness: Harness, scenario: Scenario, point: Point, whole: Outcome, before: dict[str, str]) -> list[str]:
    """Faults after the rival came in between: a result that a command reports is there."""
    outcome, status = harness.race(scenario, point.number)
    rival = Scenario("rival", scenario.rival, ledger=scenario.ledger)
    statuses = (outcome.status, status)
    if statuses == (0, 0):
        harness.run(scenario)
        expected = harness.again(rival).files
    elif statuses == (0, 2):
        expected = whole.files
    elif statuses == (2, 0):
        expected = harness.run(rival).files
    else:
        return [f"they end with {statuses}: {outcome.stderr.strip()[-300:]}"]
    return [f"they end with {statuses} and leave another {name}" for name in differing(outcome.files, expected)]
