"""The outline as the protocol sends it (``DocumentSymbol``), of statements that are numbered once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from keepstate.text import Encoding, LineIndex, Span

if TYPE_CHECKING:
    from keepstate import Draft, OutlineEntry, Symbol

KINDS = {"table": 23, "column": 8, "view": 11, "function": 12, "insert": 24, "query": 24, "statement set": 3}
"""``SymbolKind`` of the protocol: struct, field, interface, function, event and namespace."""

_Numbers = tuple[int, int, int, int]
"""Line and character of the beginning and of the end of a range."""


@dataclass(frozen=True)
class NumberedSymbol:
    """A symbol with the numbers of its ranges as if its statement stood alone."""

    name: str
    kind: int
    detail: str
    whole: _Numbers
    of_name: _Numbers
    children: tuple[NumberedSymbol, ...] = ()

    def at(self, line: int, character: int) -> dict[str, Any]:
        """The symbol of a statement that begins there."""
        placed: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "range": _range_at(self.whole, line, character),
            "selectionRange": _range_at(self.of_name, line, character),
            "children": [child.at(line, character) for child in self.children],
        }
        if self.detail:
            placed["detail"] = self.detail
        return placed


def _range_at(numbers: _Numbers, line: int, character: int) -> dict[str, dict[str, int]]:
    first, start, last, end = numbers
    return {
        "start": {"line": line + first, "character": start if first else character + start},
        "end": {"line": line + last, "character": end if last else character + end},
    }


@cache
def numbered_in(encoding: Encoding) -> Callable[[str, Symbol], NumberedSymbol]:
    """The function that numbers the symbol of a statement in an encoding."""

    def numbered(text: str, symbol: Symbol) -> NumberedSymbol:
        lines = LineIndex(text)

        def numbers(span: Span) -> _Numbers:
            start, end = lines.position(span.start, encoding), lines.position(span.end, encoding)
            return start.line, start.character, end.line, end.character

        def of(each: Symbol) -> NumberedSymbol:
            children = tuple(map(of, each.children))
            return NumberedSymbol(
                each.name, KINDS[each.kind.value], each.detail, numbers(each.span), numbers(each.name_span), children
            )

        return of(symbol)

    return numbered


def outline_data(draft: Draft, lines: LineIndex, encoding: Encoding) -> list[dict[str, Any]]:
    """The symbols of a text, the columns of a table and the statements of a statement set below them.

    >>> from keepstate import Draft
    >>> (table,) = outline_data(Draft(), LineIndex("CREATE TABLE t (a INT)"), Encoding.UTF16)
    >>> table["name"], table["children"][0]["range"]["start"]
    ('t', {'line': 0, 'character': 16})
    """

    def placed(entry: OutlineEntry[NumberedSymbol]) -> dict[str, Any]:
        place = lines.position(entry.start, encoding)
        symbol = entry.content.at(place.line, place.character)
        symbol["children"] += map(placed, entry.children)
        return symbol

    return [placed(entry) for entry in draft.outline(lines.text, numbered_in(encoding))]
