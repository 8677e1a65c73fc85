"""Parsed statements and results computed from them, which the analysis of the next text reuses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from keepstate.syntax.contents import Contents, RecentContents, differing
from keepstate.syntax.namespace import DEFAULT, Namespace
from keepstate.syntax.splitting.resplitting import Splits
from keepstate.syntax.statement import ParsedStatement, Statement, parse_statement

R = TypeVar("R")
T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)
K = TypeVar("K")
V = TypeVar("V")

_RECENT_STATEMENTS = 128
"""So many statements outlive the scripts that they stand in: text that is put back, and texts tried out for a fix."""
_REMEMBERED = 4
"""Results of a function that are kept for one statement, each with another second argument."""
_GROUPS = 32
"""Results that are kept of one function of several statements."""
_COMPARED = 4
"""Pairs of series of which it is known where they differ: an analysis compares few."""
_LARGEST_SHARED = 100_000
"""The longest statement, in characters, that is looked up by its text."""


@dataclass(frozen=True, slots=True)
class ReadPieces:
    """A text with the statement that each of its pieces is; ``None`` for a piece that has to be looked at again."""

    text: str
    statements: tuple[Statement | None, ...]
    noted: tuple[int, ...]
    """The indexes of the pieces to look at again, and of the statements that have problems or placeholders, or choose a
    namespace.
    """
    parsed: tuple[ParsedStatement, ...] | None
    """The statements without their places; ``None`` if a piece has to be looked at again."""

    def plain(self, begin: int, end: int) -> Sequence[Statement]:
        """The statements between two indexes, of which none is noted."""
        return cast("tuple[Statement, ...]", self.statements[begin:end])


class Memo:
    """The memory of one owner: of one analysis, of a document, of a run. It goes with its owner.

    Equal texts of statements in one namespace share one :class:`ParsedStatement`, so that equal statements of two
    scripts are the same object, and pure functions of statements are computed once. No statement and no plan holds a
    memo: nothing in it refers to itself, and all of it is freed at once.

    A memo on another one (``below``) has its statements, and what was computed of single ones, and leaves it as it is.

    >>> memo = Memo()
    >>> memo.statement("SELECT 1") is memo.statement("SELECT 1")
    True
    >>> Memo(memo).statement("SELECT 1") is memo.statement("SELECT 1")
    True
    """

    def __init__(self, below: Memo | None = None) -> None:
        self._below = below
        self.splits = Splits()
        self.readings: list[ReadPieces] = []
        """The statements of the last long texts (see ``script``)."""
        self.contents = RecentContents()
        """The statements of the last scripts, without their places."""
        self._statements: dict[Hashable, ParsedStatement] = {}
        """By their texts, and those of another namespace than that of a new session by both."""
        self._results: dict[ParsedStatement, dict[Hashable, Any]] = {}
        self._of_groups: dict[Hashable, dict[Hashable, Any]] = {}
        self._shared: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
        self._edits: list[tuple[Sequence[object], Sequence[object], Sequence[int]]] = []
        """Pairs of series that were compared last, and where they differ."""

    def statement(self, text: str, namespace: Namespace = DEFAULT) -> ParsedStatement:
        """The statement of this text in ``namespace``, read if it is new."""
        if len(text) > _LARGEST_SHARED:
            return parse_statement(text, namespace)
        key = text if namespace == DEFAULT else (text, namespace)
        statement = self._statements.get(key)
        if statement is None:
            former = None if self._below is None else self._below._statements.get(key)
            statement = self._statements[key] = parse_statement(text, namespace) if former is None else former
        return statement

    def of(self, function: Callable[[ParsedStatement], R], statement: ParsedStatement) -> R:
        """``function(statement)``, a pure function of one statement."""
        # Asked several times for each statement of a script at each keystroke: the shortest way to a known result.
        results = self._results.get(statement)
        if results is None:
            results = self._results[statement] = {}
        if function in results:
            result: R = results[function]
        else:
            former = {} if self._below is None else self._below._results.get(statement, {})
            result = results[function] = former[function] if function in former else function(statement)
        return result

    def of_each(self, function: Callable[[ParsedStatement], R], statements: Sequence[ParsedStatement]) -> list[R]:
        """The results of ``of`` for several statements: of a long script nearly all are known, and cost no call."""
        all_results = self._results
        return [
            results[function]
            if (results := all_results.get(each)) is not None and function in results
            else self.of(function, each)
            for each in statements
        ]

    def of_contents(self, function: Callable[[ParsedStatement], R], contents: Contents) -> Sequence[R]:
        """The results of ``of`` for all statements of a script, those of a former one where both have the same."""
        return contents.each(function, lambda statement: self.of(function, statement))

    def of_both(self, function: Callable[[ParsedStatement, U], R], statement: ParsedStatement, other: U) -> R:
        """``function(statement, other)``, a pure function of both. The last few results are kept for each statement."""
        return self.get_or_compute(function, statement, other, lambda: function(statement, other))

    def get_or_compute(self, name: Hashable, statement: ParsedStatement, other: U, compute: Callable[[], R]) -> R:
        """Return the result of ``compute``, stored under ``name`` and ``other``.

        Each statement keeps the few results that were requested last: the result for a baseline, which every keystroke
        requests, stays.
        """
        results: dict[U, R] = self._known_of(statement).setdefault(name, {})
        return recent(results, other, _REMEMBERED, compute)

    def of_group(self, name: Hashable, group: T, compute: Callable[[], R]) -> R:
        """The result of ``compute``, known by ``name`` and ``group``: a value of several statements or nodes."""
        # Of each function by itself: what is asked for once in a job stays beside what each of its queries asks for.
        results: dict[Hashable, R] = self._of_groups.setdefault(name, {})
        return recent(results, group, _GROUPS, compute)

    def made_of_group(self, name: Hashable, group: Hashable) -> Any:
        """The result that ``of_group`` has for a group; ``None``: it has none."""
        return self._of_groups.get(name, {}).get(group)

    def edits(self, was: Sequence[object], now: Sequence[object]) -> Sequence[int]:
        """The indexes at which two series of one length have different objects (``differing``): known where the same
        two were compared before, as several steps of one analysis do.

        >>> memo, was, now = Memo(), ("a", "b"), ("a", "c")
        >>> memo.edits(was, now), memo.edits(was, was)
        ([1], ())
        """
        if was is now:
            return ()
        for one, other, edits in self._edits:
            if one is was and other is now:
                return edits
        edits = differing(was, now)
        self._edits = [(was, now, edits), *self._edits][:_COMPARED]
        return edits

    def shared(self, key: Hashable, make: Callable[[], R]) -> R:
        """The value of ``key``, made if there is none: all who ask for it share one, and it goes with the last of them.
        So there are as many as the jobs of the owner need.
        """
        value: R | None = self._shared.get(key)
        if value is None:
            value = self._shared[key] = make()
        return value

    @property
    def size(self) -> int:
        """The number of statements of which anything is kept."""
        return max(len(self._statements), len(self._results))

    def keep(self, live: Iterable[ParsedStatement]) -> None:
        """Let go of all statements but ``live`` ones and those that came last."""
        live_statements = {*live, *list(self._statements.values())[-_RECENT_STATEMENTS:]}
        self._statements = {key: each for key, each in self._statements.items() if each in live_statements}
        self._results = {each: results for each, results in self._results.items() if each in live_statements}

    def forget_results(self) -> None:
        """Let go of all results, but of no statement."""
        self._results.clear()
        self._of_groups.clear()

    def _known_of(self, statement: ParsedStatement) -> dict[Hashable, Any]:
        results = self._results.get(statement)
        if results is None:
            results = self._results[statement] = {}
        return results


def recent(values: dict[K, V], key: K, most: int, make: Callable[[], V]) -> V:
    """The value of ``key`` in ``values``, made if there is none. Of more than ``most`` values the one goes that was
    asked for the longest time ago.

    >>> values = {"a": 1, "b": 2}
    >>> recent(values, "c", 2, lambda: 3), values
    (3, {'b': 2, 'c': 3})
    """
    value = values.pop(key) if key in values else make()
    values[key] = value
    if len(values) > most:
        del values[next(iter(values))]
    return value
