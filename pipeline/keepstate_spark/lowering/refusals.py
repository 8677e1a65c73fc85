"""Refusal of a clause that cannot be lowered."""

from __future__ import annotations

from keepstate.plan.provenance import Place


class Refused(Exception):
    """A part of a query that Spark cannot be asked for: ``sentence`` says what and why, ``place`` where.

    Nothing is approximated: a query with such a part is not run at all.
    """

    def __init__(self, sentence: str, place: Place | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.place = place
