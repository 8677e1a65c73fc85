"""Location of the edit that made two expressions differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepstate.diff.text_alignment import Counterparts
from keepstate.plan.expressions import AggregateCall, Call, Expr
from keepstate.plan.provenance import Place


@dataclass(frozen=True)
class Locator:
    """Finds the clauses of an edit on both sides."""

    counterparts: Counterparts

    def modification(
        self, baseline: Expr, current: Expr, baseline_use: Place | None, current_use: Place | None
    ) -> tuple[Place | None, Place | None]:
        """Return the clauses (baseline, current) that made ``baseline`` into ``current``.

        ``baseline_use`` and ``current_use`` are the clauses that use the expressions (an aggregate call, a key). They
        are the answer if the text of a use was edited. Otherwise the answer is the select item or column definition
        further down that was edited, and on the side without an edit its counterpart.
        """
        if baseline == current:
            # Not what is computed has changed but how it is used, as with ASC and DESC.
            return baseline_use, current_use
        if current_use is not None and self.counterparts.edited_in_current(current_use):
            return baseline_use, current_use
        for baseline_expr, current_expr in _differences(baseline, current):
            now = self._edited_definition(current_expr, self.counterparts.edited_in_current)
            was = self._edited_definition(baseline_expr, self.counterparts.edited_in_baseline)
            if now is None and was is None:
                continue
            if now is None and was is not None:
                now = self.counterparts.to_current(was) or current_use
            if was is None and now is not None:
                was = self.counterparts.to_baseline(now) or baseline_use
            return was, now
        return baseline_use, current_use

    def addition(self, expr: Expr) -> Place | None:
        """The clause that added ``expr``: where it is used if that was typed, else the definition that was, as with a
        column that ``*`` picks up.
        """
        if expr.place is not None and self.counterparts.edited_in_current(expr.place):
            return expr.place
        return self._edited_definition(expr, self.counterparts.edited_in_current) or expr.place

    def removal(self, expr: Expr) -> Place | None:
        """The clause of the baseline with which ``expr`` went, likewise."""
        if expr.place is not None and self.counterparts.edited_in_baseline(expr.place):
            return expr.place
        return self._edited_definition(expr, self.counterparts.edited_in_baseline) or expr.place

    def _edited_definition(self, expr: Expr, edited: Callable[[Place], bool]) -> Place | None:
        return next((place for place in reversed(expr.via) if edited(place)), None)

    def stood_at(self, place: Place | None, fallback: Place) -> Place:
        """Return where a clause of the baseline stood in the current text: what remains of the clause, or its
        neighbour.
        """
        return (self.counterparts.to_current(place) if place is not None else None) or fallback

    def remains(self, place: Place | None, fallback: Place | None) -> Place | None:
        """Return what remains of a clause of the baseline, or else ``fallback``, the clause that it belonged to."""
        rest = self.counterparts.remains_of(place) if place is not None else None
        return rest or self.belonged_to(place, fallback)

    def belonged_to(self, place: Place | None, clause: Place | None) -> Place | None:
        """Return ``clause``, to which a clause of the baseline belonged, if it stands in the statement that the other
        one stood in; else what stood before the gap there, as with a filter that went out of a view.
        """
        stood = self.counterparts.to_current(place) if place is not None else None
        if clause is None or stood is None or clause.statement == stood.statement:
            return clause or stood
        return stood


def _differences(baseline: Expr, current: Expr) -> list[tuple[Expr, Expr]]:
    """The pairs of operands that differ, innermost first: an edit is shown as narrowly as can be."""
    if _same_head(baseline, current):
        pairs = zip(baseline.children(), current.children(), strict=True)
        inner = [pair for before, after in pairs if before != after for pair in _differences(before, after)]
        return [*inner, (baseline, current)]
    return [(baseline, current)]


def _same_head(baseline: Expr, current: Expr) -> bool:
    if type(baseline) is not type(current) or len(baseline.children()) != len(current.children()):
        return False
    if not baseline.children():
        return False
    match baseline, current:
        case Call(), Call():
            return baseline.name == current.name and baseline != current
        case AggregateCall(), AggregateCall():
            bare = replace(baseline, args=(), filter=None, order=())
            return bare == replace(current, args=(), filter=None, order=()) and baseline != current
    return True
