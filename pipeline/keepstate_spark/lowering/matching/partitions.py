"""The search as a function of Spark over the rows of one partition.

It runs in Python beside a worker of Spark, in which Keepstate need not be installed: the modules that it consists of
are sent along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from keepstate_spark.lowering.matching import aggregate_steps, evaluation, searching, waiting
from keepstate_spark.lowering.matching import automaton as automata
from keepstate_spark.lowering.matching.automaton import Automaton
from keepstate_spark.lowering.matching.evaluation import DivisionByZero, Look, NoSuchRow, Part
from keepstate_spark.lowering.matching.searching import Search, Skip, SkipError


class SearchPlan(NamedTuple):
    """A search: its automaton, the condition of each variable (``None`` for one that takes every row), the milliseconds
    of WITHIN, what follows a match, the parts of the result of a match, and whether Flink runs it in batch mode.
    """

    automaton: Automaton
    conditions: tuple[Part | None, ...]
    within: int
    skip: Skip
    results: tuple[Part, ...]
    is_batch: bool


Rows = Callable[..., list[tuple[Any, ...]]]


def modules() -> Iterator[ModuleType]:
    """Yield the modules that a worker needs, this one included."""
    import sys

    yield from (automata, aggregate_steps, evaluation, searching, waiting, sys.modules[__name__])


def matches_of(plan: SearchPlan) -> Rows:
    """Return the function from the times of the rows of a partition and from columns of theirs to its matches: the
    results, then the last row of the match, the row at which it was sent out, and no error; or to one error.
    """

    def matches(times: Sequence[int], *columns: Sequence[Any]) -> list[tuple[Any, ...]]:
        look = Look(columns)

        def holds(variable: int, begins: tuple[int, ...], row: int) -> bool:
            condition = plan.conditions[variable]
            if condition is None:
                return True
            look.begins, look.row, look.variable = begins, row, variable
            return condition(look) is True

        search = Search(plan.automaton, len(plan.conditions), holds, plan.within, plan.skip, plan.is_batch)
        rows: list[tuple[Any, ...]] = []
        try:
            for begins, place in search.matches(times):
                look.begins, look.row, look.variable = begins, begins[-1] - 1, evaluation.ALL
                rows.append((*(part(look) for part in plan.results), begins[-1] - 1, place, None))
        except (SkipError, DivisionByZero, NoSuchRow) as error:
            return [(*(None for _ in plan.results), None, None, str(error))]
        return rows

    return matches
