"""Session windows that move between GROUP BY and the table-valued function: the keys of their sessions decide."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE clicks (
  person STRING, page STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE visits (person STRING, page STRING, n BIGINT, secs INT) WITH ('connector' = 'kafka');
"""


def in_group_by(*keys: str, gap: str = "40") -> str:
    groups = ", ".join((*keys, f"SESSION(ts, INTERVAL '{gap}' SECOND)"))
    return (
        f"{TABLES}INSERT INTO visits SELECT MAX(person), MAX(page), COUNT(*), SUM(dur) FROM clicks GROUP BY {groups};"
    )


def as_function(*keys: str, partition: tuple[str, ...] | None = None) -> str:
    partition = keys if partition is None else partition
    written = f" PARTITION BY ({', '.join(partition)})" if partition else ""
    groups = ", ".join((*keys, "window_start", "window_end"))
    return (
        f"{TABLES}INSERT INTO visits SELECT MAX(person), MAX(page), COUNT(*), SUM(dur) FROM TABLE(SESSION("
        f"TABLE clicks{written}, DESCRIPTOR(ts), INTERVAL '40' SECOND)) GROUP BY {groups};"
    )


def rules(baseline: str, current: str, engine: str = "vvr") -> list[str]:
    return [finding.rule for finding in check(JobVersion(current), JobVersion(baseline), engine).findings]


SAME = [(("person",), ("person",)), (("person", "page"), ("person", "page")), (("person", "page"), ("page", "person"))]
OTHER = [
    (("person",), ("person", "page")),
    (("person", "page"), ("person",)),
    (("person",), ()),
    (("person",), ("page",)),
]


@pytest.mark.parametrize(("groups", "partition"), SAME)
def test_the_same_sessions_in_the_other_syntax_are_a_change_of_syntax(
    groups: tuple[str, ...], partition: tuple[str, ...]
) -> None:
    written = in_group_by(*groups), as_function(*groups, partition=partition)
    assert rules(*written) == rules(*reversed(written)) == ["window-syntax-changed"]


@pytest.mark.parametrize(("groups", "partition"), OTHER)
def test_other_sessions_in_the_other_syntax_are_other_windows(
    groups: tuple[str, ...], partition: tuple[str, ...]
) -> None:
    written = in_group_by(*groups), as_function(*groups, partition=partition)
    for was, now in (written, written[::-1]):
        assert "session-partition-changed" in rules(was, now)
        assert "window-syntax-changed" not in rules(was, now)


def test_another_gap_in_the_other_syntax_is_the_change() -> None:
    assert rules(in_group_by("person", gap="50"), as_function("person")) == ["window-gap-changed"]
    assert rules(as_function("person"), in_group_by("person", gap="50")) == ["window-gap-changed"]


def test_flink_stores_both_alike() -> None:
    in_group, function = (JobVersion(text) for text in (in_group_by("person"), as_function("person")))
    for was, now in ((in_group, function), (function, in_group)):
        assert check(now, was, "flink").verdict is Verdict.COMPATIBLE
