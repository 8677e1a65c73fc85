"""Refusal of a clause that cannot be lowered."""

from __future__ import annotations

from keepstate.plan.expressions import Expr
from keepstate.plan.provenance import Place


class NotLowerable(Exception):
    """Error of a part of a query that Spark cannot compute: ``sentence`` is the reason, ``place`` the clause.

    Nothing is approximated: a query with such a part is not run at all.
    """

    def __init__(self, sentence: str, place: Place | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.place = place


def script_text(expr: Expr) -> str:
    """Return ``expr`` as the script writes it: a plan has words of its own for some expressions."""
    return str(expr) if expr.place is None else " ".join(expr.place.text.split())
