"""Functions of the analyzer for single calls. For repeated calls about the same job, pass a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepstate.acceptances import AcceptancePolicy
from keepstate.analysis import SIDES, RestartAnalysis
from keepstate.job_version import JobVersion
from keepstate.report import Fix, ReadTable, Report, StateHover, StateOutcome
from keepstate.syntax.script import parse_script
from keepstate.workspace import Workspace

if TYPE_CHECKING:
    from keepstate.names.renames import Rename
    from keepstate.names.script_names import NamePlace, ScriptNames
    from keepstate.plan_view.drawing import Drawing
    from keepstate.validation import Validity


def analyse(
    current: JobVersion, baseline: JobVersion, engine: str = "vvr", workspace: Workspace | None = None
) -> RestartAnalysis:
    """Compare ``current`` with ``baseline``. A ``workspace`` that has compared the same two returns the earlier
    analysis.

    Never raises for any text: unreadable text is a problem of the report, and an undecidable outcome is ``unknown``.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> analyse(now, was).fixes(0)[0].title
    'Restore `MAX(a)` (compatible)'

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    return _workspace_or_new(workspace).analysis(current, baseline, engine)


def _workspace_or_new(workspace: Workspace | None) -> Workspace:
    return workspace if workspace is not None else Workspace()


def check(
    current: JobVersion, baseline: JobVersion, engine: str = "vvr", accepting: AcceptancePolicy | None = None
) -> Report:
    """The report of :func:`analyse`.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> report = check(now, was)
    >>> report.verdict.value, [finding.rule for finding in report.findings]
    ('incompatible', ['all-aggregates-replaced'])
    """
    return analyse(current, baseline, engine).report(accepting)


def anonymous(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts with other names and words, equal ones for equal ones, to be shown to other people.

    >>> anonymous(["SELECT price FROM orders", "SELECT price FROM items"])
    ('SELECT c1 FROM t1', 'SELECT c1 FROM t2')
    """
    from keepstate.draft import Draft
    from keepstate.structure.anonymous import replaced_names

    draft = Draft()
    return replaced_names(texts, [draft.meant_tokens(text) for text in texts])


def names_in(text: str, workspace: Workspace | None = None) -> ScriptNames:
    """All declared names of a text, with their places.

    >>> names = names_in("CREATE TABLE t (a INT); SELECT a FROM t")
    >>> [place.span.start for place in names.references(16)]
    [16, 31]
    """
    from keepstate.names.script_names import names_of

    return names_of(_workspace_or_new(workspace).script(text))


def renamed_place(text: str, offset: int, workspace: Workspace | None = None) -> NamePlace:
    """The name at ``offset`` that can be renamed.

    >>> renamed_place("CREATE TABLE t (a INT); SELECT `a` FROM t", 31).span
    Span(start=31, end=34)

    Raises:
        RenameRefused: there is none, or it cannot be renamed.
    """
    from keepstate.names.renames import renamed_place

    return renamed_place(_workspace_or_new(workspace).script(text), offset)


def rename(
    version: JobVersion, offset: int, new_name: str, engine: str = "vvr", workspace: Workspace | None = None
) -> Rename:
    """The edits that call the name at ``offset`` ``new_name`` at all its places.

    >>> rename(JobVersion("CREATE TABLE t (a INT); SELECT a FROM t"), 16, "b").edits
    (Edit(span=Span(start=16, end=17), new_text='b'), Edit(span=Span(start=31, end=32), new_text='b'))

    Raises:
        RenameRefused: there is no such name, or the new one is none, is taken, or changes what another name means.
    """
    from keepstate.names.renames import Engine, rename

    script = _workspace_or_new(workspace).script(version.text)
    return rename(script, offset, new_name, Engine(engine, version.engine_version, version.parameters))


def with_revert(current: JobVersion, baseline: JobVersion, report: Report, engine: str = "vvr") -> Report:
    """``report``, which a check of these two gave, with the smallest set of findings to take back.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> with_revert(now, was, check(now, was)).revert_to_be_compatible
    (0,)
    """
    return analyse(current, baseline, engine).with_revert(report)


def fixes(current: JobVersion, baseline: JobVersion, index: int, engine: str = "vvr") -> tuple[Fix, ...]:
    """The fixes of the finding at ``index`` of the report, best first.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> fixes(now, was, 0)[0].verdict_after.value
    'compatible'
    """
    return analyse(current, baseline, engine).fixes(index)


def file_fixes(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> tuple[Fix, ...]:
    """Fixes of the job as a whole, best first.

    >>> was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b; SELECT c, SUM(a) FROM u GROUP BY c")
    >>> now = JobVersion("SELECT b, MAX(a) FROM t GROUP BY b; SELECT c, MAX(a) FROM u GROUP BY c")
    >>> [fix.title for fix in file_fixes(now, was)]
    ['Restore both clauses (compatible)']
    """
    return analyse(current, baseline, engine).file_fixes()


def state_outcome(current: JobVersion, baseline: JobVersion, index: int, engine: str = "vvr") -> StateOutcome | None:
    """Fate of the state that the finding at ``index`` of the report is about, part by part.

    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> [(part.part, part.after) for part in state_outcome(now, was, 0).parts][:2]
    [('key b', 'lost'), ('MAX(a): the largest value so far', 'dropped')]
    """
    return analyse(current, baseline, engine).state_outcome(index)


def draw_plans(current: JobVersion, baseline: JobVersion, engine: str = "vvr") -> Drawing:
    """The plans of both versions, with their differences.

    >>> now, was = JobVersion("SELECT a FROM t WHERE a > 1"), JobVersion("SELECT a FROM t WHERE 1 < a")
    >>> draw_plans(now, was).same
    True
    """
    return analyse(current, baseline, engine).drawing()


def plans_text(current: JobVersion, baseline: JobVersion, engine: str = "vvr", titles: tuple[str, str] = SIDES) -> str:
    """The plans of both versions as text in two columns.

    >>> now, was = JobVersion("SELECT a FROM t WHERE a > 1"), JobVersion("SELECT a FROM t WHERE a > 0")
    >>> print(plans_text(now, was))
    SELECT #1: compatible
    baseline                    current
    |  output: a                |  output: a
    `- Calc                  ~  `- Calc
       |  where: a > 0       ~     |  where: a > 1
       `- TableSourceScan: t       `- TableSourceScan: t
    <BLANKLINE>
    ~ is changed, + in the current version only, - in the baseline only.
    """
    return analyse(current, baseline, engine).plans_text(titles)


# ---- one version


def validate(version: JobVersion, engine: str = "flink", context: Sequence[str] = ()) -> Validity:
    """The statements that the engine refuses, and those whose validity the script does not tell. ``context`` are texts
    whose declarations come first.

    >>> [problem.message for problem in validate(JobVersion("SELECT a FROM (VALUES (1)) AS t (b)")).problems]
    ['No table in this FROM has a column a.']
    """
    from keepstate.validation import validate_in

    scripts = [parse_script(text) for text in context]
    return validate_in(scripts, parse_script(version.text), engine, version.engine_version, version.parameters)


def state_hovers(
    version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None, at: int | None = None
) -> tuple[StateHover, ...]:
    """A note for every clause that keeps state, and for every window, in text order; with ``at``, those that a cursor
    there touches.

    >>> [hover.operator for hover in state_hovers(JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"))]
    ['GroupAggregate', 'GroupAggregate']

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.explain.state_hover import state_hovers

    return state_hovers(_workspace_or_new(workspace).job(version), engine, at)


def read_tables(version: JobVersion, workspace: Workspace | None = None) -> tuple[ReadTable, ...]:
    """The tables that the queries of a job read, in the order in which they come to them.

    >>> read_tables(JobVersion("CREATE TABLE t (a INT) WITH ('connector' = 'kafka'); SELECT a FROM t"))
    (ReadTable(name='t', connector='kafka', path=None, columns=(('a', 'INT'),)),)
    """
    from keepstate.tables import read_tables

    return read_tables(_workspace_or_new(workspace).job(version))


def draw_plan(version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None) -> Drawing:
    """The plan of every pipeline with the state of its operators.

    >>> [pipeline.current.name for pipeline in draw_plan(JobVersion("INSERT INTO s SELECT a FROM t")).pipelines]
    ['INSERT INTO s']

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.plan_view.drawing_builder import draw_plan

    return draw_plan(_workspace_or_new(workspace).job(version), engine)


def plan_text(version: JobVersion, engine: str = "vvr", workspace: Workspace | None = None) -> str:
    """The same as text.

    >>> print(plan_text(JobVersion("SELECT a FROM t WHERE a > 0")))
    SELECT #1
    |  output: a
    `- Calc
       |  where: a > 0
       `- TableSourceScan: t

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    from keepstate.plan_view.plain_text import plan_text

    return plan_text(draw_plan(version, engine, workspace))
