"""Requests of an editor for a replay, and the settings that a replay needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keepstate import install_words
from keepstate.report import ReadTable
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.runs.run_request import (
    RunRefused,
    RunRequest,
    are_missing,
    refusal,
    run_request,
    text_option,
)
from keepstate_lsp.config.replay_settings import ReplayFault, ReplaySettings, located
from keepstate_lsp.config.restart_times import restart_time

_NEEDED = ("keepstate_lsp.cli", "keepstate_spark", "pyspark")
_HOW = (
    f"A replay runs on Spark, which is not installed beside this server: {install_words('spark')}, and let your editor "
    "start that Keepstate."
)


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

    run: RunRequest
    restart_at: str
    data: Mapping[str, str]
    arrival: Mapping[str, str]


def offer_of(analysis: Analysis, tables: tuple[ReadTable, ...]) -> ReplayOffer:
    """The settings of a replay of a job that reads ``tables``, from its configuration file."""
    config = analysis.effective.config
    configured = config.source.replay if config.source is not None else ReplaySettings()
    names = {table.name for table in tables}
    data = {name: path for name, path in configured.data.items() if name in names}
    arrival = {name: column for name, column in configured.arrival.items() if name in names}
    missing = tuple(table.name for table in tables if table.name not in data and not table.has_files)
    return ReplayOffer(configured.restart_at, data, arrival, missing, _refusal(analysis))


def request_of(analysis: Analysis, tables: tuple[ReadTable, ...], options: Mapping[str, Any]) -> ReplayRequest:
    """The replay that ``options`` (``restartAt``, ``data``, ``arrival``) ask for; the configuration supplies the rest.

    Raises:
        RunRefused: it cannot be begun.
    """
    offer = offer_of(analysis, tables)
    if offer.refused is not None:
        raise RunRefused(offer.refused)
    run = run_request(analysis)
    try:
        data = {**offer.data, **located(_texts(options, "data"), run.path.parent)}
        when = text_option(options, "restartAt") or offer.restart_at
        if when is None:
            raise RunRefused("When is the restart? Say it, or set restart-at in [replay] of keepstate.toml.")
        when = restart_time(when)
    except (ReplayFault, ValueError) as error:
        raise RunRefused(str(error)) from error
    missing = [table for table in offer.missing if table not in data]
    if missing:
        raise RunRefused(
            f"Nobody says where the rows of {missing[0]} are. Name a file or folder in keepstate.toml: [replay] "
            f"data = {{ {missing[0]} = 'samples/{missing[0]}' }}"
        )
    return ReplayRequest(run, when, data, {**offer.arrival, **_texts(options, "arrival")})


def _refusal(analysis: Analysis) -> str | None:
    if are_missing(_NEEDED):
        return _HOW
    reason = refusal(analysis, "replayed")
    if reason is not None:
        return reason
    document = analysis.document
    # Those of the report: some of the analysis may wait until typing pauses.
    for which, refusals in (
        ("it", analysis.report.refusals if analysis.report is not None else ()),
        ("its baseline", analysis.baseline_refusals),
    ):
        refused = next((one for one in refusals if one.certain), None)
        if refused is not None:
            return f"{document.name} cannot be replayed: Flink refuses {which}. {refused.message}"
    return None


def _texts(options: Mapping[str, Any], key: str) -> dict[str, str]:
    value = options.get(key) or {}
    if not isinstance(value, dict) or not all(isinstance(entry, str) and entry for entry in value.values()):
        raise RunRefused(f"{key} must be an object of texts, by names of tables.")
    return value
