"""Everything that a client asks about one version of a document reads one comparison."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepstate import ENGINES, comparison
from keepstate.plan.job import Job
from keepstate.text import LineIndex, Span
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, compare
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.virtual_documents import VirtualDocuments
from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig
from keepstate_lsp.features.hover import hover_at
from keepstate_lsp.features.inlays import inlays
from keepstate_lsp.features.lens import lenses

WAS = """\
CREATE TABLE orders (id BIGINT, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');
INSERT INTO s1 SELECT id, MAX(a), MIN(b) FROM orders WHERE b > 1 GROUP BY id;
INSERT INTO s2 SELECT b, COUNT(*) FROM orders GROUP BY b;
"""
NOW = WAS.replace("MAX(a)", "MIN(a)").replace("COUNT(*)", "SUM(a)")


@pytest.fixture
def service(tmp_path: Path) -> AnalysisService:
    return AnalysisService(KeepstateAnalyzer(), BaselineReader(), VirtualDocuments(tmp_path))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The arguments of each comparison and of each judgement that is made."""
    calls: dict[str, list[Any]] = {"compare_jobs": [], "judge": []}

    def counting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls[name].append(arguments)
            return real(*arguments)

        return call

    for name in calls:
        monkeypatch.setattr(comparison, name, counting(name, getattr(comparison, name)))
    return calls


def opened(text: str, engine: str, previous: Analysis | None = None, config: JobConfig = EMPTY_CONFIG) -> Analysis:
    analyzer = KeepstateAnalyzer()
    baseline = Baseline(HEAD, "0" * 40, "job.sql", WAS, "b" * 40, "HEAD (0000000)")
    known = Analysis(
        Document("file:///job.sql", "flink-sql", 1, text),
        Settings(),
        EffectiveSettings(engine, config=config),
        is_flink=True,
        against=BaselineText(baseline, LineIndex(WAS), "file:///baseline.sql"),
        workspace=previous.workspace if previous is not None else analyzer.workspace(),
    )
    return compare(known, analyzer, previous)


def look_at_everything(service: AnalysisService, analysis: Analysis) -> None:
    notes = service.state_hovers(analysis)
    assert notes and lenses(analysis) and analysis.report is not None
    for index, shown in enumerate(analysis.findings):
        assert hover_at(shown.span.start, analysis, notes) is not None
        assert service.state_outcome(analysis, index) is not None
    inlays(analysis, Span(0, len(analysis.document.text)))
    text, _ = service.plan(analysis)
    assert "aggregate-changed" in text


@pytest.mark.parametrize("engine", ENGINES)
def test_all_that_is_shown_of_a_version_is_of_one_comparison(
    engine: str, service: AnalysisService, counted: dict[str, list[Any]]
) -> None:
    analysis = opened(NOW, engine)
    for _ in range(2):
        look_at_everything(service, analysis)
    assert {name: len(calls) for name, calls in counted.items()} == {"compare_jobs": 1, "judge": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_fixes_compare_their_own_texts_alone_and_each_once(
    engine: str, service: AnalysisService, counted: dict[str, list[Any]]
) -> None:
    analysis = opened(NOW, engine)
    for _ in range(2):
        assert all(service.all_fixes(analysis))
        service.file_fixes(analysis)
        service.with_revert(analysis)
    texts = [now.script.text for _, now, *_ in counted["compare_jobs"]]
    assert texts[0] == NOW and NOW not in texts[1:]
    assert len(texts) == len(set(texts)) == len(counted["judge"])
    # The baseline is the same job for all of them.
    assert all(was is counted["compare_jobs"][0][0] for was, *_ in counted["compare_jobs"])


def test_the_next_version_of_a_document_is_another_comparison(counted: dict[str, list[Any]]) -> None:
    first = opened(NOW, "vvr")
    second = opened(NOW.replace("b > 1", "b > 2"), "vvr", first)
    assert len(counted["compare_jobs"]) == 2
    # Back to the text of before, as after an undo.
    assert opened(NOW, "vvr", second).report == first.report
    assert len(counted["compare_jobs"]) == 2


@pytest.mark.parametrize("config", [EMPTY_CONFIG, JobConfig(engine_version="1.17", parameters={"a.b": "c"})])
@pytest.mark.parametrize("engine", ENGINES)
def test_hovers_and_plans_make_no_job_but_that_of_the_check(
    engine: str, config: JobConfig, service: AnalysisService, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = opened(NOW, engine, config=config)
    jobs: list[Any] = []
    real = Job.of

    def counting(*arguments: Any, **options: Any) -> Job:
        jobs.append(arguments)
        return real(*arguments, **options)

    monkeypatch.setattr(Job, "of", staticmethod(counting))
    assert service.state_hovers(analysis)
    assert service.state_hovers(analysis, 0) == ()
    # Those of a document without a baseline.
    analyzer, memory = KeepstateAnalyzer(), analysis.workspace
    assert "orders" in analyzer.plan(NOW, config, engine, memory)
    assert analyzer.drawing_alone(NOW, config, engine, memory).pipelines
    assert not jobs
