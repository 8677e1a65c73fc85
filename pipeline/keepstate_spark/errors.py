"""Errors that end a run: one sentence for people, and a hint."""

from __future__ import annotations

import re

from keepstate.plan.provenance import Place

_LONGEST_CLAUSE = 60


class PipelineError(Exception):
    """A request that cannot be fulfilled.

    ``sentence`` is the reason, ``hint`` a remedy, if one is known.
    """

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence if hint is None else f"{sentence} {hint}")
        self.sentence = sentence
        self.hint = hint


class SparkMissing(PipelineError):
    """PySpark or a Java that it runs on is not installed."""


class WindowError(PipelineError):
    """A window that does not exist, or that Spark cannot compute on these rows."""


class NoTimes(PipelineError):
    """No row of a query called ``name`` has a time, so that nothing comes before or after a restart."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} reads no rows with a time.", "Name other files with --data.")


class NoRows(PipelineError):
    """Error of a table whose rows have no location."""


class NoSuchQuery(PipelineError):
    """Error of a choice that fits no query of the script."""


def pointing(place: Place | None) -> str:
    """A sentence with the words of a clause, which are cut if they are long.

    >>> pointing(None)
    'It is here'
    """
    words = re.sub(r"\s+", " ", place.text) if place is not None else ""
    clause = f": {words[:_LONGEST_CLAUSE]}{'…' if len(words) > _LONGEST_CLAUSE else ''}" if words else ""
    return f"It is here{clause}"
