"""Columns as CREATE TABLE declares them, as far as their names matter outside of the script."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from keepstate.names.script_names import Name
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import Script
from keepstate.text import Span
from keepstate.validation.values.declared_symbols import NameKind

_KEYWORD = "METADATA"


@dataclass(frozen=True)
class DeclaredColumn:
    """The declaration of a column of a table."""

    is_field: bool
    """The connector reads or writes it: it is neither computed nor metadata."""
    key_goes_to: int | None = None
    """The offset for ``FROM 'key'`` of a metadata column whose name is the key."""


def declared_column(script: Script, name: Name) -> DeclaredColumn | None:
    """The declaration of ``name``; ``None`` for all but the columns of tables."""
    if name.kind is not NameKind.COLUMN:
        return None
    statement = next(each for each in script.statements if each.span.contains(name.span))
    tree = statement.parsed.tree
    assert tree is not None
    for column in tree.find_all(exp.ColumnDef):
        if not Span(*column.this.meta["span"]).shift(statement.span.start).contains(name.span):
            continue
        constraints = column.args.get("constraints") or ()
        key = next((each for each in constraints if isinstance(each, syntax_nodes.MetadataColumn)), None)
        if key is not None:
            at = None if key.this is not None else statement.span.start + int(key.meta["span"][0]) + len(_KEYWORD)
            return DeclaredColumn(False, at)
        return DeclaredColumn(not any(isinstance(each, exp.ComputedColumnConstraint) for each in constraints))
    return None
