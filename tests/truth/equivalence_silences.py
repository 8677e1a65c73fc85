"""Reasons for the kinds of edits that a profile says nothing about although Flink's state or ids differ.

On ``vvr`` a row of the specification demands the silence. On ``flink`` the results come out right all the same: for
each kind there, a pair was restored by Flink 2.3.0 from a savepoint, with the rows of a job that always ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from equivalence_budgets import wrong


@dataclass(frozen=True)
class Silence:
    """Kinds of edits, or of rewrites with their prefix, that have one reason; ``rows`` are ids of the specification,
    none for ``flink``.
    """

    kinds: tuple[str, ...]
    reason: str
    rows: tuple[str, ...] = ()


SILENCES = {
    "vvr": (
        Silence(
            ("agg-removed", "agg-removed-last"), "an aggregate goes and another stays", ("GA-02", "WTVF-02", "GWA-02")
        ),
        Silence(("unused-agg-removed",), "the same below a ranking whose rows lack the aggregate", ("GA-02", "C-22")),
        Silence(("agg-reordered",), "aggregates change places", ("GA-05", "WTVF-05", "GWA-05")),
        Silence(
            ("ddl-column-added", "ddl-column-added-last", "ddl-column-dropped"),
            "no query reads the column",
            ("SRC-01",),
        ),
        Silence(
            ("ddl-column-order", "ddl-column-order-same-type"),
            "columns are traced to their names: the queries are the same",
            ("ID-01",),
        ),
        Silence(
            ("ddl-key-not-null", "ddl-not-null", "ddl-nullable"),
            "the row keeps its columns, their order and their types; no row speaks of NOT NULL, which `flink` reports",
            ("SRC-09", "DD-03"),
        ),
        Silence(("filter-key-constant",), "nothing with state stands behind the filter", ("WH-03",)),
        Silence(("insert-removed-first",), "an INSERT goes", ("SNK-01", "OL-06")),
        Silence(("join-key-reordered",), "operands of AND change places", ("EQ-03",)),
        Silence(("lookup-condition-removed",), "a lookup join keeps no state", ("JL-01",)),
        Silence(("over-added",), "nothing reads the aggregate, so the jobs are equal", ("ID-01",)),
        Silence(("sink-added",), "a sink with a query without state comes", ("SNK-02",)),
        Silence(("union-swapped",), "inputs of UNION ALL change places", ("UA-01",)),
        Silence(("value-column",), "a column of a deduplicated row is another one of its type", ("DD-03",)),
        Silence(("value-constant", "value-operator"), "the row of the sort keeps its types", ("C-23",)),
    ),
    "flink": (
        Silence(("ddl-renamed-table",), "no id is made of a table's name"),
        Silence(("set-ttl", "hint-state-ttl"), "a time to live is no part of what a serializer compares"),
        Silence(
            ("filter-added", "filter-conjunct-added", "filter-key-constant"),
            "groups that the filter leaves out get no rows, and the others had all of theirs",
        ),
        Silence(
            ("agg-count-column", "value-constant", "value-mixed-in", "value-nullif", "value-operands-swapped"),
            "nothing reads the accumulator, which keeps its type",
        ),
        Silence(("over-added",), "the frame holds a count already, or nothing reads the one that is added"),
        Silence(("rank-from",), "the ranking holds all rows up to the same last one"),
        Silence(("rank-n-one",), "the rows of an open window are all there"),
        Silence(("join-left",), "the rows of an open window are all there"),
        Silence(("ddl-format",), "a window over inserted rows counts what a window over changes counts"),
        Silence(("ddl-varchar",), "texts of all lengths have one serializer"),
        Silence(("rewrite:filter-true",), "a filter that always holds lets each row into the accumulator"),
    ),
}


def unexplained(engine: str) -> list[str]:
    """The silent kinds of edits without a reason."""
    known = {_with_prefix(kind) for silence in SILENCES[engine] for kind in silence.kinds}
    return sorted(wrong(engine)["silent"].keys() - known)


def idle(engine: str) -> list[str]:
    """The kinds of edits with a reason, none of whose pairs is silent."""
    silent = wrong(engine)["silent"]
    return sorted(kind for silence in SILENCES[engine] for kind in silence.kinds if _with_prefix(kind) not in silent)


def _with_prefix(kind: str) -> str:
    return kind if ":" in kind else f"edit:{kind}"


def silences() -> Iterator[str]:
    """The reasons as lines of Markdown."""
    for engine, found in SILENCES.items():
        yield f"| `{engine}`: silent edits | {'row' if engine == 'vvr' else 'restored'} | reason |"
        yield "|---|---|---|"
        for silence in found:
            rows = ", ".join(silence.rows) or "exact"
            yield f"| {', '.join(silence.kinds)} | {rows} | {silence.reason} |"
        yield ""
