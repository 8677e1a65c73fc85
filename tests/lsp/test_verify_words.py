"""Sentences of an editor about a measured restart, and the queries that they stand at."""

from __future__ import annotations

from typing import Any

import pytest

from keepstate.report import Effect, PipelineVerdict, Verdict
from keepstate.text import LineIndex, Span
from keepstate_flink.restarts import Differences
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_flink.witness import RestartWitness, TableRows
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, PlacedPipeline
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.runs.run_request import identity_of
from keepstate_lsp.analysis.verifications.verify_results import VerificationResult, Verifications
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction
from keepstate_lsp.cli.commands.verify.verify_document import Verification as FileVerification
from keepstate_lsp.cli.commands.verify.verify_document import verification_document
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.config.file import JobConfig

MIGRATION = (
    "org.apache.flink.util.StateMigrationException: For heap backends, the new state serializer (A@1) must not be "
    "incompatible with the old state serializer (A@2)."
)
STARTS = Measurement("INSERT INTO a", RestartOutcome.STARTS)
ON = "Measured on Flink 2.3.0"


def document(*jobs: CheckedPrediction, rows: str = "", notices: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON of the command, as it writes it."""
    return verification_document(FileVerification("a.sql", "HEAD", "2.3.0", jobs, rows, notices))


def analysis(*names: str, current: str = "now", config: JobConfig | None = None) -> Analysis:
    pipelines = [
        PipelineVerdict(name, Span(0, 1), Verdict.PARTIAL, Effect.EXACT, (index,)) for index, name in enumerate(names)
    ]
    return Analysis(
        Document("file:///a.sql", "sql", 1, current),
        Settings(),
        EffectiveSettings() if config is None else EffectiveSettings(config=config),
        is_flink=True,
        against=BaselineText(Baseline(HEAD, None, "a.sql", "before", None, "HEAD"), LineIndex("before"), None),
        pipelines=tuple(PlacedPipeline(one, one.span) for one in pipelines),
    )


def lines(found: dict[str, Any], about: Analysis) -> list[tuple[str, str] | None]:
    """The line above each query, with the text of the first entry in the hover."""
    assert about.comparison is not None
    kept = Verifications()
    kept.keep(VerificationResult.of(found, identity_of(about.comparison)))
    return [line and (line.above, line.hover[0][1]) for line in kept.lines(about)]


@pytest.mark.parametrize(
    ("measured", "predicted", "above", "hover"),
    [
        (STARTS, Effect.EXACT, f"{ON}: starts", "starts."),
        (
            Measurement("INSERT INTO a", RestartOutcome.DOES_NOT_START, error=("outer", MIGRATION)),
            Effect.DOES_NOT_START,
            f"{ON}: does not start",
            "does not start. What the operator stores has another layout.",
        ),
        (
            Measurement("INSERT INTO a", RestartOutcome.DOES_NOT_START, error=("java.lang.Error: odd\x1b[31m",)),
            Effect.EXACT,
            f"{ON}: does not start",
            "does not start. java.lang.Error: odd\N{REPLACEMENT CHARACTER}[31m. The prediction for open-source Flink "
            "(exact) disagrees: please report both versions.",
        ),
        (
            Measurement("INSERT INTO a", RestartOutcome.WRONG_RESULTS),
            Effect.UNDETERMINED,
            f"{ON}: wrong results",
            "wrong results: it starts, and gives other numbers.",
        ),
        (
            Measurement("INSERT INTO a", RestartOutcome.NOT_MEASURED, "Flink does not take the baseline: no."),
            Effect.EXACT,
            "Not measured on Flink 2.3.0",
            "Flink does not take the baseline: no.",
        ),
    ],
)
def test_a_line_on_a_query(measured: Measurement, predicted: Effect, above: str, hover: str) -> None:
    found = document(CheckedPrediction(measured, predicted))
    assert lines(found, analysis("INSERT INTO a")) == [(above, hover)]


def test_rows_and_witness_are_named() -> None:
    witness = RestartWitness((TableRows("`c`.`d`.`o`", ('+I{"a": 1}',), ()),), Differences(("`c`.`d`.`s` +I[3]",), ()))
    measured = Measurement("INSERT INTO a", RestartOutcome.WRONG_RESULTS, witness=witness)
    found = document(
        CheckedPrediction(measured, Effect.WRONG_RESULTS), rows="generated rows", notices=("It runs on vvr.",)
    )
    result = VerificationResult.of(found, "")
    line = result.line_of(("INSERT INTO a", 0))
    assert line is not None and line.hover == (
        (f"{ON} with generated rows", "wrong results: it starts, and gives other numbers. It runs on vvr."),
        ("Witness", 'before the savepoint o +I{"a": 1}; should come out s +I[3]'),
    )
    assert result.sentence == (
        "a.sql on Flink 2.3.0 with generated rows: INSERT INTO a: wrong results: it starts, and gives other numbers. "
        "It runs on vvr. It was restarted from HEAD."
    )


def test_queries_of_one_name_and_of_one_job() -> None:
    """A job is one query or several, and queries of one name follow one another."""
    jobs = [
        CheckedPrediction(Measurement(name, outcome), Effect.EXACT)
        for name, outcome in (
            ("INSERT INTO a, INSERT INTO b", RestartOutcome.STARTS),
            ("INSERT INTO a", RestartOutcome.EXACT),
            ("INSERT INTO gone", RestartOutcome.NOT_MEASURED),
        )
    ]
    about = analysis("INSERT INTO a", "INSERT INTO b", "INSERT INTO a", "INSERT INTO c")
    found = lines(document(*jobs), about)
    assert [line and line[0].rpartition(": ")[2] for line in found] == ["starts", "starts", "exact", None]
    # The only job has all queries, whatever Flink calls it.
    (whole,) = [CheckedPrediction(Measurement("", RestartOutcome.STARTS), Effect.EXACT)]
    assert lines(document(whole), about) == [(f"{ON}: starts", "starts.")] * 4


def test_a_measurement_is_of_texts_and_settings() -> None:
    about = analysis("INSERT INTO a")
    assert about.comparison is not None
    kept = Verifications()
    assert kept.lines(about) == (None,)
    kept.keep(VerificationResult.of(document(CheckedPrediction(STARTS, Effect.EXACT)), identity_of(about.comparison)))
    others = (
        analysis("INSERT INTO a", current="other"),
        analysis("INSERT INTO a", config=JobConfig("2.2")),
        analysis("INSERT INTO a", config=JobConfig(parameters={"table.exec.state.ttl": "1 h"})),
        analysis("INSERT INTO a", config=JobConfig(jobs="script")),
    )
    assert [kept.lines(other) for other in others] == [(None,)] * len(others)
    assert kept.lines(analysis("INSERT INTO a")) != (None,)
