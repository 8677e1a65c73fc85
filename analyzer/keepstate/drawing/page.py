"""A drawing of one version as plain text, for a document."""

from __future__ import annotations

from keepstate.analysis import JobVersion
from keepstate.drawing.plans import draw_plan
from keepstate.drawing.rows import unified


def plan_text(version: JobVersion, engine: str = "vvr") -> str:
    """The plan of every pipeline with the state of its operators.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    pages = []
    for pipeline in draw_plan(version, engine).pipelines:
        lines = [row.current.text for row in unified(pipeline) if row.current is not None]
        pages.append("\n".join((pipeline.name, *lines)))
    return "\n\n".join(pages)
