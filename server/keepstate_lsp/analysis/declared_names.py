"""Tables, views and functions that a file declares, small enough to keep for every file of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate.text import Encoding, LineIndex, Position

if TYPE_CHECKING:
    from keepstate import ScriptNames


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """A table, view or function, by ``kind``; ``start`` and ``end`` are in the units of the client."""

    name: str
    kind: str
    start: Position
    end: Position

    def fits(self, query: str) -> bool:
        """Return whether the characters of ``query`` are in the name in this order, in any case.

        >>> DeclaredName("rich_orders", "table", Position(0, 0), Position(0, 11)).fits("RiOrd")
        True
        """
        rest = iter(self.name.lower())
        return all(char in rest for char in query.lower())


def declared_names(names: ScriptNames, lines: LineIndex, encoding: Encoding) -> tuple[DeclaredName, ...]:
    """The tables, views and functions among ``names``.

    >>> from keepstate.api import names_in
    >>> text = "CREATE TABLE t (a INT)"
    >>> [each.name for each in declared_names(names_in(text), LineIndex(text), Encoding.UTF16)]
    ['t']
    """
    return tuple(
        DeclaredName(
            place.name.name,
            place.name.kind.value,
            lines.position(place.span.start, encoding),
            lines.position(place.span.end, encoding),
        )
        for place in names.declarations()
    )
