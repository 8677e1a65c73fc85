"""Values whose hash is kept: equal ones have one hash, and what is kept goes with nothing but the object."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Column, Expr, Literal
from keepstate.plan.hashed_value import HashedValue, asked_once
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import Join, Operator, TableSourceScan
from keepstate.plan.upsert_keys import upsert_keys
from keepstate.syntax.script import parse_script

ONE, TWO = Literal("1", "NUMBER"), Literal("2", "NUMBER")


def declaring(element: str) -> Catalog:
    script = parse_script(f"CREATE TABLE t (a INT NOT NULL, {element}) WITH ('connector' = 'upsert-kafka')")
    return Catalog.of(statement.parsed for statement in script.statements)


def kinds(base: type[HashedValue]) -> Iterator[type[HashedValue]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.mark.parametrize("kind", [*kinds(Expr), *kinds(Operator)], ids=lambda kind: kind.__name__)
def test_every_expression_and_operator_keeps_its_hash(kind: type[HashedValue]) -> None:
    assert kind.__hash__ is HashedValue.__hash__ and kind.__eq__ is HashedValue.__eq__


def test_equal_values_have_one_hash_whichever_was_asked() -> None:
    first, second = Call("+", (ONE, TWO)), Call("+", (Literal("1", "NUMBER"), Literal("2", "NUMBER")))
    assert first == second
    hash(first)
    assert first == second and hash(first) == hash(second) and len({first, second}) == 1
    other = Call("+", (TWO, ONE))
    assert first != other
    hash(other)
    assert first != other and other != first


def test_values_of_two_classes_differ() -> None:
    assert Expr() != Literal("1", "NUMBER") and ONE != "1"


def test_fields_that_do_not_count_make_no_difference() -> None:
    plain, not_null = (Column("t", "a", not_null=flag) for flag in (False, True))
    assert plain == not_null and hash(plain) == hash(not_null)


def test_a_copy_with_another_field_has_another_hash() -> None:
    call = Call("+", (ONE, TWO))
    hash(call)
    other = replace(call, name="-")
    assert other != call and hash(other) == hash(Call("-", (ONE, TWO)))


def test_values_stay_frozen() -> None:
    """mypy keeps values from being changed; while a program runs, Python's development mode does."""
    change = (
        "import dataclasses\n"
        "from keepstate.plan.expressions import Literal\n"
        "try: Literal('1', 'NUMBER').value = '2'\n"
        "except dataclasses.FrozenInstanceError: print('frozen')"
    )
    run = subprocess.run([sys.executable, "-X", "dev", "-c", change], capture_output=True, text=True, check=True)
    assert run.stdout == "frozen\n"


def test_no_hash_travels_to_another_process() -> None:
    """Hashes of strings are others there."""
    hash(ONE)
    read = "import pickle, sys; one = pickle.load(sys.stdin.buffer); print(one in {type(one)('1', 'NUMBER')})"
    said = subprocess.run([sys.executable, "-c", read], input=pickle.dumps(ONE), capture_output=True, check=True)
    assert said.stdout.split() == [b"True"]
    assert copy.copy(ONE) == ONE


def test_what_is_found_is_kept_with_the_object_and_not_with_its_equals() -> None:
    asked: list[bool] = []

    @asked_once
    def is_not_null(column: Column) -> bool:
        asked.append(column.not_null)
        return column.not_null

    columns = [Column("t", "a", not_null=flag) for flag in (False, True)]
    assert [is_not_null(column) for column in columns * 2] == [False, True] * 2
    assert asked == [False, True]


def test_a_value_that_is_its_own_result_does_not_refer_to_itself() -> None:
    """Such a cycle would keep whole syntax trees until the garbage collector comes."""
    asked: list[str] = []

    @asked_once
    def itself(column: Column) -> Column:
        asked.append(column.name)
        return column

    column = Column("t", "a")
    assert itself(column) is itself(column) is column and asked == ["a"]
    assert column not in gc.get_referents(column.__dict__)


def test_a_constant_of_an_input_is_none_of_its_columns() -> None:
    column = Column("t", "a")
    left, right = (TableSourceScan(name, (column,)) for name in "tu")
    sides = JoinSides.of(Join(left, right, "inner", left_fields=(column, ONE), right_fields=(TWO,)))
    assert sides.field_side(column) is not None
    assert sides.field_side(ONE) is None and sides.field_side(TWO) is None


def test_upsert_keys_are_those_of_the_catalog_that_is_asked_about() -> None:
    scan = TableSourceScan("t", (Column("t", "a"),))
    keys = [upsert_keys(scan, catalog) for catalog in (declaring("PRIMARY KEY (a) NOT ENFORCED"), declaring("b INT"))]
    assert keys == [frozenset({frozenset({Column("t", "a")})}), frozenset()]
