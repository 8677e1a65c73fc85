"""Measured restarts of a job beside its verdict, as plain values that each format shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredJob:
    """The restart of one job of a file on a real Flink. ``measured`` and ``predicted`` are words of the JSON format,
    ``words`` and ``predicted_words`` those for a person; ``agrees`` is ``None`` where the two cannot be held together.
    """

    name: str
    flink: str
    measured: str
    words: str
    predicted: str
    predicted_words: str
    agrees: bool | None
    note: str = ""
    stand_ins: tuple[str, ...] = ()
    """The functions of which stand-ins took part."""

    @property
    def sentence(self) -> str:
        """One line, such as ``PairMeasurer on open-source Flink 2.3.0: INSERT INTO s does not start.``, and its
        note.
        """
        name = f"{self.name} " if self.name else ""
        doubt = f" The prediction ({self.predicted_words}) disagrees: please report it." if self.agrees is False else ""
        note = f" {self.note}" if self.note else ""
        return f"Measured on open-source Flink {self.flink}: {name}{self.words}.{doubt}{note}"
