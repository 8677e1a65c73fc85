"""Sentences that the text and the page of a replay share."""

from __future__ import annotations

from datetime import datetime, timedelta

from keepstate.restart_effects import StateUse
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_spark.replay.replay_figures import ReplayFigures
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.witnesses import ReplayWitness

RESTARTED, WITHOUT_STATE = "restarted", "without_state"
USE_WORDS = {
    StateUse.REUSED: "The state is reused.",
    StateUse.LOST: "Nothing of the state is reused: the query starts without it.",
    StateUse.MISREAD: "The state is restored, and read with another meaning. What comes of that mixture is not "
    "computed; these are the numbers of a start without it.",
    StateUse.OPEN: "Nobody can tell whether the state is reused. At best it is, where it fits; at worst the query "
    "starts without it.",
}


def headline(replay: Replay) -> str:
    return f"{replay.file} against {replay.baseline}, restart at {replay.restart_at}"


def arrival_words(replay: Replay) -> str:
    if replay.arrivals:
        columns = ", ".join(f"{table}.{column}" for table, column in replay.arrivals.items())
        return f"Rows came when {columns} says."
    return "Rows are taken to come when they happened, at their event time; --arrival names a column that knows better."


def state_words(query: QueryReplay) -> str:
    if query.restart.with_job:
        return "Its own state would fit, but another query of the job cannot start from the savepoint."
    return USE_WORDS.get(query.restart.use, "")


def claim_words(query: QueryReplay) -> str:
    """A sentence that says whether the claim of the verdict holds on these rows; empty if it claims nothing."""
    claim = query.claim
    if claim is None:
        return ""
    if claim.faults is None:
        return f"Not tested on rows. {claim.reason}"
    if not claim.faults:
        return (
            f"tested, and true of these rows: the savepoint has {counted(claim.results or 0, 'result')} just as the "
            "current query would have built up."
        )
    return (
        f"{counted(claim.faults, 'result')} of {claim.results or 0:,} are not in the savepoint as the current query "
        "would have built them up. Then the verdict is wrong: please report it."
    )


def witness_words(witness: ReplayWitness) -> str:
    """A witness in words."""
    window = f", {time_text(witness.window[0])} to {time_text(witness.window[1])}" if witness.window is not None else ""
    result = f"of {witness.key}{window}" if witness.key or window else ""
    if not witness.metric:
        if witness.restarted is None:
            return f"The result {result} is missing after the restart."
        return f"The result {result} is there after the restart, and should not be."
    value = "NULL" if witness.expected is None else witness.expected
    after = "there is none" if witness.restarted is None else f"it is {witness.restarted}"
    return f"{witness.metric} {result} should be {value}; after the restart {after}."


def rows_words(query: QueryReplay) -> str:
    """The number of rows, and the state that was open."""
    summary, figures = query.rows_at_restart, query.figures
    assert summary is not None and figures is not None
    open_ = (
        f", windows that end after {time_text(summary.watermark)} were open"
        if summary.watermark and query.windowed
        else ""
    )
    things = f"{counted(figures.results, 'result')} of {counted(figures.keys, 'key')}" if figures.keys else "no result"
    return (
        f"{counted(summary.before, 'row')} came before the restart, {summary.after:,} after it{open_}. The state had "
        f"to do with {things}."
    )


def damage(query: QueryReplay, world: str, time: datetime) -> str:
    """The damage in one world, and its end."""
    figures = query.figures
    assert figures is not None
    wrong, keys = figures.wrong[world], figures.wrong_keys[world]
    if not wrong:
        return "every result is as expected."
    amount = f"{share(wrong, figures.results)} of the results are wrong ({wrong:,} of {figures.results:,}"
    return f"{amount}, {counted(keys, 'key')}){until(query, figures, world, time)}."


def until(query: QueryReplay, figures: ReplayFigures, world: str, time: datetime) -> str:
    if not query.recovers:
        if query.time_to_live:
            return f", each until its key has rested for {query.time_to_live} (table.exec.state.ttl)"
        return ", and stay so: nothing ends it"
    last = figures.heals_at[world]
    return f", until {time_text(last)}, {length(last - time)} after the restart" if last is not None else ""


def read_again(query: QueryReplay, time: datetime) -> str:
    """The effect of reading everything from the beginning, for a job that is restarted at ``time``."""
    summary = query.rows_at_restart
    assert summary is not None
    span = f" of {length(time - summary.first)}" if summary.first is not None else ""
    return (
        f"{counted(summary.before, 'row')}{span} once more, as far as the source still has them. In the end every "
        "result is as expected; those that were out come a second time."
    )


def time_text(time: datetime | None) -> str:
    if time is None:
        return ""
    text = time.isoformat(" ")
    return text.rstrip("0").rstrip(".") if "." in text else text


def length(span: timedelta) -> str:
    """A span of time in its two largest units."""
    seconds = max(0, round(span.total_seconds()))
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    parts = []
    for name, size in units:
        if seconds >= size:
            parts.append(f"{seconds // size} {name}")
            seconds %= size
    return " ".join(parts[:2]) or "0 s"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def share(part: int, whole: int) -> str:
    """A percentage; 0 % and 100 % stand for exact zero and exact whole alone."""
    return percent(part / whole if whole else 0.0)


def percent(number: float | None) -> str:
    if number is None:
        return "–"
    value = 100 * number
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 99.9 < value < 100:
        return "> 99.9 %"
    return f"{value:,.0f} %" if value == round(value) or value >= 100 else f"{value:.1f} %"
