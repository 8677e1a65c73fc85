"""Effective settings with their places: the entries of a configuration file, and the defaults of all other keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

import keepstate
from keepstate_lsp.config.composition_entries import NO_COMPOSITION
from keepstate_lsp.config.file import JOB_KEYS, KEYS, SHARED_NAME, SHARED_PREFIX, Configuration, read_toml
from keepstate_lsp.config.schema import default_values
from keepstate_lsp.files.toml_places import TomlPath

_TABLES = "job"
_OF_TABLE_ALONE = "files"
"""The entry of a ``[[job]]`` table that chooses the jobs; at the top the same key has another meaning."""


@dataclass(frozen=True)
class WrittenSetting:
    """A setting by its key with dots, such as ``parameters.table.exec.state.ttl``."""

    key: str
    value: Any
    """The value as JSON has it; ``None`` for a setting without a value."""
    line: int | None = None
    """Its line in the configuration file, from 1; ``None`` for a default."""
    job: int | None = None
    """The number of its ``[[job]]`` table, from 0; ``None`` for the file's own entries."""


def written_settings(configuration: Configuration | None, job: Path | None) -> list[WrittenSetting]:
    """The settings of the job in the file at ``job``; without one those of the folder, with each ``[[job]]`` table
    behind them.
    """
    entries = [] if configuration is None else list(_own(configuration))
    tables: list[WrittenSetting] = []
    if configuration is not None and job is not None:
        for number in _tables_about(configuration, job):
            entries += (one for one in _of_table(configuration, number) if one.key != _OF_TABLE_ALONE)
    elif configuration is not None:
        tables = [one for number in range(len(configuration.jobs) - 1) for one in _of_table(configuration, number)]
    # The last entry for a key wins.
    last = {one.key: one for one in entries}
    defaults = _defaults(last)
    keys = dict.fromkeys((*KEYS, *JOB_KEYS))
    settings = [one for key in keys if key != _TABLES for one in _below(key, last.values()) or defaults.get(key, [])]
    return settings + tables


def _tables_about(configuration: Configuration, job: Path) -> Iterator[int]:
    """The numbers of the ``[[job]]`` tables that hold for a job, or for the job of several files that has its file;
    the last one with an entry wins.
    """
    relative = configuration.relative(job)
    scripts = [one.composition for one in configuration.jobs if one.composition.script and one.has_file(relative)]
    several = scripts[-1] if scripts else NO_COMPOSITION
    for number, table in enumerate(configuration.jobs[1:]):
        if table.is_about(relative, several):
            yield number


def _prefix(configuration: Configuration) -> TomlPath:
    """The keys down to the settings."""
    return SHARED_PREFIX if configuration.path.name == SHARED_NAME else ()


def _table(configuration: Configuration) -> Mapping[str, Any]:
    """The settings as they are written."""
    table = read_toml(configuration.path, configuration.display_name, configuration.text)
    for key in _prefix(configuration):
        table = table[key]
    return table  # type: ignore[no-any-return]


def _own(configuration: Configuration) -> Iterator[WrittenSetting]:
    table = {key: value for key, value in _table(configuration).items() if key != _TABLES}
    return _entries(configuration, table, _prefix(configuration), None)


def _of_table(configuration: Configuration, number: int) -> Iterator[WrittenSetting]:
    table = _table(configuration)[_TABLES][number]
    return _entries(configuration, table, (*_prefix(configuration), _TABLES, number), number)


def _entries(
    configuration: Configuration, table: Mapping[str, Any], path: TomlPath, job: int | None
) -> Iterator[WrittenSetting]:
    for keys, value in _leaves(table, ()):
        yield WrittenSetting(".".join(keys), _plain(value), _line(configuration, (*path, *keys)), job)


def _leaves(table: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*keys, key))
        else:
            yield (*keys, key), value


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    # TOML has times of its own.
    return str(value) if isinstance(value, (date, time)) else value


def _line(configuration: Configuration, path: TomlPath) -> int | None:
    """The line of an entry, or of the table around it."""
    places = (configuration.place(path[:end]) for end in range(len(path), 0, -1))
    span = next((place for place in places if place is not None), None)
    return None if span is None else configuration.lines.position(span.start).line + 1


def _below(key: str, entries: Iterable[WrittenSetting]) -> list[WrittenSetting]:
    return [one for one in entries if one.key == key or one.key.startswith(f"{key}.")]


def _defaults(entries: Mapping[str, WrittenSetting]) -> dict[str, list[WrittenSetting]]:
    """The default of each key of a file."""
    values = default_values()
    engine = entries["engine"].value if "engine" in entries else values["engine"]
    # What a platform runs as one job depends on it.
    values["jobs"] = keepstate.job_unit(engine, None).value if engine in keepstate.ENGINES else None
    return {key: [WrittenSetting(key, value)] for key, value in values.items()}
