"""Keeps the tables of the last runs in docs/performance.md, between two marks; the rest of it is written by hand."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from figures import Figure, markdown

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- what `make bench` found -->", "<!-- up to here -->"
_HEAD = "### "
_KEPT, _MISSED = "ok", "**over**"


def write_page(parts: Sequence[tuple[str, list[Figure]]], page: Path = PAGE, order: Sequence[str] = ()) -> None:
    """Put the parts, each a title and its figures, in the place of those of the run before. Parts that were not
    measured now stay, unless ``order``, which names all parts, does not name them.

    Raises:
        ValueError: the page has no place for them.
    """
    text = page.read_text("utf-8")
    marks = re.compile(f"{re.escape(BEGIN)}(.*?){re.escape(END)}", re.DOTALL)
    found = marks.search(text)
    if not found:
        raise ValueError(f"{page.name} has no place between {BEGIN} and {END}")
    sections = _sections(found[1]) | {title: list(markdown(figures)) for title, figures in parts}
    shown = [title for title in order if title in sections] or list(sections)
    table = "\n".join([BEGIN, "", *_lines({title: sections[title] for title in shown}), "", END])
    page.write_text(marks.sub(lambda _: table, text), "utf-8")


def _sections(block: str) -> dict[str, list[str]]:
    """The lines of each table by its title."""
    heads = re.split(rf"^{_HEAD}(.*)$", block, flags=re.MULTILINE)[1:]
    return {title: body.strip().splitlines() for title, body in zip(heads[::2], heads[1::2], strict=True)}


def _lines(sections: Mapping[str, Sequence[str]]) -> Iterator[str]:
    verdicts = [line.split("|")[4].strip() for lines in sections.values() for line in lines[2:]]
    kept, missed = verdicts.count(_KEPT), verdicts.count(_MISSED)
    yield f"{_machine()}. {kept} of {kept + missed} budgets are kept."
    for title, lines in sections.items():
        yield from ("", f"{_HEAD}{title}", "", *lines)


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{platform.system()} on {platform.machine()}, {cores} cores, {python}"
