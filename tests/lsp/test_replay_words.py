"""Sentences of an editor about a replay, and the time for which they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from keepstate.report import Effect, PipelineVerdict, Verdict
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, PlacedPipeline
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.replays.editor_texts import query_line, replay_sentence, share, witness_line
from keepstate_lsp.analysis.replays.replay_results import ReplayResult, ReplayResults
from keepstate_lsp.analysis.runs.lines import AllRunLines
from keepstate_lsp.analysis.runs.run_request import identity_of
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings

RESTART = "2026-03-01 10:20"


def query(name: str = "INSERT INTO a", wrong: dict[str, int] | None = None, **other: Any) -> dict[str, Any]:
    """A query of a summary with four results; ``wrong`` are those of each metric."""
    metrics = {"gmv": 0} if wrong is None else wrong
    figures = {
        "results": 4,
        "wrong": {"restarted": max(metrics.values())},
        "heals_at": {"restarted": "2026-03-01 11:00:00"},
        "metrics": [
            {"metric": metric, "results": 4, "wrong": {"restarted": number}} for metric, number in metrics.items()
        ],
    }
    known = {"name": name, "figures": figures, "heals": True, "time_to_live": None, "state": "reused", "skipped": None}
    return {**known, **other}


def summary(*queries: dict[str, Any]) -> dict[str, Any]:
    return {"file": "shop.sql", "restart_at": RESTART, "queries": list(queries)}


NEW = query("INSERT INTO n", figures=None, skipped="It is new: there is no state that it could lose.")


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (query(), "every result is as expected"),
        (query(wrong={"most": 1, "gmv": 0}), "25 % of the results of most are wrong until 11:00"),
        (query(wrong={"most": 1, "gmv": 3}), "75 % of the results are wrong until 11:00"),
        (query(wrong={"n": 2}, heals=False), "50 % of the results of n are wrong and stay so"),
        (
            query(wrong={"n": 2}, heals=False, time_to_live="1 d"),
            "50 % of the results of n are wrong until their key has rested for 1 d",
        ),
        (
            query(wrong={"n": 4}, state="lost"),
            "100 % of the results of n are wrong until 11:00: nothing of the state is reused",
        ),
        (NEW, "It is new: there is no state that it could lose"),
    ],
)
def test_a_line_on_a_query(found: dict[str, Any], line: str) -> None:
    assert query_line(found, RESTART) == line


@pytest.mark.parametrize("restart_at", ["2026-02-28 23:00", "2026-03-01T10:20:00+01:00"])
def test_the_day_is_reported_where_it_is_another_or_nobody_knows(restart_at: str) -> None:
    assert query_line(query(wrong={"n": 1}), restart_at).endswith("wrong until 2026-03-01 11:00")


@pytest.mark.parametrize(
    ("queries", "sentence"),
    [
        ([query()], "every result is as expected."),
        ([NEW], "INSERT INTO n: It is new: there is no state that it could lose."),
        ([query(), NEW], "every result is as expected. 1 of 2 queries were not replayed."),
        (
            [query(), query("INSERT INTO b", {"n": 1}), query("INSERT INTO c", {"m": 3})],
            "in INSERT INTO c 75 % of the results of m are wrong until 11:00 (1 more of its queries is hit).",
        ),
    ],
)
def test_a_sentence_on_a_job(queries: list[dict[str, Any]], sentence: str) -> None:
    assert replay_sentence(summary(*queries)) == f"shop.sql, restart at {RESTART}: {sentence}"


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 9, "0 %"), (1, 1000, "< 1 %"), (999, 1000, "> 99 %"), (1, 3, "33 %"), (2, 2, "100 %")],
)
def test_only_all_is_all(part: int, whole: int, words: str) -> None:
    assert share(part, whole) == words


def analysis(current: str, baseline: str = "before") -> Analysis:
    names = ("INSERT INTO a", "INSERT INTO b", "INSERT INTO a")
    pipelines = [
        PipelineVerdict(name, Span(0, 1), Verdict.PARTIAL, Effect.EXACT, (index,)) for index, name in enumerate(names)
    ]
    return Analysis(
        Document("file:///shop.sql", "sql", 1, current),
        Settings(),
        EffectiveSettings(),
        is_flink=True,
        against=BaselineText(Baseline(HEAD, None, "shop.sql", baseline, None, "HEAD"), LineIndex(baseline), None),
        pipelines=tuple(PlacedPipeline(one, one.span) for one in pipelines),
    )


def test_lines_hold_for_the_texts_that_were_replayed(tmp_path: Path) -> None:
    """Queries of one name are distinct, and a finding gets the line of its query."""
    replayed = analysis("now")
    assert replayed.comparison is not None
    found = summary(query(wrong={"n": 1}), query("INSERT INTO b"), query(wrong={"n": 2}))
    results = ReplayResults()
    results.keep("file:///shop.sql", ReplayResult.of(found, identity_of(replayed.comparison), (), tmp_path))
    lines = results.lines(replayed)
    assert [line and line.above[:14] for line in lines] == ["Replayed: 25 %", "Replayed: ever", "Replayed: 50 %"]
    every = AllRunLines(results)
    ((label, text), _) = every.of_finding(replayed, 2)[0].hover
    assert label == f"Replayed at {RESTART}" and text.startswith("50 % of the results of n")
    for other in (analysis("other"), analysis("now", "other")):
        assert results.lines(other) == (None, None, None)
        assert every.of_finding(other, 2) == ()


def test_a_witness_in_a_line() -> None:
    before = {"table": "o", "after": False, "at": "", "values": {"k": "a", "v": "7"}}
    after = {"table": "o", "after": True, "at": "", "values": {"k": "a", "v": None}}
    witness = {"rows": [before, after], "key": "k = a", "metric": "most", "expected": "7", "restarted": None}
    assert witness_line(query()) == ""
    assert witness_line(query(witness={**witness, "generated": True})) == (
        "made-up rows: before the restart o (k = a, v = 7); after the restart o (k = a, v = NULL). Then most of k = a "
        "should be 7, and there is none"
    )
    there = {**witness, "metric": "", "restarted": "there", "generated": False}
    assert witness_line(query(witness=there)).endswith("The result of k = a is too many")
