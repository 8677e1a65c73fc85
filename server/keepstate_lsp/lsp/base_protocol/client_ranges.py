"""Places as the protocol has them, in the units of the client, and back."""

from __future__ import annotations

from lsprotocol import types

from keepstate.text import LineIndex, Position, Span
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile


def range_of(span: Span, lines: LineIndex, client: ClientProfile) -> types.Range:
    return types.Range(position_at(span.start, lines, client), position_at(span.end, lines, client))


def position_at(offset: int, lines: LineIndex, client: ClientProfile) -> types.Position:
    place = lines.position(offset, client.encoding)
    return types.Position(place.line, place.character)


def position_from(position: types.Position) -> Position:
    return Position(position.line, position.character)
