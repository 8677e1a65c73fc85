"""Parts of a plan as text: expressions in full, and qualified where column names are ambiguous."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum, auto

from keepstate.plan.expressions import Column, Expr, Literal, Opaque
from keepstate.plan.metadata.join_sides import is_mark, renamed_mark
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate.plan.references import ColumnOfRight
from keepstate.syntax.namespace import display_name

Spell = Callable[[object], str]


class ColumnNaming(Enum):
    """Amount of a column's name in a text."""

    SHORT = auto()
    """Its name."""
    QUALIFIED = auto()
    """Its table as well, for plans that read several."""
    EXACT = auto()
    """Table and type, for two values that would read alike without."""


@dataclass(frozen=True)
class Spelling:
    """A way to write parts of a plan. ``tables`` are the names to show, by those that the plan has for them."""

    naming: ColumnNaming
    tables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, value: object) -> str:
        if isinstance(value, Expr):
            return str(value.rewrite(self._node))
        if value is True:
            return "yes"
        if isinstance(value, Enum):
            return str(value.value)
        if isinstance(value, tuple):
            if any(isinstance(item, str) for item in value):
                # A name and what it stands for, or the tokens of a clause.
                return " ".join(map(self, value))
            return f"({', '.join(map(self, value))})"
        if is_dataclass(value):
            parts = [(spec.name, getattr(value, spec.name)) for spec in fields(value) if spec.compare]
            return ", ".join(self((label, part)) for label, part in parts if part not in (None, "", (), False))
        return str(value)

    @property
    def exact(self) -> Spelling:
        return replace(self, naming=ColumnNaming.EXACT)

    def table(self, name: str) -> str:
        """The name to show for a table.

        >>> short.table("orders#2"), replace(short, tables={"orders": "purchases"}).table("orders")
        ('orders#2', 'purchases')
        """
        # Undeclared tables that are read twice bear a number behind their names.
        bare, number, count = name.partition("#")
        new_name = self.tables.get(bare, name if not number else bare)
        return display_name(new_name) + number + count

    def _node(self, node: Expr) -> Expr:
        match node:
            case Column():
                return Opaque("column", (self._column(node),))
            case Literal():
                text_node = renamed_mark(node, self.tables) if is_mark(node) else node
                return (
                    Opaque("literal", (f"{text_node} ({node.type})",))
                    if self.naming is ColumnNaming.EXACT
                    else text_node
                )
            case ColumnOfRight() if self.naming is not ColumnNaming.SHORT:
                return Opaque("column", (f"{node.column} of input {node.mark}",))
        return node

    def _column(self, column: Column) -> str:
        if self.naming is ColumnNaming.SHORT:
            return column.name
        full_name = f"{self.table(column.table)}.{column.name}"
        if self.naming is ColumnNaming.QUALIFIED:
            return full_name
        metadata = f" METADATA FROM '{column.metadata}'" if column.metadata is not None else ""
        return f"{full_name}{f' {column.type}' if column.type is not None else ''}{metadata}"


short = Spelling(ColumnNaming.SHORT)
qualified = Spelling(ColumnNaming.QUALIFIED)
exact = Spelling(ColumnNaming.EXACT)


def spelling_of(operators: Iterable[Operator], tables: Mapping[str, str] | None = None) -> Spelling:
    """``short`` for a plan over one table, ``qualified`` for one over several.

    >>> one, two = plan("SELECT id FROM orders"), plan("SELECT id, city FROM orders JOIN buyers ON name = buyer")
    >>> [spelling_of(each.operators)(expr("id + 1")) for each in (one, two)]
    ['id + 1', 'orders.id + 1']
    """
    scans = [operator for operator in operators if isinstance(operator, TableSourceScan)]
    return Spelling(ColumnNaming.SHORT if len(scans) <= 1 else ColumnNaming.QUALIFIED, tables or {})
