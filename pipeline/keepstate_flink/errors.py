"""Errors of a rehearsal: one sentence for people, and a hint."""

from __future__ import annotations


class FlinkError(Exception):
    """A request that cannot be fulfilled. ``sentence`` is the reason, ``hint`` a remedy, if one is known."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence if hint is None else f"{sentence} {hint}")
        self.sentence = sentence
        self.hint = hint


class FlinkMissing(FlinkError):
    """Flink, py4j or a Java that it runs on is not installed and cannot be."""


class NotRunnable(FlinkError):
    """Error of a job that cannot be tried: Flink refuses it, or it needs what is not here."""
