"""The format of rule pages: front matter, prose, blocks of SQL, examples and the markers in them.

A page is a Markdown file ``pages/<query kind>/<name>.md``. Between two lines of ``+++`` stands its front matter in
TOML, which only the generator reads (``docs/front_matter.py``); below are the prose and the examples. The ``README.md``
of a folder introduces its pages. Fenced ``sql`` blocks are read by the words behind ``sql``:

- ``setup``: statements put before both sides of every example of the folder, in its ``README.md``,
- ``baseline``: one side of an example,
- ``current``: the other side; several of them may follow one baseline, each makes an example with it.

``alone`` leaves the setup out, ``parameters: key=value, key=value`` gives job parameters, ``engine: VERSION`` an engine
version, ``jobs: each-insert`` the jobs that the script runs as, ``profile: NAME`` the engine profile, and
``verdict: WORD`` the verdict of the whole job where it is not just the worst of the markers.

A marker is a comment line below a clause of a current block. Carets stand under the clause; one that begins at the
start of its line, where the comment has its dashes, is underlined with dashes. Three dots mean that it goes on in the
next lines. Then comes the verdict, the rule in parentheses unless it is the one of the page, and for something
removed its text in the baseline::

    SELECT city, SUM(price) FROM bids GROUP BY city
    --           ^^^^^^^^^^ partial (aggregate-changed)
    ------------------------ compatible (aggregate-removed), removed: COUNT(*)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from keepstate.text import Span

FENCE = "+++\n"
_FENCE = re.compile(r"```(?P<info>.*)")
_INFO = re.compile(
    r"sql (?P<side>setup|baseline|current)(?P<alone> alone)?(?: parameters: (?P<parameters>\S+=\S+(?:, \S+=\S+)*))?"
    r"(?: engine: (?P<engine>\S+))?(?: jobs: (?P<jobs>[a-z-]+))?(?: profile: (?P<profile>\w+))?"
    r"(?: verdict: (?P<verdict>\w+))?"
)
_MARKER = re.compile(
    r"(?:--(?P<blank> *)(?P<carets>\^+)|(?P<dashes>-{3,}))(?P<more>\.\.\.)? (?P<verdict>[a-z]+)"
    r"(?: \((?P<rule>[a-z-]+)\))?(?:, removed: (?P<removed>.+))?"
)
_MARKER_LIKE = re.compile(r"---|-- *\^")


class BadPage(ValueError):
    """Error of a page that is not in this format; the message has the line."""


@dataclass(frozen=True)
class ExampleMarker:
    """Expectation of an example about one finding. ``span`` is that of the first line of the clause if ``goes_on``."""

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
class Block:
    """A fenced block. ``text`` are its lines with their markers, ``prose`` is the text since the block before, ``line``
    is that of its opening fence, from 1.
    """

    side: str
    text: str
    line: int
    prose: str
    alone: bool = False
    parameters: dict[str, str] = field(default_factory=dict)
    engine: str | None = None
    jobs: str = "script"
    profile: str | None = None
    verdict: str | None = None

    def script(self, setup: str, page: str) -> tuple[str, tuple[ExampleMarker, ...]]:
        """The side of an example behind the setup, without its marker lines, and the markers with spans in that text.
        ``page`` is the rule that markers without a name mean.

        Raises:
            BadPage: a line looks like a marker and is none.
        """
        text = "" if self.alone else setup
        markers: list[ExampleMarker] = []
        start = len(text)
        for line in self.text.splitlines():
            match = _MARKER.fullmatch(line)
            if match is None:
                if _MARKER_LIKE.match(line):
                    raise BadPage(f"{page}: not a marker, though it looks like one: {line!r}")
                start = len(text)
                text += line + "\n"
                continue
            columns = match.span("carets") if match["carets"] else match.span("dashes")
            span = Span(start + columns[0], start + columns[1])
            more, rule = match["more"] is not None, match["rule"] or page
            markers.append(ExampleMarker(span, more, match["verdict"], rule, match["removed"]))
        return text, tuple(markers)

    @property
    def unmarked(self) -> str:
        """The text without its marker lines."""
        return "".join(line for line in self.text.splitlines(keepends=True) if not _MARKER_LIKE.match(line))


@dataclass(frozen=True)
class Example:
    """Both sides of an example. ``is_silent`` is true if the prose announces it as one without findings."""

    baseline: Block
    current: Block
    is_silent: bool

    @property
    def fires(self) -> bool:
        """Return whether a clause is underlined."""
        return self.current.unmarked != self.current.text


def front_matter(text: str, name: str) -> tuple[str, str]:
    """The front matter of a page, which is TOML, and its body.

    Raises:
        BadPage: the page does not begin with a line of ``+++``, or has no second one.
    """
    front, closing, body = text.removeprefix(FENCE).partition(f"\n{FENCE}") if text.startswith(FENCE) else ("", "", "")
    if not closing:
        raise BadPage(f"{name}: front matter between two lines of +++ is missing")
    return f"{front}\n", body


def parts(body: str, name: str = "", first_line: int = 1) -> Iterator[str | Block]:
    """The prose between blocks, and the blocks, in the order of the body.

    Raises:
        BadPage: a fence opens a block that is none of an example, or is never closed.
    """
    prose: list[str] = []
    lines = body.splitlines(keepends=True)
    index = 0
    while index < len(lines):
        fence = _FENCE.fullmatch(lines[index].rstrip("\n"))
        if fence is None:
            prose.append(lines[index])
            index += 1
            continue
        info = _INFO.fullmatch(fence["info"])
        if info is None:
            raise BadPage(f"{name}:{first_line + index}: not a block of an example: {fence['info']!r}")
        close = next((at for at in range(index + 1, len(lines)) if lines[at].rstrip("\n") == "```"), None)
        if close is None:
            raise BadPage(f"{name}:{first_line + index}: the block is not closed")
        before = "".join(prose)
        yield before
        yield _block(info, "".join(lines[index + 1 : close]), first_line + index, before)
        prose = []
        index = close + 1
    yield "".join(prose)


def _block(info: re.Match[str], text: str, line: int, prose: str) -> Block:
    parameters = info["parameters"]
    return Block(
        info["side"],
        text,
        line,
        prose,
        info["alone"] is not None,
        dict(pair.split("=", 1) for pair in parameters.split(", ")) if parameters else {},
        info["engine"],
        info["jobs"] or "script",
        info["profile"],
        info["verdict"],
    )


def examples(body: str, name: str = "", first_line: int = 1) -> Iterator[Example]:
    """The examples of a page.

    Raises:
        BadPage: a block belongs to no example.
    """
    baseline: Block | None = None
    silent = False
    for part in parts(body, name, first_line):
        if isinstance(part, str):
            silent = silent if part.strip() == "" else "Silent:" in part
        elif part.side == "baseline":
            baseline = part
        elif part.side == "current" and baseline is not None:
            yield Example(baseline, part, silent)
        else:
            raise BadPage(f"{name}:{part.line}: this block belongs to no example")


def setup_of(introduction: str, name: str = "") -> str:
    """The statements before both sides of every example of a folder, from its introduction."""
    blocks = [part for part in parts(introduction, name) if isinstance(part, Block)]
    if stray := next((block for block in blocks if block.side != "setup"), None):
        raise BadPage(f"{name}:{stray.line}: an introduction has blocks of setup only")
    return "".join(block.text for block in blocks) + "\n"
