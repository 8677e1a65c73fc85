"""The fraction of PERCENTILE: a number between 0 and 1 that is not NULL, or an ARRAY of such numbers."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.values import families
from keepstate.validation.values.scopes import refuse
from keepstate.validation.values.value import ValueFacts

_FRACTION = "PERCENTILE takes a number between 0 and 1, or an ARRAY of them"


def elements_of(argument: exp.Expression) -> list[exp.Expression]:
    """The elements of ``ARRAY[...]``, and none of anything else."""
    node = argument.unnest()
    return list(node.expressions) if isinstance(node, exp.Anonymous) and node.name.upper() == "ARRAY" else []


def check_fraction(span: Span, argument: exp.Expression, value: ValueFacts, elements: list[ValueFacts]) -> None:
    """Refuse a fraction that Flink does not take. ``elements`` are the values of ``elements_of`` it.

    Flink looks at the value of a literal only, and at none in an ARRAY.

    Raises:
        Refused: it takes none.
    """
    may_be_null = value.nullable is True or isinstance(argument.unnest(), exp.Query)
    if may_be_null or any(each.null or each.nullable is True for each in elements):
        refuse("argument-type", span, f"{_FRACTION}, and this may be NULL.")
    if families.family_of(value.type) not in (None, families.NUMBER, "array"):
        refuse("argument-type", span, f"{_FRACTION}, not {value.type}.")
    other = next((each for each in elements if families.family_of(each.type) not in (None, families.NUMBER)), None)
    if other is not None:
        refuse("argument-type", span, f"{_FRACTION}, not an ARRAY with {other.type}.")
    number = _number(argument)
    if number is not None and not 0 <= number <= 1:
        refuse("argument-type", span, f"{_FRACTION}, not {number}.")


def _number(node: exp.Expr) -> Decimal | None:
    """The value of a literal with its sign."""
    node = node.unnest()
    if isinstance(node, exp.Neg):
        inner = _number(node.this)
        return -inner if inner is not None else None
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    try:
        return Decimal(node.name)
    except InvalidOperation:
        return None
