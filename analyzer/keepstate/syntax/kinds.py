"""Kinds of statements, as far as a check distinguishes them."""

from __future__ import annotations

from enum import Enum


class StatementKind(str, Enum):
    """The kind of one statement of a script."""

    CREATE_TABLE = "create table"
    """Materialized tables too."""
    CREATE_VIEW = "create view"
    CREATE_FUNCTION = "create function"
    CREATE_OTHER = "create other"
    """Catalog, database, model, connection."""
    DROP = "drop"
    ALTER = "alter"
    INSERT = "insert"
    QUERY = "query"
    SET = "set"
    RESET = "reset"
    USE = "use"
    STATEMENT_SET_START = "statement set start"
    STATEMENT_SET_END = "statement set end"
    OTHER = "other"
    """SHOW, DESCRIBE, EXPLAIN, CALL, DELETE, ...: runs no pipeline that keeps state and defines nothing."""
    BROKEN = "broken"
    """Could not be read; its problems say why."""


FILLING = frozenset({StatementKind.INSERT, StatementKind.QUERY, StatementKind.CREATE_TABLE})
"""The kinds of statements that the planner sees at once, if they have a query."""
QUERYING = frozenset({StatementKind.INSERT, StatementKind.QUERY, StatementKind.BROKEN})
"""The kinds of statements from which nothing follows for others: they declare nothing and set nothing."""
