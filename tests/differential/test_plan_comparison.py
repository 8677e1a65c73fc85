"""The counts of ``make differential``, from plans that Flink 2.3.0 made of a few pairs (planned.json)."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from differential_page import SECTION, section
from generated_pairs import GeneratedPair
from keepstate_flink.plans.equality import plan_lines
from page_sections import section as section_of
from page_sections import with_section
from plan_equality import Comparison, compared
from planned_scripts import PlannedScript
from scored_pairs import ScoredPair, by_kind, verdicts

PLANNED = Path(__file__).with_name("planned.json")


@cache
def recorded() -> dict[str, dict[str, Any]]:
    return {record["kind"]: record for record in json.loads(PLANNED.read_text("utf-8"))}


def planned(kind: str) -> tuple[PlannedScript, PlannedScript]:
    a, b = (PlannedScript(side["plan"], tuple(side["operators"])) for side in recorded()[kind]["planned"])
    return a, b


def comparison(kind: str) -> Comparison:
    return compared(*planned(kind), means_the_same=kind.startswith("rewrite:"))


@pytest.mark.parametrize(
    ("kind", "plan", "ids", "schema", "meaning"),
    [
        ("rewrite:spelled", True, True, True, True),
        ("rewrite:commuted", False, True, True, True),
        ("edit:filter", False, True, True, False),
        ("edit:behind", False, True, True, True),
        ("edit:aggregate", False, True, False, False),
        ("edit:not-null", False, True, True, True),
        ("edit:branches", False, False, True, True),
    ],
)
def test_what_is_equal(kind: str, plan: bool, ids: bool, schema: bool, meaning: bool) -> None:
    assert comparison(kind) == Comparison(plan, ids, schema, meaning)


def test_a_script_is_equal_to_itself() -> None:
    for kind in recorded():
        for side in planned(kind):
            assert compared(side, side) == Comparison(True, True, True, True)


def test_the_plan_says_where_it_differs() -> None:
    a, b = planned("edit:filter")
    assert a.plan is not None and b.plan is not None
    different = [(x, y) for x, y in zip(plan_lines(a.plan), plan_lines(b.plan), strict=True) if x != y]
    assert len(different) == 1
    assert "stream-exec-calc" in different[0][0]


def scored(kind: str, number: int, **said: str) -> ScoredPair:
    record = recorded()[kind]
    pair = GeneratedPair(number, kind, "group", record["a"], record["b"])
    return ScoredPair(number, kind, "group", comparison(kind), said or verdicts(pair))


def test_the_product_says_what_flink_plans() -> None:
    for number, kind in enumerate(recorded()):
        assert scored(kind, number).measure("flink") is None, kind


@pytest.mark.parametrize(
    ("kind", "verdict", "measure", "is_dangerous"),
    [
        ("rewrite:spelled", "incompatible", "alarms", False),
        ("rewrite:spelled", "unknown", "alarms", False),
        ("rewrite:spelled", "compatible", None, False),
        ("edit:behind", "incompatible", "alarms behind the state", False),
        ("edit:filter", "compatible", "silent", False),
        ("edit:filter", "partial", None, False),
        ("edit:aggregate", "compatible", "silent", True),
        ("edit:branches", "compatible", "silent", True),
    ],
)
def test_a_wrong_verdict_is_counted(kind: str, verdict: str, measure: str | None, is_dangerous: bool) -> None:
    pair = scored(kind, 0, flink=verdict, vvr="compatible" if measure != "silent" else "incompatible")
    assert pair.measure("flink") == measure
    assert pair.is_dangerous is is_dangerous
    counts = by_kind([pair, replace(pair, compared=None)])[kind]
    assert (counts.pairs, counts.refused) == (2, 1)
    assert counts.wrong["dangerous", "flink"] == (measure == "silent" and is_dangerous)
    assert sum(counts.wrong[name, "flink"] for name in ("alarms", "alarms behind the state", "silent")) == bool(measure)


def test_a_pair_comes_back_from_its_record() -> None:
    for pair in (scored("edit:filter", 3), replace(scored("edit:filter", 4), compared=None)):
        assert ScoredPair.from_json(json.loads(json.dumps(pair.to_json()))) == pair


def test_the_section_has_a_row_for_each_kind() -> None:
    pairs = [scored(kind, number, flink="compatible", vvr="compatible") for number, kind in enumerate(recorded())]
    text = section(pairs, "7", "2.3.0", given=False)
    assert "| spelled | 1 |  | 1 |" in text
    assert "| aggregate | 1 |  |  |  |  |  | 1 | 1/1 | 1/1 |" in text
    assert "make differential PAIRS=7 SEED=7" in text


def test_a_section_stays_where_it_is() -> None:
    page = with_section("# Page\n\nText.\n", SECTION, "## Old\n")
    assert section_of(page, SECTION) == "\n## Old\n".lstrip("\n")
    changed = with_section(page + "\nBehind.\n", SECTION, "## New\n")
    assert changed.replace("## New", "## Old") == page + "\nBehind.\n"
    assert section_of("# Page\n", SECTION) == ""
