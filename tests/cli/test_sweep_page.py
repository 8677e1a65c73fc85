"""The page of restarts at many times, on made-up figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from keepstate_lsp.cli.commands.replay.replay_files import replay_folder
from keepstate_lsp.cli.commands.replay.sweep import sweep_document
from keepstate_lsp.cli.commands.replay.sweep_page import sweep_page
from keepstate_lsp.cli.commands.replay.sweep_values import Sweep, best_and_worst
from keepstate_spark.replay.replaying import QuerySweep
from keepstate_spark.replay.sweeping import SweepPoint
from made_replays import both, replay

MIDNIGHT = datetime(2026, 3, 2)
HOUR = timedelta(hours=1)


def points(*wrong: tuple[int, int]) -> tuple[SweepPoint, ...]:
    """A restart at each hour, from midnight on."""
    return tuple(
        SweepPoint(MIDNIGHT + number * HOUR, 100, both(*one), both(*one), 1000.0, both(*map(float, one)))
        for number, one in enumerate(wrong)
    )


def sweep(found: Sequence[SweepPoint], skipped: str = "", file: str = "orders.sql") -> Sweep:
    made = replay(skipped or "not run")
    (query,) = made.queries
    swept = QuerySweep(query.query, query.restart, tuple(found), skipped)
    return Sweep(file, "HEAD", HOUR, made.report, [swept])


def test_the_answer_is_the_time_with_the_least_damage() -> None:
    page = sweep_page(sweep(points(*((abs(number - 27) + 1, 60) for number in range(48)))))
    assert "<h1>The restart with the least damage is that at 2026-03-03 03:00:00</h1>" in page
    assert page.count("<svg") == 2
    # At three in the morning of two days, 25 values and 1.
    assert '<tr><td>03:00</td><td class="n">2</td><td class="n">13.0</td><td class="n">13 %</td>' in page


def test_without_damage_there_is_a_sentence_and_no_picture() -> None:
    page = sweep_page(sweep(points((0, 0), (0, 0))))
    assert "<h1>No restart at any of these times does damage</h1>" in page and "<svg" not in page


def test_where_the_state_keeps_all_right_times_are_chosen_by_what_its_loss_would_do() -> None:
    found = points((0, 9), (0, 3), (0, 5))
    page = sweep_page(sweep(found))
    assert best_and_worst(found)[0].time == MIDNIGHT + HOUR
    assert "without the state (with it nothing is wrong)" in page and "<svg" in page


def test_without_numbers_wrong_values_are_counted() -> None:
    found = [replace(point, expected=None, error=both(None, None)) for point in points((1, 9), (2, 3))]
    page = sweep_page(sweep(found))
    assert "wrong values of a restart" in page and "sum of errors" not in page.split("</svg>")[1]


def test_one_restart_has_no_course_of_time() -> None:
    page = sweep_page(sweep(points((3, 5))))
    assert page.count("<svg") == 1
    assert "Grey: hours at which no restart was tried." in page


def test_what_was_not_tried_says_why() -> None:
    page = sweep_page(sweep((), "It keeps no state: <i>a restart</i> changes nothing.", "<script>x</script>.sql"))
    assert "<h1>No restart could be tried</h1>" in page
    assert "It keeps no state: &lt;i&gt;a restart&lt;/i&gt;" in page
    assert "<script" not in page


def test_the_folder_has_page_and_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sweep(points((1, 2), (3, 4)))
    with replay_folder(tmp_path / "out") as folder:
        folder.write_sweep(sweep_document(made), lambda: sweep_page(made))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"sweep.html", "sweep.json"}
    assert json.loads((tmp_path / "out" / "sweep.json").read_text("utf-8"))["every_seconds"] == 3600
    monkeypatch.setattr("keepstate_lsp.cli.commands.replay.replay_files.find_spec", lambda name: None)
    with replay_folder(tmp_path / "bare") as folder:
        folder.write_sweep(sweep_document(made), lambda: sweep_page(made))
    assert {path.name for path in (tmp_path / "bare").iterdir()} == {"sweep.json"}
