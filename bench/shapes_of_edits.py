"""The edits that cost most for their size: many readers, texts without a meaning, statement sets of many queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import keepstate
from figures import Figure, Reference
from keepstate.engines import ENGINES
from measuring import cpu

READERS = (10, 100)
QUERIES = (500, 520)
"""Numbers of queries around one at which a cache of a fixed size once overflowed."""
_ROUNDS = 7
_TABLE = """\
CREATE TABLE orders (
  id BIGINT,
  category STRING,
  amount DECIMAL({precision}, 2),
  unread {unread}
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.client.id' = '{option}',
  'scan.parallelism' = '{tasks}'
);
"""
_VIEW = "CREATE VIEW paid AS SELECT id, category, amount FROM orders WHERE amount > {limit}; -- {comment}\n"
_QUERY = (
    "INSERT INTO totals_{n} SELECT category, SUM(amount) AS gmv, COUNT(*) AS orders FROM paid "
    "WHERE id % 1000 <> {n} GROUP BY category;\n"
)


def edits() -> Iterator[Figure]:
    """One keystroke, by the reach of its meaning, from the changed text to the report"""
    for engine in ENGINES:
        yield from _readers(engine)
        yield from _meaningless(engine)
    yield from _statement_set()


def _readers(engine: str) -> Iterator[Figure]:
    for count in READERS:
        most = 5 + 0.1 * count
        view = _keystrokes(engine, partial(_of_view, count))
        yield Figure(f"a view with {count} readers, {engine}", view, "ms", most)
        table = _keystrokes(engine, partial(_of_table, count))
        yield Figure(f"a table with {count} readers, {engine}", table, "ms", most)
        tasks = _keystrokes(engine, partial(_of_tasks, count))
        yield Figure(f"the parallel tasks of a table with {count} readers, {engine}", tasks, "ms", most)


def _meaningless(engine: str) -> Iterator[Figure]:
    count = READERS[-1]
    edits: dict[str, Callable[[int], str]] = {
        "a column that nothing reads": lambda number: _script(count, unread=f"DECIMAL({5 + number % 30}, 1)"),
        # Each keystroke moves all statements behind it by one character.
        "a comment": lambda number: _script(count, comment="." * (1 + number % 40)),
        "an option that no rule reads": lambda number: _script(count, option=number),
    }
    for what, text in edits.items():
        yield Figure(f"{what}, {count} queries, {engine}", _keystrokes(engine, text), "ms", 1.5)


def _statement_set() -> Iterator[Figure]:
    spent = {count: _keystrokes("flink", partial(_of_view, count)) for count in QUERIES}
    few, many = QUERIES
    reference = Reference(f"{few} queries", spent[few])
    yield Figure(f"a view that {many} queries read, one job, flink", spent[many], "ms", beside=reference, most=2)


def _of_view(readers: int, number: int) -> str:
    return _script(readers, limit=number)


def _of_table(readers: int, number: int) -> str:
    return _script(readers, precision=13 + number % 20)


def _of_tasks(readers: int, number: int) -> str:
    return _script(readers, tasks=number + 1)


def _script(
    readers: int,
    limit: int = 0,
    comment: str = "",
    precision: int = 12,
    unread: str = "INT",
    option: int = 1,
    tasks: int = 1,
) -> str:
    parts = [
        _TABLE.format(precision=precision, unread=unread, option=option, tasks=tasks),
        _VIEW.format(limit=limit, comment=comment),
    ]
    queries = [_QUERY.format(n=number) for number in range(readers)]
    return "".join([*parts, "EXECUTE STATEMENT SET BEGIN\n", *queries, "END;\n"])


def _keystrokes(engine: str, text: Callable[[int], str]) -> float:
    """Median milliseconds of CPU of an edit to ``text``, with the memory that a server has of the document."""
    workspace = keepstate.Workspace()
    baseline = keepstate.JobVersion(text(0))
    workspace.analysis(baseline, baseline, engine).report()

    def check(number: int) -> None:
        workspace.analysis(keepstate.JobVersion(text(number + 1)), baseline, engine).report()

    return cpu(check, _ROUNDS)
