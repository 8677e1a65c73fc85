"""Queries against their rows: a version that cannot go on with the state of another one is never called compatible.

The state of each operator is computed here, by hand, on rows made at random (``row_queries``), and no rule about
queries takes part: for any edit, the new version needs the state of the old one. If an aggregate of the new version has
other values on some rows than every aggregate of the old one, or if an operator has other keys, then the state is of no
use, and there has to be a finding.

The exceptions are those of the specification, and are in ``row_queries`` in the kept state: columns that nothing reads
(C-30), columns of stored rows that are only handed on (DD-03, C-24), and operators above all state (EQ-06, WH-03).
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, strategies

from budgets import row_queries as budget
from keepstate import JobVersion
from keepstate.report import Verdict
from random_row_queries import edited, random_query
from reusable_state import DATA, have_the_same_operators, needs_other_state
from row_expressions import Column, Comparison, Constant
from row_queries import Call, Filter, Group, RowQuery, Scan
from row_query_texts import script_of
from shared_analyses import check

RANDOM = strategies.randoms(use_true_random=False)


def _assert_reported(before: RowQuery, after: RowQuery, baseline: str, current: str, engine: str) -> None:
    if needs_other_state(before, after, engine):
        report = check(JobVersion(current), JobVersion(baseline), engine)
        assert not report.problems and not report.baseline_problems, f"{report.problems}\n{current}"
        assert report.verdict is not Verdict.COMPATIBLE, f"{baseline}\n{current}"


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@budget
@given(random=RANDOM)
def test_state_of_no_use_is_never_compatible(random: Random, engine: str) -> None:
    query = random_query(random)
    # What is behind a source, savepoints do not say (test_another_table_is_reported).
    other = edited(query, random, tables=engine == "vvr")
    if random.random() < 0.2:
        other = edited(other, random, tables=engine == "vvr")
    if len(query.kept(DATA[0])) != len(other.kept(DATA[0])):
        # A branch less, with what keeps state in it: there is nothing to compare it with.
        return
    one, another = script_of(query), script_of(other, random if random.random() < 0.3 else None)
    _assert_reported(query, other, one, another, engine)
    _assert_reported(other, query, another, one, engine)


@budget
@given(random=RANDOM)
def test_other_layers_names_and_orders_of_inputs_are_no_change(random: Random) -> None:
    query = random_query(random)
    baseline, current = script_of(query), script_of(query, random)
    for one, other in ((baseline, current), (current, baseline)):
        report = check(JobVersion(other), JobVersion(one))
        assert not report.problems, f"{report.problems}\n{other}"
        found = [finding.message for finding in report.findings]
        assert report.findings == (), f"{found}\n{one}\n{other}"


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_another_table_is_reported(engine: str) -> None:
    """The state goes on with the rows of another table: compatible or not, that is no silence (SRC-08, SRC-10)."""
    call = (Call("COUNT"),)
    one, two = (script_of(RowQuery(Group(Scan(name), ((Column("k"), "s"),), call))) for name in ("one", "two"))
    assert check(JobVersion(two), JobVersion(one), engine).findings


def test_the_edits_are_ones_that_matter() -> None:
    """Most edits change what is kept, so that there is something to tell."""
    pairs = [(query, edited(query, random)) for random in map(Random, range(200)) for query in [random_query(random)]]
    reported = [needs_other_state(*pair, "vvr") for pair in pairs if have_the_same_operators(*pair)]
    assert len(reported) > 150 and sum(reported) > 60


def test_what_is_kept() -> None:
    """The evaluation by hand, on rows that can be seen through."""
    rows = {"one": [{"k": key, "u": "a", "c": "a", "v": v, "w": 1} for key, v in (("a", 1), ("a", None), ("b", 5))]}
    calls = (Call("SUM", Column("v")), Call("COUNT"), Call("COUNT", Column("v"), condition=_above(2)))
    group = Group(Scan("one"), ((Column("k"), "s"),), calls)
    assert group.rows(rows) == [{"g0": "a", "a0": 1, "a1": 2, "a2": 0}, {"g0": "b", "a0": 5, "a1": 1, "a2": 1}]
    kept = group.kept(rows, frozenset({"g0", "a1"}))
    assert kept.keys == {("a",), ("b",)} and kept.values == (frozenset({(("a",), 2), (("b",), 1)}),)
    assert Filter(Scan("one"), _above(0)).rows(rows) == [rows["one"][0], rows["one"][2]]


def _above(number: int) -> Comparison:
    return Comparison(Column("v"), ">", Constant(number))
