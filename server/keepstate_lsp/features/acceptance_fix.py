"""A ledger entry as a quick-fix writes it: complete but for the reason, which the user has to write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keepstate.report import Finding
from keepstate.text import Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.config.acceptance_file import FILE_NAME, HEAD, LedgerEntry, name_in
from keepstate_lsp.files.small_files import read_small

REASON = "<say why>"


@dataclass(frozen=True)
class FileAddition:
    """``text`` goes into the file at ``path``, which now holds ``before``; ``None``: there is none yet. ``at`` is the
    offset for it; ``None``: the end.
    """

    path: Path
    before: str | None
    text: str
    at: int | None = None

    @property
    def place(self) -> int:
        """The offset of the text in the file."""
        return len(self.before or "") if self.at is None else self.at

    @property
    def after(self) -> str:
        """The text of the file with the addition."""
        before = self.before or ""
        return before[: self.place] + self.text + before[self.place :]


@dataclass(frozen=True)
class OpenPoint:
    """Text that only the user can write, at a span of what a document holds after a fix."""

    uri: str
    text: str
    span: Span


def reason_in(uri: str, text: str, start: int) -> OpenPoint:
    r"""The reason to type over, in the first acceptance behind ``start``.

    >>> text = f'[[accepted]]\nbecause = "{REASON}"\n'
    >>> reason_in("file:///ledger.toml", text, 0).span.of(text) == REASON
    True
    """
    place = text.index(REASON, start)
    return OpenPoint(uri, text, Span(place, place + len(REASON)))


def ledger_addition(analysis: Analysis, finding: Finding, folder: Path | None) -> FileAddition | None:
    """The addition that accepts a finding; ``folder`` is the workspace folder. ``None`` where no ledger could lie.

    Reads the ledger, in the worker.

    >>> import tempfile
    >>> from dataclasses import replace
    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     addition = ledger_addition(job, job.findings[0].finding, Path(folder))
    >>> addition.path.name, addition.before
    ('keepstate.accepted.toml', None)
    """
    job = analysis.document.path if analysis.part is None else analysis.part.home
    if job is None or not finding.key:
        return None
    source = analysis.effective.config.source
    home = source.folder if source is not None else folder
    path = analysis.effective.ledger or (home / FILE_NAME if home is not None else None)
    if path is None:
        return None
    entry = LedgerEntry(finding.rule, finding.key, REASON, name_in(path.parent, Path(job)), finding.change).to_toml()
    try:
        before = read_small(path)
    except FileNotFoundError:
        return FileAddition(path, None, f"{HEAD}\n{entry}")
    except (OSError, ValueError):
        # The jobs of the ledger report that it cannot be read.
        return None
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    return FileAddition(path, before, f"{gap}{entry}")
