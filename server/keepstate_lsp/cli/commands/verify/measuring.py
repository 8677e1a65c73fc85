"""Measurements of pairs of versions, on a cluster that runs as long as they take."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate.cutover.table_names import last_name
from keepstate.report import Effect
from keepstate_flink.cluster import cluster
from keepstate_flink.installation import NEWEST, install
from keepstate_flink.plans.plan_comparison import PlanComparison
from keepstate_flink.plans.planner import PlanAnswer, Planner
from keepstate_flink.running_jobs import Jobs, ScriptedJob
from keepstate_flink.verification import Verifier
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.commands.verify.predictions import ENGINE, CheckedPrediction, judged, prediction
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.run.pairs import settings_of, text_of
from keepstate_lsp.cli.terminal.spark_progress import ProgressLines, SparkProgress
from keepstate_lsp.config.job_versions import job_version

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate_flink.restarts import RowsOf


@dataclass(frozen=True)
class ScriptPair:
    """The two versions of a script."""

    current: JobVersion
    baseline: JobVersion
    plan: str = ""
    """The compiled plan that runs in place of the text of the baseline."""


RowSource = Callable[[ScriptPair], "Sequence[RowsOf]"]
"""The rows for the tables of a pair, once or at several paces."""


def read_names(pair: ScriptPair) -> frozenset[str]:
    """The tables that the queries of a pair read, by their last names in small letters."""
    import keepstate

    sides = (pair.baseline, pair.current)
    return frozenset(last_name(table.name) for side in sides for table in keepstate.read_tables(side))


def declared_types(side: JobVersion) -> dict[str, dict[str, str]]:
    """The types of the columns that a job reads, by the last names of their tables in small letters."""
    import keepstate

    return {last_name(table.name): dict(table.columns) for table in keepstate.read_tables(side)}


class PairMeasurer:
    """Measures pairs on one cluster of the version ``flink``."""

    def __init__(
        self,
        flink: str,
        jobs: Jobs,
        verifier_of: Callable[[ScriptPair], Verifier],
        runs_functions: bool,
        progress: SparkProgress | ProgressLines,
        planner: Planner | None = None,
    ) -> None:
        self.flink = flink
        self._jobs = jobs
        self._verifier_of = verifier_of
        self._left_out: tuple[str, ...] = ()
        self._runs_functions = runs_functions
        self._progress = progress
        self._planner = planner

    def of(self, pair: ScriptPair) -> Iterator[CheckedPrediction]:
        """The jobs of a pair, each with the prediction, and with the answer of the planner if there is one."""
        baseline, current = (self._scripted(side) for side in (pair.baseline, pair.current))
        if pair.plan:
            baseline, current = replace(baseline, text="", plan=pair.plan), replace(current, is_compiled=True)
        # The profile does not read compiled plans.
        report = None if pair.plan else prediction(pair.current, pair.baseline, self.flink)
        verifier = self._verifier_of(pair)
        planned = {} if self._planner is None else _plans(self._planner.answers(baseline, current))
        for measurement in verifier.measure(baseline, current):
            judgement = CheckedPrediction(measurement, Effect.UNDETERMINED)
            if report is not None:
                judgement = judged(measurement, report, baseline.one_job and current.one_job)
            yield replace(judgement, planned=planned.get(measurement.name))
        self._left_out = tuple(verifier.left_out)

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences on jobs of the last pair that were not restarted, and on settings that are not followed."""
        if not self._jobs.ignored:
            return self._left_out
        names = ", ".join(sorted(self._jobs.ignored))
        return (*self._left_out, f"Left out, since neither plan nor state follows from it: {names}.")

    def clear(self) -> None:
        """Take the progress away, before something else is written."""
        self._progress.clear()

    def _scripted(self, version: JobVersion) -> ScriptedJob:
        import keepstate

        one_job = version.jobs is keepstate.job_unit(ENGINE, "script")
        parameters = tuple(sorted(version.parameters.items()))
        functions = tuple(sorted(version.functions.items()))
        return ScriptedJob(version.text, parameters, one_job, runs_functions=self._runs_functions, functions=functions)


@contextlib.contextmanager
def measuring(
    flink: str | None,
    rows: RowSource | None,
    jars: Sequence[Path],
    quiet: bool,
    seconds: float | None,
    seeks_witness: bool = False,
    tells_lines: bool = False,
    plans: bool = False,
) -> Iterator[PairMeasurer]:
    """A cluster of a version of Flink (default: the newest), which is installed first if need be. ``tells_lines`` has
    the steps written as JSON, for a program that shows them to a person; with ``plans`` its planner is asked as well.

    Raises:
        FlinkError: there is none, or it ended before the work was done.
    """
    with ProgressLines(_no_tasks) if tells_lines else SparkProgress(_no_tasks, quiet) as progress:
        version = install(flink or NEWEST, progress.begin if tells_lines else tell)
        progress.begin(f"Flink {version} is started")
        with cluster(version, [jar.resolve() for jar in jars], seconds) as running:
            jobs = Jobs(running)

            def verifier_of(pair: ScriptPair) -> Verifier:
                return Verifier(jobs, () if rows is None else rows(pair), seeks_witness, progress.begin)

            planner = Planner(version, running.java) if plans else None
            yield PairMeasurer(version, jobs, verifier_of, bool(jars), progress, planner)


def _plans(answers: Iterable[PlanAnswer]) -> dict[str, PlanComparison]:
    return {answer.name: answer.comparison for answer in answers}


def _no_tasks() -> tuple[int, int]:
    """The tasks of a rehearsal: it has steps, and does not know how many."""
    return 0, 0


@contextlib.contextmanager
def measuring_each(
    rows: RowSource | None, jars: Sequence[Path], quiet: bool, plans: bool = False
) -> Iterator[Callable[[str | None], PairMeasurer]]:
    """A function that gives the cluster of a version (``None``: the newest). It ends the one of another version first,
    so that pairs of one version that follow each other share one.
    """
    with contextlib.ExitStack() as stack:
        running: dict[str | None, PairMeasurer] = {}

        def of_version(flink: str | None) -> PairMeasurer:
            if flink not in running:
                running.clear()
                stack.close()
                running[flink] = stack.enter_context(measuring(flink, rows, jars, quiet, None, plans=plans))
            return running[flink]

        yield of_version


def pair_of(entry: Mapping[str, Any], settings: JobSettings) -> tuple[ScriptPair, JobSettings]:
    """The pair on a line of ``--pairs``, and the settings with those of the line over them.

    Raises:
        MalformedLine: it has none, or no such settings.
    """
    current, baseline = text_of(entry, "current"), text_of(entry, "baseline")
    own = settings_of(entry, settings)
    return ScriptPair(
        job_version(current, own.current, own.engine), job_version(baseline, own.baseline, own.engine)
    ), own
