"""The answers of a replay, in sentences: for each query, and for the job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepstate.restart_effects import StateUse
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_lsp.cli.commands.replay.replay_sentences import RESTARTED, WITHOUT_STATE, counted, damage
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.restart_points import restart_time

_LONGEST_NAME = 36


def world_names(use: StateUse) -> Mapping[str, str]:
    """The names of the worlds of a query beside its numbers."""
    if use is StateUse.OPEN:
        return {RESTARTED: "at best", WITHOUT_STATE: "at worst, without state"}
    return {RESTARTED: "after the restart", WITHOUT_STATE: "without state"}


def short_name(query: QueryReplay) -> str:
    return shortened(one_line(query.query.name).removeprefix("INSERT INTO "), _LONGEST_NAME)


def replayed(queries: Sequence[QueryReplay]) -> list[QueryReplay]:
    """The queries with figures."""
    return [query for query in queries if query.figures is not None]


def wrong(query: QueryReplay, world: str) -> int:
    """Results that are not as expected; 0 also where there are no figures."""
    return query.figures.wrong[world] if query.figures is not None else 0


def may_be_wrong(query: QueryReplay) -> bool:
    """Return whether results are as expected only if the state is reused, which is not known before the restart."""
    return query.restart.use is StateUse.OPEN and not wrong(query, RESTARTED) and wrong(query, WITHOUT_STATE) > 0


def worst_first(queries: Sequence[QueryReplay]) -> list[QueryReplay]:
    """Queries with figures: what is wrong after the restart, then what would be without state, by its share."""

    def share(query: QueryReplay, world: str) -> float:
        return wrong(query, world) / max(1, query.figures.results if query.figures is not None else 0)

    return sorted(replayed(queries), key=lambda query: (-share(query, RESTARTED), -share(query, WITHOUT_STATE)))


def answer(query: QueryReplay, replay: Replay) -> str:
    """The share of wrong results and the time until they are correct: one sentence, or the reason why there is none."""
    if query.figures is None:
        return query.skipped
    if not query.figures.results:
        return "Nothing is wrong: the state had to do with no result."
    first, second = (
        f"{name[0].upper()}{name[1:]} {damage(query, world, restart_time(replay.restart_at, query.query.zone))}"
        for world, name in world_names(query.restart.use).items()
    )
    return f"{first} {second}" if query.restart.use is StateUse.OPEN else first


def job_answer(replay: Replay) -> str:
    """The answer for all queries together, for a headline."""
    queries = replayed(replay.queries)
    if not queries:
        if any(query.refused for query in replay.queries):
            return "This restart cannot be replayed"
        return "This restart changes nothing: there is no state that it could lose"
    bad = [query for query in queries if wrong(query, RESTARTED)]
    open_ = [query for query in queries if may_be_wrong(query)]
    if len(queries) == 1 and bad:
        time = restart_time(replay.restart_at, queries[0].query.zone)
        return damage(queries[0], RESTARTED, time).removesuffix(".")
    left_out = sum(query.refused for query in replay.queries)
    if not bad and not open_:
        sentence = "No result is wrong after this restart"
        return f"{sentence}, of the {counted_queries(len(queries))} that can be replayed" if left_out else sentence
    parts = []
    if bad:
        verb = "gives" if len(bad) == 1 else "give"
        parts.append(f"{len(bad)} of {counted_queries(len(queries))} {verb} wrong results after the restart")
    if open_:
        parts.append(
            f"{len(open_)} more may"
            if bad
            else f"{len(open_)} of {counted_queries(len(queries))} may give wrong results"
        )
    if left_out:
        parts.append(f"{left_out} cannot be replayed")
    return ", ".join(parts)


def counted_queries(number: int) -> str:
    return f"{number:,} quer{'y' if number == 1 else 'ies'}"


def size_words(replay: Replay) -> str:
    """The size of the replay, for the line under a picture."""
    queries = replayed(replay.queries)
    rows = max(
        (
            query.rows_at_restart.before + query.rows_at_restart.after
            for query in queries
            if query.rows_at_restart is not None
        ),
        default=0,
    )
    results = sum(query.figures.results for query in queries if query.figures is not None)
    return f"{counted(results, 'result')} of {counted_queries(len(queries))} over {counted(rows, 'row')}"
