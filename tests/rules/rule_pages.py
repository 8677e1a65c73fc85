"""The examples of the rule pages as pairs of job versions, with what is to be found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from keepstate import JobVersion
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.report import Finding
from keepstate.rules.page_files import page_examples, setup
from keepstate.rules.page_format import Block, ExampleMarker
from keepstate.rules.rule import Page
from keepstate.rules.rule_pages import PAGES
from keepstate.text import Span


@dataclass(frozen=True)
class Example:
    """A pair of two scripts and what is to be found in it. ``line`` is where its current block begins in the page;
    ``page`` is the kind of query, ``section`` the name of the page.
    """

    page: str
    section: str
    line: int
    baseline: JobVersion
    current: JobVersion
    markers: tuple[ExampleMarker, ...]
    verdict: str | None
    introduced_as_silent: bool
    profile: str = "vvr"

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}:{self.section}"


@cache
def all_examples() -> tuple[Example, ...]:
    return tuple(example for page in PAGES for example in examples_of(page))


@cache
def examples_of(page: Page) -> tuple[Example, ...]:
    return tuple(_examples(page))


def _examples(page: Page) -> Iterator[Example]:
    before = setup(page.query_kind)
    for example in page_examples(page.query_kind, page.name):
        was, now = example.baseline, example.current
        baseline, _ = was.script(before, page.name)
        current, markers = now.script(before, page.name)
        yield Example(
            page.query_kind,
            page.name,
            now.line,
            _version(baseline, was),
            _version(current, now),
            markers,
            now.verdict,
            example.is_silent,
            now.profile or "vvr",
        )


def _version(text: str, block: Block) -> JobVersion:
    return JobVersion(text, block.parameters, block.engine, JobUnit(block.jobs))


def marker_of(finding: Finding, text: str) -> ExampleMarker:
    """The marker that a finding asks for."""
    first, *others = finding.current.text.split("\n")
    end = finding.current.span.start + len(first.rstrip("\r"))
    removed = None
    if finding.removed:
        removed = " ".join((finding.baseline.text if finding.baseline is not None else "").split())
    return ExampleMarker(
        Span(finding.current.span.start, end), bool(others), finding.verdict.value, finding.rule, removed
    )


def listed(markers: Iterable[ExampleMarker]) -> list[str]:
    """Markers in an order and form in which two lists of them are compared."""
    return sorted(map(str, markers))
