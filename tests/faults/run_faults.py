"""Lets every call of every scenario fail in every way: ``make faults``. The exit status is 1 if anything is wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fault_harness import harness
from scenarios import OF_SPARK, SCENARIOS
from session import SESSION, tried_sessions
from trials import OPEN, tried

EACH = (*SCENARIOS, *OF_SPARK, SESSION)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=[one.name for one in EACH], help="only this one")
    parser.add_argument("--share", type=int, help="so many faults of each scenario instead of all")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    arguments = parser.parse_args()
    chosen = [one for one in EACH if arguments.scenario in (None, one.name)]
    kinds: Counter[str] = Counter()
    points = races = wrong = 0
    known = set()
    with tempfile.TemporaryDirectory() as folder, harness(Path(folder)) as made:
        for scenario in chosen:
            begun = time.monotonic()
            if scenario is SESSION:
                trial = tried_sessions(made, arguments.share, arguments.seed)
            else:
                trial = tried(made, scenario, arguments.share, arguments.seed)
            kinds += trial.failed
            points, races, wrong = points + trial.points, races + trial.races, wrong + len(trial.wrong)
            known |= trial.known
            print(
                f"{scenario.name:22} {trial.points:4} points, {trial.failed.total():4} faults, {trial.races:3} races, "
                f"{len(trial.wrong)} wrong, {time.monotonic() - begun:.0f} s",
                flush=True,
            )
            for one in trial.wrong:
                print(f"  {one}", flush=True)
    print(f"{len(chosen)} scenarios, {points} points, {kinds.total()} faults, {races} races, {wrong} wrong")
    print("by kind: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if arguments.share is None and arguments.scenario is None:
        for key in OPEN.keys() - known:
            print(f"known to be wrong, and is not any more: {', '.join(key)}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
