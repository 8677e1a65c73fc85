"""Measurements on rule pages are those in the measured data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import keepstate
from keepstate.engines.lookup import page_cases
from keepstate.engines.table import PAGES
from keepstate.report import Effect
from keepstate.rules.evidence import example_outcomes, pairs_about, pairs_named
from keepstate.rules.page_files import page_examples
from measured import MeasuredPair, given_pairs, own_pairs

RULES = Path(keepstate.__file__).parent / "rules"
DATA = json.loads((RULES / "evidence.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("part", "pairs"), [("pairs", own_pairs()), ("given", given_pairs("pairs") + given_pairs("pairs-2"))]
)
def test_pairs_are_reported_as_they_were_measured(part: str, pairs: tuple[MeasuredPair, ...]) -> None:
    reported = {(name, at): Effect(was) for name, pair in DATA[part].items() for at, was in pair["measured"].items()}
    # What is exact by luck is no evidence.
    measured = {(pair.id, pair.setting.name): pair.effect for pair in pairs if not pair.note}
    assert reported
    assert reported.items() <= measured.items()


@pytest.mark.parametrize(
    ("name", "effect"),
    sorted({(case.measured, case.effect.value) for page in PAGES for case in page_cases(page) if case.measured}),
)
def test_pairs_that_cases_name_had_their_effect(name: str, effect: str) -> None:
    assert Effect(effect) in {outcome for one in pairs_named(name) for outcome in one.outcomes.values()}


def test_a_pair_is_about_one_rule_only() -> None:
    sizes = pairs_about("window-tvf", "window-size-changed")
    assert "hop_tvf/window_size_15" in {one.pair for one in sizes}
    others = {one.pair for one in pairs_about("window-tvf", "aggregate-added")}
    assert not {one.pair for one in sizes} & others


def test_what_was_never_measured_is_said_to_be_so() -> None:
    (page,) = [rule.page for rule in keepstate.find_rules("state-ttl-shortened", "flink")]
    assert re.search(r"^\| `flink` \| \*\*state-dropped\*\* \| never measured \|$", page, re.MULTILINE)


def test_restarted_examples_are_evidence_where_no_pair_is() -> None:
    (page,) = [rule.page for rule in keepstate.find_rules("column-renamed", "flink")]
    assert re.search(r"^\| `flink` \| \*\*exact\*\* \| on 2\.3\.0.*: examples below \|$", page, re.MULTILINE)
    (page,) = [rule.page for rule in keepstate.find_rules("column-renamed", "flink", "1.18")]
    assert re.search(r"^\| `flink` \| \*\*exact\*\* \| never measured \|$", page, re.MULTILINE)


def test_an_edited_example_has_no_evidence() -> None:
    pages = [page for page in PAGES if page.query_kind == "window-tvf"]
    examples = [example for page in pages for example in page_examples(page.query_kind, page.name)]
    pairs = [(example.baseline.text, example.current.text) for example in examples]
    known = [(was, now) for was, now in pairs if example_outcomes(was, now)]
    assert known
    assert not any(example_outcomes(was, f"{now} -- edited") for was, now in known)
