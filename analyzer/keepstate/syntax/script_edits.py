"""Edits between two versions of a script, by the statements that they touch."""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.syntax.statement import Statement


def edits(was: Sequence[Statement], now: Sequence[Statement]) -> list[int] | None:
    r"""The numbers, from 0, of the statements that differ, at whichever places of the texts these stand; ``None`` where
    one version has more statements than the other.

    >>> from keepstate.syntax.script import parse_script
    >>> one = parse_script("SELECT 1; SELECT 2")
    >>> others = [parse_script(text, one.memo) for text in ("SELECT 1;\nSELECT 2", "SELECT 1; SELECT 3", "SELECT 1")]
    >>> [edits(one.statements, other.statements) for other in others]
    [[], [1], None]
    """
    if len(was) != len(now):
        return None
    both = enumerate(zip(was, now, strict=True))
    return [number for number, (one, two) in both if one.parsed is not two.parsed]


def only_edit(was: Sequence[Statement], now: Sequence[Statement]) -> int | None:
    """The number of the only statement that differs; ``None`` if none does, or several do.

    >>> from keepstate.syntax.script import parse_script
    >>> one, other = (parse_script(text) for text in ("SELECT 1; SELECT 2", "SELECT 1; SELECT 3"))
    >>> only_edit(one.statements, one.statements), only_edit(one.statements[1:], other.statements[1:])
    (None, 0)
    """
    numbers = edits(was, now)
    return numbers[0] if numbers is not None and len(numbers) == 1 else None
