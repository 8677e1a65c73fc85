"""Requests of an editor for a document: hovers, lenses, hints, diagnostics, and those kept while it cannot be read."""

from __future__ import annotations

import random
from typing import Any

from analysis_targets import fresh_of_pairs, seeds_of_pairs
from fuzz_target import Target, texts_of
from keepstate import ENGINES
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, compare
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.baselines import HEAD, Baseline
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.features.comparison_text import comparison_text
from keepstate_lsp.features.document_json import document_report
from keepstate_lsp.features.hover import hover_at
from keepstate_lsp.features.inlays import inlays
from keepstate_lsp.features.lens import lenses
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.diagnostics import diagnostics
from sql_seeds import SQL_WORDS

_LONGEST = 20_000
_HOVERS = 12
_ANALYZER = KeepstateAnalyzer()
_CLIENTS = (ClientProfile(), ClientProfile(encoding=Encoding.UTF8, reads_markdown=True, shows_related=True))


def ask_of_a_document(data: bytes) -> None:
    """Three versions of a document, one after the other: whatever is shown lies in the version that it is shown in."""
    was, now = (text[:_LONGEST] for text in texts_of(data, 2))
    chance = random.Random(data)
    for engine in ENGINES:
        previous = None
        for version, text in enumerate((now, _half_typed(now, chance), was)):
            known = Analysis(
                Document("file:///job.sql", "flink-sql", version, text),
                Settings(),
                EffectiveSettings(engine),
                True,
                _against(was),
            )
            previous = compare(known, _ANALYZER, previous)
            _look_at(previous, chance)


def _half_typed(text: str, chance: random.Random) -> str:
    """The text in the middle of typing: a stretch of it is gone."""
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.randrange(40) :]


def _against(text: str) -> BaselineText:
    baseline = Baseline(HEAD, "0" * 40, "job.sql", text, "b" * 40, "HEAD (0000000)")
    return BaselineText(baseline, LineIndex(text), "file:///baseline.sql")


def _look_at(analysis: Analysis, chance: random.Random) -> None:
    text, lines = analysis.document.text, analysis.document.lines
    for span in (*(one.span for one in analysis.findings), *(one.span for one in analysis.pipelines)):
        assert 0 <= span.start <= span.end <= len(text)
    for client in _CLIENTS:
        for one in diagnostics(analysis, client):
            _check_range(one.range, lines, client.encoding)
    notes = _ANALYZER.state_hovers(text, analysis.effective.config, analysis.effective.engine, analysis.workspace, None)
    places = [one.span.start for one in (*analysis.findings, *notes)] + [0, len(text)]
    for offset in chance.sample(places, min(_HOVERS, len(places))):
        hover = hover_at(offset, analysis, notes)
        assert hover is None or (hover.markdown and hover.plain and hover.span.touches(offset))
    for lens in lenses(analysis):
        assert 0 <= lens.offset <= len(text)
    inlays(analysis, Span(0, len(text)))
    compared = comparison_text(analysis)
    assert compared is not None and len(compared.places) <= lines.line_count
    document_report(analysis, [()] * len(analysis.report.findings if analysis.report else ()), None)


def _check_range(found: Any, lines: LineIndex, encoding: Encoding) -> None:
    for place in (found.start, found.end):
        assert 0 <= place.line < lines.line_count, found
        length = lines.position(lines.line_span(place.line).end, encoding).character
        assert 0 <= place.character <= length, found
    assert (found.start.line, found.start.character) <= (found.end.line, found.end.character)


TARGETS = (Target("documents", ask_of_a_document, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),)
