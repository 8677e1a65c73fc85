"""Ranges of a TIMESTAMP_LTZ whose bounds have several types.

The planner makes one range of the bounds of a column (Calcite's ``Sarg``). A TIMESTAMP among bounds of another type is
taken for a time in UTC there, seen in Flink 2.3 in zones with changes of the clock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.session import UTC_NAMES

_COMPARISONS = frozenset({"=", "<>", "<", "<="})


def refuse_mixed_bounds(conditions: Sequence[Expr], zone: str) -> None:
    """Raise ``NotLowerable`` if the parts of an AND or OR compare one TIMESTAMP_LTZ with a TIMESTAMP and with constants
    of other types, and the session time zone is not UTC.
    """
    if zone in UTC_NAMES:
        return
    roots: defaultdict[Expr, set[str]] = defaultdict(set)
    for condition in conditions:
        for operand, constant in _bounds(condition):
            type_ = type_of(constant)
            roots[operand].add(type_.root if type_ is not None else "")
            if "TIMESTAMP" in roots[operand] and len(roots[operand]) > 1:
                raise NotLowerable(
                    f"The bounds of {operand} have several types, and Flink takes the TIMESTAMP among them for one in "
                    "UTC. CAST all of them to one type.",
                    condition.place,
                )


def _bounds(condition: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The instant that a condition compares with constants, and each of these; of an AND or OR as well, if all of its
    parts are about this instant.
    """
    if not isinstance(condition, Call):
        return
    if condition.name in ("AND", "OR"):
        parts = [list(_bounds(part)) for part in condition.args]
        bounds = [bound for part in parts for bound in part]
        if all(parts) and len({operand for operand, _ in bounds}) == 1:
            yield from bounds
        return
    if condition.name not in _COMPARISONS:
        return
    first, second = condition.args
    for operand, constant in ((first, second), (second, first)):
        type_ = type_of(operand)
        if type_ is not None and type_.root == "TIMESTAMP_LTZ" and is_constant(constant) and not is_constant(operand):
            yield operand, constant
