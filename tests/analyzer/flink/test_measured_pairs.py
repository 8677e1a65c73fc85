"""The flink profile says what real Flink did: of the pairs of conformance/, and of those of tests/truth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from explained import needless, reason
from keepstate import JobVersion
from keepstate.report import Effect
from made_anew import made_anew
from measured import MeasuredPair, given_pairs, own_pairs, sampled_pairs
from mistakes import TO_BE_MENDED
from night import IS_NIGHT, by_night

SHORT = given_pairs("pairs")
JOBS = given_pairs("pairs-2")
SAMPLE = sampled_pairs()
CLAIMS = frozenset(Effect) - {Effect.UNDETERMINED}


@cache
def foreseen(pair: MeasuredPair) -> Effect:
    report = pair.report()
    return report.effect if report.is_valid else Effect.DOES_NOT_START


def _mistakes(pairs: tuple[MeasuredPair, ...]) -> Iterator[str]:
    for pair in pairs:
        effect = foreseen(pair)
        if effect is not pair.effect and not reason(pair, effect):
            yield pair.id


@pytest.mark.parametrize("pair", own_pairs(), ids=lambda pair: pair.name)
def test_own_pair(pair: MeasuredPair) -> None:
    effect = foreseen(pair)
    assert effect is pair.effect or reason(pair, effect) != ""
    assert effect is not Effect.EXACT or pair.effect is Effect.EXACT or not pair.discriminating


@pytest.mark.parametrize("pairs", [SHORT, JOBS, SAMPLE], ids=["pairs", "pairs-2", "sample"])
def test_a_disagreement_has_a_reason_or_is_to_be_mended(pairs: tuple[MeasuredPair, ...]) -> None:
    listed = {pair.id for pair in pairs} & TO_BE_MENDED.keys()
    assert set(_mistakes(pairs)) == listed, "delete those that agree from conformance/mistakes.py"


def test_what_is_to_be_mended_was_measured() -> None:
    assert {pair.id for pair in (*SHORT, *JOBS, *SAMPLE)} >= TO_BE_MENDED.keys()


@pytest.mark.skipif(not IS_NIGHT, reason="it mends each pair in every way: by night")
def test_no_reason_is_given_in_vain() -> None:
    assert needless((pair, foreseen(pair)) for pair in (*SHORT, *JOBS, *SAMPLE, *own_pairs())) == []


@pytest.mark.parametrize("pairs", [SHORT, JOBS, SAMPLE], ids=["pairs", "pairs-2", "sample"])
def test_none_is_called_exact_that_is_not(pairs: tuple[MeasuredPair, ...]) -> None:
    trusting = [
        pair.name
        for pair in pairs
        if foreseen(pair) is Effect.EXACT and pair.effect is not Effect.EXACT and pair.id not in TO_BE_MENDED
    ]
    assert trusting == []


@pytest.mark.parametrize("setting", list(dict.fromkeys(pair.setting.name for pair in SHORT)))
def test_short_queries_are_foreseen(setting: str) -> None:
    """The misses are wrong state that these rows did not show: see conformance/explained.py, pair by pair."""
    pairs = [pair for pair in SHORT if pair.setting.name == setting]
    assert sum(foreseen(pair) is pair.effect for pair in pairs) >= 0.94 * len(pairs)


def test_whole_jobs_are_foreseen() -> None:
    """Left out are the mistakes of the list, what is exact by luck, and what the profile says it cannot tell."""
    demanded = [pair for pair in JOBS if pair.id not in TO_BE_MENDED and not pair.note]
    claimed = [pair for pair in demanded if foreseen(pair) in CLAIMS]
    assert sum(foreseen(pair) is pair.effect for pair in claimed) >= 0.98 * len(claimed)
    assert len(claimed) >= 0.97 * len(demanded)


@pytest.mark.parametrize("pair", own_pairs()[:: by_night(1, 25)], ids=lambda pair: pair.name)
def test_no_version_differs_from_itself(pair: MeasuredPair) -> None:
    anew = made_anew(JobVersion(pair.current)).text
    report = MeasuredPair(pair.id, anew, pair.current, pair.setting, Effect.EXACT).report()
    same = Effect.EXACT if report.is_valid else Effect.UNDETERMINED
    assert (report.effect, report.findings) == (same, ())
