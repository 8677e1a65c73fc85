"""Assignment of findings to operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from keepstate.plan.job import Job, Plan
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.provenance import Place
from keepstate.plan_view.drawing import DrawnRule
from keepstate.rules.judgement import EditJudgement, JobJudgement, PipelineJudgement

Rules = Mapping[int, tuple[DrawnRule, ...]]
"""Findings by the number of the operator in its plan."""


@dataclass(frozen=True)
class TableFindings:
    """Findings about the job as a whole. A finding about the declaration of a table belongs to the operators that read
    the table.
    """

    baseline: Mapping[str, tuple[DrawnRule, ...]] = field(default_factory=dict)
    current: Mapping[str, tuple[DrawnRule, ...]] = field(default_factory=dict)
    loose: tuple[DrawnRule, ...] = ()

    @staticmethod
    def of(judgement: JobJudgement, baseline: Job, current: Job) -> TableFindings:
        baseline_rules: dict[str, tuple[DrawnRule, ...]] = {}
        current_rules: dict[str, tuple[DrawnRule, ...]] = {}
        loose: list[DrawnRule] = []
        for edit in (*judgement.edits, *judgement.several_kinds):
            rule = _rule(edit)
            changes = [one.change for one in edit.judged]
            was = _declared(baseline, (change.baseline for change in changes))
            now = _declared(current, (change.current for change in changes))
            for table in was:
                baseline_rules[table] = (*baseline_rules.get(table, ()), rule)
            for table in now:
                current_rules[table] = (*current_rules.get(table, ()), rule)
            if not was and not now:
                loose.append(rule)
        return TableFindings(baseline_rules, current_rules, tuple(dict.fromkeys(loose)))


@dataclass(frozen=True)
class PipelineFindings:
    """The findings about one pipeline: by operator of either side, and those that concern no single operator."""

    baseline: Rules
    current: Rules
    loose: tuple[DrawnRule, ...]
    of_tables: tuple[DrawnRule, ...] = ()
    """Findings about the declarations of tables that the job reads. They stand at the reading operators as well."""

    @staticmethod
    def of(judgement: PipelineJudgement, tables: TableFindings, former_names: Mapping[str, str]) -> PipelineFindings:
        """``former_names`` are those of source tables in the baseline, which is compared under new ones."""
        was, now = judgement.pair.compared
        baseline_rules = _reading(was.plan, tables.baseline, former_names) if was is not None else {}
        current_rules = _reading(now.plan, tables.current, {}) if now is not None else {}
        of_tables = tuple(
            dict.fromkeys(rule for rules in (*baseline_rules.values(), *current_rules.values()) for rule in rules)
        )
        loose: list[DrawnRule] = []
        for edit in judgement.edits:
            rule = _rule(edit)
            numbers = {one.change.operators for one in edit.judged} - {(None, None)}
            if not numbers:
                loose.append(rule)
            for first, second in numbers:
                for rules_at, number in ((baseline_rules, first), (current_rules, second)):
                    if number is not None:
                        rules_at[number] = tuple(dict.fromkeys((*rules_at.get(number, ()), rule)))
        return PipelineFindings(baseline_rules, current_rules, tuple(dict.fromkeys(loose)), of_tables)


def _reading(
    plan: Plan, by_table: Mapping[str, tuple[DrawnRule, ...]], names: Mapping[str, str]
) -> dict[int, tuple[DrawnRule, ...]]:
    tables = (
        (operator.number, names.get(operator.table, operator.table))
        for operator in plan.operators
        if isinstance(operator, TableSourceScan)
    )
    return {number: by_table[table] for number, table in tables if table in by_table}


def _declared(job: Job, places: Iterable[Place | None]) -> list[str]:
    """The tables that a query reads and in whose declarations the places lie."""
    statements = {place.statement for place in places if place is not None}
    sources = {name for pipeline in job.pipelines for name in pipeline.plan.sources}
    return [name for name, table in job.catalog.tables.items() if name in sources and table.statement in statements]


def _rule(edit: EditJudgement) -> DrawnRule:
    return DrawnRule(edit.worst.rule.id, edit.worst.verdict, edit.worst.effect)
