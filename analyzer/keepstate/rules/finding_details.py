"""Findings with the edits that they stand for, and the queries that they reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from keepstate.engines.profile import clause_precedence
from keepstate.plan.job import Pipeline
from keepstate.report import Effect, Finding, Verdict
from keepstate.rules.judgement import EditJudgement, PipelineJudgement


@dataclass(frozen=True)
class FindingDetails:
    """A finding with the edits that it stands for and the pipelines that these belong to (``None``: the job)."""

    finding: Finding
    edits: list[EditJudgement]
    owners: list[PipelineJudgement | None]

    @property
    def cost(self) -> tuple[int, int]:
        """The rank of the finding among those of one edit: the higher, the worse."""
        return self.finding.verdict.rank, self.finding.effect.precedence

    @property
    def jobs(self) -> frozenset[object]:
        """The jobs whose pipelines have the edits; none for edits of the script as a whole."""
        return frozenset(owner.pipeline.unit for owner in self.owners if owner is not None)

    @property
    def is_of_job(self) -> bool:
        """Return whether the finding is of no pipeline."""
        return all(owner is None for owner in self.owners)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the edits are about."""
        return frozenset(table for edit in self.edits for judged in edit.judged for table in judged.change.tables)


def reached_queries(entries: Sequence[FindingDetails], pipelines: Sequence[Pipeline]) -> Mapping[int, list[int]]:
    """The findings of a job as a whole that have a cost, by the places of the queries that they reach: those that read
    a table which a finding is about, or all.

    >>> from keepstate import JobVersion, analyse
    >>> text = "CREATE TABLE {} (a INT) WITH ('connector' = '{}'); SELECT a FROM t; SELECT a FROM u;"
    >>> was, now = (JobVersion(text.format("t", each)) for each in ("kafka", "pulsar"))
    >>> comparison = analyse(now, was).comparison
    >>> reached_queries(comparison.entries, comparison.current.pipelines)
    {0: [0]}
    """
    reaching: dict[int, list[int]] = {}
    for number, entry in enumerate(entries):
        if entry.is_of_job and entry.finding.verdict is not Verdict.COMPATIBLE:
            tables = entry.tables
            for place, pipeline in enumerate(pipelines):
                if not tables or not tables.isdisjoint(pipeline.equivalent_plan.sources):
                    reaching.setdefault(place, []).append(number)
    return reaching


def combined_effect(verdict: Verdict, findings: Iterable[Finding]) -> Effect:
    """The effect that stands for several: the loudest among those of the combined verdict. A job that does not start
    gives no wrong results.

    >>> combined_effect(Verdict.COMPATIBLE, []).value
    'exact'
    """
    effects = {finding.effect for finding in findings if finding.verdict is verdict}
    if verdict is Verdict.UNKNOWN:
        return Effect.UNDETERMINED
    return max(effects, key=clause_precedence, default=Effect.EXACT)
