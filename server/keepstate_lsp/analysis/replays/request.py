"""Requests of an editor for a replay, and the settings that a replay needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keepstate.report import ReadTable
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analyzer import Comparison
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.replay_settings import ReplayFault, ReplaySettings, located
from keepstate_lsp.config.restart_times import restart_time

_NEEDED = ("keepstate_lsp.cli", "keepstate_spark", "pyspark")
_HOW = (
    "A replay runs on Spark, which is not installed beside this server: pip install 'keepstate[spark]', and let your "
    "editor start that Keepstate."
)


class ReplayRefused(Exception):
    """There is nothing to replay, or something is missing; the message is for a person."""


@dataclass(frozen=True)
class ReplayOffer:
    """The settings of a replay as far as the configuration has them."""

    restart_at: str | None
    data: Mapping[str, str]
    """Absolute paths by tables. Tables whose declaration names files may be absent."""
    arrival: Mapping[str, str]
    missing: tuple[str, ...]
    """Tables without known files."""
    refused: str | None = None
    """The reason why no setting makes a replay possible: a sentence."""


@dataclass(frozen=True)
class ReplayRequest:
    """A replay that can be begun."""

    uri: str
    path: Path
    versions: str
    """Both versions, as ``keepstate replay --versions`` reads them."""
    identity: str
    restart_at: str
    data: Mapping[str, str]
    arrival: Mapping[str, str]


def offer_of(analysis: Analysis, tables: tuple[ReadTable, ...]) -> ReplayOffer:
    """The settings of a replay of a job that reads ``tables``, from its configuration file."""
    config = analysis.effective.config
    said = config.source.replay if config.source is not None else ReplaySettings()
    names = {table.name for table in tables}
    data = {name: path for name, path in said.data.items() if name in names}
    arrival = {name: column for name, column in said.arrival.items() if name in names}
    missing = tuple(table.name for table in tables if table.name not in data and not table.has_files)
    return ReplayOffer(said.restart_at, data, arrival, missing, _refusal(analysis))


def request_of(analysis: Analysis, tables: tuple[ReadTable, ...], options: Mapping[str, Any]) -> ReplayRequest:
    """The replay that ``options`` (``restartAt``, ``data``, ``arrival``) ask for; the configuration supplies the rest.

    Raises:
        ReplayRefused: it cannot be begun.
    """
    offer = offer_of(analysis, tables)
    if offer.refused is not None:
        raise ReplayRefused(offer.refused)
    document, comparison = analysis.document, analysis.comparison
    assert comparison is not None and analysis.against is not None and document.path is not None
    path = Path(document.path)
    try:
        data = {**offer.data, **located(_texts(options, "data"), path.parent)}
        when = _text(options, "restartAt") or offer.restart_at
        if when is None:
            raise ReplayRefused("When is the restart? Say it, or set restart-at in [replay] of keepstate.toml.")
        when = restart_time(when)
    except (ReplayFault, ValueError) as error:
        raise ReplayRefused(str(error)) from error
    missing = [table for table in offer.missing if table not in data]
    if missing:
        raise ReplayRefused(
            f"Nobody says where the rows of {missing[0]} are. Name a file or folder in keepstate.toml: [replay] "
            f"data = {{ {missing[0]} = 'samples/{missing[0]}' }}"
        )
    return ReplayRequest(
        document.uri,
        path,
        _versions(comparison, document.name, analysis.against.baseline.words, analysis.effective.baseline),
        identity_of(comparison),
        when,
        data,
        {**offer.arrival, **_texts(options, "arrival")},
    )


def _refusal(analysis: Analysis) -> str | None:
    if any(find_spec(name) is None for name in _NEEDED):
        return _HOW
    document = analysis.document
    if analysis.comparison is None or document.path is None:
        reason = analysis.without.sentence if analysis.without is not None else "it is no Flink SQL."
        return f"{document.name} has no baseline to restart from: {reason}"
    if analysis.problems or analysis.baseline_problems:
        return f"{document.name} cannot be replayed: a statement of it, or of its baseline, cannot be read."
    # Those of the report: some of the analysis may wait until typing pauses.
    for which, refusals in (
        ("it", analysis.report.refusals if analysis.report is not None else ()),
        ("its baseline", analysis.baseline_refusals),
    ):
        refusal = next((refusal for refusal in refusals if refusal.certain), None)
        if refusal is not None:
            return f"{document.name} cannot be replayed: Flink refuses {which}. {refusal.message}"
    return None


def identity_of(comparison: Comparison) -> str:
    """A text that is the same as long as both versions are."""
    return _versions(comparison, "", "", "")


def _versions(comparison: Comparison, current: str, baseline: str, against: str) -> str:
    document = {
        "engine": comparison.engine,
        "current": _side(current, comparison.current, comparison.config),
        "baseline": {**_side(baseline, comparison.baseline, comparison.baseline_config), "against": against},
    }
    return json.dumps(document, sort_keys=True)


def _side(name: str, text: str, config: JobConfig) -> dict[str, Any]:
    return {
        "name": name,
        "text": text,
        "engine_version": config.engine_version,
        "parameters": dict(config.parameters),
    }


def _text(options: Mapping[str, Any], key: str) -> str | None:
    value = options.get(key)
    if value is not None and not isinstance(value, str):
        raise ReplayRefused(f"{key} must be a text.")
    return value or None


def _texts(options: Mapping[str, Any], key: str) -> dict[str, str]:
    value = options.get(key) or {}
    if not isinstance(value, dict) or not all(isinstance(entry, str) and entry for entry in value.values()):
        raise ReplayRefused(f"{key} must be an object of texts, by names of tables.")
    return value
