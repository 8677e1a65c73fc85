"""Parts of a plan as text: expressions in full, and told apart where the names of columns do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum

from keepstate.plan.expressions import Column, Expr, Literal, Opaque
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate.plan.references import ColumnOfRight

Spell = Callable[[object], str]


def short(value: object) -> str:
    """By the names of columns alone."""
    return _spelled(value, _column_name)


def qualified(value: object) -> str:
    """With the table before each column, for plans that read several."""
    return _spelled(value, _qualified_name)


def spelling_of(operators: Iterable[Operator]) -> Spell:
    """``short`` for a plan over one table, ``qualified`` for one over several."""
    scans = [operator for operator in operators if isinstance(operator, TableSourceScan)]
    return short if len(scans) <= 1 else qualified


def exact(value: object) -> str:
    """With tables and types, for two values that would read alike without."""
    return _spelled(value, _typed_name)


def _spelled(value: object, name: Callable[[Column], str]) -> str:
    if isinstance(value, Expr):
        return str(value.rewrite(lambda node: _node(node, name)))
    if value is True:
        return "yes"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        if any(isinstance(item, str) for item in value):
            # A name and what it stands for, or the tokens of a clause.
            return " ".join(_spelled(item, name) for item in value)
        return f"({', '.join(_spelled(item, name) for item in value)})"
    if is_dataclass(value):
        parts = [(spec.name, getattr(value, spec.name)) for spec in fields(value) if spec.compare]
        return ", ".join(_spelled((label, part), name) for label, part in parts if part not in (None, "", (), False))
    return str(value)


def _node(node: Expr, name: Callable[[Column], str]) -> Expr:
    match node:
        case Column():
            return Opaque("column", (name(node),))
        case Literal() if name is _typed_name:
            return Opaque("literal", (f"{node} ({node.type})",))
        case ColumnOfRight() if name is not _column_name:
            return Opaque("column", (f"{node.column} of input {node.mark}",))
    return node


def _column_name(column: Column) -> str:
    return column.name


def _qualified_name(column: Column) -> str:
    return f"{column.table}.{column.name}"


def _typed_name(column: Column) -> str:
    metadata = f" METADATA FROM '{column.metadata}'" if column.metadata is not None else ""
    return f"{column.table}.{column.name}{f' {column.type}' if column.type is not None else ''}{metadata}"
