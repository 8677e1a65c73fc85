"""A short run of labelled pairs, and that mistakes of the product would be seen (``make accuracy`` is the long run)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import pair_scores
from accuracy_page import RESTATED, ScoredPair, Tally, page
from catalogue_of_edits import EDITS
from edits import COMPATIBLE, INCOMPATIBLE, UNKNOWN
from keepstate.report import Effect, Report
from keepstate.rules.catalogue import all_rules
from keepstate.rules.specification import SECTIONS
from labelled_pairs import EDIT, EDIT_ON_FLINK, NEUTRAL, TWO_EDITS, TWO_QUERIES, LabelledPair, pair_of
from measure_accuracy import measured
from pair_scores import Mistake, score
from unreached_rules import REASONS

PAIRS = 120


def test_a_short_run_is_right() -> None:
    tally = measured(PAIRS, seed=7, processes=1)
    assert tally.wrong == []
    assert f"from {PAIRS} pairs" in page(tally, 7, EDITS)


def test_a_pair_can_be_made_again() -> None:
    for number in range(10):
        assert pair_of(number, seed=3) == pair_of(number, seed=3)
        assert pair_of(number, seed=3).baseline != pair_of(number, seed=4).baseline


def first_pair(family: str, **wanted: object) -> LabelledPair:
    pairs = (pair_of(number, seed=1) for number in range(400))
    return next(
        pair
        for pair in pairs
        if pair.family == family and all(getattr(pair, name) is value for name, value in wanted.items())
    )


@pytest.mark.parametrize(
    ("family", "label", "claimed", "mistake"),
    [
        (EDIT, INCOMPATIBLE, UNKNOWN, Mistake.TOO_LOUD),
        (EDIT, UNKNOWN, INCOMPATIBLE, Mistake.MISS),
        (EDIT, INCOMPATIBLE, COMPATIBLE, Mistake.FALSE_ALARM),
        (EDIT, COMPATIBLE, INCOMPATIBLE, Mistake.MISS),
        (TWO_EDITS, INCOMPATIBLE, COMPATIBLE, Mistake.FALSE_ALARM),
        (TWO_QUERIES, INCOMPATIBLE, COMPATIBLE, Mistake.FALSE_ALARM),
    ],
)
def test_another_verdict_than_the_label_is_seen(family: str, label: object, claimed: object, mistake: Mistake) -> None:
    pair = first_pair(family, verdict=label)
    assert not score(pair).mistakes
    assert score(replace(pair, verdict=claimed)).mistakes == {mistake}


def test_another_effect_than_the_measured_one_is_seen() -> None:
    pair = first_pair(EDIT_ON_FLINK, verdict=INCOMPATIBLE)
    assert not score(pair).mistakes
    (edit,) = pair.edits
    other = replace(edit, effects=frozenset({Effect.STATE_DROPPED}))  # type: ignore[call-arg]
    assert score(replace(pair, edits=(other,))).mistakes == {Mistake.OTHER_EFFECT}


def test_reasons_for_silence_are_given_for_rules_that_exist() -> None:
    assert {(rule.query, rule.kind) for rule in all_rules()} >= set(REASONS)


def test_restated_forms_are_of_rows_that_exist() -> None:
    assert {id_ for section in SECTIONS for id_ in section.ids} >= set(RESTATED)


def test_an_edit_that_the_label_does_not_know_is_seen() -> None:
    edited = first_pair(EDIT, verdict=INCOMPATIBLE)
    assert Mistake.FALSE_ALARM in score(replace(edited, family=NEUTRAL, edits=(), verdict=COMPATIBLE)).mistakes


def test_another_rule_and_another_place_are_seen() -> None:
    pair = first_pair(EDIT, verdict=INCOMPATIBLE)
    (edit,) = pair.edits
    assert Mistake.OTHER_RULE in score(replace(pair, edits=(replace(edit, spec="PR-05"),))).mistakes
    elsewhere = [replace(side, touched=((0, 1),)) for side in (pair.baseline, pair.current)]
    found = score(replace(pair, baseline=elsewhere[0], current=elsewhere[1])).mistakes
    assert found == {Mistake.OTHER_PLACE, Mistake.FALSE_ALARM}


def test_a_silent_product_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object) -> Report:
        return Report("vvr", COMPATIBLE, effect=Effect.EXACT, unchanged=True)

    monkeypatch.setattr(pair_scores, "checked", silent)
    tally = Tally()
    for pair in (pair_of(number, seed=1) for number in range(40)):
        tally.add(ScoredPair.of(pair, score(pair)))
    assert tally.wrong == [number for number in range(40) if pair_of(number, seed=1).verdict is not COMPATIBLE]
