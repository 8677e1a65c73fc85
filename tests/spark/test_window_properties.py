"""Assigned windows are those of the definition, whatever the times and lengths."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import TimestampNTZType, TimestampType

import reference_windows as reference
from examples_of import gathered
from keepstate_spark import windows
from spark_rows import frame_of

SECOND, HOUR, DAY = 1000, 3_600_000, 86_400_000
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
LENGTHS = st.one_of(
    st.integers(1, 50), st.integers(1, 600).map(lambda number: number * SECOND), st.sampled_from([HOUR, DAY, 7 * DAY])
)
ANCHORS = st.sampled_from([0, 1_774_746_000_000, 1_792_890_000_000, -62_000_000_000, 1_586_937_600_000])
"""Milliseconds: the epoch, the nights in which Berlin changes its clocks in 2026, some day in 1968, and in 2020."""


@dataclass(frozen=True)
class Example:
    """A window and the times, in microseconds, that it is put on; of the window (``slide``, ``size``, ``offset``)."""

    kind: str
    lengths: tuple[int, ...]
    times: list[int | None]
    zone: str | None = field(default=None)


@st.composite
def examples(draw: st.DrawFn, kind: str) -> Example:
    unit = draw(LENGTHS)
    if kind == "session":
        lengths: tuple[int, ...] = (unit,)
    else:
        # Not so many windows for a row that the job drowns in rows.
        size = unit * draw(st.integers(1, 9)) if kind == "cumulate" else draw(LENGTHS)
        if kind == "hop":
            size = min(size, 12 * unit)
        if kind == "tumble":
            size = unit
        lengths = (unit, size, draw(st.integers(-3 * size, 3 * size)))
    anchor = draw(ANCHORS)
    near = st.builds(
        lambda units, millis, micros: (anchor + units * unit + millis) * 1000 + micros,
        st.integers(-6, 6),
        st.integers(-2, 2),
        st.sampled_from([0, 0, 1, 499, 999]),
    )
    zone = draw(st.sampled_from([None, *ZONES])) if kind != "session" else None
    return Example(
        kind, lengths, draw(st.lists(st.one_of(near, near, near, st.none()), min_size=20, max_size=60)), zone
    )


def expected(example: Example) -> Counter[tuple[int, ...]]:
    """Time, start, end and ``window_time`` of each row of the result, all in microseconds."""
    rows: Counter[tuple[int, ...]] = Counter()
    times = [time for time in example.times if time is not None]
    sessions = reference.sessions(times, example.lengths[0]) if example.kind == "session" else {}
    for time in times:
        clock = time if example.zone is None else reference.local(time, example.zone)
        if example.kind == "tumble":
            spans = reference.tumbles(clock, *example.lengths[1:])
        elif example.kind == "hop":
            spans = reference.hops(clock, *example.lengths)
        elif example.kind == "cumulate":
            spans = reference.cumulations(clock, *example.lengths)
        else:
            spans = [sessions[time]]
        for start, end in spans:
            last = end - 1000
            rows[time, start, end, last if example.zone is None else reference.moment(last, example.zone)] += 1
    return rows


def assigned(example: Example, rows: DataFrame) -> DataFrame:
    """``rows`` of ``example`` with ours: the same four numbers."""
    local = example.zone is not None
    time = fn.timestamp_micros("t")
    rows = rows.withColumn("ts", time if local else time.cast(TimestampNTZType()))
    zone = example.zone or "UTC"
    if example.kind == "tumble":
        rows = windows.tumble(rows, "ts", *example.lengths[1:], zone=zone)
    elif example.kind == "hop":
        rows = windows.hop(rows, "ts", *example.lengths, zone=zone)
    elif example.kind == "cumulate":
        rows = windows.cumulate(rows, "ts", *example.lengths, zone=zone)
    else:
        rows = windows.session(rows, "ts", *example.lengths)
    assert isinstance(rows.schema["window_time"].dataType, TimestampType if local else TimestampNTZType)
    fields = (fn.unix_micros(fn.col(f"window_{name}").cast(TimestampType())) for name in ("start", "end", "time"))
    return rows.select("example", "t", *fields)


def together(frames: list[DataFrame]) -> DataFrame:
    """All rows of all frames; in a tree, since Spark analyses a chain again with each link."""
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    return together(frames[:middle]).unionAll(together(frames[middle:]))


@pytest.mark.parametrize("kind", ["tumble", "hop", "cumulate", "session"])
def test_windows_are_those_of_the_definition(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    tried: list[Example] = gathered(examples(kind), 16)
    rows = [(number, time) for number, example in enumerate(tried) for time in example.times]
    frame = frame_of(spark, tmp_path, "example int, t bigint", rows).cache()
    answers = [assigned(example, frame.where(fn.col("example") == number)) for number, example in enumerate(tried)]
    found: dict[int, Counter[tuple[int, ...]]] = {number: Counter() for number in range(len(tried))}
    for number, *values in together(answers).coalesce(1).collect():
        found[number][tuple(values)] += 1
    frame.unpersist()
    assert sum(len(one) for one in found.values()) > 150, "the examples show nothing"
    for number, example in enumerate(tried):
        assert found[number] == expected(example), example
