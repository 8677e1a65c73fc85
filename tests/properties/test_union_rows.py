"""Unions against their rows: two queries that give other results on some rows are never called compatible.

The queries are evaluated here, by hand, on rows made at random: no part of the analyzer takes part in that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from random import Random
from typing import Any

from hypothesis import given, strategies

from budgets import union_rows as budget
from keepstate import JobVersion
from keepstate.report import Verdict
from shared_analyses import check

Row = dict[str, Any]
CONDITIONS: dict[str, Callable[[Row], bool]] = {
    "c = 'a'": lambda row: row["c"] == "a",
    "c = 'b'": lambda row: row["c"] == "b",
    "w > 1": lambda row: row["w"] > 1,
}
VALUES: dict[str, Callable[[Row], int]] = {
    "v": lambda row: row["v"],
    "w": lambda row: row["w"],
    "v + w": lambda row: row["v"] + row["w"],
    "CAST(0 AS BIGINT)": lambda row: 0,
}
KEYS: dict[str, Callable[[Row], str]] = {"k": lambda row: row["k"], "u": lambda row: row["u"]}
COLUMNS = "(k STRING, u STRING, c STRING, v BIGINT, w BIGINT)"
TABLES = "".join(
    f"CREATE TABLE {name} {COLUMNS} WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json');\n"
    for name in ("ones", "twos")
)


@dataclass(frozen=True)
class Branch:
    table: str
    conditions: frozenset[str]
    key: str
    x: str
    y: str

    def text(self, names: tuple[str, str, str]) -> str:
        items = ", ".join(f"{expr} AS {name}" for expr, name in zip((self.key, self.x, self.y), names, strict=True))
        where = f" WHERE {' AND '.join(sorted(self.conditions))}" if self.conditions else ""
        return f"SELECT {items} FROM {self.table}{where}"

    def rows(self, tables: dict[str, list[Row]]) -> Iterator[tuple[str, int, int]]:
        for row in tables[self.table]:
            if all(CONDITIONS[condition](row) for condition in self.conditions):
                yield KEYS[self.key](row), VALUES[self.x](row), VALUES[self.y](row)


Rows = list[tuple[str, int, int]]


def _groups(rows: Rows, key: int) -> dict[Any, Rows]:
    groups: dict[Any, Rows] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


READERS: dict[str, Callable[[Rows], object]] = {
    "SELECT {0}, SUM({1}) FROM ({2}) GROUP BY {0}": lambda rows: {
        key: sum(row[1] for row in group) for key, group in _groups(rows, 0).items()
    },
    "SELECT {0}, COUNT(DISTINCT {1}) FROM ({2}) GROUP BY {0}": lambda rows: {
        key: len({row[1] for row in group}) for key, group in _groups(rows, 0).items()
    },
    "SELECT {1}, COUNT(*) FROM ({2}) GROUP BY {1}": lambda rows: Counter(row[1] for row in rows),
    "SELECT {1}, SUM({3}) FROM ({2}) GROUP BY {1}": lambda rows: {
        key: sum(row[2] for row in group) for key, group in _groups(rows, 1).items()
    },
    "SELECT {0}, COUNT(*) FROM ({2}) WHERE {1} > 2 GROUP BY {0}": lambda rows: Counter(
        row[0] for row in rows if row[1] > 2
    ),
    "SELECT {0}, SUM({3}) FILTER (WHERE {1} > 2) FROM ({2}) GROUP BY {0}": lambda rows: {
        key: sum(row[2] for row in group if row[1] > 2) for key, group in _groups(rows, 0).items()
    },
    "SELECT DISTINCT {0}, {1} FROM ({2})": lambda rows: {(row[0], row[1]) for row in rows},
    "SELECT {0}, MAX({1}) FROM ({2}) WHERE {1} <> {3} GROUP BY {0}": lambda rows: {
        key: max(row[1] for row in group)
        for key, group in _groups([row for row in rows if row[1] != row[2]], 0).items()
    },
}


@dataclass(frozen=True)
class Query:
    branches: tuple[Branch, ...]
    reader: str

    def text(self, names: tuple[str, str, str] = ("a", "x", "y")) -> str:
        union = " UNION ALL ".join(branch.text(names) for branch in self.branches)
        key, x, y = names
        return f"{TABLES}INSERT INTO s {self.reader.format(key, x, union, y)};"

    def result(self, tables: dict[str, list[Row]]) -> object:
        return READERS[self.reader]([row for branch in self.branches for row in branch.rows(tables)])


def tables_of(random: Random) -> dict[str, list[Row]]:
    def row() -> Row:
        return {
            "k": random.choice("pq"),
            "u": random.choice("pqr"),
            "c": random.choice("abc"),
            "v": random.randrange(1, 9),
            "w": random.randrange(9),
        }

    return {name: [row() for _ in range(40)] for name in ("ones", "twos")}


DATA = [tables_of(Random(seed)) for seed in range(3)]
BRANCHES = strategies.builds(
    Branch,
    strategies.sampled_from(["ones", "ones", "twos"]),
    strategies.frozensets(strategies.sampled_from(sorted(CONDITIONS)), max_size=2),
    strategies.sampled_from(sorted(KEYS)),
    strategies.sampled_from(sorted(VALUES)),
    strategies.sampled_from(sorted(VALUES)),
)
QUERIES = strategies.builds(
    Query, strategies.lists(BRANCHES, min_size=2, max_size=3).map(tuple), strategies.sampled_from(sorted(READERS))
)


def exchanged(query: Query, random: Random) -> Query:
    """The query with a part of two branches exchanged, or with the columns of one or all of them."""
    branches = list(query.branches)
    first, second = random.sample(range(len(branches)), 2)
    part = random.choice(("conditions", "key", "x", "y", "columns", "all columns", "one value"))
    if part == "columns":
        branches[first] = replace(branches[first], x=branches[first].y, y=branches[first].x)
    elif part == "all columns":
        branches = [replace(branch, x=branch.y, y=branch.x) for branch in branches]
    elif part == "one value":
        branches[first] = replace(branches[first], x=random.choice(sorted(VALUES)))
    else:
        ours, theirs = (getattr(branches[position], part) for position in (first, second))
        branches[first] = replace(branches[first], **{part: theirs})
        branches[second] = replace(branches[second], **{part: ours})
    return replace(query, branches=tuple(branches))


@budget
@given(QUERIES, strategies.randoms(use_true_random=False), strategies.sampled_from(["vvr", "flink"]))
def test_other_results_are_never_compatible(query: Query, random: Random, engine: str) -> None:
    other = exchanged(query, random)
    if all(query.result(tables) == other.result(tables) for tables in DATA):
        return
    for baseline, current in ((query, other), (other, query)):
        report = check(JobVersion(current.text()), JobVersion(baseline.text()), engine)
        assert report.verdict is not Verdict.COMPATIBLE, current.text()


@budget
@given(QUERIES, strategies.randoms(use_true_random=False))
def test_branches_in_another_order_under_other_names_are_no_change(query: Query, random: Random) -> None:
    branches = random.choice(list(permutations(query.branches)))
    report = check(JobVersion(replace(query, branches=branches).text(("b", "m", "n"))), JobVersion(query.text()))
    # Of branches that never have a row nothing is stored, whatever their columns are.
    has_rows = any(not {"c = 'a'", "c = 'b'"} <= branch.conditions for branch in query.branches)
    assert report.findings == () and (report.unchanged or not has_rows)
