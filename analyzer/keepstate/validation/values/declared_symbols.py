"""Declared names: the kind of thing that each stands for, and where it is declared."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span


class NameKind(str, Enum):
    """The kind of thing that a name stands for; the value is the word for it."""

    TABLE = "table"
    VIEW = "view"
    FUNCTION = "function"
    COLUMN = "column"
    """A column that a table declares."""
    OUTPUT = "output column"
    """A column that an alias or a list of columns names: of a query, a view, a common table."""
    IMPLIED = "implied column"
    """An output column that has the name of a field, or of a column that the script does not declare."""
    ALIAS = "alias"
    COMMON_TABLE = "common table"
    WINDOW = "window"
    VARIABLE = "pattern variable"


@dataclass(frozen=True, slots=True)
class DeclaredSymbol:
    """A declared name; ``span`` is the place of its declaration in the text of ``statement``."""

    kind: NameKind
    name: str
    statement: ParsedStatement
    span: Span
    owner: str = ""
    """The relation that a column belongs to."""
    source: DeclaredSymbol | None = field(default=None, compare=False)
    """The column with another name whose values this output column has."""
