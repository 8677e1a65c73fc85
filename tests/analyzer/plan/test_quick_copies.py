"""Quick copies of plan values: no class of them has what ``dataclasses.replace`` would do beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import keepstate
from keepstate.plan.expressions import Call, Column
from keepstate.plan.hashed_value import QuickCopy, with_fields


def kinds(kind: type[Any] = QuickCopy) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from kinds(each)


def test_a_copy_needs_no_more_than_its_fields() -> None:
    for module in walk_packages(keepstate.__path__, "keepstate."):
        import_module(module.name)
    every = [kind for kind in kinds() if is_dataclass(kind)]
    assert Call in every
    for kind in every:
        assert not hasattr(kind, "__post_init__"), kind
        assert all(field.init for field in fields(kind)), kind
        assert "__slots__" not in vars(kind), kind


def test_a_copy_is_that_of_dataclasses_and_keeps_no_hash() -> None:
    call = Call("+", (Column("t", "a"), Column("t", "b")))
    hash(call)
    copy = with_fields(call, name="-")
    assert copy == replace(call, name="-")
    assert hash(copy) == hash(replace(call, name="-")) != hash(call)
    with pytest.raises(TypeError, match="Call has no field nothing"):
        with_fields(call, nothing=1)
