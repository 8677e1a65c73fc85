"""The scope of a run in words, for a run without comparison, or with files left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN = 3
"""Names of files in a sentence; the rest is counted."""


@dataclass(frozen=True)
class Notice:
    """Something that was left out on purpose, and what to do if it should not have been."""

    path: str | None
    sentence: str
    suggestion: str | None = None
    title: str = "left out"
    """The notice in two words."""

    @property
    def words(self) -> str:
        """The sentence, with the suggestion."""
        return self.sentence if self.suggestion is None else f"{self.sentence} {self.suggestion}"


@dataclass(frozen=True)
class RunScope:
    """The files that a run had to choose from, and what it compared them with."""

    engine: str
    baselines: tuple[str, ...] = ()
    """Words such as ``HEAD (a1b2c3d)``."""
    looked_at: int = 0
    """Number of files with a name that Flink SQL may have."""
    others: tuple[str, ...] = ()
    """Changed files among these that show nothing of Flink SQL."""
    hint: str | None = None
    """Another baseline that there would be something to compare with, as a sentence."""
    declarations: tuple[str, ...] = ()
    """Changed files that declare tables and run nothing."""
    reason: str | None = None
    """Another reason why nothing was compared, as a sentence."""

    def nothing_to_compare(self) -> str:
        """The reason why a run compared nothing, though there was no error."""
        if self.reason is not None:
            return self.reason
        since = f" since {' and '.join(self.baselines)}" if self.baselines else ""
        files = "1 SQL file" if self.looked_at == 1 else f"{self.looked_at or 'no'} SQL files"
        reason = "no Flink SQL file changed"
        if self.declarations:
            reason = f"what changed in {_some(self.declarations)} changes no job"
        sentences = [
            f"Nothing to compare: {reason}{since} ({files} looked at, engine {self.engine}).",
        ]
        sentences += filter(None, [self.other_sql()])
        if self.hint is not None:
            sentences.append(self.hint)
        return " ".join(sentences)

    def other_sql(self) -> str | None:
        """The sentence about changed files that were left out without a notice of their own."""
        if not self.others:
            return None
        many = len(self.others) > 1
        subject = f"{len(self.others)} files that changed show" if many else "1 file that changed shows"
        return f"{subject} nothing of Flink SQL: {_some(self.others)}."

    def nothing_compared(self) -> str:
        """The sentence for a run that a problem kept from comparing."""
        against = f" with {' or '.join(self.baselines)}" if self.baselines else ""
        return f"Nothing was compared{against}, engine {self.engine}."


def _some(names: Sequence[str]) -> str:
    first = ", ".join(names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"{first} and {rest} more" if rest > 0 else first
