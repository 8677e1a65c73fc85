"""Code lenses: one line above each pipeline, or one line with the reason why nothing is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate_lsp.analysis.document_analysis import Analysis, PlacedPipeline
from keepstate_lsp.analysis.labels import no_baseline_words, pipeline_words
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.runs.lines import NO_RUN_LINES, AllRunLines, RunLine
from keepstate_lsp.features.declared_tables import NO_READERS, readers_words, with_files

if TYPE_CHECKING:
    from keepstate import ScriptNames

_KINDS = ("table", "view")


@dataclass(frozen=True)
class Lens:
    offset: int
    title: str


def declaration_lenses(analysis: Analysis, names: ScriptNames, jobs: Sequence[JobOverview]) -> list[Lens]:
    """One line above each table and view of a file that other files may read. Of a file with queries of its own, only
    what others do read has one.

    >>> from dataclasses import replace
    >>> from pathlib import Path
    >>> from keepstate.api import names_in
    >>> ddl = "CREATE TABLE orders (a INT);"
    >>> file = replace(analysis(ddl, ddl), place=(Path("/"), "job.sql"), declares_only=True)
    >>> declaration_lenses(file, names_in(ddl), [])
    [Lens(offset=13, title='read by no job')]
    """
    path = analysis.document.path
    if analysis.place is None or path is None:
        return []
    result = []
    for place in names.declarations():
        words = readers_words(analysis.place[0] / analysis.place[1], place.name.name, jobs)
        if place.name.kind.value in _KINDS and (words != NO_READERS or analysis.declares_only):
            result.append(Lens(place.span.start, words))
    return result


def lenses(analysis: Analysis, run_lines: AllRunLines = NO_RUN_LINES) -> list[Lens]:
    """The line above each query: its verdict, with the lines of its runs.

    >>> lenses(analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b"))[0].offset
    0
    """
    if analysis.without is not None:
        # Said once for the file: the reason is the same for each of its pipelines.
        alone = [Lens(statement.start, no_baseline_words(analysis)) for statement in analysis.statements[:1]]
        return alone + [lens for other in analysis.others for lens in lenses(other, run_lines)]
    titles_at: dict[int, list[str]] = {}
    for each in analysis.every:
        for placed, lines in zip(each.pipelines, run_lines.by_pipeline(each), strict=True):
            titles_at.setdefault(placed.span.start, []).append(_words(placed, each, lines))
    return [Lens(start, title) for start, titles in sorted(titles_at.items()) for title in titles]


def _words(placed: PlacedPipeline, analysis: Analysis, lines: Sequence[RunLine]) -> str:
    """The line about a query, in one job of the document."""
    job = analysis.part.title if analysis.part is not None and analysis.is_one_of_several else ""
    return (
        (f"{job}: " if job else "")
        + pipeline_words(placed, analysis)
        + with_files(analysis.part)
        + "".join(f". {line.above}" for line in lines)
    )
