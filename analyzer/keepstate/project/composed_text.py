"""The one text that a job of several files is composed of, with the file of each place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import attrgetter

from keepstate.project.source_files import SourceFile
from keepstate.syntax.tokens import lex
from keepstate.text import Edit, Encoding, LineIndex, Position, Span

_NOWHERE = Span(0, 0)


class FileRole(Enum):
    """The part that a file has in a job."""

    SCRIPT = "script"
    """All its statements are executed."""
    CONTEXT = "context"
    """The configuration makes its declarations visible."""
    ASSUMED = "assumed"
    """Its declaration is taken for the one that the job reads, without a word of the configuration, or it is a schema
    that says the types of columns alone."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a composed text: ``span`` of ``file``, or text of no file between two pieces."""

    text: str
    file: SourceFile | None = None
    span: Span = _NOWHERE
    role: FileRole = FileRole.SCRIPT


_TEXT = attrgetter("text")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A span in the text of a file."""

    file: SourceFile
    span: Span
    role: FileRole

    @property
    def path(self) -> str:
        return self.file.path


@dataclass(frozen=True)
class ComposedText:
    r"""Segments in the order of execution.

    >>> ddl = SourceFile("ddl.sql", "-- tables\nCREATE TABLE t (a INT);")
    >>> job = SourceFile("job.sql", "SELECT a FROM t")
    >>> made = ComposedText((Segment("CREATE TABLE t (a INT);", ddl, Span(10, 33), FileRole.CONTEXT),
    ...                      Segment("\n"), Segment(job.text, job, Span(0, 15))))
    >>> made.place(Span(31, 32)).path, made.place(Span(31, 32)).span
    ('job.sql', Span(start=7, end=8))
    >>> made.offset("ddl.sql", 17), made.offset("ddl.sql", 3)
    (7, None)
    """

    segments: tuple[Segment, ...]
    further: tuple[Segment, ...] = ()
    """Pieces of files that are no part of the text, but that findings point to: their places are behind its end."""

    @cached_property
    def text(self) -> str:
        return "".join(map(_TEXT, self.segments))

    @cached_property
    def _all(self) -> tuple[Segment, ...]:
        return (*self.segments, Segment("\n"), *self.further) if self.further else self.segments

    @cached_property
    def _size(self) -> int:
        return sum(map(len, map(_TEXT, self._all)))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(accumulate(map(len, map(_TEXT, self._all[:-1])), initial=0)) if self._all else ()

    @property
    def files(self) -> tuple[tuple[SourceFile, FileRole], ...]:
        """The files of the job with their roles, each once, in the order of the text."""
        pairs = ((segment.file, segment.role) for segment in self.segments)
        return tuple(dict.fromkeys((file, role) for file, role in pairs if file is not None))

    def place(self, span: Span) -> FilePlace | None:
        """The place of a span of the composed text in its file, cut at the end of its segment; ``None`` for a span that
        begins in the text of no file.
        """
        number = self._number(span.start)
        if number is None:
            return None
        segment, start = self._all[number], self._starts[number]
        if segment.file is None:
            return None
        begin = segment.span.start + span.start - start
        return FilePlace(segment.file, Span(begin, max(begin, min(begin + len(span), segment.span.end))), segment.role)

    def _number(self, offset: int) -> int | None:
        if not self.segments or offset > self._size:
            return None
        number = bisect_right(self._starts, offset) - 1
        # At an empty segment, and at the end of the text, the last segment with text decides.
        while number and not self._all[number].text:
            number -= 1
        if self._all[number].file is None and number and offset == self._starts[number]:
            return number - 1
        return number

    def offset(self, path: str, offset: int) -> int | None:
        """The offset in the composed text, or behind it, of an offset in a file; ``None`` if that part of the file is
        not in it.
        """
        for span, start in self._by_path.get(path, ()):
            if span.touches(offset):
                return start + offset - span.start
        return None

    def start_of(self, file: SourceFile) -> int | None:
        """The offset in the composed text of a file of the script; ``None`` for another one."""
        at = len(self.text)
        # The files of the script stand behind what they read.
        for segment in reversed(self.segments):
            at -= len(segment.text)
            if segment.file is file:
                return at if segment.role is FileRole.SCRIPT else None
        return None

    @cached_property
    def _by_path(self) -> dict[str, list[tuple[Span, int]]]:
        """The pieces of each file, with their starts in the text."""
        pieces: dict[str, list[tuple[Span, int]]] = {}
        for segment, start in zip(self._all, self._starts, strict=True):
            if segment.file is not None:
                pieces.setdefault(segment.file.path, []).append((segment.span, start))
        return pieces

    def edits_by_file(self, edits: Iterable[Edit]) -> dict[str, tuple[Edit, ...]] | None:
        """Edits of the composed text, as they are written into its files, by the paths of these files without pointers;
        ``None`` if one crosses the border of a file, or is in the text of no file.
        """
        by_file: dict[str, tuple[Edit, ...]] = {}
        for edit in edits:
            place = self.place(edit.span)
            if place is None or len(place.span) != len(edit.span):
                return None
            path = place.file.file_path
            by_file[path] = (*by_file.get(path, ()), Edit(place.span, edit.new_text))
        return by_file

    def encoded_edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """The edits of the composed text as they are written into its files: with the indentation and the escapes of a
        value of another file. ``None`` as in ``edits_by_file``, or if one cannot be written into its file.
        """
        all_edits = tuple(edits)
        places = [self.place(edit.span) for edit in all_edits]
        if all(place is None or place.file.host is None for place in places):
            return all_edits
        every = self._encode_by_file(all_edits)
        if every is None:
            return None
        result: list[Edit] = []
        for file, file_edits in every:
            for edit in file_edits:
                start = self.offset(file.path, edit.span.start)
                if start is None:
                    return None
                result.append(Edit(Span(start, start + len(edit.span)), edit.new_text))
        return tuple(result)

    def _encode_by_file(self, edits: Iterable[Edit]) -> list[tuple[SourceFile, tuple[Edit, ...]]] | None:
        """The edits by file, as each file wants them."""
        by_file: dict[SourceFile, list[Edit]] = {}
        for edit in edits:
            place = self.place(edit.span)
            if place is None or len(place.span) != len(edit.span):
                return None
            by_file.setdefault(place.file, []).append(Edit(place.span, edit.new_text))
        # Loaded for edits alone: it reads all kinds of files that SQL may stand in.
        from keepstate.project.host_files import written_edits

        pairs = [(file, written_edits(file, own)) for file, own in by_file.items()]
        suited = [(file, edits) for file, edits in pairs if edits is not None]
        return suited if len(suited) == len(pairs) else None


def script_segments(script: Sequence[SourceFile]) -> Iterator[Segment]:
    r"""The pieces of a text that the files of a script are one behind the other.

    >>> files = [SourceFile("a.sql", "SELECT 1"), SourceFile("b.sql", "SELECT 2")]
    >>> "".join(segment.text for segment in script_segments(files))
    'SELECT 1\n;\nSELECT 2'
    """
    for number, file in enumerate(script):
        yield Segment(file.text, file, Span(0, len(file.text)), FileRole.SCRIPT)
        if number + 1 < len(script):
            yield Segment("\n" if _ends_statement(file.text) else "\n;\n")


@lru_cache(64)
def _ends_statement(text: str) -> bool:
    """Return whether no statement is open at the end of a text: comments and white space may stand there. Behind the
    BEGIN of a statement set Flink takes no semicolon.
    """
    tokens = [token for token in lex(text).tokens if token.start < token.end]
    return not tokens or tokens[-1].word in (";", "BEGIN")


class ComposedLines(LineIndex):
    """Lines of the files of a job: the position of an offset of the composed text is that in its file."""

    __slots__ = ("_composed", "_lines")

    def __init__(self, composed: ComposedText) -> None:
        super().__init__(composed.text)
        self._composed = composed
        self._lines: dict[str, LineIndex] = {}

    def position(self, offset: int, encoding: Encoding = Encoding.UTF16) -> Position:
        place = self._composed.place(Span(offset, offset))
        if place is None:
            return super().position(offset, encoding)
        lines = self._lines.setdefault(place.path, LineIndex(place.file.text))
        return lines.position(place.span.start, encoding)
