"""The command that lets findings stand, as reports offer it: with all that says which comparison it is about.

A finding exists against a baseline, under an engine and its settings. The same file compared with something else has
other findings, or none; so the command names what the report was made for.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_TAME = re.compile(r"[\w@%+=:,./ ~^{}*?\[\]'()-]+")
"""Texts that are safe in a command between backticks."""
_LONGEST = 1_000
FILE = "FILE"
BASELINE = "BASELINE"


@dataclass(frozen=True)
class AcceptCommand:
    """The comparison of a report. ``path`` is its file, ``None`` for several files; ``against`` is the spec of the
    baseline, ``None`` if unknown; ``options`` are the options of the command line for its settings.
    """

    path: str | None = None
    against: str | None = None
    options: tuple[str, ...] = ()
    has_ledger: bool = True
    """Two files that are compared with one another have none: there a comment in the SQL is the way."""

    def line(self, rule: str | None = None) -> str:
        """The command, for one rule or for all findings of the file."""
        return " ".join(self.words(rule))

    def words(self, rule: str | None = None) -> tuple[str, ...]:
        """The words of the command, quoted for a shell; what no shell or document should see is to be filled in."""
        words = ["keepstate", "accept", quoted_word(self.path, FILE)]
        if rule is not None:
            words += ["--rule", quoted_word(rule, "RULE")]
        if self.against is not None:
            words += ["--against", quoted_word(self.against, BASELINE)]
        words += [quoted_word(option, "OPTION") for option in self.options]
        return (*words, "--because", "'<reason>'")

    def comment(self, rule: str | None = None) -> str:
        """The acceptance as a comment in the SQL."""
        return f"-- keepstate: accept {rule or '<rule>'} because <reason>"

    def sentence(self) -> str:
        """The way that there is, as a sentence with the code between backticks."""
        if not self.has_ledger:
            return f"If it is meant so, say so in front of the clause: `{self.comment()}`."
        return f"If it is meant so: `{self.line()}`."


def quoted_word(word: str | None, otherwise: str) -> str:
    r"""A word of a command, quoted for a shell; ``otherwise`` for one that no shell or document should see.

    >>> quoted_word("jobs/daily sums.sql", "FILE"), quoted_word("a\x1b.sql", "FILE")
    ("'jobs/daily sums.sql'", 'FILE')
    """
    if word is None or len(word) > _LONGEST or not _TAME.fullmatch(word):
        return otherwise
    return shlex.quote(word)
