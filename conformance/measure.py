#!/usr/bin/env python3
"""Restarts every example of the rule pages on a real Flink, and keeps what happened in measured_examples.json.

What was measured before is not measured again. It can be stopped at any time (Ctrl-C) and goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType

from keepstate import JobVersion
from keepstate_flink.cluster import cluster
from keepstate_flink.errors import NotRunnable
from keepstate_flink.installation import install
from keepstate_flink.jobs import Jobs, ScriptedJob
from keepstate_flink.restarts import Restarts
from keepstate_flink.rows import rows_of
from measured_examples import MeasuredExample, examples, measured, store

VERSIONS = ("2.3.0", "1.20.5")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--flink", action="append", metavar="V", help=f"a version (default: {' and '.join(VERSIONS)})")
    parser.add_argument("--only", metavar="REGEX", help="only examples whose page/rule matches")
    parser.add_argument("--again", action="store_true", help="also those that were measured before")
    parser.add_argument("--minutes", type=float, metavar="N", help="stop after so many minutes")
    arguments = parser.parse_args()
    ends = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    chosen = [example for example in examples() if not arguments.only or re.search(arguments.only, example.key)]
    patience = _Patience(ends)
    for version in arguments.flink or VERSIONS:
        if not _measure(version, chosen, arguments.again, patience):
            print("Stopped; the next run goes on from here.", file=sys.stderr)
            return 130 if patience.interrupted else 0
    return 0


class _Patience:
    """Until when to go on: a moment of the monotonic clock, or the first Ctrl-C. That one lets the example under
    way come to its end, as a question to the JVM must not be cut off; the second one does not.
    """

    def __init__(self, ends: float) -> None:
        self._ends = ends
        self.interrupted = False
        signal.signal(signal.SIGINT, self._interrupt)

    @property
    def over(self) -> bool:
        return self.interrupted or time.monotonic() > self._ends

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print(" This example is still finished.", file=sys.stderr, flush=True)


def _measure(version: str, chosen: Sequence[MeasuredExample], again: bool, patience: _Patience) -> bool:
    """Measures on one version what is left; whether all of it is done."""
    outcomes = measured()
    left = [example for example in chosen if again or version not in outcomes.get(example.key, {})]
    for example in [example for example in left if example.obstacle]:
        outcomes.setdefault(example.key, {})[version] = f"not run: {example.obstacle}"
        left.remove(example)
    store(outcomes)
    if not left:
        return True
    # Pairs with one baseline follow each other, and whatever is done when it is stopped is of all pages.
    left.sort(key=lambda example: hashlib.sha256(example.baseline.text.encode()).digest())
    began = time.monotonic()
    full = install(version, lambda sentence: print(sentence, file=sys.stderr, flush=True))
    with cluster(full) as running:
        restarts = _Restarts(Jobs(running))
        for number, example in enumerate(left, start=1):
            if patience.over:
                return False
            outcome = restarts.outcome(example)
            outcomes.setdefault(example.key, {})[version] = outcome
            store(outcomes)
            pace = (time.monotonic() - began) / number
            minutes = pace * (len(left) - number) / 60
            print(f"Flink {version} {number}/{len(left)} ({minutes:.0f} min left) {example.key}: {outcome}", flush=True)
    return True


class _Restarts:
    """Restarts of examples. Examples whose rows are the same share the runs of one baseline."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._literals: Sequence[str] = ()
        self._restarts = self._with_rows(())

    def outcome(self, example: MeasuredExample) -> str:
        if example.literals != self._literals:
            self._literals = example.literals
            self._restarts = self._with_rows(example.literals)
        try:
            return str(self._restarts.restart(_job(example.baseline), _job(example.current)))
        except NotRunnable as error:
            return f"not run: {error}"

    def _with_rows(self, literals: Sequence[str]) -> Restarts:
        return Restarts(self._jobs, lambda _, columns: rows_of(columns, literals))


def _job(version: JobVersion) -> ScriptedJob:
    return ScriptedJob(version.text, tuple(sorted(version.parameters.items())))


if __name__ == "__main__":
    sys.exit(main())
