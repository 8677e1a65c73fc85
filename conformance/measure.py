#!/usr/bin/env python3
"""Restarts the examples of the rule pages and the measured pairs on real Flinks, and keeps the outcomes by version.

What was measured before is not measured again. It can be stopped at any time (Ctrl-C) and goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType

from candidates import Candidate, candidates, chosen
from keepstate import JobVersion
from keepstate_flink.cluster import cluster
from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.generated_rows import rows_of
from keepstate_flink.installation import install
from keepstate_flink.restarts import Restarts
from keepstate_flink.running_jobs import Jobs, ScriptedJob
from version_differences import CAUSES
from version_store import NOT_RUN, keep, outcomes_of

VERSIONS = ("2.3.0", "1.20.5")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--flink", action="append", metavar="V", help=f"a version (default: {' and '.join(VERSIONS)})")
    parser.add_argument("--only", metavar="REGEX", help="only candidates whose key matches")
    parser.add_argument("--chosen", action="store_true", help="only the candidates that stand for the others")
    parser.add_argument("--again", action="store_true", help="also those that were measured before")
    parser.add_argument("--minutes", type=float, metavar="N", help="stop after so many minutes")
    arguments = parser.parse_args()
    ends = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    every = chosen() if arguments.chosen else candidates()
    wanted = [candidate for candidate in every if not arguments.only or re.search(arguments.only, candidate.key)]
    patience = _Patience(ends)
    try:
        for version in arguments.flink or VERSIONS:
            if not _measure(version, wanted, arguments.again, patience):
                print("Stopped; the next run goes on from here.", file=sys.stderr)
                return 130 if patience.interrupted else 0
    except FlinkError as error:
        print(error.sentence, file=sys.stderr)
        return 2
    return 0


class _Patience:
    """Until when to go on: a moment of the monotonic clock, or the first Ctrl-C. That one lets the restart under
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
        print(" This restart is still finished.", file=sys.stderr, flush=True)


def _measure(wanted: str, every: Sequence[Candidate], again: bool, patience: _Patience) -> bool:
    """Measure on one version what is left of it; return whether all of it is done."""
    version = install(wanted, lambda sentence: print(sentence, file=sys.stderr, flush=True))
    outcomes = outcomes_of(version)
    left = [candidate for candidate in every if again or candidate.key not in outcomes]
    for candidate in [candidate for candidate in left if candidate.obstacle]:
        outcomes[candidate.key] = f"{NOT_RUN}{candidate.obstacle}"
        left.remove(candidate)
    _keep(version, outcomes)
    if not left:
        return True
    first = {candidate.key for candidate in chosen()}
    # Candidates with one baseline follow each other, and whatever is done when it is stopped is of all pages; where
    # other versions differ, this one matters most.
    digest = {one.key: hashlib.sha256(one.baseline.text.encode()).digest() for one in left}
    left.sort(key=lambda one: (one.key not in CAUSES, one.key not in first, digest[one.key]))
    began = time.monotonic()
    with cluster(version) as running:
        restarts = CandidateRestarts(Jobs(running))
        for number, candidate in enumerate(left, start=1):
            if patience.over:
                return False
            outcome = restarts.outcome(candidate)
            outcomes[candidate.key] = outcome
            _keep(version, outcomes)
            pace = (time.monotonic() - began) / number
            minutes = pace * (len(left) - number) / 60
            place = f"{number}/{len(left)} ({minutes:.0f} min left)"
            print(f"Flink {version} {place} {candidate.key}: {outcome}", flush=True)
    return True


def _keep(version: str, outcomes: Mapping[str, str]) -> None:
    """Store the outcomes; those of candidates that there are no more are left out."""
    keep(version, outcomes, (candidate.key for candidate in candidates()))


class CandidateRestarts:
    """Restarts of candidates. Candidates whose rows are the same share the runs of one baseline."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._literals: Sequence[str] = ()
        self._restarts = self._with_rows(())

    def outcome(self, candidate: Candidate) -> str:
        if candidate.literals != self._literals:
            self._literals = candidate.literals
            self._restarts = self._with_rows(candidate.literals)
        try:
            return str(self._restarts.restart(_job(candidate.baseline), _job(candidate.current)))
        except NotRunnable as error:
            return f"{NOT_RUN}{error}"

    def _with_rows(self, literals: Sequence[str]) -> Restarts:
        return Restarts(self._jobs, lambda _, columns: rows_of(columns, literals))


def _job(version: JobVersion) -> ScriptedJob:
    return ScriptedJob(version.text, tuple(sorted(version.parameters.items())))


if __name__ == "__main__":
    sys.exit(main())
