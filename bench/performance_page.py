"""Keeps the table of the last run in docs/performance.md, between two marks; the rest of it is written by hand."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from figures import Figure, markdown

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- what `make bench` found -->", "<!-- up to here -->"


def write_page(parts: Sequence[tuple[str, list[Figure]]], page: Path = PAGE) -> None:
    """Put the parts, each a title and its figures, in the place of those of the run before.

    Raises:
        ValueError: the page has no place for them.
    """
    text = page.read_text("utf-8")
    marks = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not marks.search(text):
        raise ValueError(f"{page.name} has no place between {BEGIN} and {END}")
    table = "\n".join([BEGIN, "", *_lines(parts), "", END])
    page.write_text(marks.sub(lambda _: table, text), "utf-8")


def _lines(parts: Sequence[tuple[str, list[Figure]]]) -> Iterator[str]:
    figures = [figure for _, some in parts for figure in some]
    budgets = sum(figure.has_budget for figure in figures)
    missed = sum(figure.missed for figure in figures)
    yield f"{_machine()}. {budgets - missed} of {budgets} budgets are kept."
    for title, some in parts:
        yield from ("", f"### {title}", "", *markdown(some))


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{platform.system()} on {platform.machine()}, {cores} cores, {python}"
