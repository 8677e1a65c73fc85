"""Every test is of one tier, and the table of the tiers names nothing that is gone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import night
import tiers

TESTS = Path(__file__).parents[1]
EPOCH = date(1970, 1, 1)
SHARED = {**tiers.SHARES, **tiers.DAYS, **tiers.WHOLE}


@pytest.mark.parametrize("name", sorted({*tiers.FULL, *tiers.FIRST, *tiers.LONG, *SHARED, *tiers.SPLIT}))
def test_a_name_of_the_table_is_there(name: str) -> None:
    path, *rest = name.split("::")
    assert (TESTS / path).exists()
    if rest:
        words = "|".join(rf"(?:async )?def {one}\(|class {one}\b" for one in rest[-1:])
        assert re.search(rf"^\s*(?:{words})", (TESTS / path).read_text("utf-8"), re.MULTILINE)


def test_an_exception_is_one() -> None:
    """A name of the first tier stands for tests that would be of the second without it."""
    for name in tiers.FIRST:
        assert any(name.startswith((f"{folder}/", f"{folder}::")) for folder in tiers.FULL), name
    assert not tiers.FIRST & tiers.FULL.keys()


def test_every_reason_says_something() -> None:
    assert all(len(reason.split()) > 2 for reason in tiers.FULL.values())


@pytest.mark.parametrize(
    ("full", "first", "test", "expected"),
    [
        ((), (), "cli/test_gate.py::test_check[a]", False),
        (("spark",), (), "spark/test_files.py::test_csv", True),
        (("spark",), (), "sparkling/test_files.py::test_csv", False),
        (("spark",), ("spark/test_files.py",), "spark/test_files.py::test_csv", False),
        (("a", "a/test_b.py::test_c"), ("a/test_b.py",), "a/test_b.py::test_c[x]", True),
        (("a", "a/test_b.py::test_c"), ("a/test_b.py",), "a/test_b.py::test_d[x]", False),
        (("cli/test_gate.py::test_check",), (), "cli/test_gate.py::test_check_more", False),
        (("cli/test_gate.py::TestAll",), (), "cli/test_gate.py::TestAll::test_check[a]", True),
    ],
)  # fmt: skip
def test_the_longest_name_decides(
    full: tuple[str, ...], first: tuple[str, ...], test: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "FULL", dict.fromkeys(full, "a reason for it"))
    monkeypatch.setattr(tiers, "FIRST", frozenset(first))
    assert (tiers.is_full(test), tiers.is_listed(test)) == (expected, expected)


@pytest.mark.parametrize(
    ("full", "first", "path", "tiers_of_path"),
    [
        ((), (), "cli/test_gate.py", {False}),
        (("spark",), (), "spark", {True}),
        (("spark",), (), "spark/test_files.py", {True}),
        (("spark",), ("spark/test_files.py",), "spark", {False, True}),
        (("spark",), ("spark/test_files.py",), "spark/test_files.py", {False}),
        (("spark",), ("spark/test_files.py",), "spark/test_streams.py", {True}),
        (("cli/test_gate.py::test_check",), (), "cli", {False, True}),
        (("cli/test_gate.py::test_check",), (), "cli/test_gate.py", {False, True}),
        (("cli/test_gate.py::test_check",), (), "cli/test_gate_in_ci.py", {False}),
        (("cli/test_gate.py",), ("cli/test_gate.py::test_check",), "cli/test_gate.py", {False, True}),
    ],
)
def test_only_modules_with_tests_of_the_tier_are_imported(
    full: tuple[str, ...], first: tuple[str, ...], path: str, tiers_of_path: set[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "FULL", dict.fromkeys(full, "a reason for it"))
    monkeypatch.setattr(tiers, "FIRST", frozenset(first))
    monkeypatch.setattr(tiers, "SPLIT", {})
    assert {tier for tier in (False, True) if tiers.has_tests(path, tier)} == tiers_of_path


@pytest.mark.parametrize("name", tiers.SPLIT)
def test_each_case_of_a_split_module_is_of_one_tier(name: str) -> None:
    """The first case is of the first tier; the others are of the second, and no share of a day."""
    module = name if name.endswith(".py") else f"{name}/test_any.py"
    test = f"{module}::test_any[case]"
    assert [tiers.is_full(test, case) for case in (0, 1, tiers.SPLIT[name])] == [False, True, False]
    assert not tiers.is_listed(test)
    assert all(tiers.has_tests(path, full) for path in (module, name.partition("/")[0]) for full in (False, True))


def test_long_modules_begin_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "LONG", ("a/test_b.py", "c", "a"))
    monkeypatch.setattr(tiers, "_TURNS", {"a/test_b.py": 0, "c": 1, "a": 2})
    modules = ["d/test_a.py", "a/test_a.py", "c/test_a.py", "a/test_b.py"]
    assert sorted(modules, key=tiers.turn_of) == ["a/test_b.py", "c/test_a.py", "a/test_a.py", "d/test_a.py"]


@pytest.mark.parametrize("name", sorted(SHARED))
def test_a_week_of_days_runs_all(name: str) -> None:
    """However many tests a module has, and whatever day is the first."""
    module = name if name.endswith(".py") else f"{name}/test_any.py"
    for count in range(1, 20):
        runs = [_run(module, count, day) for day in range(20784, 20784 + SHARED[name])]
        assert set().union(*runs) == set(range(count)), count
        # A test more or less in the share of a day, but for modules that run as a whole.
        assert name in tiers.WHOLE or max(map(len, runs)) <= count // SHARED[name] + 1


def _run(module: str, count: int, day: int) -> set[int]:
    """The numbers of the tests that run of a module whose tests are the cases of one function."""
    return {number for number in range(count) if tiers.runs_by_day(module, (number, count), number, day)}


@pytest.mark.parametrize("name", sorted(tiers.SHARES))
def test_each_day_has_a_case_of_each_function(name: str) -> None:
    module = name if name.endswith(".py") else f"{name}/test_any.py"
    assert all(_run(module, count, day) for count in range(1, 12) for day in range(12))


def test_the_longest_name_decides_the_share() -> None:
    assert "cli" in tiers.DAYS and "cli/test_kept_sessions.py" in tiers.WHOLE
    days = [_run("cli/test_kept_sessions.py", 6, day) for day in range(6)]
    assert sorted(map(len, days)) == [0, 0, 0, 0, 6, 6]
    assert [tiers.rests("cli/test_kept_sessions.py", day) for day in range(6)] == [not share for share in days]
    assert not any(tiers.rests(path, day) for path in ("cli", "cli/test_gate.py", "spark") for day in range(9))


def test_every_name_is_of_one_table_and_of_the_second_tier() -> None:
    assert len(SHARED) == len(tiers.SHARES) + len(tiers.DAYS) + len(tiers.WHOLE)
    assert all(2 <= days <= 8 for days in SHARED.values())


def test_other_modules_run_whole() -> None:
    assert all(_run("house/test_prose.py", 5, day) == set(range(5)) for day in range(9))


def test_the_day_is_that_of_the_commit_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d"]
    found = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False, env=_in_utc())
    monkeypatch.delenv("KEEPSTATE_DAY", raising=False)
    assert night.day_of_the_share() == ((date.fromisoformat(found.stdout.strip()) - EPOCH).days if found.stdout else 0)
    monkeypatch.setenv("KEEPSTATE_DAY", "7")
    assert night.day_of_the_share() == 7


def _in_utc() -> dict[str, str]:
    return {**os.environ, "TZ": "UTC"}


SELECTED = """\
import pytest

@pytest.mark.parametrize("case", range(6))
def test_a(case: int) -> None: ...
@pytest.mark.parametrize("case", range(6))
def test_b(case: int) -> None: ...
"""


@pytest.mark.parametrize(
    ("options", "variables", "expected"),
    [
        # Of the second tier a third each day, all by night, and all of a module that is named by its path.
        (["-m", "full", "tests"], {"KEEPSTATE_DAY": "1"}, 4),
        (["-m", "full", "tests"], {"KEEPSTATE_DAY": "1", "KEEPSTATE_NIGHT": "1"}, 12),
        (["tests/spark/test_shared.py"], {"KEEPSTATE_DAY": "1"}, 12),
        (["-m", "not full", "tests"], {"KEEPSTATE_DAY": "1"}, 0),
    ],
)
def test_the_share_is_what_pytest_selects(
    options: list[str], variables: dict[str, str], expected: int, tmp_path: Path
) -> None:
    folder = tmp_path / "tests"
    (folder / "spark").mkdir(parents=True)
    (folder / "spark" / "test_shared.py").write_text(SELECTED, "utf-8")
    for name in ("conftest.py", "night.py", "repositories.py"):
        (folder / name).write_bytes((TESTS / name).read_bytes())
    own = 'FULL = {"spark": "a share"}\nSHARES = {"spark": 3}\nDAYS = WHOLE = {}\n_TURNS = '
    (folder / "tiers.py").write_text((TESTS / "tiers.py").read_text("utf-8").replace("_TURNS = ", own), "utf-8")
    done = subprocess.run(
        [*(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"), *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), *sys.path)), "KEEPSTATE_NIGHT": "", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if expected else 5), done.stdout + done.stderr
    assert done.stdout.count("::test_") == expected
