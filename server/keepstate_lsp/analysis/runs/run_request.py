"""Requests of an editor to try a restart: both versions, as the command that does it reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analyzer import CheckRequest
from keepstate_lsp.config.file import JobConfig


class RunRefused(Exception):
    """There is nothing to run, or something is missing; the message is for a person."""


@dataclass(frozen=True)
class RunRequest:
    """A run that can be begun."""

    uri: str
    path: Path
    versions: str
    """Both versions, as ``--versions`` reads them."""
    identity: str


def run_request(analysis: Analysis, name: str | None = None) -> RunRequest:
    """The request to restart the job of an analysis that was compared, from its baseline. ``name`` is how results call
    the file (default: without its folder).
    """
    document, comparison = analysis.document, analysis.comparison
    assert comparison is not None and analysis.against is not None and document.path is not None
    against = (analysis.against.baseline.words, analysis.effective.baseline)
    versions = _versions(comparison, name or document.name, *against)
    return RunRequest(document.uri, Path(document.path), versions, identity_of(comparison))


def refusal(analysis: Analysis, verb: str) -> str | None:
    """The reason why an analysis holds no restart that could be tried: a sentence."""
    document = analysis.document
    if analysis.comparison is None or document.path is None:
        reason = analysis.without.sentence if analysis.without is not None else "it is no Flink SQL."
        return f"{document.name} has no baseline to restart from: {reason}"
    if analysis.problems or analysis.baseline_problems:
        return f"{document.name} cannot be {verb}: a statement of it, or of its baseline, cannot be read."
    return None


def are_missing(packages: Sequence[str]) -> bool:
    """Return whether one of the packages that a command needs is not installed beside this server."""
    return any(find_spec(name) is None for name in packages)


def identity_of(comparison: CheckRequest) -> str:
    """A text that is the same as long as both versions are.

    >>> first, same, other = (CheckRequest(text, "SELECT 2", "flink") for text in ("SELECT 1", "SELECT 1", "SELECT 3"))
    >>> identity_of(first) == identity_of(same), identity_of(first) == identity_of(other)
    (True, False)
    """
    return _versions(comparison, "", "", "")


def text_option(options: Mapping[str, Any], key: str) -> str | None:
    """An option that is a text; ``None`` where there is none, or an empty one.

    Raises:
        RunRefused: it is something else.
    """
    value = options.get(key)
    if value is not None and not isinstance(value, str):
        raise RunRefused(f"{key} must be a text.")
    return value or None


def _versions(comparison: CheckRequest, current: str, baseline: str, against: str) -> str:
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
        "jobs": config.jobs,
        "functions": {name: list(map(str, signatures)) for name, signatures in config.functions.items()},
    }
