"""The outlook of a cutover: the way that would be exact, and what it costs, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from keepstate.report import Effect, Finding, Verdict
from keepstate.reporting.accept_command import BASELINE, FILE, quoted_word

if TYPE_CHECKING:
    from keepstate.cutover.cutover_plan import CutoverPlan

_LOSING = frozenset({Verdict.INCOMPATIBLE, Verdict.PARTIAL})
_LOSSLESS = frozenset({Effect.EXACT, Effect.STATE_DROPPED})


@dataclass(frozen=True)
class CutoverCost:
    """The cost of a plan. ``stop_within`` are the milliseconds in which the running job has to be stopped, ``ahead``
    those before the boundary from which the new job reads the tables ``since``. It reads ``whole`` tables from their
    first row, and Spark reads the former rows of ``former`` once.
    """

    side_by_side: bool
    stop_within: int | None = None
    ahead: int | None = None
    since: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


@dataclass(frozen=True)
class CutoverOutlook:
    """``approach`` is the name of the way, as in the JSON of a plan."""

    approach: str
    is_exact: bool
    sentence: str
    cost: CutoverCost | None = None
    """``None`` where there is no plan."""

    def document(self) -> dict[str, Any]:
        """The outlook as JSON, for programs."""
        cost = self.cost
        return {
            "approach": self.approach,
            "exact": self.is_exact,
            "sentence": self.sentence,
            "cost": None
            if cost is None
            else {
                "side_by_side": cost.side_by_side,
                "stop_within_ms": cost.stop_within,
                "reads_ahead_ms": cost.ahead,
                "reads_since": list(cost.since),
                "reads_whole": list(cost.whole),
                "reads_former_rows": list(cost.former),
            },
        }


def costs_state(finding: Finding) -> bool:
    """Return whether a restart would lose results, so that a cutover is worth a plan.

    >>> from keepstate import JobVersion, check
    >>> now, was = JobVersion("SELECT b, SUM(a) FROM t GROUP BY b"), JobVersion("SELECT b, MAX(a) FROM t GROUP BY b")
    >>> costs_state(check(now, was).findings[0])
    True
    """
    return finding.verdict in _LOSING and finding.effect not in _LOSSLESS


def plan_command(path: str | None, against: str | None, options: Sequence[str]) -> str:
    """The command that makes the plan for the comparison of a report, with its baseline and its settings.

    >>> plan_command("jobs/a.sql", "deployed", ["--engine", "flink"])
    'keepstate cutover jobs/a.sql --against deployed --engine flink'
    """
    words = ["keepstate", "cutover", quoted_word(path, FILE)]
    if against is not None:
        words += ["--against", quoted_word(against, BASELINE)]
    return " ".join([*words, *(quoted_word(option, "OPTION") for option in options)])


def outlook_of(plan: CutoverPlan) -> CutoverOutlook | None:
    """The outlook of a plan; ``None`` where a restart keeps all results.

    >>> from keepstate.cutover.cutover_plan import Approach, CutoverPlan
    >>> outlook_of(CutoverPlan((), Approach.RESTART)), outlook_of(CutoverPlan((), Approach.NONE)).sentence
    (None, 'No plan is exact: the rows of the past cannot be read again.')
    """
    from keepstate.cutover.cutover_plan import Approach

    words = {Approach.BOUNDARY: _boundary, Approach.BOOTSTRAP: _bootstrap, Approach.REPLAY: _replay}
    if plan.approach is Approach.RESTART:
        return None
    if plan.approach is Approach.NONE:
        sentence = "No plan is exact: the rows of the past cannot be read again."
        return CutoverOutlook(plan.approach.value, False, sentence)
    exact = "Exact" if plan.is_exact else "Not exact"
    sentence = f"{exact}, {words[plan.approach](plan)}{_flaws(plan)}"
    return CutoverOutlook(plan.approach.value, plan.is_exact, sentence, _cost(plan))


def _cost(plan: CutoverPlan) -> CutoverCost:
    from keepstate.cutover.cutover_plan import Approach

    slot = plan.slot
    timed = tuple(each.table for each in plan.positions if each.millis is not None)
    return CutoverCost(
        plan.approach is not Approach.BOUNDARY,
        None if slot is None or slot.end is None else slot.end - slot.start,
        plan.reads_ahead if timed and plan.approach is Approach.BOUNDARY else None,
        timed,
        _whole(plan),
        tuple(dict.fromkeys(each.table for each in plan.states)),
    )


def _whole(plan: CutoverPlan) -> tuple[str, ...]:
    """The tables that the new job reads from their first row."""
    return tuple(each.table for each in plan.positions if each.millis is None and each.start.value != "nowhere")


def _boundary(plan: CutoverPlan) -> str:
    from keepstate.cutover.times import length_words

    slot = plan.slot
    is_timed = slot is not None and slot.end is not None
    within = f" within {length_words(slot.end - slot.start)}" if slot is not None and slot.end is not None else ""
    where = "between windows" if is_timed else "in event time"
    timed = [each.table for each in plan.positions if each.millis is not None]
    whole = _whole(plan)
    reads = [f"{length_words(plan.reads_ahead)} of {_list(timed)}"] if timed else []
    reads += [f"all rows of {_list(whole)}"] if whole else []
    again = f", and then the new one reads {' and '.join(reads)} again" if reads else ""
    tables = dict.fromkeys(each.table for each in plan.states)
    state = f" All former rows of {_list(tables)} are read once, on Spark, in between." if tables else ""
    return f"at a boundary {where}: the running job is stopped{within}{again}. They do not run side by side.{state}"


def _bootstrap(plan: CutoverPlan) -> str:
    tables = _list(dict.fromkeys(each.table for each in plan.states))
    return (
        f"from a computed state: all former rows of {tables} are read once, on Spark, and both jobs run side by side "
        "until readers change over."
    )


def _replay(plan: CutoverPlan) -> str:
    tables = _list(each.table for each in plan.positions if each.start.value != "nowhere")
    return (
        f"by a replay: the new job reads all rows of {tables}, and both jobs run side by side until it has caught up."
    )


def _flaws(plan: CutoverPlan) -> str:
    flaws = list(dict.fromkeys(flaw for pipeline in plan.pipelines for flaw in pipeline.flaws))
    if not flaws:
        return ""
    more = f" ({len(flaws) - 1} more in the plan)" if len(flaws) > 1 else ""
    return f" What may be wrong: {flaws[0]}{more}."


def _list(names: Iterable[str]) -> str:
    """Names in a row.

    >>> _list(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
