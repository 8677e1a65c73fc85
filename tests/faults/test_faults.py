"""A share of the faults of ``make faults``: each call that fails is named, and costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from fault_harness import Harness, before_and_after, harness
from fault_wrongs import wrongs
from night import by_night
from scenarios import KINDS, OF_SPARK, SCENARIOS, Outcome, Point, Scenario
from session import tried_sessions
from trials import tried

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes and pipes of Linux")
SHARE = by_night(4, 2)
SEED = 16


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    with harness(tmp_path_factory.mktemp("faults")) as one:
        yield one


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_each_call_that_fails_is_named_and_costs_nothing(made: Harness, scenario: Scenario) -> None:
    trial = tried(made, scenario, SHARE, SEED)
    assert trial.points >= 8, "the calls of the command are not seen"
    assert trial.failed.total() == SHARE
    assert trial.wrong == []


SHARES_OF_SPARK = {
    "run": by_night(4, 2),
    "run into a folder": by_night(6, 3),
    "replay": by_night(2, 0),
    "audit": by_night(1, 0),
    "audit again": 0,
    "run, a JVM of its own": by_night(2, 1),
    "replay, a JVM of its own": 0,
    "audit, a JVM of its own": 0,
}
"""The number of faults of each that are tried here: a replay takes half a minute, and an audit a minute. `make faults`
tries all."""


@pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed")
@pytest.mark.parametrize("scenario", OF_SPARK, ids=lambda scenario: scenario.name)
def test_each_call_of_a_command_with_spark_that_fails_is_named(made: Harness, scenario: Scenario) -> None:
    share = SHARES_OF_SPARK[scenario.name]
    if not share:
        pytest.skip("it takes too long: make faults")
    trial = tried(made, scenario, share, SEED)
    assert trial.points >= 15, "the calls of the command are not seen"
    assert trial.failed.total() == share
    assert trial.wrong == []


def test_a_session_of_an_editor_survives_each_call_that_fails(made: Harness) -> None:
    trial = tried_sessions(made, SHARE, SEED)
    assert trial.points > 50
    assert trial.wrong == []


def test_the_points_of_a_writer_are_all_that_it_does(made: Harness) -> None:
    accept = next(one for one in SCENARIOS if one.name == "accept")
    seen = {point.event for point in made.run(accept).points}
    assert seen >= {"open", "read", "create", "write", "fsync", "rename", "remove", "flock", "list", "process"}
    assert seen <= KINDS.keys()


ONCE_WRONG = (
    ("history", "open", "repository/.git/shallow", "EACCES"),
    ("accept more", "open", "repository/keepstate.accepted.toml", "ENOENT"),
    ("prune", "open", "repository/keepstate.accepted.toml", "ENOENT"),
    ("deployed mark", "create", "temporary", "full-disk"),
    ("check against deployed", "open", "repository/jobs/daily.sql", "ENOENT"),
    ("check into a file", "rename", "repository/.report.json", "read-only"),
    ("deployed mark", "write", "temporary", "ENOSPC"),
    ("deployed mark", "mkdir", "temporary/keepstate-", "read-only"),
    ("deployed mark", "open", "repository/jobs/daily.sql", "EACCES"),
    ("deployed mark", "read", "repository/jobs/daily.sql", "EIO"),
    ("check", "stat", "repository/keepstate.accepted.toml", "EACCES"),
    ("hook", "stat", "repository/keepstate.accepted.toml", "EIO"),
    ("deployed mark", "stat", "repository/.git", "EACCES"),
    ("check", "thread", "keepstate_lsp.runtime.time_limit", "no-thread"),
    ("check", "timer", "keepstate_lsp.baselines.git.outputs", "elapsed"),
    ("run", "thread", "py4j", "no-thread"),
    ("run", "write", "<stdout>", "ENOSPC"),
    ("run into a folder", "rename", "repository/.results.", "EIO"),
    ("run into a folder", "rename", "repository/.results.", "kill"),
    ("run into a folder", "link", "repository/results/", "EPERM"),
    ("run into a folder", "write", "repository/.results.", "ENOSPC"),
    ("run, a JVM of its own", "java", "newSession", "jvm-dies"),
    ("audit", "stat", "rows/history/.git", "EACCES"),
    ("audit, a JVM of its own", "worker", "start", "worker-is-killed"),
)


# An audit takes a minute.
@pytest.mark.parametrize(
    ("name", "event", "about", "kind"),
    by_night(ONCE_WRONG, [one for one in ONCE_WRONG if not one[0].startswith("audit")]),
)
def test_what_was_wrong_is_named(made: Harness, name: str, event: str, about: str, kind: str) -> None:
    scenario = next(one for one in (*SCENARIOS, *OF_SPARK) if one.name == name)
    if scenario.jvm and find_spec("pyspark") is None:
        pytest.skip("PySpark is not installed")
    before, whole = before_and_after(made, scenario)
    points = [point for point in whole.points if point.event == event and point.about.startswith(about)]
    assert points
    for point in points:
        outcome = made.run(scenario, point.number, kind)
        assert wrongs(point, kind, whole, outcome, before) == []


POINT = Point(0, "write", "repository/a")
WHOLE = Outcome(1, "incompatible", "", {"a": "new"}, [])
BEFORE = {"a": "old"}


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Outcome(0, "nothing to compare", "a word", {"a": "old"}, []), "status 0"),
        (Outcome(2, "", "", {"a": "old"}, []), "no word"),
        (Outcome(2, "", "Traceback (most recent call last)", {"a": "old"}, []), "Traceback"),
        (Outcome(2, "", "a word", {"a": "torn"}, []), "left behind, or damaged: a"),
        (Outcome(2, "", "a word", {"a": "old", ".a.1.draft": ""}, []), "left behind"),
        (Outcome(2, "", "a word", {}, []), "lost: a"),
        (Outcome(1, "incompatible", "", {"a": "old"}, []), "claims to be done"),
        (Outcome(2, "", "a word", {"a": "old"}, ["git"]), "processes are left"),
        (Outcome(None, "", "", {"a": "old"}, []), "does not end"),
    ],
)
def test_what_is_wrong_is_seen(outcome: Outcome, word: str) -> None:
    assert any(word in one for one in wrongs(POINT, "EIO", WHOLE, outcome, BEFORE))


def test_a_named_failure_that_loses_nothing_is_right() -> None:
    assert wrongs(POINT, "EIO", WHOLE, Outcome(2, "", "a word", {"a": "old"}, []), BEFORE) == []
