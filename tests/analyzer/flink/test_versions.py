"""The measurements by version of Flink: the page is made of them, and the flink profile follows each version."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import version_store
from candidates import candidates
from explained import reason
from keepstate import JobVersion, measured_versions
from keepstate.report import Effect
from measured import MeasuredPair, Setting
from shared_analyses import check
from version_differences import CAUSES
from version_store import by_key, keep, outcomes_of
from version_table import NOT_MEASURED, PAGE, REFUSED, STARTS, Row, cell, page, rows

DATA = {path.stem: json.loads(path.read_text("utf-8")) for path in version_store.FOLDER.glob("*.json")}
EFFECTS = {
    "exact": Effect.EXACT,
    "state lost": Effect.STATE_LOST,
    "wrong results": Effect.WRONG_RESULTS,
    "does not start": Effect.DOES_NOT_START,
}
LETTERS = {"E": "exact", "L": "state lost", "D": "wrong results", "F": "does not start", "S": STARTS}
_LINE = re.compile(r"\| \[([\w-]+)\]\(rules/([\w-]+)\.md#\1\) \| `([^`]+)` \| (.+) \|")


ROWS = {row.candidate.key: row for row in rows()}
DIFFERING = [key for key, row in ROWS.items() if row.differs]


@cache
def foreseen(key: str, version: str) -> Effect:
    number = ".".join(version.split(".")[:2])
    candidate = ROWS[key].candidate
    sides = (replace(side, engine_version=number) for side in (candidate.current, candidate.baseline))
    report = check(*sides, "flink")
    return report.effect if report.is_valid else Effect.DOES_NOT_START


def test_the_page_is_made_of_the_data() -> None:
    assert PAGE.read_text("utf-8") == page(), "run conformance/version_table.py"


def test_cells_are_what_was_measured() -> None:
    """Read the page as a person does, and the data without the code that made it."""
    text = PAGE.read_text("utf-8").partition("## Versions that differ")[0]
    versions: list[str] = []
    seen = set()
    for line in text.splitlines():
        if line.startswith("| edit | restart |"):
            versions = [word.strip() for word in line.strip("|").split("|")][2:]
        elif found := _LINE.fullmatch(line):
            rule, query, name, cells = found.groups()
            key = name if "/" in name else f"{query}/{rule}/{name}"
            seen.add(key)
            shown = [word.strip(" *") for word in cells.split("|")]
            assert len(shown) == len(versions)
            for version, word in zip(versions, shown, strict=True):
                outcome = DATA[version].get(key, "not run: never")
                if word in (NOT_MEASURED, REFUSED):
                    assert outcome.startswith("not run: ")
                    assert (word == REFUSED) == ("Flink does not take" in outcome)
                else:
                    assert word == (STARTS if outcome in ("E?", "L?") else LETTERS[outcome[0]])
    assert len(seen) > 300
    assert sorted(versions) == sorted(DATA)


def test_versions_that_differ_are_explained() -> None:
    assert set(DIFFERING) == CAUSES.keys(), "conformance/version_differences.py"


@pytest.mark.parametrize("key", DIFFERING)
def test_the_verdict_follows_the_version(key: str) -> None:
    """The profile says of a version what it was seen to do; where it says worse there is a reason."""
    measured = {at: word for at, word in zip(measured_versions(), ROWS[key].cells, strict=True) if word in EFFECTS}
    assert len(set(measured.values())) > 1
    for version, word in measured.items():
        effect = foreseen(key, version)
        pair = MeasuredPair(key, "", "", Setting(version, version), EFFECTS[word])
        assert effect is EFFECTS[word] or reason(pair, effect), version


@pytest.mark.parametrize("version", sorted(DATA))
def test_none_is_called_exact_that_is_not(version: str) -> None:
    place = measured_versions().index(version)
    trusting = [
        key
        for key, row in ROWS.items()
        if row.cells[place] in EFFECTS and row.cells[place] != "exact" and foreseen(key, version) is Effect.EXACT
    ]
    assert trusting == []


@pytest.mark.parametrize("version", sorted(DATA))
def test_data_hold_candidates_and_outcomes(version: str) -> None:
    keys = {candidate.key for candidate in candidates()}
    assert [
        (key, outcome)
        for key, outcome in DATA[version].items()
        if key in keys and not re.fullmatch(r"[EDLFS]\??|not run: .+", outcome)
    ] == []
    assert tuple(DATA) and set(measured_versions()) == set(DATA), "make conformance writes rules/evidence.json"


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        ("E", "exact"),
        ("E?", "starts"),
        ("L", "state lost"),
        ("L?", "starts"),
        ("D", "wrong results"),
        ("D?", "wrong results"),
        ("F", "does not start"),
        ("F?", "does not start"),
        ("S?", "starts"),
        ("not run: Flink does not take the baseline: x", "refused"),
        ("not run: Flink does not run the baseline: x", "not measured"),
        (None, "not measured"),
    ],
)
def test_words_of_outcomes(outcome: str | None, word: str) -> None:
    assert cell(outcome) == word


@pytest.mark.parametrize(
    ("cells", "differs"),
    [
        (("exact", "exact"), False),
        (("exact", "not measured"), False),
        (("exact", "refused"), False),
        (("exact", "starts"), False),
        (("does not start", "starts"), True),
        (("exact", "does not start"), True),
        (("exact", "starts", "state lost"), True),
        (("not measured", "not measured"), False),
    ],
)
def test_rows_that_differ(cells: tuple[str, ...], differs: bool) -> None:
    assert Row(next(iter(ROWS.values())).candidate, cells).differs is differs


def test_outcomes_are_kept_by_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_store, "FOLDER", tmp_path / "versions")
    assert outcomes_of("1.20.5") == {}
    keep("1.20.5", {"a": "E", "gone": "F", "b": f"not run: {'x' * 500}"}, ["b", "a"])
    keep("1.9.0", {"a": "F"}, ["b", "a"])
    assert list(outcomes_of("1.20.5")) == ["b", "a"]
    assert len(outcomes_of("1.20.5")["b"]) < 250
    assert by_key()["a"] == {"1.9.0": "F", "1.20.5": "E"}
    assert version_store.measured_versions() == ("1.9.0", "1.20.5")
    assert sorted(path.name for path in (tmp_path / "versions").iterdir()) == ["1.20.5.json", "1.9.0.json"]


DECLARED = """CREATE TABLE t (k STRING, a INT, b INT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
FIRST = "(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS n FROM t) WHERE n = 1)"
VARIANCE = "SELECT k, VAR_POP(d) FROM t GROUP BY k;"
BY_TIME = f"SELECT b, SUM(a) FROM {FIRST.format('ts')} GROUP BY b;"
BY_VALUE = f"SELECT b, SUM(a) FROM {FIRST.format('a')} GROUP BY b;"
MOST = f"SELECT b, MAX(a) FROM {FIRST.format('ts')} GROUP BY b;"


@pytest.mark.parametrize(
    ("baseline", "current", "starts"),
    [
        (VARIANCE, VARIANCE.replace("VAR_POP(d)", "VAR_POP(d), AVG(d)"), ("2.0", "2.1", "2.2")),
        (BY_VALUE, BY_VALUE.replace("SUM(a)", "SUM(a), COUNT(*)"), ("2.0",)),
        (BY_TIME, BY_TIME.replace("SUM(a)", "SUM(a), COUNT(*)"), ("2.0",)),
        (MOST, MOST.replace("ORDER BY ts", "ORDER BY ts DESC"), ("2.0",)),
    ],
    ids=["variance", "first by value", "first by time", "first to last"],
)
@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_layouts_of_a_version_are_those_that_were_restored(
    baseline: str, current: str, starts: tuple[str, ...], version: str
) -> None:
    """Each pair was restarted with ``keepstate verify --pairs`` on Flink 2.0.2, 2.1.3 and 2.2.1."""
    was, now = (JobVersion(DECLARED + query, engine_version=version) for query in (baseline, current))
    assert (check(now, was, "flink").effect is not Effect.DOES_NOT_START) is (version in starts)
