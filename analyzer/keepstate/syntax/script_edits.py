"""Edits between two versions of a script, by the statements that they touch."""

from __future__ import annotations

from collections.abc import Sequence

from keepstate.syntax.statement import Statement


def are_the_same(was: Sequence[Statement], now: Sequence[Statement]) -> bool:
    r"""Return whether two scripts have the same statements in the same order, be it at other places of their texts.

    >>> from keepstate.syntax.script import parse_script
    >>> one = parse_script("SELECT 1; SELECT 2")
    >>> others = [parse_script(text, one.memo) for text in ("SELECT 1;\nSELECT 2", "SELECT 2; SELECT 1")]
    >>> [are_the_same(one.statements, other.statements) for other in others]
    [True, False]
    """
    return [each.parsed for each in was] == [each.parsed for each in now]


def only_edited(was: Sequence[Statement], now: Sequence[Statement]) -> int | None:
    """The index of the only statement that differs; ``None`` if none does, or several do.

    >>> from keepstate.syntax.script import parse_script
    >>> one, other = (parse_script(text) for text in ("SELECT 1; SELECT 2", "SELECT 1; SELECT 3"))
    >>> only_edited(one.statements, one.statements), only_edited(one.statements[1:], other.statements[1:])
    (None, 0)
    """
    if len(was) != len(now):
        return None
    indexes = [index for index, (one, two) in enumerate(zip(was, now, strict=True)) if one.parsed is not two.parsed]
    return indexes[0] if len(indexes) == 1 else None
