"""The timeline of a job on a page: marks by date and outcome, entries, and findings, as a browser reads them."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from keepstate_lsp.baselines.git.log import LoggedCommit
from keepstate_lsp.cli.formats.history_formats import HistoryText
from keepstate_lsp.cli.formats.history_page import history_page
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.result.file_result import FileStatus
from keepstate_lsp.cli.result.history_rows import HistoryRow
from keepstate_lsp.jobs.job_history import JobChange
from repositories import GitRepository

HOSTILE = "<script>alert(1)</script>\" onload='x' <img src=x>"


class Page(HTMLParser):
    """Elements of a page: the places of marks by outcome, entries and links, as a browser takes them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    @property
    def marks(self) -> list[tuple[str, str]]:
        """Place and outcome of each mark by date, from left to right."""
        found = []
        for (_, link), (_, drawn) in zip(self.elements, self.elements[2:], strict=False):
            if "aria-label" in link and "style" in link:
                found.append((float(link["style"].removeprefix("left: ").removesuffix("%")), drawn["href"]))
        return [(f"{place:g}", outcome.removeprefix("#m-")) for place, outcome in sorted(found)]


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    return repository


def commit(job: GitRepository, text: str, subject: str, day: str) -> None:
    job.write("jobs/a.sql", text)
    job.git("add", "--all")
    job.git("commit", "--quiet", "-m", subject, GIT_COMMITTER_DATE=f"{day}T12:00:00 +0000")


def written(status: int = 0) -> str:
    assert main(["history", "jobs/a.sql", "--format", "html", "--output", "history.html"]) == status
    return Path("history.html").read_text(encoding="utf-8")


def row(date: str = "2026-01-01T12:00:00+00:00", subject: str = "There") -> HistoryRow:
    logged = LoggedCommit("a" * 40, (), date, "Ada", subject, ())
    return HistoryRow(JobChange(logged, "jobs/a.sql", None, None), FileStatus.NEW)


def test_each_change_has_a_mark_at_its_date_and_a_way_to_its_finding(job: GitRepository) -> None:
    commit(job, JOB, "First version", "2026-01-01")
    commit(job, REFORMATTED, "Reformat", "2026-01-11")
    commit(job, PARTIAL, "Add an aggregate", "2026-02-20")
    commit(job, INCOMPATIBLE, "Change the window", "2026-04-11")
    page = Page(written())
    assert page.marks == [("0", "new"), ("10", "kept"), ("50", "partial"), ("100", "lost")]
    assert {"2026-01-01", "2026-02-20", "2026-04-11"} <= set(re.findall(r"\d{4}-\d\d-\d\d", page.words))
    links = {name.removeprefix("#") for name in page.all("href")}
    assert links <= set(page.all("id"))
    assert {"c0", "f0", "c3"} <= links
    assert "window size 1 minute → 2 minutes: all window state is lost" in page.words
    assert "1 of 3 changes would have lost state" in page.words


def test_a_change_that_cannot_be_compared_says_why(job: GitRepository) -> None:
    commit(job, JOB, "First version", "2026-01-01")
    commit(job, BROKEN, "Break", "2026-01-02")
    commit(job, JOB, "Mend", "2026-01-03")
    page = Page(written(2))
    assert page.marks == [("0", "new"), ("50", "not_compared"), ("100", "unknown")]
    assert "Flink refuses it: " in page.words and "Flink refuses the former text, " in page.words
    assert "2 of 2 changes cannot be decided" in page.words


@pytest.mark.parametrize("text", [JOB, JOB.replace("region", f"`{HOSTILE}`")])
def test_nothing_of_a_job_is_markup(job: GitRepository, text: str) -> None:
    commit(job, text, HOSTILE, "2026-01-01")
    commit(job, text.replace("'1' MINUTE", "'2' MINUTE"), HOSTILE, "2026-01-02")
    page = Page(written())
    names = {name for name, _ in page.elements}
    assert not {"script", "img", "link", "iframe"} & names
    assert all(not name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert HOSTILE in page.words


@pytest.mark.parametrize(
    ("dates", "places"),
    [
        (["2026-01-02", "2026-01-02"], ["50", "50"]),
        (["2026-01-03", "10000-01-02", "2026-01-01"], ["0", "100"]),
        (["?"], []),
        ([], []),
    ],
    ids=["one moment", "a date of no calendar", "no date", "no change"],
)
def test_dates_that_make_no_axis(dates: list[str], places: list[str]) -> None:
    page = Page(history_page([row(date) for date in dates], "jobs/a.sql", "vvr"))
    assert [place for place, _ in page.marks] == places
    assert len([name for name, _ in page.elements if name == "li"]) == len(dates) + bool(dates)


@pytest.mark.parametrize(("encoding", "mark"), [("utf-8", "◌"), ("ascii", "!")])
def test_the_marks_of_a_terminal_are_those_that_it_takes(encoding: str, mark: str) -> None:
    open_row = replace(row(), status=FileStatus.NOT_COMPARED, reason="Cut off.")
    first, second = HistoryText(False, encoding).row(open_row).splitlines()
    assert first.startswith(f"{mark} not compared")
    assert second.strip("|│ ") == "Cut off."
