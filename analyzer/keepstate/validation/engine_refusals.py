"""Refusals of open-source Flink on engines that are made of Flink."""

from __future__ import annotations

_FIRM = frozenset(
    """syntax missing-semicolon reserved-word unknown-column ambiguous-column unknown-qualifier unknown-field
    not-grouped duplicate-column duplicate-relation alias-columns subquery-columns set-operation-columns values-columns
    view-columns nested-aggregate aggregate-misplaced used-before-declaration dropped sink-columns
    sink-type operand-type mixed-types condition-type column-type set-operation-types interval-unit interval-value
    type-number time-unit not-equal option-quotes parentheses insert-into distinct-star watermark-column join-condition
    over-misplaced duplicate-window insert-columns partition-column order-by bare-null table-function""".split()
)
"""Rules that hold on every engine that is made of Flink: grammar, names, groups, numbers of columns, and types of
operators, columns and sinks."""
_MORE_ELSEWHERE = frozenset({"upsert-key", "on-conflict", "changing-rows", "window-aggregate", "window-emission"})
"""Rules of Flink 2.3, which is newer than what other engines are made of, and rules about rows that change, over which
other engines have windows.
"""


def deciding_part(rule: str) -> str | None:
    """The part that decides a refusal on another engine: ``engine`` or ``vendor`` (``ValidityProblem.depends``);
    ``None`` if the engine refuses as open-source Flink does.

    >>> deciding_part("unknown-column"), deciding_part("rank-function"), deciding_part("upsert-key")
    (None, 'engine', 'vendor')
    """
    if rule in _FIRM:
        return None
    return "vendor" if rule in _MORE_ELSEWHERE else "engine"
