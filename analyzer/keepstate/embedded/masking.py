"""SQL masked in place: everything of a file but the SQL becomes spaces, so that places in the SQL are places in the
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from keepstate.embedded.hcl_values import hcl_scalar
from keepstate.embedded.pointers import HCL_SUFFIXES, FilePointer
from keepstate.embedded.text_scalars import EmbeddingError, Scalar, ScalarPiece, Style
from keepstate.embedded.yaml_values import yaml_scalar
from keepstate.syntax.tokens import lex, stays_in_lines
from keepstate.text import Edit, LineIndex, Span, apply_edits

_VISIBLE = re.compile(r"[^\r\n]")
_REMEMBERED = 64


@dataclass(frozen=True)
class EmbeddedSql:
    """The SQL under a pointer. ``masked`` has the length and the line breaks of ``host``, the text of the file."""

    pointer: FilePointer
    host: str
    scalar: Scalar
    masked: str

    @staticmethod
    def of(host: str, pointer: FilePointer) -> EmbeddedSql:
        r"""Read the SQL under a pointer.

        >>> found = EmbeddedSql.of("sql: |\n  SELECT 1\nn: 2\n", FilePointer("a.yaml", ("sql",)))
        >>> found.masked
        '      \n  SELECT 1\n    \n'

        Raises:
            EmbeddingError: there is no value, it is no text, or its tokens would be others if they were read in place.
        """
        return _read(host, pointer)

    def edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Edits of the masked text as edits of the file, with the indentation and the escapes of the value; ``None`` if
        the file would hold another text afterwards.
        """
        masked_edits = list(edits)
        host_edits = tuple(self._edit(edit) for edit in masked_edits)
        if None in host_edits:
            return None
        certain_edits = tuple(edit for edit in host_edits if edit is not None)
        try:
            after = EmbeddedSql.of(apply_edits(self.host, certain_edits), self.pointer)
            target = _tokens(apply_edits(self.masked, masked_edits))
        except (EmbeddingError, ValueError):
            return None
        return certain_edits if _tokens(after.masked) == target else None

    def _edit(self, edit: Edit) -> Edit | None:
        pieces = [piece.span for piece in self.scalar.pieces if piece.span.of(self.host).strip()]
        if not pieces or (not edit.new_text and not edit.span):
            return None
        span = edit.span
        if not len(span):
            # Blanks in front of a line, and everything around the value, are no part of it.
            ahead = next((piece for piece in pieces if piece.end >= span.start), None)
            behind = next((piece for piece in reversed(pieces) if piece.end <= span.start), None)
            at = span.start
            if ahead is None or (ahead.start > at and behind is not None and not edit.new_text[-1].isspace()):
                at = pieces[-1].end if behind is None else behind.end
            else:
                at = max(ahead.start, at)
            span = Span(at, at)
        if span.start < pieces[0].start or span.end > max(pieces[-1].end, span.start):
            return None
        return Edit(self._with_escapes(span, Span(pieces[0].start, pieces[-1].end)), self._encode(edit.new_text))

    def _with_escapes(self, span: Span, value: Span) -> Span:
        """A span with the rest of the escapes that it begins and ends with, of which the masked text has one
        character.
        """
        start, end = span.start, span.end

        def is_rest(at: int) -> bool:
            return self.masked[at].isspace() and not self.host[at].isspace()

        while start < end and start > value.start and is_rest(start - 1):
            start -= 1
        while start < end < value.end and is_rest(end):
            end += 1
        return Span(start, end)

    def _encode(self, text: str) -> str:
        """New SQL as it is written into the value."""
        end = "\r\n" if "\r\n" in self.host else "\n"
        lines = text.replace("\r\n", "\n").split("\n")
        if self.scalar.style is Style.SINGLE:
            lines = [line.replace("'", "''") for line in lines]
        elif self.scalar.style is Style.DOUBLE:
            return "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
        indent = self.scalar.indent
        rest = [line if line.startswith(indent) else indent + line for line in lines[1:]]
        return end.join([lines[0], *rest])


@lru_cache(maxsize=_REMEMBERED)
def _read(host: str, pointer: FilePointer) -> EmbeddedSql:
    if fault := pointer.fault:
        raise EmbeddingError(f"names nothing: {fault}")
    read_scalar = hcl_scalar if pointer.file.lower().endswith(HCL_SUFFIXES) else yaml_scalar
    scalar = read_scalar(host, pointer)
    masked = _masked(host, scalar.pieces)
    if difference := _difference(masked, scalar):
        raise EmbeddingError(difference)
    return EmbeddedSql(pointer, host, scalar, masked)


def _masked(host: str, pieces: Sequence[ScalarPiece]) -> str:
    parts: list[str] = []
    end = 0
    in_string = False
    blanks = _blanks(host)
    for piece in pieces:
        text = piece.span.of(host)
        parts.append(blanks[end : piece.span.start])
        if piece.value == text:
            parts.append(text)
        else:
            blank = piece.span.of(blanks)
            fits = len(piece.value) <= len(text) and piece.value.strip() and blank.isspace()
            if not fits or "\n" in blank or "\r" in blank:
                parts.append(blank)
            elif piece.value == "'" and not in_string:
                # The quote that begins a literal stands beside it, as does the one that ends it.
                parts.append(blank[: -len(piece.value)] + piece.value)
            else:
                parts.append(piece.value + blank[len(piece.value) :])
        in_string ^= piece.value.count("'") % 2 == 1
        end = piece.span.end
    parts.append(blanks[end:])
    return "".join(parts)


@lru_cache(maxsize=1)
def _blanks(host: str) -> str:
    """The line breaks of a file among blanks, for all of its values."""
    return _VISIBLE.sub(" ", host)


def _tokens(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    lexed = lex(text.replace("\r\n", "\n"))
    comments = [" ".join(comment.text.split()) for comment in lexed.comments]
    return [(token.kind.value, token.text.rstrip()) for token in lexed.tokens], comments


def _difference(masked: str, scalar: Scalar) -> str | None:
    """The reason why the SQL cannot be read in place; ``None``: it can."""
    if scalar.style is Style.LINES and stays_in_lines(scalar.value):
        # Only blanks around lines differ.
        return None
    (tokens, comments), (own, own_comments) = _tokens(masked), _tokens(scalar.value)
    if tokens == own and comments == own_comments:
        return None
    number = next((at for at, (one, other) in enumerate(zip(tokens, own, strict=False)) if one != other), None)
    if number is None:
        return "cannot be read in place: its comments end elsewhere than in the file"
    token = lex(masked.replace("\r\n", "\n")).tokens[number]
    line = LineIndex(masked.replace("\r\n", "\n")).position(token.start).line + 1
    if "\n" in token.text:
        return (
            f"cannot be read in place: the text in quotes that begins in line {line} goes over several lines, "
            "and so holds their indentation"
        )
    return f"cannot be read in place: line {line} means something else to Flink, for its escapes or line breaks"
