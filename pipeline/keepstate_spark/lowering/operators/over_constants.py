"""Constants of functions over OVER windows in batch mode, which Flink's planner may take for one another.

A constant is a column behind those of the input. Each window is an operator of its own, and only the first one finds
its constants where the planner has put them.
"""

from __future__ import annotations

from keepstate.plan.expressions import AggregateCall
from keepstate.plan.operators import OverAggregate
from keepstate_spark.lowering.functions.signed_zeros import is_constant
from keepstate_spark.lowering.refusals import NotLowerable

_RANKS = frozenset({"RANK", "DENSE_RANK", "PERCENT_RANK"})


def refuse_shifted(operator: OverAggregate) -> None:
    """Refuse LAG and LEAD with an offset in a batch query with several windows, but for what was measured to be right:
    the windows have one key and order; or no other function has a constant, this window has no PARTITION BY and a
    single sort key, and all other windows have a PARTITION BY. CUME_DIST beside a rank of the same window counts each
    row by itself, and otherwise all rows of equal sort keys.

    Raises ``NotLowerable``.
    """
    windows = [operator]
    while isinstance(below := windows[-1].input, OverAggregate):
        windows.append(below)
    ranked = {(one.partition, one.order) for one in windows for call in one.aggregates if call.function in _RANKS}
    every = [(each, call) for each in windows for call in each.aggregates]
    for own, call in every:
        if call.function == "CUME_DIST" and (own.partition, own.order) in ranked:
            sentence = "In batch mode Flink counts sort keys apart for CUME_DIST beside a rank of the same window."
            raise NotLowerable(sentence, call.place)
    if len(windows) == 1:
        return
    orders = {(window.partition, window.order) for window in windows}
    constant = [
        (call, window)
        for window in windows
        for call in window.aggregates
        if _has_offset(call) or any(map(is_constant, call.args))
    ]
    for call, window in constant:
        if call.function not in ("LAG", "LEAD") or len(orders) == 1:
            continue
        others = orders - {(window.partition, window.order)}
        is_first = not window.partition and len(window.order) == 1 and all(keys for keys, _ in others)
        if len(constant) > 1 or (others and not is_first):
            raise NotLowerable(
                f"In batch mode Flink takes another constant as the offset of {call.function} where windows have "
                "several keys or orders, or stops.",
                call.place,
            )


def _has_offset(call: AggregateCall) -> bool:
    """Return whether an offset is written, also one of 1, which is no argument of a plan."""
    if call.function not in ("LAG", "LEAD"):
        return False
    if len(call.args) > 1 or call.place is None:
        return True
    depth = 0
    for word in call.place.words:
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word == "," and depth == 1:
            return True
        if word == ")" and depth == 0:
            break
    return False
