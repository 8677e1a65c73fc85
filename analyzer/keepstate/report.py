"""Results of a check: verdicts, findings, and the report that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from keepstate.text import Edit, Span
from keepstate.value_class import value_class


class Verdict(Enum):
    """Effect of a restart from a savepoint on the state of a job (spec OV-01 to OV-04).

    A verdict is a fact about the state. Its severity is a setting of the editor or of the gate.
    """

    COMPATIBLE = "compatible"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    INCOMPATIBLE = "incompatible"

    @property
    def rank(self) -> int:
        """Rank of a verdict, from 0 (compatible) to 3 (incompatible): the order of ``--fail-on``."""
        # By the value: the hash of a member is a function of Python.
        return _RANK[self._value_]

    @staticmethod
    def worst(verdicts: Iterable[Verdict]) -> Verdict:
        """The verdict that wins when several hold; ``COMPATIBLE`` when there are none."""
        return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.COMPATIBLE)


_RANK = {verdict.value: rank for rank, verdict in enumerate(Verdict)}


class Effect(Enum):
    """Effect of a changed clause on the state behind it."""

    EXACT = "exact"
    STARTS_EMPTY = "starts-empty"
    STATE_DROPPED = "state-dropped"
    STATE_LOST = "state-lost"
    DOES_NOT_START = "does-not-start"
    WRONG_RESULTS = "wrong-results"
    UNDETERMINED = "undetermined"

    @property
    def precedence(self) -> int:
        """Order of effects, from 0 (exact) to 6 (wrong results, which no error message reveals)."""
        return _PRECEDENCE[self]


_PRECEDENCE = {
    effect: number
    for number, effect in enumerate(
        (
            Effect.EXACT,
            Effect.STATE_DROPPED,
            Effect.STARTS_EMPTY,
            Effect.UNDETERMINED,
            Effect.STATE_LOST,
            Effect.DOES_NOT_START,
            Effect.WRONG_RESULTS,
        )
    )
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A place in one of the two texts: the span and the text that stands there."""

    span: Span
    text: str


ENGINE_VERSION = "engine-version"


@dataclass(frozen=True, slots=True)
class ExternalSetting:
    """A setting outside of the SQL, so that no clause holds it: a job parameter, or the engine version
    (``ENGINE_VERSION``).

    ``current`` and ``baseline`` are the keys under which the two sides have the setting; ``None`` for a side that has
    it in its SQL, or not at all.
    """

    current: str | None
    baseline: str | None

    @property
    def key(self) -> str:
        return self.current or self.baseline or ""


@dataclass(frozen=True, slots=True)
class Problem:
    """An input that could not be read: a sentence for people, and the span (``None``: the file as a whole)."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class RelatedInformation:
    """A second place that explains a refusal, with its words: a declaration, or the view that is broken."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A statement that Flink refuses, with the reason and its place.

    Without ``certain`` open-source Flink refuses the statement, and the documents of the engine leave open whether it
    does.
    """

    rule: str
    """The check of the validation, such as ``unknown-column``."""
    message: str
    span: Span
    related: tuple[RelatedInformation, ...] = ()
    certain: bool = True
    assuming: str = ""
    """The declarations that this rests on, such as ``orders from ddl/orders.sql``, if no configuration names them."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A decision that findings of a rule may stay.

    An acceptance in a comment has a ``span`` (of the comment) and applies to the clause beside the comment. An
    acceptance of a ledger has the ``key`` of its change and the ``file`` that it applies to, relative to the folder of
    the ledger with ``/`` (empty: every file), and may name the ``jobs`` that it applies to (none: all of them).
    ``until`` is its last valid day.
    """

    rule: str
    because: str
    until: date | None = None
    key: str | None = None
    span: Span | None = None
    file: str = ""
    jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusedAcceptance:
    """An acceptance that accepts nothing; ``reason`` says why, to go behind a colon."""

    acceptance: Acceptance
    reason: str


@value_class(frozen=True, slots=True)
class Finding:
    """One edit that lowers compatibility, or that deserves a notice.

    ``current`` is the shown clause: the clause itself, or, for a removed part, the clause or neighbour that remains
    where it stood (then ``removed`` is true and ``baseline`` is the removed text).

    The sentences: ``change`` is the change itself, ``consequence`` its effect on state, ``recovery`` the end of wrong
    results, ``advice`` an alternative. ``message`` joins the first two into the one line that lists show.
    """

    rule: str
    spec: tuple[str, ...]
    query_kind: str
    verdict: Verdict
    effect: Effect
    change: str
    consequence: str
    recovery: str
    advice: str
    current: Clause
    baseline: Clause | None
    removed: bool
    pipeline: str | None
    external: ExternalSetting | None = None
    """The setting that the finding is about, if it is set outside of the SQL. On such a side ``current`` is a clause of
    the affected query, and ``baseline`` is ``None``.
    """

    key: str = ""
    """Identity of the change by its meaning, independent of layout and position."""
    accepted: Acceptance | None = None
    in_company: bool = False
    """It costs its verdict only beside other changes: by a feature that leaves these open, or since several kinds of
    things changed at once.
    """

    @property
    def message(self) -> str:
        return f"{self.change}: {self.consequence}"


_LEADS_TO = {
    Verdict.COMPATIBLE: "compatible",
    Verdict.PARTIAL: "partly compatible",
    Verdict.UNKNOWN: "unknown",
    Verdict.INCOMPATIBLE: "still incompatible",
}


@value_class(frozen=True, slots=True)
class FixAction:
    """The deed of a fix: ``words`` such as "Restore `MAX(a)`". ``restores``: it brings text of the baseline back."""

    words: str
    restores: bool


@value_class(frozen=True, slots=True)
class PipelineVerdict:
    """One INSERT or top-level SELECT with all that it reads."""

    name: str
    span: Span
    verdict: Verdict
    effect: Effect
    findings: tuple[int, ...] = ()
    """Indices into ``Report.findings``."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A declared table. ``connector`` and ``path`` are what its options say; ``None`` where they do not. ``columns``
    have their names and types, with NOT NULL where they are.
    """

    name: str
    connector: str | None
    path: str | None
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def has_files(self) -> bool:
        """Return whether the declaration names files with the rows of the table."""
        return self.connector == "filesystem" and self.path is not None


@dataclass(frozen=True, slots=True)
class NewFile:
    """Another file that a fix needs, beside the one that it edits.

    ``suffix`` goes behind the name of that one, in front of its ending: ``revenue.sql`` and ``_sold`` make
    ``revenue_sold.sql``.
    """

    suffix: str
    text: str
    open_point: Span | None = None
    """The text that only the user can write; ``None`` if the file is complete."""


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit of the current text that was analysed before it is offered; ``verdict_after`` is the resulting
    verdict.
    """

    action: FixAction
    kind: str
    """``revert``, ``keep-both``, ``restore-order``, ``restore-removed``, ``separate-job``, ``revert-smallest`` or
    ``first-step``.
    """
    verdict_after: Verdict
    edits: tuple[Edit, ...]
    new_files: tuple[NewFile, ...] = ()
    """A fix with any makes sense only where these can be made too; ``verdict_after`` is about the edited file."""

    @property
    def title(self) -> str:
        """The action, and the verdict that it leads to."""
        return f"{self.action.words} ({_LEADS_TO[self.verdict_after]})"


@value_class(frozen=True, slots=True)
class Report:
    """The result of one check. Findings stand in text order; equal input gives an equal report."""

    engine: str
    verdict: Verdict
    effect: Effect
    pipelines: Sequence[PipelineVerdict] = ()
    findings: tuple[Finding, ...] = ()
    revert_to_be_compatible: tuple[int, ...] = ()
    """Indices of the smallest set of findings whose removal makes the job compatible. A check leaves it empty, since it
    takes analyses of further texts; ``with_revert`` fills it in. Then empty means that no such set was found.
    """
    problems: tuple[Problem, ...] = ()
    """Parts of the current text that could not be read; the rest was analysed."""
    baseline_problems: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    """Statements of the current text that the engine refuses, or may refuse. In the comparison the baseline stands in
    for the refused ones, so findings are about the rest.
    """
    baseline_refusals: tuple[Refusal, ...] = ()
    """The same of the baseline, without those that are not certain; ``former_refusals`` are those that the current text
    does not have.
    """
    unchanged: bool = False
    """The two sides mean the same: nothing was there to judge."""
    verdict_without_accepted: Verdict | None = None
    """The verdict with all accepted findings left out of account; ``None`` if none is accepted."""
    unused_acceptances: tuple[UnusedAcceptance, ...] = ()

    @property
    def former_refusals(self) -> tuple[Refusal, ...]:
        """Refusals of the baseline that the current text does not have as well: those are named once, there."""
        own = {(refusal.rule, refusal.message) for refusal in self.refusals}
        return tuple(each for each in self.baseline_refusals if (each.rule, each.message) not in own)

    @property
    def is_valid(self) -> bool:
        """Return whether no statement of the current text is certainly refused."""
        return not any(refusal.certain for refusal in self.refusals)

    def refuses_more_than(self, other: Report) -> bool:
        """Return whether the engine refuses, or may refuse, a statement here and none for the same reason there."""
        return other.lacks_any_of(self.refusals)

    def lacks_any_of(self, refusals: Iterable[Refusal]) -> bool:
        """Return whether one of ``refusals`` has a reason for which no statement is refused here."""
        messages = {(refusal.rule, refusal.message) for refusal in self.refusals}
        return any((refusal.rule, refusal.message) not in messages for refusal in refusals)

    @property
    def with_fixes(self) -> range:
        """The findings that a whole report tells fixes of: of hundreds in hundreds of queries the first ones. Each fix
        is tried by an analysis of the job, and all of them would take minutes.
        """
        tried = max(_LEAST_FIXED, _MOST_TRIED // max(1, len(self.pipelines)))
        return range(min(len(self.findings), tried))

    @property
    def open_verdict(self) -> Verdict:
        """Verdict for a gate: the worst of the remaining verdict and of each finding that is not accepted.

        The result may be worse than ``verdict``, since a Python aggregate makes even a certain loss undecidable.
        """
        result = self.verdict if self.verdict_without_accepted is None else self.verdict_without_accepted
        if self.refusals:
            result = Verdict.worst((result, Verdict.UNKNOWN))
        certain = (one.verdict for one in self.findings if one.accepted is None and not one.in_company)
        return Verdict.worst((result, *certain))


_MOST_TRIED = 6_000
"""Findings, times the queries that are looked at to try a fix of each."""
_LEAST_FIXED = 8


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """One part of a state: its content in the savepoint, and its outcome."""

    part: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class StateOutcome:
    """Outcome for the state of one operator, part by part. ``left_out`` counts the parts beyond the limit."""

    operator: str
    parts: tuple[PartOutcome, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class StateHover:
    """State that a clause keeps, for a hover on a clause without a finding."""

    span: Span
    operator: str
    title: str
    keeps: tuple[str, ...] = field(default_factory=tuple)
    keyed_by: tuple[str, ...] = field(default_factory=tuple)
    until: str = ""
    example: tuple[str, ...] = field(default_factory=tuple)
    """For a window: lines that show some of the windows it makes."""
    migration: str = ""
    """The parts of the state that the engine can migrate, in a few words."""
    explanation: str = ""
    """Effect of a parameter on state, in sentences."""
