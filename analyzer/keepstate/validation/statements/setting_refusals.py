"""Queries that Flink refuses for a setting: a value that it cannot read, or mini-batches without their bounds.

The setting is reported at its SET, once for all queries that make Flink read it. Values that Flink does not read are
refused on every engine that is made of it, words and bounds on open-source Flink only. Batch mode was not measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.job import PlanningInputs, plan_of
from keepstate.plan.lowering.statement_queries import filling_of
from keepstate.plan.operators import Operator, Unsupported
from keepstate.plan.parameters import BATCH_LATENCY, BATCH_SIZE, MINI_BATCH, milliseconds
from keepstate.plan.settings import ScriptSettings, Settings
from keepstate.syntax.kinds import FILLING
from keepstate.syntax.placeholders import is_filled_in
from keepstate.syntax.script import Script, Statement
from keepstate.text import Span
from keepstate.validation.statement_context import Dialect, is_batch
from keepstate.validation.statements.setting_values import SETTING_VALUES, SettingReader
from keepstate.validation.validity import Validity, ValidityProblem

_NEEDS = (
    (
        BATCH_LATENCY,
        "5 s",
        (
            SettingReader.WATERMARKS,
            SettingReader.BATCHES,
            SettingReader.JOINS,
            SettingReader.WINDOWS,
            SettingReader.INTERVALS,
        ),
    ),
    (BATCH_SIZE, "1000", (SettingReader.BATCHES, SettingReader.JOINS)),
)
"""The bounds of mini-batches, each with an example and the operators for which Flink asks for it."""


@dataclass(frozen=True)
class _Refusal:
    """A reason why Flink refuses the queries of some readers; ``option`` is the setting that asks for it."""

    rule: str
    message: str
    option: Option
    readers: tuple[SettingReader, ...]

    def concerns(self, operators: tuple[Operator, ...], catalog: Catalog) -> bool:
        return any(reader.reads(operators, catalog) for reader in self.readers)


def with_refused_settings(validity: Validity, script: Script, dialect: Dialect, settings: ScriptSettings) -> Validity:
    """The answers for a script, and those that follow from its settings.

    >>> from keepstate.syntax.script import parse_script
    >>> text = "SET 'table.local-time-zone' = 'UTC+8'; SELECT a FROM (VALUES (1)) AS t (a)"
    >>> script = parse_script(text)
    >>> found = with_refused_settings(Validity(), script, Dialect(), ScriptSettings.of(script, {}))
    >>> [(problem.statement, problem.rule) for problem in found.problems]
    [(1, 'setting-value')]
    """
    refusals = tuple(_refusals(settings.final, dialect))
    if settings.is_uniform and not refusals:
        return validity
    problems, undecided = list(validity.problems), list(validity.undecided)
    invalid, unsure = ({problem.statement for problem in side} for side in (problems, undecided))
    catalog = Catalog.of_script(script)
    seen: Settings = settings.final
    for number, statement in enumerate(script.statements, 1):
        if statement.kind not in FILLING or number in invalid:
            continue
        own = settings.at(statement)
        if own is not seen:
            seen, refusals = own, tuple(_refusals(own, dialect))
        refusal = _refusal_of(script, statement, catalog, refusals) if refusals and not is_batch(own) else None
        if refusal is None:
            continue
        at = _number_of(script, refusal.option, number)
        first = statement.parsed.head_tokens[0]
        start = Span(first.start, first.end).shift(statement.span.start)
        if at is None:
            # The setting is not of the script.
            problems.append(ValidityProblem(refusal.rule, start, refusal.message, number))
            continue
        if at not in invalid:
            invalid.add(at)
            problems.append(ValidityProblem(refusal.rule, script.statements[at - 1].span, refusal.message, at))
        if number not in unsure:
            words = f"{refusal.option.key} is refused itself."
            undecided.append(ValidityProblem("reads-invalid", start, words, number, depends="statement"))
    by_statement = attrgetter("statement")
    return Validity(tuple(sorted(problems, key=by_statement)), tuple(sorted(undecided, key=by_statement)))


def _refusals(settings: Settings, dialect: Dialect) -> Iterator[_Refusal]:
    """Yield the reasons against settings, apart from the queries."""
    for value in SETTING_VALUES:
        option = settings.get(value.key)
        if option is None or is_filled_in(option.value) or (value.form.is_open and not dialect.is_open_source):
            continue
        message = value.refusal(option.value, dialect.flink)
        if message is not None:
            yield _Refusal("setting-value", message, option, value.readers)
    switch = settings.get(MINI_BATCH)
    # Other engines have bounds of their own.
    bounds = (settings.get(key) for key, _, _ in _NEEDS)
    if any(bound is not None and is_filled_in(bound.value) for bound in bounds):
        return
    if switch is None or switch.value.upper() != "TRUE" or not dialect.is_open_source:
        return
    for key, example, readers in _NEEDS:
        if not _is_positive(settings.get(key), key):
            yield _Refusal(
                "mini-batch",
                f"Mini-batches need {key}, such as {example}: SET it, or name it as a parameter of the job.",
                switch,
                readers,
            )
            # Flink asks for the size behind the latency.
            return


def _refusal_of(
    script: Script, statement: Statement, catalog: Catalog, refusals: tuple[_Refusal, ...]
) -> _Refusal | None:
    """The first reason for which Flink refuses a statement, whatever else it says."""
    memo, parsed = script.memo, statement.parsed
    if memo.of(filling_of, parsed) is None:
        return None
    definitions = catalog.reached_from(parsed, memo)
    operators = plan_of(parsed, PlanningInputs(definitions), memo).operators
    if any(isinstance(each, Unsupported) for each in operators):
        return None
    reached = Catalog.of(definitions, memo, of_query=True)
    return next((each for each in refusals if each.concerns(operators, reached)), None)


def _number_of(script: Script, option: Option, before: int) -> int | None:
    """The number of the statement that sets an option, the last one of equal ones above; ``None`` for none of them."""
    if option.place is None:
        return None
    numbers = [number for number, each in enumerate(script.statements, 1) if each.parsed is option.place.statement]
    return next((number for number in reversed(numbers) if number < before), numbers[0] if numbers else None)


def _is_positive(option: Option | None, key: str) -> bool:
    if option is None:
        return False
    if key == BATCH_LATENCY:
        return (milliseconds(option.value) or 0) > 0
    return re.fullmatch(r"\+?0*[1-9][0-9]*", option.value) is not None
