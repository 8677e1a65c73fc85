"""Names of tables as people write them for options, and as Flink and scripts write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from keepstate.syntax.namespace import DEFAULT

_PART = re.compile(r"`((?:[^`]|``)*)`(?=\.|\Z)|([^.]+)")


def parts_of(table: str) -> tuple[str, ...]:
    """The parts of a name, without the backticks around them.

    >>> parts_of("d.`my.Orders`"), parts_of("")
    (('d', 'my.Orders'), ())
    """
    return tuple(part[2] or part[1].replace("``", "`") for part in _PART.finditer(table))


def last_name(table: str) -> str:
    """The last part of a name, in small letters.

    >>> last_name("db.`Orders`")
    'orders'
    """
    return (*parts_of(table)[-1:], "")[0].lower()


def named_tables(name: str, tables: Iterable[str]) -> list[str]:
    """The tables that a name means: those of just that name, or else those whose full names end with it.

    >>> named_tables("orders", ["d1.orders", "d2.orders"]), named_tables("orders", ["orders", "d2.orders"])
    (['d1.orders', 'd2.orders'], ['orders'])
    >>> named_tables("default_database.Orders", ["orders"]), named_tables("d1.orders", ["orders", "d2.orders"])
    (['orders'], [])
    """
    parts = parts_of(name)
    small = tuple(part.lower() for part in parts)
    paths = [(table, DEFAULT.path(*parts_of(table))) for table in tables]
    same = [table for table, path in paths if path == DEFAULT.path(*parts)]
    lowered = [(table, tuple(part.lower() for part in path)) for table, path in paths]
    alike = [table for table, path in lowered if path == DEFAULT.path(*small)]
    return same or alike or [table for table, path in lowered if parts and path[-len(parts) :] == small]
