"""Times that are read from Parquet files without Spark, beside a loop over the rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from keepstate_spark.sources.column_times import TimesAround, may_be_behind_in_files, rows_without, times_around

BEGIN = 1_772_323_200_000
"""2026-03-01 00:00, in milliseconds."""
PER_MILLISECOND = {"ms": 1, "us": 1_000, "ns": 1_000_000}


def written(
    folder: Path, files: Sequence[Sequence[int | None]], unit: str = "us", zone: str | None = None
) -> list[str]:
    """Files of rows at these milliseconds, three rows in a group."""
    paths = [str(folder / f"part-{number}.parquet") for number in range(len(files))]
    for path, times in zip(paths, files, strict=True):
        numbers = [None if time is None else time * PER_MILLISECOND[unit] for time in times]
        column = pa.array(numbers, pa.int64()).cast(pa.timestamp(unit, zone))
        parquet.write_table(pa.table({"ts": column, "k": range(len(times))}), path, row_group_size=3)
    return paths


def late(files: Sequence[Sequence[int | None]], delay: int) -> bool:
    """Return whether a row is behind the watermark of the rows before, of a stream with one reader."""
    watermark = 0
    for time in (time for file in files for time in file if time is not None):
        if time <= watermark:
            return True
        watermark = max(watermark, time - delay)
    return False


def in_order(*seconds: float | None) -> list[int | None]:
    return [None if second is None else BEGIN + int(second * 1000) for second in seconds]


CASES: dict[str, tuple[list[list[int | None]], bool]] = {
    "no rows": ([[]], False),
    "no times": ([[None, None]], False),
    "in order": ([in_order(0, 1, 2, 3, 4, 5, 6, 7)], False),
    "out of order within the delay": ([in_order(4, 0, 5, 1, 6)], False),
    "late in its group": ([in_order(0, 9, 1)], True),
    "late behind its group": ([in_order(0, 1, 9, 2, 10)], True),
    "late at the end": ([in_order(*range(20), 3)], True),
    "late in a later file": ([in_order(0, 9), in_order(10), in_order(2)], True),
    "an early file that comes later": ([in_order(100), in_order(0)], True),
    "NULLs between": ([in_order(0, None, 1, None, None, 2), in_order(None, 3)], False),
    "late behind NULLs": ([in_order(9, None, None, None, 1)], True),
    "up to 1970": ([[-5, 10_000, 20_000]], True),
    "from 1970 on": ([[2, 10_000, 20_000]], False),
}


@pytest.mark.parametrize("unit", PER_MILLISECOND)
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("name", CASES)
def test_late_rows_are_seen_in_files(name: str, zone: str | None, unit: str, tmp_path: Path) -> None:
    files, expected = CASES[name]
    paths = written(tmp_path, files, unit, zone)
    assert may_be_behind_in_files(paths, "ts", zone is not None, 5000) is expected
    assert late(files, 5000) is expected


@pytest.mark.parametrize("second", [-1, 0, 2, 9, 200])
@pytest.mark.parametrize("unit", PER_MILLISECOND)
@pytest.mark.parametrize("name", CASES)
def test_rows_around_a_moment_are_counted(name: str, unit: str, second: int, tmp_path: Path) -> None:
    files, _ = CASES[name]
    moment = BEGIN + second * 1000
    each = [time for times in files for time in times]
    times = [time for time in each if time is not None]
    early = [time for time in times if time < moment]
    expected = TimesAround(
        len(each) - len(times) + len(early),
        len(times) - len(early),
        min(times, default=None),
        max(times, default=None),
        max(early, default=None),
    )
    paths = written(tmp_path, files, unit)
    assert times_around(paths, "ts", False, moment) == expected
    assert times_around(paths, "ts", True, moment) is None or not each
    assert rows_without(paths, None) == (len(each), 0)
    assert rows_without(paths, "ts") == (len(each), len(each) - len(times))


def test_a_file_without_counts_of_missing_values_is_left_to_spark(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.parquet")
    parquet.write_table(pa.table({"ts": [1, None]}), path, write_statistics=False)
    assert rows_without([path], None) == (2, 0)
    assert rows_without([path], "ts") is None
    assert rows_without([str(tmp_path / "none.parquet")], None) is None


def test_a_look_leaves_out_no_late_row(tmp_path: Path) -> None:
    answers = []
    for seed in range(60):
        chance = random.Random(seed)
        delay, noise = chance.choice([0, 1, 1000, 5000]), chance.choice([0, 900, 6000])
        times = [BEGIN + 1500 * row + chance.randint(0, noise) for row in range(40)]
        files: list[list[int | None]] = [list(times[:7]), list(times[7:20]), list(times[20:])]
        answer = may_be_behind_in_files(written(tmp_path, files), "ts", False, delay)
        # A row that is a millisecond in front of the watermark counts as well.
        assert answer in (late(files, delay), late(files, delay - 2))
        answers.append(answer)
    assert {True, False} == set(answers)


def _texts(folder: Path) -> dict[str, Any]:
    return {"files": written(folder, [in_order(0)]), "column": "k"}


UNKNOWN = {
    "a column of another type": _texts,
    "no such column": lambda folder: {"files": written(folder, [in_order(0)]), "column": "other"},
    "a field of a structure": lambda folder: {"files": written(folder, [in_order(0)]), "column": "ts.x"},
    "a time without a zone": lambda folder: {"files": written(folder, [in_order(0)]), "local": True},
    "a time in a zone": lambda folder: {"files": written(folder, [in_order(0)], zone="UTC")},
    "a path that URLs write otherwise": lambda folder: {"files": [f"{folder}/a b.parquet"]},
    "a missing file": lambda folder: {"files": [f"{folder}/missing.parquet"]},
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_other_files_are_left_to_spark(name: str, tmp_path: Path) -> None:
    given = {"column": "ts", "local": False, "delay": 5000, **UNKNOWN[name](tmp_path)}
    assert may_be_behind_in_files(**given) is None


def test_a_file_that_is_none_is_left_to_spark(tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 and no more")
    assert may_be_behind_in_files([str(path)], "ts", False, 5000) is None
