"""One run of an audit: read, judge, tabulate, publish."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate_spark.audit import published_tables
from keepstate_spark.audit.audit_figures import AuditFigures, figures
from keepstate_spark.audit.audit_folder import AuditFolder
from keepstate_spark.audit.classifying import Limits, ReportStore
from keepstate_spark.audit.repository_reading import AuditedRepository, HistoryStore, Reader
from keepstate_spark.audit.sessions import fit
from keepstate_spark.audit.stored_columns import SCHEMA_VERSION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class AuditTerms:
    """Conditions of an audit. ``reading`` holds all inputs of the readers, as values of JSON; ``analyzer`` names its
    version.
    """

    engine: str
    analyzer: str
    reading: Mapping[str, object]
    limits: Limits


class AuditRun:
    """The steps of a run, each of which begins where an earlier run stopped."""

    def __init__(
        self, session: SparkSession, folder: AuditFolder, repositories: Sequence[AuditedRepository], terms: AuditTerms
    ) -> None:
        self._session = session
        self._folder = folder
        self._repositories = repositories
        self._terms = terms
        self._history_path = folder.history(_digest(terms.analyzer, terms.reading))
        self._reports_path = folder.reports(_digest(terms.analyzer, terms.engine))
        self._history = HistoryStore(session, self._history_path)
        self._reports = ReportStore(session, self._reports_path)

    def read(self, reader: Reader) -> None:
        """Read the new commits of the repositories."""
        self._history.read(self._repositories, reader)

    def judge(self) -> int:
        """Have all pairs judged that were not yet; how many these were."""
        cores = self._session.sparkContext.defaultParallelism
        history = self._history.history(self._repositories)
        # Counted in the footers of the files.
        fit(self._session, self._history.size())
        return self._reports.judge(history, self._terms.engine, self._terms.limits, cores)

    def tabulate(self) -> AuditFigures:
        """Make the tables, and count their content."""
        history = self._history.history(self._repositories)
        changes = published_tables.all_changes(history, self._reports.reports()).persist()
        draft = self._folder.draft
        draft.mkdir(exist_ok=True)
        try:
            rows = changes.count()
            by_change = ("repository", "job", "change")
            pairs = published_tables.pairs(changes, self._terms.engine, self._terms.analyzer)
            published_tables.write_table(pairs, str(draft / "pairs"), rows, *by_change)
            published_tables.write_table(
                published_tables.findings(changes), str(draft / "findings"), rows, *by_change[:2], "commit", "number"
            )
            published_tables.write_table(
                published_tables.jobs(changes), str(draft / "jobs"), rows // 10, "repository", "job"
            )
            problems = published_tables.problems(history, changes)
            published_tables.write_table(
                problems, str(draft / "problems"), rows // 10, "repository", "job", "commit", "message"
            )
        finally:
            changes.unpersist()
        return figures(self._session, draft, self._terms.engine, len(self._repositories))

    def publish(self, files: Mapping[str, bytes]) -> None:
        """Replace the tables of an earlier run by the new ones. ``files`` go beside the tables."""
        for name, content in files.items():
            (self._folder.draft / name).write_bytes(content)
        manifest = {
            "schema_version": SCHEMA_VERSION,
            "engine": self._terms.engine,
            "analyzer": self._terms.analyzer,
            "reading": dict(self._terms.reading),
            "repositories": len(self._repositories),
        }
        self._folder.publish(manifest, (self._history_path, self._reports_path))


def _digest(*terms: object) -> str:
    return hashlib.blake2b(json.dumps(terms, sort_keys=True).encode(), digest_size=8).hexdigest()
