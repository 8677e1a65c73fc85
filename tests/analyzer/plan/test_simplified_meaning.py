"""A simplified expression has the value of the written one on every row, NULLs included, and is simple itself."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_calls import calls_of
from keepstate import JobVersion, check
from keepstate.plan.expressions import Call, Column, Expr, Literal
from keepstate.plan.predicates import FALSE, TRUE, all_of, any_of, commutative, negated
from keepstate.plan.simplification.conditions import simplified_condition, simplified_filter
from keepstate.plan.simplification.identities import simplified_value
from keepstate.plan.simplification.nullability import NULL
from night import by_night

Value = int | bool | str | None
Row = dict[str, Value]

A, D = Column("t", "a", "INT"), Column("t", "d", "INT")
H = Column("t", "h", "INT", not_null=True)
G = Column("t", "g", "BOOLEAN")
SURE = Column("t", "sure", "BOOLEAN", not_null=True)
ROWS: list[Row] = [
    {"a": a, "d": d, "h": h, "g": g, "sure": sure}
    for a, d, h, g, sure in product((None, 0, 1, 2, 3), (None, 1, 2), (0, 1, 2), (None, True, False), (True, False))
]
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
}
COMPUTED: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def value_of(expr: Expr, row: Row) -> Value:
    """The value of ``expr`` by SQL's three-valued logic, written down apart from the code under test."""
    if isinstance(expr, Column):
        return row[expr.name]
    if isinstance(expr, Literal):
        if expr.type == "BOOLEAN":
            return expr.value == "TRUE"
        return None if expr == NULL else int(expr.value)
    assert isinstance(expr, Call)
    if expr.name == "CASE":
        arms = list(zip(expr.args[:-1:2], expr.args[1::2], strict=True))
        taken = next((value for condition, value in arms if value_of(condition, row) is True), expr.args[-1])
        return value_of(taken, row)
    if expr.name == "CAST":
        return value_of(expr.args[0], row)
    values = [value_of(arg, row) for arg in expr.args]
    match expr.name:
        case "AND":
            return False if False in [v for v in values if isinstance(v, bool)] else (None if None in values else True)
        case "OR":
            return True if True in [v for v in values if isinstance(v, bool)] else (None if None in values else False)
        case "NOT":
            return None if values[0] is None else not values[0]
        case "IS":
            return values[0] is values[1]
        case "NULLSAFEEQ":
            return values[0] == values[1]
        case "NULLSAFENEQ":
            return values[0] != values[1]
        case "COALESCE":
            return next((value for value in values if value is not None), None)
    if None in values:
        return None
    one, other = values
    assert isinstance(one, int) and isinstance(other, int)
    return COMPARED[expr.name](one, other) if expr.name in COMPARED else COMPUTED[expr.name](one, other)


def call(name: str, *args: Expr) -> Expr:
    """A call in canonical form."""
    return commutative(name, list(args)) if name in ("=", "<>", "+", "*") else Call(name, args)


numbers = st.sampled_from([Literal(str(number), "NUMBER") for number in (0, 1, 2, 3)])
columns = st.sampled_from([A, D, H])


def case_of(conditions: st.SearchStrategy[Expr], values: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    arms = st.lists(st.tuples(conditions, values), min_size=1, max_size=2)
    return st.builds(lambda found, last: Call("CASE", (*(part for arm in found for part in arm), last)), arms, values)


def larger_values(values: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(call, st.sampled_from(sorted(COMPUTED)), values, values),
        st.builds(call, st.just("COALESCE"), values, values),
        case_of(st.one_of(atoms, st.sampled_from([TRUE, FALSE])), values),
    )


atoms = st.one_of(
    st.builds(call, st.sampled_from(sorted(COMPARED)), columns, st.one_of(numbers, columns)),
    st.builds(call, st.sampled_from(["<", "<="]), numbers, columns),
    st.sampled_from([G, SURE]),
    st.builds(lambda column: Call("IS", (column, NULL)), st.sampled_from([A, D, H, G])),
    st.builds(
        lambda name, one, other: Call(name, (one, other)),
        st.sampled_from(["NULLSAFEEQ", "NULLSAFENEQ"]),
        columns,
        st.one_of(numbers, columns, st.just(NULL)),
    ),
)
values = st.recursive(st.one_of(columns, numbers), larger_values, max_leaves=4)


def larger_conditions(conditions: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    several = st.lists(conditions, min_size=2, max_size=3)
    return st.one_of(
        several.map(all_of),
        several.map(any_of),
        conditions.map(negated),
        st.builds(lambda part, truth: Call("IS", (part, truth)), conditions, st.sampled_from([TRUE, FALSE, NULL])),
        case_of(conditions, st.one_of(conditions, st.sampled_from([TRUE, FALSE, NULL]))),
        st.builds(call, st.sampled_from(sorted(COMPARED)), values, values),
    )


conditions = st.recursive(st.one_of(atoms, st.sampled_from([TRUE, FALSE, NULL])), larger_conditions, max_leaves=8)


def simplified(expr: Expr) -> Expr:
    """``expr`` from the inside out, as it is lowered."""
    return expr.rewrite(lambda node: simplified_value(node) if isinstance(node, Call) else node)


@settings(max_examples=by_night(400, 100), deadline=None)
@given(st.one_of(conditions, values))
def test_a_value_keeps_its_meaning(expr: Expr) -> None:
    simple = simplified(expr)
    for row in ROWS:
        assert value_of(simple, row) == value_of(expr, row), (str(expr), str(simple), row)


@settings(max_examples=by_night(600, 150), deadline=None)
@given(conditions)
def test_a_condition_is_true_for_the_same_rows(expr: Expr) -> None:
    for simplify in (simplified_filter, simplified_condition):
        simple = simplify(simplified(expr))
        for row in ROWS:
            assert (value_of(simple, row) is True) is (value_of(expr, row) is True), (str(expr), str(simple), row)


@settings(max_examples=by_night(400, 100), deadline=None)
@given(conditions)
def test_a_simple_condition_stays_what_it_is(expr: Expr) -> None:
    simple = simplified_filter(simplified(expr))
    assert simplified_filter(simplified(simple)) == simple, (str(expr), str(simple))


FEW = 300
GENERATED = {
    "values": (" OR ", "a = {}"),
    "patterns": (" OR ", "c LIKE '{}%'"),
    "tests for NULL": (" AND ", "UPPER(c || '{}') IS NULL"),
}
"""The word between generated conditions, and one of them."""


@pytest.mark.parametrize("kind", GENERATED)
def test_the_work_does_not_grow_with_the_square_of_a_generated_condition(kind: str) -> None:
    """Operands are looked up among the others; each compared with each takes sixteen times for four times as many."""
    between, operand = GENERATED[kind]

    def work(count: int) -> int:
        condition = between.join(operand.format(2 * number) for number in range(count))
        table = "CREATE TABLE t (a INT, c STRING) WITH ('connector' = 'kafka');"
        script = JobVersion(f"{table}\nSELECT a FROM t WHERE {condition};")
        return calls_of(lambda: check(script, JobVersion(script.text + "\n"), "flink"))

    work(1)
    assert work(4 * FEW) < 6 * work(FEW)
