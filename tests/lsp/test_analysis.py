"""Findings of an earlier analysis that stay while the current text cannot be read."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, compare, failed
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.offset_map import OffsetMap
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from standin import StandIn

BASELINE = "INSERT INTO a SIZE 1;\nINSERT INTO b SIZE 1;\nINSERT INTO c SIZE 1;\n"


def against(text: str = BASELINE) -> BaselineText:
    return BaselineText(
        Baseline(HEAD, "0" * 40, "a.sql", text, "b" * 40, "HEAD (0000000)"), LineIndex(text), "file:///b.sql"
    )


def analysed(text: str, previous: Analysis | None = None, **changes: Any) -> Analysis:
    known = Analysis(
        Document("file:///a.sql", "sql", 1, text), Settings(), EffectiveSettings(), is_flink=True, against=against()
    )
    return compare(replace(known, **changes), StandIn(), previous)


def shown(analysis: Analysis) -> list[tuple[str, bool]]:
    return [(one.span.of(analysis.document.text), one.is_stale) for one in analysis.findings]


def test_findings_of_broken_statements_stay_and_move_along() -> None:
    first = analysed("INSERT INTO a SIZE 2;\nINSERT INTO b SIZE 3;\nINSERT INTO c SIZE 4;\n")
    broken = analysed("-- new\nINSERT INTO a SIZE 22;\nINSERT INTO b BROKEN SIZE 3;\nINSERT INTO c SIZE 4;\n", first)
    assert shown(broken) == [("22", False), ("3", True), ("4", False)]
    assert [(one.verdict.name, one.is_stale) for one in broken.pipelines] == [
        ("INSERT INTO a", False),
        ("INSERT INTO b", True),
        ("INSERT INTO c", False),
    ]
    # Typing goes on in the broken statement, and in another one.
    still = analysed("INSERT INTO a SIZE 1;\nINSERT INTO b BROKEN, BROKEN SIZE 3;\nINSERT INTO c SIZE 5;\n", broken)
    assert shown(still) == [("3", True), ("5", False)]
    mended = analysed("INSERT INTO a SIZE 1;\nINSERT INTO b SIZE 1;\nINSERT INTO c SIZE 5;\n", still)
    assert shown(mended) == [("5", False)]


def test_a_finding_in_the_very_text_that_is_typed() -> None:
    first = analysed("INSERT INTO a SIZE 2;\n")
    assert shown(analysed("INSERT INTO a SIZE BROKEN;\n", first)) == [("BROKEN", True)]


def test_nothing_stale_when_the_baseline_is_another_one() -> None:
    first = analysed("INSERT INTO a SIZE 2;\n")
    other = against(BASELINE + "-- moved")
    assert shown(analysed("INSERT INTO a BROKEN SIZE 2;\n", first, against=other)) == []


def test_a_failure_keeps_all_that_was_known() -> None:
    first = analysed("INSERT INTO a SIZE 2;\nINSERT INTO b SIZE 3;\n")
    known = Analysis(Document("file:///a.sql", "sql", 2, "x INSERT INTO a SIZE 2;\n"), Settings(), EffectiveSettings())
    after = failed(known, ValueError("no"), first)
    assert after.is_flink and after.failure == "Keepstate failed on this text (ValueError: no)"
    assert all(one.is_stale for one in after.findings) and len(after.findings) == 2
    assert failed(known, ValueError(), None).findings == ()


@pytest.mark.parametrize("seed", range(30))
def test_a_move_keeps_what_the_edits_did_not_touch(seed: int) -> None:
    chance = random.Random(seed)
    # Every word is another one, so that only one answer is right.
    words = [chr(0x4E00 + number) + ("\n" if number % 7 == 0 else " ") for number in range(80)]
    origin = "".join(words)
    edits = sorted(chance.sample(range(len(words)), chance.randrange(1, 5)))
    target = "".join("new " * chance.randrange(3) if number in edits else word for number, word in enumerate(words))
    move = OffsetMap(origin, target)
    for number, word in enumerate(words):
        place = Span(2 * number, 2 * number + 1)
        moved = move.span(place)
        assert 0 <= moved.start <= moved.end <= len(target)
        if number not in edits:
            assert moved.of(target) == word[0]
