"""Reads the rule pages (``analyzer/keepstate/rules/*.md``): sections, examples, markers.

A section is opened by a level-two heading that begins with a name in backticks. Its fenced ``sql`` blocks are read by
the words behind ``sql``:

- ``setup``: statements put before both sides of every example of the page,
- ``baseline``: one side of an example,
- ``current``: the other side; several of them may follow one baseline, each makes an example with it.

``alone`` leaves the setup out, ``parameters: key=value, key=value`` gives job parameters, ``engine: VERSION`` an engine
version, ``profile: NAME`` the engine profile, and ``verdict: WORD`` the verdict of the whole job where it is not just
the worst of the markers.

A marker is a comment line below a clause of a current block. Carets stand under the clause; one that begins at the
start of its line, where the comment has its dashes, is underlined with dashes. Three dots mean that it goes on in the
next lines. Then comes the verdict, the rule in parentheses unless it is the one of the section, and for something
removed its text in the baseline::

    SELECT city, SUM(price) FROM bids GROUP BY city
    --           ^^^^^^^^^^ partial (aggregate-changed)
    ------------------------ compatible (aggregate-removed), removed: COUNT(*)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import keepstate
from keepstate import JobVersion
from keepstate.report import Finding, Verdict
from keepstate.text import Span

PAGES = tuple(sorted((Path(keepstate.__file__).parent / "rules").glob("*.md")))

_HEADING = re.compile(r"## (?:`(?P<id>[a-z-]+)`(?:: (?P<title>.+))?|.*)")
_FENCE = re.compile(r"```(?P<info>.*)")
_INFO = re.compile(
    r"sql (?P<side>setup|baseline|current)(?P<alone> alone)?(?: parameters: (?P<parameters>\S+=\S+(?:, \S+=\S+)*))?"
    r"(?: engine: (?P<engine>\S+))?(?: profile: (?P<profile>\w+))?(?: verdict: (?P<verdict>\w+))?"
)
_MARKER = re.compile(
    r"(?:--(?P<blank> *)(?P<carets>\^+)|(?P<dashes>-{3,}))(?P<more>\.\.\.)? (?P<verdict>[a-z]+)"
    r"(?: \((?P<rule>[a-z-]+)\))?(?:, removed: (?P<removed>.+))?"
)
_MARKER_LIKE = re.compile(r"---|-- *\^")
_VERDICT_LINE = re.compile(r"Verdict: (?P<verdicts>.+?)\. Spec: (?P<spec>.+)\.")


@dataclass(frozen=True)
class Marker:
    """What an example says about one finding. ``span`` is that of the first line of the clause if ``goes_on``."""

    span: Span
    goes_on: bool
    verdict: str
    rule: str
    removed: str | None

    def __str__(self) -> str:
        dots = "..." if self.goes_on else ""
        removed = f", removed: {self.removed}" if self.removed is not None else ""
        return f"{self.span.start}-{self.span.end}{dots} {self.verdict} ({self.rule}){removed}"


@dataclass(frozen=True)
class Example:
    """A pair of two scripts and what is to be found in it. ``line`` is where its current block begins in the page."""

    page: str
    section: str
    line: int
    baseline: JobVersion
    current: JobVersion
    markers: tuple[Marker, ...]
    verdict: str | None
    introduced_as_silent: bool
    profile: str = "vvr"

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}:{self.section}"


@dataclass(frozen=True)
class Section:
    page: str
    id: str
    title: str
    line: int
    text: str
    examples: tuple[Example, ...]

    @property
    def name(self) -> str:
        return f"{self.page}:{self.id}"

    @property
    def verdict_line(self) -> str:
        """The first line below the heading."""
        return next((line for line in self.text.splitlines()[1:] if line), "")

    @property
    def spec(self) -> tuple[str, ...]:
        match = _VERDICT_LINE.fullmatch(self.verdict_line)
        return tuple(match["spec"].split(", ")) if match and match["spec"] != "none" else ()


@cache
def all_sections() -> tuple[Section, ...]:
    return tuple(section for page in PAGES for section in _Reader(page).sections())


@cache
def all_examples() -> tuple[Example, ...]:
    return tuple(example for section in all_sections() for example in section.examples)


def marker_of(finding: Finding, text: str) -> Marker:
    """The marker that a finding asks for."""
    first, *others = finding.current.text.split("\n")
    end = finding.current.span.start + len(first.rstrip("\r"))
    removed = None
    if finding.removed:
        removed = _one_line(finding.baseline.text if finding.baseline is not None else "")
    return Marker(Span(finding.current.span.start, end), bool(others), finding.verdict.value, finding.rule, removed)


def _one_line(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class _Block:
    line: int
    lines: tuple[str, ...]
    info: re.Match[str]
    prose: str
    """What was written since the block before."""


class _Reader:
    def __init__(self, page: Path) -> None:
        self._page = page.stem
        self._lines = page.read_text("utf-8").split("\n")

    def sections(self) -> Iterator[Section]:
        starts = [index for index, line in enumerate(self._lines) if _HEADING.fullmatch(line)]
        setup = self._setup(self._lines[: starts[0]])
        for start, end in zip(starts, [*starts[1:], len(self._lines)], strict=True):
            heading = _HEADING.fullmatch(self._lines[start])
            assert heading is not None
            if heading["id"] is None:
                continue
            blocks = list(self._blocks(start, end))
            examples = tuple(self._examples(heading["id"], setup, blocks))
            text = "\n".join(self._lines[start:end])
            yield Section(self._page, heading["id"], heading["title"] or "", start + 1, text, examples)

    def _setup(self, lines: list[str]) -> str:
        setups = [block for block in self._blocks(0, len(lines)) if block.info["side"] == "setup"]
        return "".join(line + "\n" for block in setups for line in block.lines) + "\n"

    def _blocks(self, start: int, end: int) -> Iterator[_Block]:
        prose: list[str] = []
        index = start
        while index < end:
            fence = _FENCE.fullmatch(self._lines[index])
            if fence is None:
                prose.append(self._lines[index])
                index += 1
                continue
            close = self._lines.index("```", index + 1)
            info = _INFO.fullmatch(fence["info"])
            if info is None:
                raise ValueError(f"{self._page}.md:{index + 1}: not a block of an example: {fence['info']!r}")
            yield _Block(index + 1, tuple(self._lines[index + 1 : close]), info, "\n".join(prose))
            prose = []
            index = close + 1

    def _examples(self, section: str, setup: str, blocks: list[_Block]) -> Iterator[Example]:
        baseline: _Block | None = None
        silent = False
        for block in blocks:
            silent = silent if block.prose.strip() == "" else "Silent:" in block.prose
            if block.info["side"] == "baseline":
                baseline = block
            elif block.info["side"] == "current" and baseline is not None:
                was, _ = _version(setup, baseline, section)
                now, markers = _version(setup, block, section)
                verdict, profile = block.info["verdict"], block.info["profile"] or "vvr"
                yield Example(self._page, section, block.line, was, now, markers, verdict, silent, profile)
            else:
                raise ValueError(f"{self._page}.md:{block.line}: this block belongs to no example")


def _version(setup: str, block: _Block, section: str) -> tuple[JobVersion, tuple[Marker, ...]]:
    """One side of an example without its marker lines, and the markers with spans in that text."""
    text = "" if block.info["alone"] else setup
    markers: list[Marker] = []
    start = len(text)
    for line in block.lines:
        match = _MARKER.fullmatch(line)
        if match is None:
            if _MARKER_LIKE.match(line):
                raise ValueError(f"not a marker, though it looks like one: {line!r}")
            start = len(text)
            text += line + "\n"
            continue
        columns = match.span("carets") if match["carets"] else match.span("dashes")
        markers.append(
            Marker(
                Span(start + columns[0], start + columns[1]),
                match["more"] is not None,
                Verdict(match["verdict"]).value,
                match["rule"] or section,
                match["removed"],
            )
        )
    given = block.info["parameters"]
    parameters = dict(pair.split("=", 1) for pair in given.split(", ")) if given else {}
    return JobVersion(text, parameters, block.info["engine"]), tuple(markers)


def listed(markers: Iterable[Marker]) -> list[str]:
    """Markers in an order and form in which two lists of them are compared."""
    return sorted(map(str, markers))
