"""Lines and sentences about a replay for an editor, from the summary that the replay writes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

Json = Mapping[str, Any]

_WORLD = "restarted"
_BECAUSE = {
    "lost": ": nothing of the state is reused",
    "misread": ": the state is read with another meaning, counted here as if there were none",
    "open": ", even if the state is reused, which is unknown",
}


def query_line(query: Json, restart_at: str) -> str:
    """Effect of the restart on one query, without full stop: "33 % of the results of most are wrong until 11:00"."""
    figures = query["figures"]
    if figures is None:
        return str(query["skipped"]).rstrip(".")
    if not figures["results"]:
        return "no result was open, and none is wrong"
    wrong = figures["wrong"][_WORLD]
    if not wrong:
        return "every result is as expected"
    hit = [metric for metric in figures["metrics"] if metric["wrong"][_WORLD]]
    if len(hit) == 1:
        amount = f"{share(hit[0]['wrong'][_WORLD], hit[0]['results'])} of the results of {hit[0]['metric']} are wrong"
    else:
        amount = f"{share(wrong, figures['results'])} of the results are wrong"
    return f"{amount}{_until(query, restart_at)}{_BECAUSE.get(query['state'], '')}"


def witness_line(query: Json) -> str:
    """The few rows that are enough to see what goes wrong, without a full stop; empty if none are known."""
    witness = query.get("witness")
    if not witness:
        return ""
    rows = [
        f"{'after' if row['after'] else 'before'} the restart {row['table']} "
        f"({', '.join(f'{name} = {_value(value)}' for name, value in row['values'].items())})"
        for row in witness["rows"]
    ]
    prefix = "made-up rows: " if witness["generated"] else ""
    of = f" of {witness['key']}" if witness["key"] else ""
    if not witness["metric"]:
        return (
            f"{prefix}{'; '.join(rows)}. The result{of} is {'missing' if witness['restarted'] is None else 'too many'}"
        )
    now = "there is none" if witness["restarted"] is None else f"it is {witness['restarted']}"
    return f"{prefix}{'; '.join(rows)}. Then {witness['metric']}{of} should be {_value(witness['expected'])}, and {now}"


def _value(value: str | None) -> str:
    return "NULL" if value is None else value


def replay_sentence(summary: Json) -> str:
    """The effect of the restart on the job, in one sentence: on the query that is hit hardest, and the number of
    others.
    """
    queries = summary["queries"]
    restart_at = summary["restart_at"]
    begin = f"{summary['file']}, restart at {restart_at}"
    counted = [query for query in queries if query["figures"] is not None]
    if not counted:
        words = "; ".join(f"{query['name']}: {query_line(query, restart_at)}" for query in queries)
        return f"{begin}: {words}."
    hit = sorted((query for query in counted if query["figures"]["wrong"][_WORLD]), key=_wrong_share, reverse=True)
    not_replayed = len(queries) - len(counted)
    tail = f" {not_replayed} of {len(queries)} queries were not replayed." if not_replayed else ""
    if not hit:
        return f"{begin}: every result is as expected.{tail}"
    rest = f" ({len(hit) - 1} more of its queries {'is' if len(hit) == 2 else 'are'} hit)" if len(hit) > 1 else ""
    where = f"in {hit[0]['name']} " if len(queries) > 1 else ""
    return f"{begin}: {where}{query_line(hit[0], restart_at)}{rest}.{tail}"


def share(part: int, whole: int) -> str:
    """A percentage; 0 % and 100 % stand for exact zero and exact whole alone."""
    value = 100 * part / whole if whole else 0.0
    if 0 < value < 1:
        return "< 1 %"
    if 99 < value < 100:
        return "> 99 %"
    return f"{value:.0f} %"


def _wrong_share(query: Json) -> float:
    figures = query["figures"]
    return float(figures["wrong"][_WORLD] / max(figures["results"], 1))


def _until(query: Json, restart_at: str) -> str:
    if not query["heals"]:
        lifetime = query["time_to_live"]
        return f" until their key has rested for {lifetime}" if lifetime else " and stay so"
    last = query["figures"]["heals_at"][_WORLD]
    if last is None:
        return ""
    time = datetime.fromisoformat(last)
    same_day = restart_at.startswith(time.date().isoformat()) and "+" not in restart_at and "Z" not in restart_at
    return f" until {_short(time) if same_day else f'{time.date()} {_short(time)}'}"


def _short(time: datetime) -> str:
    return time.strftime("%H:%M:%S" if time.second else "%H:%M")
