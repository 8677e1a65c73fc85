#!/usr/bin/env python3
"""Run the cutover plan of each change on a real Flink, and write the table of docs/cutover.md.

Fails if a plan that is called exact gives other rows, or if a plan cannot be run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timezone
from pathlib import Path

import keepstate
from cutover_changes import CHANGES, CutoverChange
from keepstate import JobVersion
from keepstate.cutover.plans import Approach
from keepstate.cutover.request import Request
from keepstate_flink.cluster import cluster
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.jobs import Jobs
from keepstate_lsp.cli.commands.cutover.cases import Case
from keepstate_lsp.cli.commands.cutover.made import Proof
from keepstate_lsp.cli.commands.cutover.proving import proof_of
from page_sections import with_section

PAGE = Path(__file__).parents[2] / "docs" / "cutover.md"
ENGINE = "flink"
NOW = 1_772_441_040_000
_WAYS = {
    Approach.BOUNDARY: "at a boundary",
    Approach.BOOTSTRAP: "from a computed state",
    Approach.REPLAY: "all rows again",
}


def case_of(change: CutoverChange, engine: str = ENGINE) -> Case:
    """The plan of a change, ready to be run."""
    baseline, current = JobVersion(change.baseline), JobVersion(change.current)
    analysis = keepstate.analyse(current, baseline, engine)
    request = Request(NOW, timezone.utc)
    return Case(
        analysis.cutover(request),
        lambda at: analysis.cutover(replace(request, at=at)),
        current,
        baseline,
        timezone.utc,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="WORDS", default="", help="only changes with these words in their name")
    parser.add_argument("--write", action="store_true", help="write the table into docs/cutover.md")
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("the table holds all changes: leave --only or --write out")
    changes = [change for change in CHANGES if options.only.lower() in change.name.lower()]
    version = install(NEWEST, print)
    failed = 0
    lines: list[str] = []
    with cluster(version) as running:
        jobs = Jobs(running)
        for change in changes:
            case = case_of(change)
            proof = proof_of(case, (), version, jobs)
            wrong = case.plan.approach is not Approach.REPLAY and case.plan.is_exact and not proof.holds
            failed += wrong
            lines.append(_row(change, case, proof))
            print(f"{'WRONG ' if wrong else ''}{change.name}: {_result(proof)}", flush=True)
    print(f"{len(changes)} plans, {failed} that are called exact and are not")
    if options.write:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(with_section(page, "cutovers", "\n".join(_table(version, lines))), "utf-8")
    return 1 if failed else 0


def _table(version: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"Run on Flink {version}. A trial is a set of rows with a boundary; they come in disorder, some too late."
    yield ""
    yield "| change | plan | trials | rows of the new job | result |"
    yield "|---|---|---|---|---|"
    yield from lines


def _row(change: CutoverChange, case: Case, proof: Proof) -> str:
    rows = sum(trial.new for trial in proof.trials)
    return f"| {change.name} | {_WAYS[case.plan.approach]} | {len(proof.trials)} | {rows} | {_result(proof)} |"


def _result(proof: Proof) -> str:
    if not proof.trials:
        return "not run: nothing to hold it against" if "nothing to hold" in proof.reason else proof.reason
    wrong = sum(not trial.is_exact for trial in proof.trials)
    return "equal" if proof.holds else f"{wrong} trials differ"


if __name__ == "__main__":
    sys.exit(main())
