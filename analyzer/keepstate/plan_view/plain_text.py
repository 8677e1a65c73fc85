"""Drawings as plain text, for a document: one version, or two beside each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from textwrap import TextWrapper

from keepstate.plan_view.drawing import Drawing, DrawnPipeline, Mark
from keepstate.plan_view.drawing_rows import DrawnLine, DrawnRow, side_by_side, unified

_WIDEST_COLUMN = 72
"""Characters of a side: two of them are read in one window. A line that is longer goes on below its own words."""
_LEAST_ROOM = 24
"""For the words of a line, however deep its tree is."""
_WHERE = {
    Mark.SAME: ", the same plan on both sides",
    Mark.ADDED: ", in the current version only",
    Mark.REMOVED: ", in the baseline only",
    Mark.CHANGED: "",
}


def plan_text(drawing: Drawing) -> str:
    """The plan of every pipeline of one version with the state of its operators.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.plan_view.drawing_builder import draw_plan
    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("INSERT INTO s SELECT COUNT(*) FROM t"), {})
    >>> print(plan_text(draw_plan(job, "vvr")))
    INSERT INTO s
    |  output: COUNT(*)
    `- GroupAggregate
       |  aggregates: COUNT(*)
       |  state: one row of accumulators per group
       |    keeps: COUNT(*): a count
       |    until the job ends, unless a time to live (table.exec.state.ttl) is set outside of the script
       |    vvr can migrate the accumulators, as long as an aggregate stays as it is
       `- TableSourceScan: t
    """
    pages = []
    for pipeline in drawing.pipelines:
        lines = [row.current.text for row in unified(pipeline) if row.current is not None]
        pages.append("\n".join((pipeline.name, *lines)))
    return "\n\n".join(pages)


def plans_text(drawing: Drawing, titles: tuple[str, str]) -> str:
    """Return the plans of two versions in two columns, the baseline left, with a sign between them where a row differs.

    A pipeline whose plan is the same on both sides is drawn once. ``titles`` are the headings of the sides.

    >>> from keepstate import JobVersion, analyse
    >>> from keepstate.plan_view.drawing_builder import draw_plans
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> plans_text(draw_plans(analyse(now, was).comparison), ("HEAD", "now")).splitlines()[0]
    'SELECT #1: incompatible'
    """
    pages = ["\n".join((_head(pipeline), *_body(pipeline, titles))) for pipeline in drawing.pipelines]
    whole = [f"! {rule.id}: {rule.verdict.value}" for rule in drawing.rules]
    if whole:
        pages.append("\n".join(("The job as a whole:", *whole)))
    if any(pipeline.mark is not Mark.SAME for pipeline in drawing.pipelines):
        pages.append("~ is changed, + in the current version only, - in the baseline only.")
    return "\n\n".join(pages)


def _head(pipeline: DrawnPipeline) -> str:
    verdict = f": {pipeline.verdict.value}" if pipeline.verdict is not None else ""
    return f"{pipeline.name}{verdict}{_WHERE[pipeline.mark]}"


def _body(pipeline: DrawnPipeline, titles: tuple[str, str]) -> Iterator[str]:
    if pipeline.mark is not Mark.CHANGED:
        for row in unified(pipeline):
            line = row.current or row.baseline
            yield line.text if line is not None else ""
        return
    rows = [DrawnRow(DrawnLine("", "", titles[0]), DrawnLine("", "", titles[1]), Mark.SAME), *side_by_side(pipeline)]
    sides = [(list(_wrapped(row.baseline)), list(_wrapped(row.current)), row.mark) for row in rows]
    width = max((_cells(line) for baseline_column, _, _ in sides for line in baseline_column), default=0)
    for baseline_column, current_column, mark in sides:
        yield from _columns(baseline_column, current_column, mark, width)


def _columns(baseline_column: Iterable[str], current_column: Iterable[str], mark: Mark, width: int) -> Iterator[str]:
    sign = mark.value
    for was, now in zip_longest(baseline_column, current_column, fillvalue=""):
        yield f"{was}{' ' * (width - _cells(was))} {sign}  {now}".rstrip()
        # What goes on below is part of the same difference, which is counted once.
        sign = " "


def _wrapped(line: DrawnLine | None) -> Iterator[str]:
    """A line of a tree in the width of a column."""
    if line is None:
        return
    prefix, words = line.prefix, line.text[len(line.prefix) :]
    room = max(_WIDEST_COLUMN - len(line.hanging), _LEAST_ROOM)
    for piece in TextWrapper(room, break_on_hyphens=False).wrap(words) or [words]:
        yield f"{prefix}{piece}"
        prefix = line.hanging


def _cells(text: str) -> int:
    """The columns that a text takes in a font of fixed width."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(bool(unicodedata.combining(char)) for char in text)
