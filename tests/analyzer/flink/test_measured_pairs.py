"""The flink profile says what real Flink did: of the pairs of this repository, and of others where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from explained import reason
from keepstate.report import Effect
from measured import MeasuredPair, given_pairs, own_pairs

GIVEN = Path(__file__).parents[4] / "shared" / "flink-truth" / "pairs.jsonl"
_UNSAFE = frozenset({Effect.DOES_NOT_START, Effect.WRONG_RESULTS, Effect.STATE_LOST})


@pytest.mark.parametrize("pair", own_pairs(), ids=lambda pair: pair.name)
def test_own_pair(pair: MeasuredPair) -> None:
    effect = pair.report().effect
    assert effect is pair.effect or reason(pair, effect) != ""
    assert effect is not Effect.EXACT or pair.effect is Effect.EXACT or not pair.told


def _given() -> list[object]:
    if not GIVEN.is_file():
        skip = pytest.mark.skip(reason=f"the given pairs are not at hand: no {GIVEN}")
        return [pytest.param("no setting", marks=skip)]
    return list(dict.fromkeys(pair.setting.name for pair in given_pairs(GIVEN)))


@pytest.mark.parametrize("setting", _given())
def test_given_pairs(setting: str) -> None:
    pairs = [pair for pair in given_pairs(GIVEN) if pair.setting.name == setting]
    results = [(pair, pair.report().effect) for pair in pairs]
    misses = [(pair.id, pair.effect, effect) for pair, effect in results if pair.effect is not effect]
    assert len(misses) <= 0.05 * len(pairs), misses
    assert [pair.id for pair, effect in results if effect is not pair.effect and not reason(pair, effect)] == []
    trusting = [pair.id for pair, effect in results if effect is Effect.EXACT and pair.effect in _UNSAFE]
    assert trusting == []


@pytest.mark.parametrize("pair", own_pairs()[::5], ids=lambda pair: pair.name)
def test_no_version_differs_from_itself(pair: MeasuredPair) -> None:
    same = MeasuredPair(pair.id, pair.current, pair.current, pair.setting, Effect.EXACT)
    assert (same.report().effect, same.report().findings) == (Effect.EXACT, ())
