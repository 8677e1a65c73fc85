#!/usr/bin/env python3
"""Run the cutover plan of each change on a real Flink, and write docs/cutover-proofs.md.

Fails if a plan that is called exact gives other rows, or runs with fewer than two sets of rows.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import timezone
from pathlib import Path
from typing import Any

import keepstate
from cutover_changes import CHANGES, CutoverChange
from keepstate import JobVersion
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import Approach
from keepstate_flink.cluster import cluster
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.running_jobs import Jobs
from keepstate_lsp.cli.commands.cutover.named_plan import Proof, Runner
from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase, obstacle
from keepstate_lsp.cli.commands.cutover.proving import proof_of
from keepstate_spark.cutovers.results import Computer, computer

PAGE = Path(__file__).parents[2] / "docs" / "cutover-proofs.md"
ENGINE = "flink"
NOW = 1_772_441_040_000
FEWEST_SETS = 2
_WAYS = {
    Approach.BOUNDARY: "boundary",
    Approach.BOOTSTRAP: "computed state",
    Approach.REPLAY: "replay",
}
_HEAD = """\
# Cutovers that were run

`make cutovers` makes the [cutover plan](cutover.md) of each change below, and runs it on a real Flink. It writes this
page, and fails if a plan that is called exact gives other rows. Of {plans} plans on Flink {version}, {proved} are exact
and were proved with at least two sets of rows each, {inexact} say that they are not exact, and {replays} read all rows
again, with the reason.

A set of rows has 90 rows of each table, with an event time every 4 minutes (1), 5 seconds (2), 20 seconds (3) or 25
minutes (4), and longer pauses. Of a single table some rows come in disorder, and some too late. The new job has to
write just what the new version writes when it has always run, without what it had written when its watermark was at the
boundary. States are computed by Spark from the same rows.
"""


@dataclass(frozen=True)
class Result:
    """The plan of a change, and what became of it: ``equal`` and ``other`` are sets of rows by their numbers."""

    name: str
    digest: str
    families: tuple[str, ...]
    way: str
    exact: bool
    reason: str
    equal: tuple[str, ...]
    other: tuple[str, ...]
    rows: int
    not_run: tuple[str, ...]

    @property
    def is_proved(self) -> bool:
        return self.exact and not self.other and len(self.equal) >= FEWEST_SETS

    @property
    def is_wrong(self) -> bool:
        """Return whether the plan is called exact, could be run, and was not proved."""
        return self.exact and self.way != _WAYS[Approach.REPLAY] and not self.is_proved

    @property
    def words(self) -> str:
        found = f"equal with {', '.join(self.equal)} ({self.rows} rows)" if self.equal else ""
        if self.other:
            found = "; ".join(filter(None, (found, f"other rows with {', '.join(self.other)}")))
        if self.not_run:
            found = "; ".join(filter(None, (found, f"not run: {self.not_run[0]}")))
        return ". ".join(part.rstrip(".") for part in (found, self.reason) if part)


def case_of(change: CutoverChange, engine: str = ENGINE) -> ProofCase:
    """The plan of a change, ready to be run."""
    baseline, current = JobVersion(change.baseline), JobVersion(change.current)
    analysis = keepstate.analyse(current, baseline, engine)
    request = CutoverOptions(NOW, timezone.utc)
    return ProofCase(
        analysis.cutover(request),
        lambda at: analysis.cutover(replace(request, at=at)),
        current,
        baseline,
        timezone.utc,
    )


def families_of(change: CutoverChange) -> tuple[str, ...]:
    """The families of the catalogue of rules that a change belongs to."""
    report = keepstate.analyse(JobVersion(change.current), JobVersion(change.baseline), ENGINE).comparison.report()
    return tuple(dict.fromkeys(finding.query_kind for finding in report.findings))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="WORDS", default="", help="only changes with these words in their name")
    parser.add_argument("--write", action="store_true", help="write docs/cutover-proofs.md")
    parser.add_argument(
        "--results", metavar="FILE", type=Path, help="keep each result there, and run only the changes that it lacks"
    )
    parser.add_argument(
        "--sets", metavar="N", type=int, choices=range(FEWEST_SETS, 5), help="so many sets of rows each (default: all)"
    )
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("the page holds all changes: leave --only or --write out")
    changes = [change for change in CHANGES if options.only.lower() in change.name.lower()]
    version = install(NEWEST, print)
    known = _kept(options.results)
    results: list[Result] = []
    with ExitStack() as opened:
        jobs: Jobs | None = None
        spark: Computer | None = None
        for change in changes:
            result = known.get(_digest(change))
            if result is None:
                case = case_of(change)
                if reason := obstacle(case):
                    result = _result(change, case, Proof(Runner("Flink", version), reason=reason))
                else:
                    jobs = jobs or Jobs(opened.enter_context(cluster(version)))
                    spark = spark or (opened.enter_context(computer()) if case.plan.states else None)
                    result = _result(change, case, proof_of(case, (), version, jobs, options.sets, spark))
                    _keep(options.results, result)
            results.append(result)
            print(f"{'WRONG ' if result.is_wrong else ''}{result.name}: {result.words}", flush=True)
    wrong = sum(result.is_wrong for result in results)
    print(f"{len(changes)} plans, {wrong} that are called exact and were not proved")
    if options.write:
        PAGE.write_text("\n".join(_page(version, results)) + "\n", "utf-8")
    return 1 if wrong else 0


def _digest(change: CutoverChange) -> str:
    return hashlib.sha256(f"{change.baseline}\0{change.current}".encode()).hexdigest()[:16]


def _kept(path: Path | None) -> dict[str, Result]:
    lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
    found = (Result(**{key: _tupled(value) for key, value in json.loads(line).items()}) for line in lines)
    return {result.digest: result for result in found}


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _keep(path: Path | None, result: Result) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(asdict(result))}\n")


def _result(change: CutoverChange, case: ProofCase, proof: Proof) -> Result:
    plan = case.plan
    numbers = [(trial.rows.rpartition(" ")[2], trial.is_exact) for trial in proof.trials]
    reasons = [flaw for each in plan.pipelines for flaw in each.flaws]
    if plan.approach is Approach.REPLAY:
        reasons = [each.reasons[-1] for each in plan.pipelines if each.reasons] + reasons
    return Result(
        change.name,
        _digest(change),
        families_of(change),
        _WAYS[plan.approach],
        plan.is_exact,
        " ".join(f"{reason.rstrip('.')}." for reason in dict.fromkeys(reasons)),
        tuple(number for number, is_exact in numbers if is_exact),
        tuple(number for number, is_exact in numbers if not is_exact),
        sum(trial.new for trial in proof.trials if trial.is_exact),
        () if plan.approach is Approach.REPLAY else tuple(each.reason for each in proof.not_run),
    )


def _page(version: str, results: Sequence[Result]) -> Iterator[str]:
    yield _HEAD.format(
        plans=len(results),
        version=version,
        proved=sum(result.is_proved for result in results if result.way != _WAYS[Approach.REPLAY]),
        inexact=sum(not result.exact and result.way != _WAYS[Approach.REPLAY] for result in results),
        replays=sum(result.way == _WAYS[Approach.REPLAY] for result in results),
    )
    yield "| change | family | way | exact | result |"
    yield "|---|---|---|---|---|"
    for result in results:
        exact = "yes" if result.exact else "no"
        families = ", ".join(result.families)
        yield f"| {result.name} | {families} | {result.way} | {exact} | {result.words.replace('|', '&#124;')} |"


if __name__ == "__main__":
    sys.exit(main())
