"""Lines about the queries of a job, one for each: of thousands, nearly all say the same at each keystroke."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

__all__ = ["QueryLines", "eventful"]

T = TypeVar("T")
U = TypeVar("U")

_FEW = 64
"""So many values are made at once: a report of a short job holds nothing of the job."""


class QueryLines(Sequence[T], Generic[T]):
    """A sequence of values, most of which are plain. Only ``eventful`` ones exist from the start; all are made once,
    when one of the others is asked for.

    >>> lines = QueryLines(3, lambda: "aaa", {1: "b"})
    >>> len(lines), list(lines), lines == ("a", "b", "a"), lines.eventful
    (3, ['a', 'b', 'a'], True, {1: 'b'})
    """

    __slots__ = ("_all", "_count", "_plain", "eventful")

    def __init__(self, count: int, plain: Callable[[], Iterable[T]], eventful: Mapping[int, T]) -> None:
        """Take the number of values, all of them as if nothing had happened to any, and the others by their numbers."""
        self._count = count
        self._plain: Callable[[], Iterable[T]] | None = plain
        self.eventful = eventful
        """The values that are not plain, by their numbers, in order."""
        self._all: tuple[T, ...] = ()
        if count <= _FEW:
            self._values()

    @staticmethod
    def of(values: Iterable[U], is_plain: Callable[[U], bool]) -> QueryLines[U]:
        """The lines that some values are.

        >>> QueryLines.of([0, 7], lambda number: number == 0).eventful
        {1: 7}
        """
        every = tuple(values)
        return QueryLines(len(every), lambda: every, {n: each for n, each in enumerate(every) if not is_plain(each)})

    def mapped(self, function: Callable[[T], U]) -> QueryLines[U]:
        """The lines of ``function`` of each value. It makes plain ones of plain ones.

        >>> QueryLines(2, lambda: "ab", {}).mapped(str.upper)[1]
        'B'
        """
        eventful = {number: function(each) for number, each in self.eventful.items()}
        return QueryLines(self._count, lambda: map(function, self), eventful)

    def replaced(self, others: Mapping[int, T]) -> QueryLines[T]:
        """The lines with other values at some numbers."""
        return QueryLines(self._count, lambda: self, dict(sorted({**self.eventful, **others}.items())))

    def _values(self) -> tuple[T, ...]:
        if self._plain is not None:
            values = list(self._plain())
            for number, each in self.eventful.items():
                values[number] = each
            self._all, self._plain = tuple(values), None
        return self._all

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return iter(self._values())

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[T, ...]: ...
    def __getitem__(self, number: Any) -> Any:
        # An eventful one needs no other.
        return self.eventful[number] if number in self.eventful else self._values()[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QueryLines | tuple) and (self is other or self._values() == tuple(other))

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return repr(self._values())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._values(), dict(self.eventful))


def _restored(values: tuple[T, ...], eventful: Mapping[int, T]) -> QueryLines[T]:
    return QueryLines(len(values), lambda: values, eventful)


def eventful(lines: Sequence[T]) -> Iterable[T]:
    """The values of ``lines`` that may say something: all of them, where that is not known.

    >>> list(eventful(QueryLines(2, lambda: "aa", {1: "b"}))), list(eventful(("a", "b")))
    (['b'], ['a', 'b'])
    """
    return lines.eventful.values() if isinstance(lines, QueryLines) else lines
