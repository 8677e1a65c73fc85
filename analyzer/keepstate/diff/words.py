"""Parts of a plan in a few words, for messages."""

from __future__ import annotations

from keepstate.plan.expressions import Expr
from keepstate.plan.operators import RankRange, Window, WindowKind

_ARTICLES = {
    WindowKind.TUMBLE: "tumbling",
    WindowKind.HOP: "hopping",
    WindowKind.CUMULATE: "cumulating",
    WindowKind.SESSION: "session",
}


def window_words(window: Window) -> str:
    """``10-minute tumbling windows``, ``5 minutes hopping windows every 1 minute``."""
    name = f"{_ARTICLES[window.kind]} windows"
    match window.kind:
        case WindowKind.TUMBLE:
            return f"{name} of {window.size}"
        case WindowKind.HOP:
            return f"{name} of {window.size} every {window.slide}"
        case WindowKind.CUMULATE:
            return f"{name} of up to {window.size} in steps of {window.step}"
        case WindowKind.SESSION:
            return f"{name} with a gap of {window.gap}"


def window_length(window: Window) -> str:
    """How long a window of this kind stays open, in words; empty where nobody can say."""
    return str(window.size) if window.size is not None else ""


def names(exprs: tuple[Expr, ...]) -> str:
    return ", ".join(str(expr) for expr in exprs)


def rank_words(ranks: RankRange | None) -> str:
    if ranks is not None and ranks.other:
        shown = [condition.place.text if condition.place else str(condition) for condition in ranks.other]
        return f"ranks where {' AND '.join(shown)}"
    if ranks is None or ranks.end is None:
        return "all ranks" if ranks is None or ranks.start == 1 else f"ranks from {ranks.start}"
    if ranks.start == ranks.end:
        return f"rank {ranks.start}"
    return f"ranks {ranks.start} to {ranks.end}"
