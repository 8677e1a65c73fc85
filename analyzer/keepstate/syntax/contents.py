"""The statements of a script without their places: two texts that differ in layout between statements have the same.

Between two keystrokes all statements but one are the same objects. What follows from them is patched at the places of
an edit, and loops over the rest run in C: a script of thousands of statements costs little more than a short one.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count, starmap
from operator import is_, is_not
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.statement import ParsedStatement

T = TypeVar("T")

_FEW_EDITS = 2
"""Statements that differ between two texts of which one is the text before the last keystroke."""
_MOST_EDITED = 32
"""Statements that are looked at by themselves, before an index of all is made again."""
_BLOCK = 64
"""Statements that are compared together."""
_RECENT = 4
"""Contents of the last texts that a new one is compared with."""


def differing(was: Iterable[object], now: Iterable[object]) -> list[int]:
    """The indexes at which two series of one length have different objects, equal or not.

    >>> one, other = object(), object()
    >>> differing([one, one, one], [one, other, one])
    [1]
    """
    return list(compress(count(), map(is_not, was, now)))


def _differing_statements(was: Sequence[ParsedStatement], now: Sequence[ParsedStatement]) -> Iterator[int]:
    """The indexes at which two series of one length have different statements. These are compared by identity, so
    whole blocks of them are, which takes a third of the time.
    """
    for begin in range(0, len(now), _BLOCK):
        one, other = was[begin : begin + _BLOCK], now[begin : begin + _BLOCK]
        if one != other:
            yield from (begin + index for index in differing(one, other))


def common_ends(was: Sequence[object], now: Sequence[object]) -> tuple[int, int]:
    """The numbers of the first and of the last objects that two sequences have in common.

    >>> one, other = object(), object()
    >>> common_ends([one, one, one], [one, other, other, one]), common_ends([one], [one])
    ((1, 1), (1, 0))
    """
    most = min(len(was), len(now))
    head = next(compress(count(), map(is_not, was, now)), most)
    rest = most - head
    tail = next(compress(count(), map(is_not, reversed(was), reversed(now))), rest)
    return head, min(tail, rest)


class Contents:
    """The statements of a script in their order. Contents are compared by identity, and equal ones of one memo are the
    same object (``Memo.contents``).
    """

    def __init__(self, parsed: tuple[ParsedStatement, ...], former: Iterable[Contents] = ()) -> None:
        """Take the statements, and the contents of other scripts, of which one may be nearly the same."""
        self.parsed = parsed
        self._edits: WeakKeyDictionary[Contents, tuple[int, ...]] = WeakKeyDictionary()
        """The numbers of the statements that differ from those of other contents of this length."""
        self._indexes: Mapping[StatementKind, Sequence[int]] | None = None
        self._following: dict[Hashable, _Following] = {}
        self._results: dict[Hashable, tuple[list[Any], frozenset[int]]] = {}
        """By names, the results for each statement, and the indexes of those that are not known yet."""
        self._holders: dict[Hashable, tuple[Mapping[Hashable, Sequence[int]], frozenset[int]]] = {}
        """By names, the indexes of the statements that have each key, and those that were edited since."""
        near: list[Contents] = []
        for each in former:
            if len(each.parsed) == len(parsed):
                near.append(each)
                if len(self._edits_since(each)) <= _FEW_EDITS:
                    # The others have little more that this one has not.
                    break
        for each in sorted(near, key=lambda each: len(self._edits_since(each))):
            self._take_over(each)

    def _take_over(self, near: Contents) -> None:
        """Take what follows from other contents, and does not differ by the statements that were edited since."""
        edits = self._edits_since(near)
        kinds = frozenset(each.parsed[index].kind for each in (near, self) for index in edits)
        if self._indexes is None and near._indexes is not None and len(edits) <= _MOST_EDITED:
            self._indexes = self._indexes_after(near.parsed, near._indexes, edits)
        both = [(near.parsed[index], self.parsed[index]) for index in edits]
        for key, each in near._following.items():
            if key not in self._following and (kinds <= each.silent or all(starmap(each.equality, both))):
                self._following[key] = each
        for name, (results, unknown) in near._results.items():
            if name not in self._results:
                self._results[name] = results, unknown.union(edits)
        for name, (holders, edited) in near._holders.items():
            since = edited.union(edits)
            if name not in self._holders and len(since) <= _MOST_EDITED:
                self._holders[name] = holders, since

    def _indexes_after(
        self, was: Sequence[ParsedStatement], indexes: Mapping[StatementKind, Sequence[int]], edits: Iterable[int]
    ) -> Mapping[StatementKind, Sequence[int]]:
        """The indexes of the statements of each kind, from those of other contents."""
        patched: dict[StatementKind, list[int]] = {}
        for index in edits:
            before, after = was[index].kind, self.parsed[index].kind
            if before is not after:
                for kind in (before, after):
                    patched.setdefault(kind, [*indexes.get(kind, ())])
                patched[before].remove(index)
                insort(patched[after], index)
        return {**indexes, **patched} if patched else indexes

    def edits_since(self, other: Contents) -> tuple[int, ...] | None:
        r"""The indexes of the statements that differ from those of ``other``; ``None`` for contents of other length.

        >>> from keepstate.syntax.script import parse_script
        >>> one = parse_script("SELECT 1; SELECT 2")
        >>> texts = "SELECT 1;\nSELECT 2", "SELECT 1; SELECT 3", "SELECT 1"
        >>> [parse_script(text, one.memo).contents.edits_since(one.contents) for text in texts]
        [(), (1,), None]
        """
        return self._edits_since(other) if len(self.parsed) == len(other.parsed) else None

    def _edits_since(self, other: Contents) -> tuple[int, ...]:
        if other is self:
            return ()
        edits = self._edits.get(other)
        if edits is None:
            edits = other._edits.get(self)
        if edits is None:
            edits = self._edits[other] = tuple(_differing_statements(other.parsed, self.parsed))
        return edits

    def only_edit_since(self, other: Contents) -> int | None:
        """The index of the only statement that differs; ``None`` if none does, or several do."""
        edits = self.edits_since(other)
        return edits[0] if edits is not None and len(edits) == 1 else None

    def indexes_of(self, kind: StatementKind) -> Sequence[int]:
        """The indexes of the statements of a kind, in order.

        >>> from keepstate.syntax.script import parse_script
        >>> parse_script("SET 'a' = 'b'; SELECT 1; SET 'c' = 'd'").contents.indexes_of(StatementKind.SET)
        [0, 2]
        """
        if self._indexes is None:
            indexes: dict[StatementKind, list[int]] = {}
            for index, each in enumerate(self.parsed):
                indexes.setdefault(each.kind, []).append(index)
            self._indexes = indexes
        return self._indexes.get(kind, ())

    def following(
        self,
        name: Hashable,
        silent: Collection[StatementKind],
        make: Callable[[], T],
        alike: Callable[[ParsedStatement, ParsedStatement], bool] = is_,
    ) -> T:
        """The value of ``name``, which follows from the statements of other kinds than ``silent`` and from their
        numbers: contents that differ in statements of these kinds alone share it. So do contents whose statements are
        ``alike`` where they differ.
        """
        if name not in self._following:
            self._following[name] = _Following(make(), frozenset(silent), alike)
        value: T = self._following[name].value
        return value

    def each(self, name: Hashable, of: Callable[[ParsedStatement], T]) -> Sequence[T]:
        """The results of ``of`` for each statement, known by ``name``: those of a former script where both have the
        same.

        >>> from keepstate.syntax.script import parse_script
        >>> contents = parse_script("SELECT 1; SELECT 20").contents
        >>> contents.each(len, lambda statement: len(statement.text))
        [8, 9]
        """
        results, unknown = self._results.get(name, (None, frozenset[int]()))
        if results is None:
            results = [of(each) for each in self.parsed]
        elif unknown:
            results = [*results]
            for index in unknown:
                results[index] = of(self.parsed[index])
        self._results[name] = results, frozenset()
        return results

    def holders(
        self, name: Hashable, keys_of: Callable[[ParsedStatement], Iterable[Hashable]], keys: Iterable[Hashable]
    ) -> set[int]:
        """The indexes of the statements for which ``keys_of``, known by ``name``, gives one of ``keys``.

        >>> from keepstate.syntax.script import parse_script
        >>> contents = parse_script("SELECT a; SELECT b; SELECT a").contents
        >>> sorted(contents.holders("words", lambda statement: statement.text.split(), ["a"]))
        [0, 2]
        """
        if name not in self._holders:
            by_key: dict[Hashable, list[int]] = {}
            for index, each in enumerate(self.parsed):
                for key in keys_of(each):
                    by_key.setdefault(key, []).append(index)
            self._holders[name] = by_key, frozenset()
        holders, edited = self._holders[name]
        asked = {*keys}
        unedited = {index for key in asked for index in holders.get(key, ())} - edited
        return unedited | {index for index in edited if not asked.isdisjoint(keys_of(self.parsed[index]))}


@dataclass(frozen=True, slots=True)
class _Following:
    """A value with what it does not follow from (see ``Contents.following``)."""

    value: Any
    silent: frozenset[StatementKind]
    equality: Callable[[ParsedStatement, ParsedStatement], bool]


class RecentContents:
    """The contents of the last scripts of one memo."""

    def __init__(self) -> None:
        self._last: list[Contents] = []

    def of(self, parsed: tuple[ParsedStatement, ...]) -> Contents:
        """The contents of these statements, those of a former script if it had the same."""
        equal = next((each for each in self._last if each.parsed == parsed), None)
        contents = equal if equal is not None else Contents(parsed, self._last)
        self._last = [contents, *(each for each in self._last if each is not contents)][:_RECENT]
        return contents
