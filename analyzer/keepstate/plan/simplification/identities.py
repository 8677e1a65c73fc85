"""Laws that hold for an expression wherever it stands, each seen in plans of Flink 2.3.

``simplified_value`` applies them to one call, whose operands are simple already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepstate.plan.expressions import Call, Column, Expr, Literal, is_spelled_out
from keepstate.plan.predicates import FALSE, TRUE, all_of, any_of, commutative, conjuncts, disjuncts, negated
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion
from keepstate.plan.simplification.case_expressions import arms_of, simplified_case
from keepstate.plan.simplification.conversions import as_type
from keepstate.plan.simplification.determinism import is_deterministic, is_safe
from keepstate.plan.simplification.literals import cast, compared, compared_constant, compared_times, folded
from keepstate.plan.simplification.nullability import NULL, is_not_null, is_null, is_null_constant, never_null
from keepstate.plan.simplification.operand_facts import facts_against, is_fact, simplify_under
from keepstate.plan.simplification.ranges import WHOLE, Ranges, in_place, is_number, merged
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LONGEST, LogicalType

_ROWS = frozenset({"ROW", "TUPLE"})
_LONGEST_NUMBER = {"TINYINT": 4, "SMALLINT": 6, "INT": 11, "BIGINT": 20}
"""Characters of a whole number, the sign included."""


def simplified_value(call: Call) -> Expr:
    """``call``, whose operands are simple, or what it is short for.

    >>> d = Column("t", "d", "INT")
    >>> print(simplified_value(Call("+", (d, Literal("0", "NUMBER")))))
    d
    >>> print(simplified_value(Call("-", (Literal("0", "NUMBER"), d))))
    0 - d
    """
    law = _LAWS.get(call.name)
    value = law(call) if law is not None else None
    if value is None:
        value = folded(call)
    return call if value is None else value


def all_operands(call: Call) -> Expr | None:
    """AND: TRUE is left out, FALSE is the result, and comparisons of one column with constants are one range.

    A range that is empty stays as it is written, unless its column is never NULL: its value may be NULL.
    """
    return _combination(call, together=True)


def any_operand(call: Call) -> Expr | None:
    """OR, likewise: ``a > 3 OR a > 7`` is ``a > 3``. Of one operand follows something for those that are no facts."""
    facts = facts_against(call.args)
    if facts:
        parts = [each if is_fact(each) else simplify_under(each, facts, simplified_value) for each in call.args]
        operands = [part for each in parts for part in disjuncts(each) if part != FALSE]
        if TRUE in operands or not operands:
            return TRUE if operands else FALSE
        disjunction = any_of(operands)
        if disjunction != call:
            return simplified_value(disjunction) if isinstance(disjunction, Call) else disjunction
    return _combination(call, together=False)


def _combination(call: Call, together: bool) -> Expr | None:
    neutral, absorbing = (TRUE, FALSE) if together else (FALSE, TRUE)
    join, parts_of = (all_of, conjuncts) if together else (any_of, disjuncts)
    operands = [part for arg in call.args for part in (parts_of(arg) if arg != TRUE else (TRUE,)) if part != neutral]
    if absorbing in operands:
        return absorbing
    all_operands: list[Expr] = []
    for ranges, parts in merged(operands, together):
        if not isinstance(ranges, Ranges):
            all_operands.append(ranges)
        elif ranges.sets not in ((), WHOLE):
            all_operands += in_place(ranges.condition(), parts, together)
        elif never_null(ranges.operand) and (not ranges.sets or len(parts) == len(operands)):
            if (ranges.sets == WHOLE) is together:
                continue
            return absorbing
        else:
            all_operands += parts
    result = join(all_operands) if all_operands else neutral
    return None if result == call else result


def negation(call: Call) -> Expr | None:
    """NOT of a constant, and of a test of a condition that is never NULL: ``g IS NOT TRUE`` is ``NOT g``."""
    inner = call.args[0]
    if inner in (TRUE, FALSE):
        return FALSE if inner == TRUE else TRUE
    if inner == NULL:
        return NULL
    match inner:
        case Call(name="IS", args=(operand, Literal(type="NULL"))):
            strict = _tested_operands(operand)
            return all_of([is_not_null(each) for each in strict]) if strict is not None else tested_case(inner, False)
        case Call(name="IS", args=(operand, truth)) if truth in (TRUE, FALSE) and never_null(operand):
            return operand if truth == FALSE else negated(operand)
    return None


def test(call: Call) -> Expr | None:
    """IS NULL, IS TRUE and IS FALSE of an operand that is never NULL; ``a + 1 IS NULL`` is ``a IS NULL``."""
    operand, truth = call.args
    if truth == NULL:
        if isinstance(operand, Literal):
            return TRUE if operand == NULL else FALSE
        if never_null(operand):
            return FALSE
        strict = _tested_operands(operand)
        return any_of([is_null(each) for each in strict]) if strict is not None else None
    if truth not in (TRUE, FALSE):
        return None
    if operand in (TRUE, FALSE):
        return TRUE if operand == truth else FALSE
    if is_null_constant(operand):
        return FALSE
    if never_null(operand):
        return operand if truth == TRUE else negated(operand)
    return None


def tested_case(test_for_null: Call, is_true: bool) -> Expr | None:
    """A test for NULL of a CASE or NULLIF, or its negation, as tests of the values; ``None`` for any other test.

    ``CASE WHEN a > 3 THEN d END IS NOT NULL`` is ``(a > 3) IS TRUE AND d IS NOT NULL``.
    """
    arms = arms_of(test_for_null.args[0])
    if not arms or not all(is_deterministic(condition) and is_safe(value) for condition, value in arms):
        return None
    all_arms: list[Expr] = []
    before: list[Expr] = []
    for condition, value in arms:
        test = simplified_value(is_null(value))
        if not is_true:
            opposite = negated(test)
            test = simplified_value(opposite) if isinstance(opposite, Call) else opposite
        truth = condition if never_null(condition) else Call("IS", (condition, TRUE))
        if test != FALSE:
            all_arms.append(all_of([part for each in (*before, truth, test) for part in conjuncts(each)]))
        before.append(negated(truth))
    return TRUE if TRUE in all_arms else (any_of(all_arms) if all_arms else FALSE)


def _tested_operands(expr: Expr) -> list[Expr] | None:
    """The operands whose NULLs make a call NULL; ``None`` where the planner tests the call itself (``UPPER(c)``)."""
    if not isinstance(expr, Call) or expr.name not in _TESTED or is_spelled_out(expr) is False:
        return None
    if expr.name == "CAST" and not _is_lossless(type_of(expr.args[0]), type_of(expr)):
        # A DECIMAL of fewer digits makes NULL of a number.
        return None
    operands: dict[Expr, None] = {}
    for operand in expr.args:
        if never_null(operand):
            continue
        below = _tested_operands(operand)
        operands.update(dict.fromkeys(below if below is not None else [operand]))
    return list(operands)


_TESTED = frozenset({"=", "<>", "<", "<=", "+", "-", "*", "/", "NEGATE", "NOT", "LIKE", "CAST"})


def distinct_from(call: Call) -> Expr | None:
    """IS NOT DISTINCT FROM an operand that is never NULL is a test of an equation.

    ``a IS NOT DISTINCT FROM 3`` is ``(a = 3) IS TRUE``; of two columns that may be NULL it stays.
    """
    operands = call.args
    condition: Expr | None = None
    if any(map(is_null_constant, operands)):
        other = operands[1] if is_null_constant(operands[0]) else operands[0]
        condition = test(Call("IS", (other, NULL))) or is_null(other)
    elif operands[0] == operands[1] and isinstance(operands[0], (Column, ColumnOfRight)):
        condition = TRUE
    elif any(never_null(operand) or isinstance(operand, Literal) for operand in operands):
        equation = simplified_value(_equation(operands[0], operands[1]))
        whole = Call("IS", (equation, TRUE))
        condition = test(whole) or whole
    if condition is None and call.name == "NULLSAFENEQ":
        condition = Call("NULLSAFEEQ", operands)
        return negated(condition)
    if condition is not None and call.name == "NULLSAFENEQ":
        opposite = negated(condition)
        return simplified_value(opposite) if isinstance(opposite, Call) else opposite
    return condition


def _equation(first: Expr, second: Expr) -> Call:
    return _compared("=", (first, second))


def _compared(name: str, operands: tuple[Expr, ...]) -> Call:
    """A comparison in canonical form."""
    comparison = Call(name, operands) if name in ("<", "<=") else commutative(name, list(operands))
    assert isinstance(comparison, Call)
    return comparison


def comparison(call: Call) -> Expr | None:
    """A comparison of constants, of a row with a row, or of a column that is never NULL with itself."""
    constants = compared_times(*map(compared_constant, call.args))
    if constants != call.args:
        return simplified_value(_compared(call.name, constants))
    first, second = call.args
    if call.name == "=" and all(isinstance(side, Call) and side.name in _ROWS for side in call.args):
        rows = [side.children() for side in call.args]
        if len(rows[0]) == len(rows[1]):
            # Each with a place of its own: keys of a join have the order in which their equations are written.
            pairs = (
                replace(simplified_value(_equation(one, other)), place=one.place)
                for one, other in zip(*rows, strict=True)
            )
            return simplified_value_of_all([part for pair in pairs for part in conjuncts(pair)])
    if first == second and never_null(first) and isinstance(first, (Column, ColumnOfRight, ColumnOfUnion)):
        return TRUE if call.name in ("=", "<=") else FALSE
    return compared(call.name, call.args)


def simplified_value_of_all(conditions: list[Expr]) -> Expr:
    """AND of ``conditions``, simple."""
    conjunction = all_of(conditions)
    return simplified_value(conjunction) if isinstance(conjunction, Call) else conjunction


def likeness(call: Call) -> Expr | None:
    """``c LIKE '%'`` of a column that is never NULL; of ``'%%'`` the planner makes nothing."""
    return TRUE if is_any_text(call) and never_null(call.args[0]) else None


def is_any_text(call: Call) -> bool:
    return call.name == "LIKE" and call.args[1] == Literal("%", "STRING")


def sum_or_difference(call: Call) -> Expr | None:
    """``d + 0``, ``0 + d`` and ``d - 0`` are ``d``, in the type of the sum; ``0 - d`` stays."""
    first, second = call.args if len(call.args) == 2 else (call, call)
    if _is_number(second, 0):
        return as_type(first, type_of(call))
    if call.name == "+" and _is_number(first, 0):
        return as_type(second, type_of(call))
    return None


def product_or_quotient(call: Call) -> Expr | None:
    """``d * 1``, ``1 * d`` and ``d / 1`` are ``d``, in the type of the product; ``d * 0`` stays."""
    first, second = call.args if len(call.args) == 2 else (call, call)
    if _is_number(second, 1):
        return as_type(first, type_of(call))
    if call.name == "*" and _is_number(first, 1):
        return as_type(second, type_of(call))
    return None


def _is_number(expr: Expr, value: int) -> bool:
    if isinstance(expr, Call) and expr.name == "CAST" and (whole := type_of(expr)) and whole.root in INTEGERS:
        expr = expr.args[0]
    return isinstance(expr, Literal) and expr.type == "NUMBER" and is_number(expr) and float(expr.value) == value


def conversion(call: Call) -> Expr | None:
    """A cast of a constant, and one back: ``CAST(CAST(d AS BIGINT) AS INT)`` is ``d``.

    Lossless are wider whole numbers, texts that are long enough for them, and longer texts; not DOUBLE or DECIMAL.
    """
    value, target = call.args[0], call.args[-1]
    if not isinstance(target, Literal) or len(call.args) != 2:
        return None
    if (literal := cast(value, target.value)) is not None:
        return literal
    if not isinstance(value, Call) or value.name != "CAST":
        return None
    inner = value.args[0]
    before, between, after = type_of(inner), type_of(value), LogicalType.declared(target.value)
    if before is None or after is None or not _is_lossless(before, between):
        return None
    if before == after:
        return inner
    if before.root in INTEGERS and after.root in INTEGERS:
        return Call("CAST", (inner, target))
    return None


def _is_lossless(before: LogicalType | None, between: LogicalType | None) -> bool:
    if before is None or between is None:
        return False
    if before.root in INTEGERS:
        if between.root in INTEGERS:
            return INTEGERS.index(between.root) >= INTEGERS.index(before.root)
        return between.root == "VARCHAR" and (between.length or 0) >= _LONGEST_NUMBER[before.root]
    return before.root == between.root == "VARCHAR" and (before.length or LONGEST) <= (between.length or LONGEST)


def coalesced(call: Call) -> Expr | None:
    """COALESCE up to the first operand that is never NULL. IFNULL and ``COALESCE(d)`` of a nullable ``d`` stay."""
    number = next((number for number, arg in enumerate(call.args) if never_null(arg)), None)
    if number is None:
        return None
    if number == 0:
        return as_type(call.args[0], type_of(call))
    rest = Call("COALESCE", call.args[: number + 1])
    return rest if number + 1 < len(call.args) and type_of(rest) == type_of(call) is not None else None


_LAWS: dict[str, Callable[[Call], Expr | None]] = {
    "AND": all_operands,
    "OR": any_operand,
    "NOT": negation,
    "IS": test,
    "NULLSAFEEQ": distinct_from,
    "NULLSAFENEQ": distinct_from,
    "=": comparison,
    "<>": comparison,
    "<": comparison,
    "<=": comparison,
    "LIKE": likeness,
    "+": sum_or_difference,
    "-": sum_or_difference,
    "*": product_or_quotient,
    "/": product_or_quotient,
    "CAST": conversion,
    "COALESCE": coalesced,
    "CASE": simplified_case,
}
