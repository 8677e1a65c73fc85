#!/usr/bin/env python3
"""Counts and budgets of the planned pairs that each profile is wrong about, by kind of rewrite or edit.

``python tests/truth/equivalence_budgets.py`` lists the kinds, ``--pairs KIND`` the ids behind one, ``--write`` lowers
the budgets to what was counted. A budget is raised by hand only, with the reason in the commit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from keepstate import JobVersion
from keepstate.report import Verdict
from shared_analyses import check
from truth import PlannedPair, planned_pairs

BUDGETS = Path(__file__).with_name("equivalence_budgets.json")
ENGINES = ("flink", "vvr")

Wrong = dict[str, dict[str, list[str]]]
"""Ids of pairs by measure and kind."""

MEASURES = {
    "alarms": "plan and ids are equal, and the verdict is not compatible",
    "alarms behind the state": "state and ids are equal, the plan is not, and the verdict is not compatible",
    "silent": "state or ids differ, and the verdict is compatible",
}
"""A silence is a mistake on flink unless the results come out right all the same (see the page of the set); on vvr it
may be right as well, where that engine finds state by its meaning."""


def measure_of(pair: PlannedPair, verdict: Verdict) -> str | None:
    """The measure that ``verdict`` counts in; ``None`` where it says what Flink's plans say."""
    is_clear = verdict is Verdict.COMPATIBLE
    if not (pair.state_equal and pair.ids_equal):
        return "silent" if is_clear else None
    if is_clear:
        return None
    return "alarms" if pair.plan_equal else "alarms behind the state"


@cache
def wrong(engine: str) -> Wrong:
    """The pairs that ``engine`` is wrong about. Ten seconds or so."""
    found: Wrong = {measure: {} for measure in MEASURES}
    for pair in planned_pairs():
        measure = measure_of(pair, check(JobVersion(pair.b), JobVersion(pair.a), engine).verdict)
        if measure is not None:
            found[measure].setdefault(pair.kind, []).append(pair.id)
    return found


def budgets() -> dict[str, dict[str, dict[str, int]]]:
    """Numbers of pairs by engine, measure and kind; a kind without one has none."""
    read: dict[str, dict[str, dict[str, int]]] = json.loads(BUDGETS.read_text("utf-8"))
    return read


def over(counted: Mapping[str, list[str]], allowed: Mapping[str, int]) -> dict[str, str]:
    """The kinds with more pairs than allowed, with the ids."""
    return {
        kind: f"{len(ids)}, {allowed.get(kind, 0)} allowed: {' '.join(ids)}"
        for kind, ids in counted.items()
        if len(ids) > allowed.get(kind, 0)
    }


def under(counted: Mapping[str, list[str]], allowed: Mapping[str, int]) -> dict[str, str]:
    """The kinds whose budget can be lowered."""
    return {
        kind: f"{len(counted.get(kind, ()))}, {number} allowed"
        for kind, number in allowed.items()
        if len(counted.get(kind, ())) < number
    }


def lowered(counted: Mapping[str, list[str]], allowed: Mapping[str, int]) -> dict[str, int]:
    """The smaller of both by kind, without zeros."""
    both = {kind: min(number, len(counted.get(kind, ()))) for kind, number in allowed.items()}
    return {kind: number for kind, number in sorted(both.items()) if number}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help=f"lower the budgets in {BUDGETS.name}")
    parser.add_argument("--pairs", metavar="KIND", help="only this kind, with the ids of its pairs")
    arguments = parser.parse_args()
    numbers = {kind: sum(pair.kind == kind for pair in planned_pairs()) for kind in {p.kind for p in planned_pairs()}}
    for engine in ENGINES:
        for measure, kinds in wrong(engine).items():
            if arguments.pairs:
                print(f"{engine}, {measure}: {' '.join(kinds.get(arguments.pairs, []))}")
                continue
            print(f"{engine}: {sum(map(len, kinds.values()))} {measure} ({MEASURES[measure]})")
            for kind in sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind)):
                print(f"  {len(kinds[kind]):4} of {numbers[kind]:3}  {kind}")
    if arguments.write:
        former = budgets()
        now = {
            engine: {measure: lowered(wrong(engine)[measure], former[engine][measure]) for measure in MEASURES}
            for engine in ENGINES
        }
        BUDGETS.write_text(json.dumps(now, indent=1) + "\n", "utf-8", newline="\n")
    exceeded = [over(wrong(engine)[measure], budgets()[engine][measure]) for engine in ENGINES for measure in MEASURES]
    for kinds_over in exceeded:
        for kind, words in kinds_over.items():
            print(f"too many of {kind}: {words}", file=sys.stderr)
    return 1 if any(exceeded) else 0


if __name__ == "__main__":
    sys.exit(main())
