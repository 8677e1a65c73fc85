"""Settings of a user in the editor (section ``keepstate``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from keepstate.report import Finding
from keepstate_lsp.config.severity import DEFAULT_PRESET, LEVELS, PRESETS, severity_of, unheard_of

SECTION = "keepstate"
ENGINES = ("vvr", "flink")
TRACES = ("off", "messages", "verbose")

# Keys of editor plugins for the start of the server.
_CLIENT_KEYS = frozenset({"server", "enable"})


@dataclass(frozen=True)
class Settings:
    """Settings that hold for a document; every combination of values is valid."""

    engine: str | None = None
    """``None``: the value of the configuration file, or the default."""
    baseline: str | None = None
    preset: str | None = None
    """One of ``PRESETS``, the severities of verdicts; ``None``: that of the configuration file, or the default."""
    severity: Mapping[str, str] = field(default_factory=dict)
    """Rule id, effect or verdict to a level, where that differs from the preset."""
    inlay_hints: bool = False
    """Show the effect on the state as an inlay hint behind a metric or a clause."""
    workspace: bool = True
    """Files that are not open are checked as well."""
    docs_url: str = ""
    trace: str = "off"

    def severity_of(
        self, finding: Finding, preset: str | None = None, severity: Mapping[str, str] | None = None
    ) -> str:
        """Severity of a finding in the editor; ``preset`` and ``severity`` come from the configuration file."""
        levels = {**(severity or {}), **self.severity}
        name = self.preset or preset or DEFAULT_PRESET
        return severity_of(levels, name, finding.rule, finding.effect.value, finding.verdict.value)


def read_settings(value: Any) -> tuple[Settings, tuple[str, ...]]:
    """Settings from what a client sent for the section, and a sentence for each entry that was not understood.

    What is wrong falls back to its default; it never spoils the rest.

    >>> settings, problems = read_settings({"engine": "flink", "baseline": 3})
    >>> settings.engine, problems
    ('flink', ('keepstate.baseline: must be a string, not 3',))
    """
    if isinstance(value, Mapping) and SECTION in value:
        # Helix sends one object as initialization options and looks up the section in it when it is asked for that.
        value = value[SECTION]
    if value is None:
        return Settings(), ()
    if not isinstance(value, Mapping):
        return Settings(), (f"{SECTION}: must be an object, not {_show(value)}",)
    problems: list[str] = []
    values: dict[str, Any] = {}
    for key, entry in value.items():
        if entry is None or key in _CLIENT_KEYS:
            continue
        match key:
            case "engine":
                values["engine"] = _one_of(key, entry, ENGINES, problems)
            case "baseline":
                values["baseline"] = _text(key, entry, problems) or None
            case "workspace":
                values["workspace"] = _flag(key, entry, problems)
            case "inlayHints":
                values["inlay_hints"] = _flag(key, entry, problems)
            case "preset":
                values["preset"] = _one_of(key, entry, tuple(PRESETS), problems)
            case "docsUrl":
                values["docs_url"] = _text(key, entry, problems)
            case "severity":
                values["severity"] = _severity(entry, problems)
            case "trace":
                # vscode-languageclient keeps its own `trace.server` below the same key, with the same values.
                level = entry.get("server") if isinstance(entry, Mapping) else entry
                values["trace"] = level and _one_of(key, level, TRACES, problems)
            case _:
                problems.append(f"{SECTION}.{key}: there is no such setting")
    return Settings(**{key: entry for key, entry in values.items() if entry is not None}), tuple(problems)


def _one_of(key: str, entry: Any, allowed: tuple[str, ...], problems: list[str]) -> str | None:
    if entry in allowed:
        return str(entry)
    problems.append(f"{SECTION}.{key}: must be one of {', '.join(allowed)}, not {_show(entry)}")
    return None


def _flag(key: str, entry: Any, problems: list[str]) -> bool | None:
    if isinstance(entry, bool):
        return entry
    problems.append(f"{SECTION}.{key}: must be true or false, not {_show(entry)}")
    return None


def _text(key: str, entry: Any, problems: list[str]) -> str | None:
    if isinstance(entry, str):
        return entry.strip()
    problems.append(f"{SECTION}.{key}: must be a string, not {_show(entry)}")
    return None


def _severity(entry: Any, problems: list[str]) -> dict[str, str] | None:
    if not isinstance(entry, Mapping):
        problems.append(f"{SECTION}.severity: must be an object, not {_show(entry)}")
        return None
    levels = {name: _one_of(f"severity.{name}", level, LEVELS, problems) for name, level in entry.items()}
    if wrong := unheard_of(entry):
        problems.append(f"{SECTION}.severity: {wrong[1]}")
    return {name: level for name, level in levels.items() if level is not None}


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
