"""Every test is of one tier, and the table of the tiers names nothing that is gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tiers

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("name", sorted({*tiers.FULL, *tiers.FIRST, *tiers.LONG, *tiers.SHARES, *tiers.SPLIT}))
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
    assert tiers.is_full(test) is expected


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
    assert {tier for tier in (False, True) if tiers.has_tests(path, tier)} == tiers_of_path


@pytest.mark.parametrize("module", tiers.SPLIT)
def test_each_case_of_a_split_module_is_of_one_tier(module: str) -> None:
    """The first case is of the first tier; no case is left for the night."""
    assert [tiers.is_full(f"{module}::test_any[case]", case) for case in (0, 1, tiers.SPLIT[module])] == [
        False,
        True,
        False,
    ]
    assert all(tiers.has_tests(path, full) for path in (module, module.partition("/")[0]) for full in (False, True))
    assert tiers.runs_by_day(module, 1)


def test_long_modules_begin_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "LONG", ("a/test_b.py", "c", "a"))
    monkeypatch.setattr(tiers, "_TURNS", {"a/test_b.py": 0, "c": 1, "a": 2})
    modules = ["d/test_a.py", "a/test_a.py", "c/test_a.py", "a/test_b.py"]
    assert sorted(modules, key=tiers.turn_of) == ["a/test_b.py", "c/test_a.py", "a/test_a.py", "d/test_a.py"]


@pytest.mark.parametrize("module", tiers.SHARES)
def test_a_share_by_day_is_of_the_second_tier_and_has_the_first_case(module: str) -> None:
    assert tiers.is_full(f"{module}::test_any[case]")
    assert tiers.runs_by_day(module, 0) and not tiers.runs_by_day(module, 1)


def test_other_modules_run_whole() -> None:
    assert all(tiers.runs_by_day("cli/test_gate.py", case) for case in range(5))
