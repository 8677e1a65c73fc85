"""Measured restarts, kept by what was measured: both texts and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.labels import capital
from keepstate_lsp.analysis.runs.lines import RunLine, numbered, placed_lines
from keepstate_lsp.analysis.runs.run_request import identity_of

Json = Mapping[str, Any]
_NOT_MEASURED = "not-measured"
_BETWEEN = ", "
"""The text between the names of the queries that are one job of Flink."""


@dataclass(frozen=True)
class VerificationResult:
    """The measured restart of one pair of versions. ``lines`` are by the names of queries and their number among those
    of that name; ``whole`` is the line of all queries if they are one job.
    """

    identity: str
    sentence: str
    lines: Mapping[tuple[str, int], RunLine]
    whole: RunLine | None

    @staticmethod
    def of(document: Json, identity: str) -> VerificationResult:
        """The result in a document of ``keepstate verify --format json``."""
        jobs = document["jobs"]
        queries = [(query, _line(job, document)) for job in jobs for query in job["name"].split(_BETWEEN)]
        keys = numbered([query for query, _ in queries])
        lines = {key: line for key, (_, line) in zip(keys, queries, strict=True)}
        whole = _line(jobs[0], document) if len(jobs) == 1 else None
        return VerificationResult(identity, _sentence(document), lines, whole)

    def line_of(self, key: tuple[str, int]) -> RunLine | None:
        """The line of a query: that of the only job, else that of its name."""
        return self.whole or self.lines.get(key)


class Verifications:
    """The last result of each pair of versions. An undo brings it back, as it was never of a document."""

    def __init__(self) -> None:
        self._results: dict[str, VerificationResult] = {}

    def keep(self, result: VerificationResult) -> None:
        self._results[result.identity] = result

    def lines(self, analysis: Analysis) -> tuple[RunLine | None, ...]:
        """The lines of the measurement of these very texts, in the order of the pipelines."""
        comparison = analysis.comparison
        result = self._results.get(identity_of(comparison)) if self._results and comparison is not None else None
        return (None,) * len(analysis.pipelines) if result is None else placed_lines(analysis, result.line_of)


def _line(job: Json, document: Json) -> RunLine:
    where = f"on Flink {document['flink']}"
    if job["measured"] == _NOT_MEASURED:
        return RunLine(f"Not measured {where}", ((f"Not measured {where}", _reason(job)),))
    words = job["words"]["measured"]
    rows = f" with {document['rows']}" if document["rows"] else ""
    sentences = [f"{words}.", _reason(job), *_doubt(job), *document["notices"]]
    text = " ".join(sentence for sentence in sentences if sentence)
    # What follows the colon explains the words, which there is no room for above a query.
    return RunLine(
        f"Measured {where}: {words.partition(':')[0]}", ((f"Measured {where}{rows}", text), ("Witness", _witness(job)))
    )


def _witness(job: Json) -> str:
    """The smallest rows that show what goes wrong, in one line; empty if none are known."""
    witness = job["witness"]
    return "" if witness is None else "; ".join(f"{row['label']} {row['row']}".strip() for row in witness["shown"])


def _reason(job: Json) -> str:
    """The cause of the outcome, in sentences; empty if it needs none."""
    sentences = (job["because"] or job["exception"], job["note"])
    return " ".join(_ended(sentence) for sentence in sentences if sentence)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _doubt(job: Json) -> tuple[str, ...]:
    if job["agrees"] is not False:
        return ()
    predicted = job["words"]["predicted"]
    return (f"The prediction for open-source Flink ({predicted}) disagrees: please report both versions.",)


def _sentence(document: Json) -> str:
    """All jobs in one message."""
    rows = f" with {document['rows']}" if document["rows"] else ""
    # First what counts: editors clip a long message.
    begin = f"{document['file']} on Flink {document['flink']}{rows}: "
    end = f"It was restarted from {document['baseline']}."
    jobs = document["jobs"]
    words = [f"{job['name']}: {job['words']['measured']}" if job["name"] else job["words"]["measured"] for job in jobs]
    more = [*_reasons(jobs), *dict.fromkeys(doubt for job in jobs for doubt in _doubt(job)), *document["notices"]]
    return " ".join([f"{begin}{'; '.join(words)}.", *map(capital, more), end])


def _reasons(jobs: list[Json]) -> list[str]:
    return list(dict.fromkeys(reason for reason in map(_reason, jobs) if reason))
