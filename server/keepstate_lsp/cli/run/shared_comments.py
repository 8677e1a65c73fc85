"""Acceptances in the comments of declarations: they count for all jobs that read the clause.

One is idle if no job has anything for it to accept, and only after all of them were compared. So the result of the file
of the declaration has it, with which all jobs that read it are compared; the result of a job never has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from keepstate.project.composed_text import FileRole
from keepstate.report import Acceptance, UnusedAcceptance
from keepstate.text import Span
from keepstate_lsp.cli.result.file_result import FileResult

Place = tuple[str | None, Span]


def without_shared_idle(results: Sequence[FileResult]) -> list[FileResult]:
    """The results without the idle acceptances in declarations that another job needs, or may need."""
    places = set(_comment_places(results))
    return [_without_shared_idle(result, places) for result in results]


def _comment_places(results: Iterable[FileResult]) -> Iterator[Place]:
    for result in results:
        for finding in result.report.findings if result.report is not None else ():
            place = None if finding.accepted is None else _in_declaration(result, finding.accepted)
            if place is not None:
                yield place


def _without_shared_idle(result: FileResult, places: set[Place]) -> FileResult:
    report = result.report
    if report is None or not report.unused_acceptances:
        return result

    def is_own(unused: UnusedAcceptance) -> bool:
        return (
            _in_declaration(result, unused.acceptance) is None and (result.path, unused.acceptance.span) not in places
        )

    return replace(result, report=replace(report, unused_acceptances=tuple(filter(is_own, report.unused_acceptances))))


def _in_declaration(result: FileResult, acceptance: Acceptance) -> Place | None:
    """The file and the span of an acceptance in a comment of a declaration of another file; ``None`` elsewhere."""
    if result.files is None or acceptance.span is None:
        return None
    place = result.files.current.place(acceptance.span)
    if place is None or place.role is FileRole.SCRIPT:
        return None
    shown_place = result.place(acceptance.span)
    return shown_place.path, shown_place.span
