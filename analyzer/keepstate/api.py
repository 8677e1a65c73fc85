"""The functions of the analyzer for callers that ask once. Who asks again about the same job passes a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keepstate.acceptances import Accepting
from keepstate.analysis import SIDES, Analysis
from keepstate.job_version import JobVersion
from keepstate.report import Fix, ReadTable, Report, StateFate, StateNote
from keepstate.workspace import Workspace

if TYPE_CHECKING:
    from keepstate.plan_view.values import Drawing


def analyse(
    current: JobVersion, baseline: JobVersion, engine: str = "vvr", workspace: Workspace | None = None
) -> Analysis:
    """Compare ``current`` with ``baseline``. In a ``workspace`` that has compared the same two, nothing is done again.

    Never raises for any text: what cannot be read is a problem of the report, what cannot be known is ``unknown``.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> analyse(now, was).fixes(0)[0].title
    'Put the baseline clause MAX(a) back (compatible)'

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    return _given(workspace).analysis(current, baseline, engine)


def _given(workspace: Workspace | None) -> Workspace:
    return workspace if workspace is not None else Workspace()


def check(current: JobVersion, baseline: JobVersion, engine: str = "vvr", accepting: Accepting | None = None) -> Report:
    """The report of :func:`analyse`."""
    return analyse(current, baseline, engine).report(accepting)


def with_revert(current: JobVersion, baseline: JobVersion, report: Report, engine: str = "vvr") -> Report:
    """``report``, which a check of these two gave, with the smallest set of findings to take back."""
    return analyse(current, baseline, engine).with_revert(report)


def fixes(current: JobVersion, baseline: JobVersion, index: int, engine: str = "vvr") -> tuple[Fix, ...]:
    """The fixes of the finding at ``index`` of the report, best first."""
    return analyse(current, baseline, engine).fixes(index)


def file_fixes(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> tuple[Fix, ...]:
    """Fixes of the job as a whole, best first."""
    return analyse(current, baseline, engine).file_fixes()


def state_fate(current: JobVersion, baseline: JobVersion, index: int, engine: str = "vvr") -> StateFate | None:
    """Fate of the state that the finding at ``index`` of the report is about, part by part."""
    return analyse(current, baseline, engine).state_fate(index)


def draw_plans(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> Drawing:
    """The plans of both versions, with their differences."""
    return analyse(current, baseline, engine).drawing()


def plans_text(current: JobVersion, baseline: JobVersion, engine: str = "vvr", titles: tuple[str, str] = SIDES) -> str:
    """The plans of both versions as text in two columns."""
    return analyse(current, baseline, engine).plans_text(titles)


# ---- one version


def state_notes(version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None) -> tuple[StateNote, ...]:
    """A note for every clause that keeps state, and for every window, in text order.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.explain.state_hover import state_notes

    return state_notes(_given(workspace).job(version), engine)


def read_tables(version: JobVersion, workspace: Workspace | None = None) -> tuple[ReadTable, ...]:
    """The tables that the queries of a job read, in the order in which they come to them."""
    from keepstate.tables import read_tables

    return read_tables(_given(workspace).job(version))


def draw_plan(version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None) -> Drawing:
    """The plan of every pipeline with the state of its operators.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.plan_view.plans import draw_plan

    return draw_plan(_given(workspace).job(version), engine)


def plan_text(version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None) -> str:
    """The same as text.

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.plan_view.page import plan_text

    return plan_text(draw_plan(version, engine, workspace))
