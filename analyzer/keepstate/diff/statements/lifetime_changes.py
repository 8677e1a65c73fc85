"""Differences of how long operators keep their state: hints and ``table.exec.state.ttl``."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.diff.changes import Change, ChangeKind, LifetimeChange, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.operator_pairing import match_operators
from keepstate.diff.pipelines import PipelineDiff
from keepstate.diff.statements.option_changes import changed_option
from keepstate.plan.catalog import Option
from keepstate.plan.metadata.time_to_live import TimeToLive, forgets_by_timer, times_to_live
from keepstate.plan.operators import Operator
from keepstate.plan.parameters import STATE_TTL
from keepstate.plan.provenance import Place
from keepstate.plan.settings import whole

_REASONS = {
    LifetimeChange.SWITCHED: (
        "state with a time to live is stored in another form than state without one, which open-source Flink before "
        "2.2 refuses to read"
    ),
    LifetimeChange.SWITCHED_BESIDE_TIMERS: (
        "OVER by a row time drops old rows by timers; open-source Flink 1.20 read its state with and without a time to "
        "live, other engines were not measured"
    ),
    LifetimeChange.LENGTHENED: "what had expired stays gone or comes back, so results may be wrong for a while",
    LifetimeChange.SHORTENED: "",
    LifetimeChange.UNREADABLE: "the value is no length of time that Flink knows",
}
"""Reasons why the cost of a change is undecidable; empty for a cost that is known."""


def lifetime_changes(diff: PipelineDiff, locator: Locator, reset: Place | None) -> Iterator[Change]:
    """Times to live that changed, each once however many operators feel it. ``reset`` is a RESET of the setting."""
    was, now = diff.baseline, diff.current
    hinted = any(operator.ttl_hints for side in (was, now) for operator in side.plan.operators)
    settings = (was.settings.get(STATE_TTL), now.settings.get(STATE_TTL))
    if not hinted and settings[0] == settings[1]:
        return
    changes: dict[tuple[Option | None, Option | None], Change] = {}
    for baseline_operator, current_operator in _pairs(diff):
        for before, after in zip(
            times_to_live(baseline_operator, was.settings), times_to_live(current_operator, now.settings), strict=False
        ):
            lifetime = _difference(before, after)
            if lifetime is None:
                continue
            if lifetime is LifetimeChange.SWITCHED and forgets_by_timer(current_operator):
                lifetime = LifetimeChange.SWITCHED_BESIDE_TIMERS
            options = _edited(before, after, settings)
            place = options[0].place if options[0] is not None and _is_hint(options[0]) else None
            changes.setdefault(
                options,
                changed_option(
                    _kind(lifetime),
                    QueryKind.CONFIGURATION,
                    *options,
                    subject=_subject(options[1] or options[0]),
                    words=(before.words, after.words),
                    fallback=locator.stood_at(place, whole(now.statement)) if place is not None else None,
                    reset=reset if place is None else None,
                    reason=_REASONS[lifetime],
                    parameter=STATE_TTL,
                    lifetime=lifetime,
                ),
            )
    yield from changes.values()


def _edited(
    before: TimeToLive, after: TimeToLive, settings: tuple[Option | None, Option | None]
) -> tuple[Option | None, Option | None]:
    """The two options without the setting, if that stayed as it was and only hints came or went."""
    if TimeToLive(settings[0]).meaning != TimeToLive(settings[1]).meaning:
        return before.option, after.option
    return tuple(option if _is_hint(option) else None for option in (before.option, after.option))  # type: ignore[return-value]


def _is_hint(option: Option | None) -> bool:
    return option is not None and option.key != STATE_TTL


def _pairs(diff: PipelineDiff) -> Iterator[tuple[Operator, Operator]]:
    was, now = diff.baseline.plan, diff.current.plan
    if was == now:
        yield from zip(was.operators, now.operators, strict=True)
        return
    for match in match_operators(was.root, now.root):
        if match.baseline is not None and match.current is not None:
            yield match.baseline, match.current


def _difference(before: TimeToLive, after: TimeToLive) -> LifetimeChange | None:
    """Return the difference between two times to live; ``None`` if both mean the same."""
    if before.meaning == after.meaning:
        return None
    was, now = before.length, after.length
    if was is None or now is None:
        return LifetimeChange.UNREADABLE
    if not was or not now:
        return LifetimeChange.SWITCHED
    return LifetimeChange.LENGTHENED if was < now else LifetimeChange.SHORTENED


def _kind(lifetime: LifetimeChange) -> ChangeKind:
    is_shorter = lifetime is LifetimeChange.SHORTENED
    return ChangeKind.STATE_TTL_SHORTENED if is_shorter else ChangeKind.STATE_TTL_CHANGED


def _subject(option: Option | None) -> str:
    """``time to live of state``, or of one input where a hint names it."""
    if option is None or not _is_hint(option):
        return "time to live of state"
    return f"time to live of the state of {option.key}"
