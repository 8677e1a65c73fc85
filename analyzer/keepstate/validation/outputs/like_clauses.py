"""LIKE in CREATE TABLE: the columns and facts that a table takes over from another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp

from keepstate.plan.catalog import TableDefinition
from keepstate.syntax import syntax_nodes
from keepstate.text import Span
from keepstate.validation.statement_context import DeclaredObject
from keepstate.validation.values.scopes import RelationColumn, TimeRole, refuse

_FEATURES = frozenset("ALL CONSTRAINTS DISTRIBUTION GENERATED METADATA OPTIONS PARTITIONS WATERMARKS".split())
_STRATEGIES = {
    "INCLUDING": _FEATURES,
    "EXCLUDING": _FEATURES,
    "OVERWRITING": frozenset("GENERATED METADATA OPTIONS WATERMARKS".split()),
}


def _like_options(table: TableDefinition) -> dict[str, str]:
    """The option of LIKE for each feature."""
    tree = table.statement.tree
    like = tree.args.get("like") if tree is not None else None
    return {str(p.args["value"].name): str(p.this) for p in like.expressions} if like is not None else {}


def check_like(table: TableDefinition, base: DeclaredObject | None, span: Callable[[exp.Expression], Span]) -> None:
    """Refuse options of LIKE that do not go together, and what both tables declare."""
    tree = table.statement.tree
    like = tree.args.get("like") if tree is not None else None
    seen: set[str] = set()
    for option in like.expressions if like is not None else ():
        how, feature = str(option.this), str(option.args["value"].name)
        if feature in seen:
            refuse("like", span(option), f"LIKE says twice what becomes of {feature}.")
        if feature not in _STRATEGIES[how]:
            refuse("like", span(option), f"LIKE has no {how} {feature}.")
        seen.add(feature)
    if base is None:
        return
    if table.primary_key and base.primary_key and "CONSTRAINTS" not in table.left_out:
        refuse("like", table.name_place.span, f"{base.name} has a primary key already: write EXCLUDING CONSTRAINTS.")
    options = _like_options(table)
    strategy = options.get("WATERMARKS", options.get("ALL", "INCLUDING"))
    if table.time_attributes and base.has_watermark and strategy == "INCLUDING":
        refuse("like", table.name_place.span, f"{base.name} has a watermark already: write OVERWRITING WATERMARKS.")


def columns_of_base(table: TableDefinition, base: DeclaredObject) -> Iterator[RelationColumn]:
    """Yield the columns that a table takes over from the one that it is LIKE."""
    for column in base.rows.columns:
        if base.features.get(column.name) in table.left_out:
            continue
        is_plain = column.time is TimeRole.ROW and "WATERMARKS" in table.left_out
        yield replace(column, time=TimeRole.NONE) if is_plain else column


def features_of_columns(table: TableDefinition, base: DeclaredObject | None) -> dict[str, str]:
    """The features of LIKE that computed columns and those of metadata belong to, by the names of the columns."""
    inherited = base.features if base is not None else {}
    features = {name: feature for name, feature in inherited.items() if feature not in table.left_out}
    for column in table.columns:
        features.pop(column.name, None)
        if column.expression is not None:
            features[column.name] = "GENERATED"
        elif column.metadata is not None:
            features[column.name] = "METADATA"
    return features


def overwrites(table: TableDefinition, element: exp.Expression) -> bool:
    """Return whether a column may replace that of the table that this one is LIKE; a physical one never may."""
    options = _like_options(table)
    kinds = element.args.get("constraints") or ()
    if any(isinstance(kind, exp.ComputedColumnConstraint) for kind in kinds):
        return options.get("GENERATED", options.get("ALL", "INCLUDING")) != "INCLUDING"
    if any(isinstance(kind, syntax_nodes.MetadataColumn) for kind in kinds):
        return options.get("METADATA", options.get("ALL", "INCLUDING")) != "INCLUDING"
    return False
