"""Every page that Keepstate writes shows a hostile text, and does nothing else with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from hostile_strings import ALL, HOSTILE, active_parts, poisoned
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.features.hover import escaped
from keepstate_lsp.features.workspace_page import report_page


def test_the_reader_finds_what_is_active() -> None:
    assert {part.partition("=")[0] for part in active_parts("".join(HOSTILE))} >= {"<script>", "<img>", "onerror"}
    assert active_parts('<a href="javascript:alert(1)">x</a>')


@pytest.mark.parametrize("text", [*HOSTILE, ALL])
def test_the_report_of_the_editor(text: str) -> None:
    page = report_page([poisoned(JobOverview, text)], "html")
    assert active_parts(page.replace("<style>", "", 1)) in (
        [],
        [f"href={text}"] if text.startswith("javascript") else [],
    )


@pytest.mark.parametrize("text", [*HOSTILE, ALL])
def test_the_page_of_an_audit(text: str) -> None:
    pytest.importorskip("matplotlib")
    from keepstate_lsp.cli.commands.audit.audit_page import audit_page
    from keepstate_lsp.cli.commands.audit.audit_sentences import KIND_WORDS
    from keepstate_spark.audit.audit_figures import AuditFigures

    figures = poisoned(AuditFigures, text)
    # Months are made of dates, and verdicts are ours.
    figures = replace(
        figures,
        months=[replace(month, month="2024-01") for month in figures.months],
        rules=[replace(rule, verdict="unknown") for rule in figures.rules],
        remedies=[],
        problem_kinds=[],
        problems=[replace(problem, kind=next(iter(KIND_WORDS))) for problem in figures.problems],
    )
    assert active_parts(audit_page(figures)) == []


@pytest.mark.parametrize("text", [*HOSTILE, ALL])
def test_a_hover(text: str) -> None:
    page = MarkdownIt("commonmark").render(escaped(" ".join(text.split())))
    assert active_parts(page) == []
