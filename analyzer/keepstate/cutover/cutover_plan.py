"""Values of a cutover plan: the way from the running version of a job to the current one, and what is exact in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from keepstate.cutover.positions import SourcePosition
from keepstate.cutover.times import Grid, Order
from keepstate.report import Effect, Fix, Verdict

NEW, CLEAN, SHADOW, BOOTSTRAP = "new.sql", "clean.sql", "shadow.sql", "bootstrap.sql"
"""Names of the scripts of plans."""


class NotPlannable(Exception):
    """Error of a version that is no job: refused, or not read as a whole. The message is a sentence that says why."""


class Approach(Enum):
    """A way from one version of a query to the next one."""

    RESTART = "restart"
    """From a savepoint: the query keeps its state."""
    BOUNDARY = "boundary"
    """The former job gives all results up to a time, the new job all behind it."""
    BOOTSTRAP = "bootstrap"
    """The new job starts with a state that was computed from the rows of the past."""
    REPLAY = "replay"
    """The new job reads all rows from the beginning, into a sink of its own."""
    NONE = "none"
    """No way is exact."""


class Share(Enum):
    """The share of a query's results that the new job writes."""

    ALL = "all"
    """All results, into a sink of its own."""
    SINCE = "since"
    """Results of rows from the boundary on, into a sink of its own; the former ones stay where they are."""
    BEHIND = "behind"
    """Results that come out behind the boundary, into the sink of the former job."""


@dataclass(frozen=True)
class Slot:
    """The time in which the former job has to be stopped, by its watermark: at or behind ``start``, before ``end``
    (``None``: its next results may come at any time, so that the boundary is read after the stop).
    """

    start: int
    end: int | None


@dataclass(frozen=True)
class Assumption:
    """A condition that the plan rests on. ``check`` is a name for programs, ``table`` the table that it is about.

    ``length`` is the time in milliseconds that the sentence names, ``column`` the column of the table.
    """

    check: str
    sentence: str
    table: str = ""
    length: int = 0
    column: str = ""


@dataclass(frozen=True)
class TimedSource:
    """The event time of a source: a column of the rows as they are stored, and the delay of the watermark behind it in
    milliseconds. Both are ``None`` where the script computes them.

    ``record_time`` and ``partition`` are the columns with the timestamp and the partition of a record, if the table
    declares them. ``locals`` are the columns whose times are moments, and not times of the session time zone.
    """

    table: str
    column: str | None
    delay: int | None
    record_time: str | None = None
    partition: str | None = None
    is_local: bool = False
    """Event times are moments, shown in the session time zone."""
    locals: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PipelinePlan:
    """The plan of one query. ``reasons`` say why a better approach is none, ``flaws`` what may be wrong, and when."""

    name: str
    verdict: Verdict
    effect: Effect
    approach: Approach
    reasons: tuple[str, ...] = ()
    flaws: tuple[str, ...] = ()
    condition: str = ""
    """The guard on its rows."""
    latest: str = ""
    """The query that reads the last time of the sink, where one of its columns has the time of the guard."""
    order: Order | None = None
    """The time that the guard is about; ``None`` without a guard."""
    sink: str = ""
    share: Share = Share.ALL

    @property
    def is_exact(self) -> bool:
        return self.approach is not Approach.NONE and not self.flaws


@dataclass(frozen=True)
class GeneratedScript:
    """A text that the plan makes. ``name`` is the name of its file, ``purpose`` a sentence."""

    name: str
    text: str
    purpose: str


@dataclass(frozen=True)
class KeyedSink:
    """A sink with a primary key: the positions of its columns among the ``width`` that are written."""

    table: str
    key: tuple[int, ...]
    width: int


@dataclass(frozen=True)
class ComputedState:
    """A state that ``script`` computes from the past rows of ``table``; the job reads it as the table ``state``."""

    script: str
    table: str
    state: str


@dataclass(frozen=True)
class CutoverPlan:
    """The plan of a job. Times are milliseconds: ``boundary`` of the wall clock that windows show, moments of positions
    since 1970.
    """

    pipelines: tuple[PipelinePlan, ...]
    approach: Approach
    """The approach of the job as a whole: the most costly one of its queries. A job that hands over at a boundary may
    have computed states as well, for some of its queries.
    """
    boundary: int | None = None
    boundary_epoch: int | None = None
    slot: Slot | None = None
    is_local: bool = False
    """The boundary is a time of the session time zone; else one as the rows have it."""
    reads_ahead: int = 0
    """Milliseconds before the boundary from which the new job reads."""
    ends: tuple[Grid, ...] = ()
    """The ends of windows of both versions, as far as they lie on grids."""
    at_any_time: bool = False
    """Rows or sessions of one version end at any time, on no grid."""
    sources: tuple[TimedSource, ...] = ()
    keyed_sinks: tuple[KeyedSink, ...] = ()
    positions: tuple[SourcePosition, ...] = ()
    scripts: tuple[GeneratedScript, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    states: tuple[ComputedState, ...] = ()
    keeping: tuple[Fix, ...] = ()
    """Edits that keep the state instead of a cutover."""
    clean_up: Verdict | None = None
    """The verdict of the restart that takes the guard away; ``None`` where there is nothing to take away."""

    @property
    def is_exact(self) -> bool:
        return all(pipeline.is_exact for pipeline in self.pipelines)

    @property
    def fills_new_sinks(self) -> bool:
        """Return whether readers have to change over to a new sink."""
        return any(each.share is not Share.BEHIND for each in self.pipelines if each.approach is not Approach.RESTART)

    @property
    def exists(self) -> bool:
        """Return whether there is a plan at all."""
        return self.approach is not Approach.NONE

    def script(self, name: str) -> str:
        """The text of a file of the plan.

        Raises:
            KeyError: the plan has no such file.
        """
        texts = {script.name: script.text for script in self.scripts}
        return texts[name]
