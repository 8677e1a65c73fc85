"""The sort of a task in Flink's batch mode, which keeps no order of rows with equal keys.

It is a quicksort with three parts, whose pivot is the median of the first, the middle and the last row. Parts of fewer
than 13 rows are sorted by insertion. For a certain order of rows the result is a certain one.
"""

from __future__ import annotations

from collections.abc import Sequence

_SMALL = 13
"""Parts with fewer rows are sorted by insertion."""


class DeepRecursion(Exception):
    """The rows make so many parts of parts that Flink sorts them in another way."""


def places_after_sort(ranks: Sequence[int]) -> list[int] | None:
    """Return the place, from 0, of each row after the sort, of its rank; ``None`` where Flink takes a heap instead.

    >>> places_after_sort([3, 1, 2, 1])
    [3, 0, 2, 1]
    """
    sort = _Sort(ranks)
    size = len(ranks)
    try:
        sort.part(0, size, 4 * (size - 1).bit_length() if size else 0)
    except DeepRecursion:
        return None
    places = [0] * size
    for place, row in enumerate(sort.rows):
        places[row] = place
    return places


class _Sort:
    def __init__(self, ranks: Sequence[int]) -> None:
        self.rows = list(range(len(ranks)))
        """The numbers of the rows, in their present order."""
        self._ranks = list(ranks)

    def part(self, start: int, end: int, depth: int) -> None:
        """Sort the rows from ``start`` up to ``end``, in at most ``depth`` parts of parts."""
        while end - start >= _SMALL:
            depth -= 1
            if depth < 0:
                raise DeepRecursion
            low, high = self._divided(start, end)
            if low - start < end - high:
                self.part(start, low, depth)
                start = high
            else:
                self.part(high, end, depth)
                end = low
        for index in range(start, end):
            while index > start and self._ranks[index - 1] > self._ranks[index]:
                self._swap(index - 1, index)
                index -= 1

    def _divided(self, start: int, end: int) -> tuple[int, int]:
        """Divide rows around a pivot, and return where its equals begin and end."""
        ranks, middle = self._ranks, (start + end) // 2
        for one, other in ((middle, start), (middle, end - 1), (start, end - 1)):
            if ranks[one] > ranks[other]:
                self._swap(one, other)
        pivot = ranks[start]
        # Equals of the pivot gather at both sides: up to `left`, and from `right` on.
        low, high, left, right = start, end, start, end
        while True:
            low += 1
            while low < high and ranks[low] <= pivot:
                if ranks[low] == pivot:
                    left += 1
                    self._swap(left, low)
                low += 1
            high -= 1
            while high > low and ranks[high] >= pivot:
                if ranks[high] == pivot:
                    right -= 1
                    self._swap(right, high)
                high -= 1
            if low >= high:
                break
            self._swap(low, high)
        high = low
        for index in range(left, start - 1, -1):
            low -= 1
            self._swap(index, low)
        for index in range(right, end):
            self._swap(index, high)
            high += 1
        return low, high

    def _swap(self, one: int, other: int) -> None:
        for values in (self.rows, self._ranks):
            values[one], values[other] = values[other], values[one]
