"""Names of a script: declarations and uses of all its statements, as places of the whole text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from keepstate.names.recorder import NameRole, Occurrence, StatementNames
from keepstate.names.statement_walk import walked_names
from keepstate.syntax.memo import recent
from keepstate.syntax.script import Script
from keepstate.syntax.statement import ParsedStatement, Statement
from keepstate.text import Span
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind

_TEXTS = 2
"""So many texts are kept: an editor asks about one at each move of the cursor, and a rename about two."""


@dataclass(frozen=True, slots=True)
class Name:
    """A declared name of a script; equal for all its places. ``span`` is the place of its declaration."""

    kind: NameKind
    name: str
    span: Span
    owner: str = ""

    @property
    def words(self) -> str:
        """The name with its relation: ``users.age``."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A place at which a name stands.

    >>> from keepstate.syntax.script import parse_script
    >>> [place.role.value for place in names_of(parse_script("CREATE TABLE t (a INT); INSERT INTO t SELECT 1")).places]
    ['declaration', 'declaration', 'write']
    """

    span: Span
    name: Name
    role: NameRole
    in_text: bool = False
    """It stands between the quotes of a string: a key of a hint or of an option."""

    @property
    def is_declaration(self) -> bool:
        return self.role is NameRole.DECLARATION

    @property
    def writes(self) -> bool:
        """Return whether the name gets something here: its meaning, or rows."""
        return self.role is not NameRole.READ


@dataclass(frozen=True)
class MergedNames:
    """Columns that USING or NATURAL at ``span`` makes one."""

    span: Span
    names: frozenset[Name]


class ScriptNames:
    """The names of a script.

    A question is answered from the statements that it is about: after each keystroke an editor asks for the name at the
    cursor, and the places of thousands of others have moved.

    >>> from keepstate.syntax.script import parse_script
    >>> names = names_of(parse_script("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a AS b FROM t"))
    >>> [place.name.words for place in names.declarations()], [place.name.words for place in names.definitions(54)]
    (['t', 'v'], ['t.a'])
    """

    def __init__(self, statements: Sequence[Statement], names: Sequence[StatementNames]) -> None:
        """Take the statements of a script in their order, with the names of each."""
        self._statements = statements
        self._names = names
        self._of_symbols: dict[tuple[DeclaredSymbol, int], Name] = {}
        """Names by their symbols and by where the statements of these begin."""

    @cached_property
    def places(self) -> tuple[NamePlace, ...]:
        """All places of names, in the order of the text."""
        return tuple(place for index in range(len(self._names)) for place, _ in self._placed(index))

    @cached_property
    def by_name(self) -> Mapping[Name, tuple[NamePlace, ...]]:
        """All places of each name."""
        by_name: dict[Name, list[NamePlace]] = {}
        for place in self.places:
            by_name.setdefault(place.name, []).append(place)
        return {name: tuple(places) for name, places in by_name.items()}

    @cached_property
    def merged(self) -> tuple[MergedNames, ...]:
        """The columns that USING and NATURAL make one."""
        return tuple(
            MergedNames(merge.span.shift(start), frozenset(self._name(symbol, start) for symbol in merge.symbols))
            for start, names in self._with_starts()
            for merge in names.merged
        )

    @cached_property
    def unresolved(self) -> tuple[Span, ...]:
        """The names of columns that the script does not explain."""
        return tuple(span.shift(start) for start, names in self._with_starts() for span in names.unresolved)

    def at(self, offset: int) -> tuple[NamePlace, ...]:
        """The names at an offset, more than one where USING names the columns of two relations. At the border between
        two names it is the one on the right.
        """
        return tuple(place for place, _ in self._at(offset))

    def definitions(self, offset: int) -> tuple[NamePlace, ...]:
        """The declarations of the name at an offset; at a declaration, that of the column that it renames, if the
        script has it.
        """
        places: list[NamePlace] = []
        for place, symbol in self._at(offset):
            start = place.span.start
            source = symbol.source if place.role is NameRole.DECLARATION else None
            renamed = list(self._declarations_of(source, start)) if source is not None else []
            places += renamed or self._declarations_of(symbol, start)
        return tuple(dict.fromkeys(places))

    def _declarations_of(self, symbol: DeclaredSymbol, near: int) -> Iterator[NamePlace]:
        return (place for place in self._places_of(symbol, near) if place.role is NameRole.DECLARATION)

    def references(self, offset: int) -> tuple[NamePlace, ...]:
        """All places of the name at an offset, its declaration among them."""
        names = {place.name: (symbol, place.span.start) for place, symbol in self._at(offset)}
        places = (place for symbol, start in names.values() for place in self._places_of(symbol, start))
        return tuple(sorted(places, key=lambda place: place.span))

    def declarations(self) -> tuple[NamePlace, ...]:
        """The declarations of tables, views and functions."""
        return tuple(
            self._place(occurrence, start) for start, names in self._with_starts() for occurrence in names.declared
        )

    def _with_starts(self) -> Iterator[tuple[int, StatementNames]]:
        for statement, names in zip(self._statements, self._names, strict=True):
            yield statement.span.start, names

    def _at(self, offset: int) -> list[tuple[NamePlace, DeclaredSymbol]]:
        behind = bisect_right(self._statements, offset, key=lambda statement: statement.span.start)
        touched = [
            (place, symbol)
            for index in range(max(0, behind - 2), behind)
            for place, symbol in self._placed(index)
            if place.span.touches(offset)
        ]
        inside = [each for each in touched if offset < each[0].span.end]
        return inside or touched

    def _places_of(self, symbol: DeclaredSymbol, near: int) -> Iterator[NamePlace]:
        """All places of the name that a symbol is in the statement at ``near``, in the order of the text."""
        name = self._name(symbol, near)
        for index, names in enumerate(self._names):
            if symbol in names.symbols:
                yield from (place for place, _ in self._placed(index) if place.name == name)

    def _placed(self, index: int) -> Iterator[tuple[NamePlace, DeclaredSymbol]]:
        """The names of one statement with their symbols."""
        start = self._statements[index].span.start
        for occurrence in self._names[index].occurrences:
            yield self._place(occurrence, start), occurrence.symbol

    def _place(self, occurrence: Occurrence, start: int) -> NamePlace:
        name = self._name(occurrence.symbol, start)
        return NamePlace(occurrence.span.shift(start), name, occurrence.role, occurrence.in_text)

    def _name(self, symbol: DeclaredSymbol, near: int) -> Name:
        starts = self._starts[symbol.statement]
        # Of statements with one text it is the last one up to there.
        start = starts[bisect_right(starts, near) - 1]
        name = self._of_symbols.get((symbol, start))
        if name is None:
            name = Name(symbol.kind, symbol.name, symbol.span.shift(start), symbol.owner)
            self._of_symbols[symbol, start] = name
        return name

    @cached_property
    def _starts(self) -> Mapping[ParsedStatement, Sequence[int]]:
        """The offsets at which the statements begin, several for equal ones."""
        starts: dict[ParsedStatement, list[int]] = {}
        for statement in self._statements:
            starts.setdefault(statement.parsed, []).append(statement.span.start)
        return starts


def names_of(script: Script) -> ScriptNames:
    """The names of ``script``. Statements that cannot be read, and names that the script does not explain, have none.

    >>> from keepstate.syntax.script import parse_script
    >>> names = names_of(parse_script("CREATE TABLE t (a INT); SELECT a FROM t"))
    >>> [(place.span.start, place.name.words) for place in names.definitions(32)]
    [(16, 't.a')]
    """
    texts: dict[str, ScriptNames] = script.memo.of_group(ScriptNames, (), dict)
    return recent(texts, script.text, _TEXTS, lambda: ScriptNames(script.statements, walked_names(script)))
