"""The names that examples in docstrings of the server may use beside those of their module.

They make what a language server has in its hands: the analysis of a document, and a repository on disk.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from keepstate.text import LineIndex
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, compare
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from repositories import GitRepository


def analysis(current: str, baseline: str, engine: str = "flink") -> Analysis:
    """The analysis of the document ``job.sql``, whose text at HEAD was ``baseline``."""
    analyzer = KeepstateAnalyzer()
    document = Document("file:///job.sql", "flink-sql", 1, current)
    head = Baseline(HEAD, "0" * 40, "job.sql", baseline, "b" * 40, "HEAD (0000000)")
    against = BaselineText(head, LineIndex(baseline), "file:///baseline.sql")
    return compare(
        Analysis(
            document,
            Settings(),
            EffectiveSettings(engine),
            is_flink=True,
            against=against,
            workspace=analyzer.workspace(),
        ),
        analyzer,
        None,
    )


@contextmanager
def repository(files: Mapping[str, str]) -> Iterator[Path]:
    """The folder of a repository whose one commit has ``files``."""
    with tempfile.TemporaryDirectory() as folder:
        git = GitRepository(Path(folder, "repository"))
        for path, text in files.items():
            git.write(path, text)
        git.commit()
        yield git.folder


NAMES = {"analysis": analysis, "repository": repository}
"""The names that examples use without an import."""
