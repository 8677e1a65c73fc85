"""``keepstate config``: the settings that hold here, each with its value and where it comes from."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.git import patience
from keepstate_lsp.cli.arguments import (
    DEFAULT_ENGINE,
    add_configuration,
    configuration_for,
    known_engine,
    known_version,
    output_path,
)
from keepstate_lsp.cli.ci import pushes
from keepstate_lsp.cli.commands.config.written_settings import WrittenSetting, written_settings
from keepstate_lsp.cli.commands.spark.variables import IDLE, WARM
from keepstate_lsp.cli.errors import DEBUG, CommandError
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.sanitize import one_line
from keepstate_lsp.cli.terminal.text_table import columns
from keepstate_lsp.config.file import ENGINE_VERSION, Configuration

VARIABLES = (patience.VARIABLE, pushes.BEFORE, DEBUG, WARM, IDLE)
"""The variables of the environment that are Keepstate's own."""
_BASELINE = "baseline"


@dataclass(frozen=True)
class _Row:
    key: str
    value: Any
    source: dict[str, Any]
    """``kind`` is ``file``, ``default``, ``environment`` or ``build``."""

    @property
    def words(self) -> str:
        match self.source["kind"]:
            case "file":
                number = self.source["job"]
                job = "" if number is None else f", [[job]] {number + 1}"
                return f"{self.source['path']}:{self.source['line']}{job}"
            case "environment":
                return f"environment {self.source['variable']}"
            case "build":
                return "this build"
            case _:
                return "default"

    @property
    def text(self) -> str:
        if self.value is None:
            return "none"
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the settings of this job, or of this folder")
    parser.add_argument("--show", action="store_true", help="the same as no option: show the settings")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of keepstate.toml instead")
    add_configuration(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")
    parser.set_defaults(against=None)


def run(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        from keepstate_lsp.config.schema import schema_text

        with Output(arguments.output) as output:
            output.write(schema_text().encode())
        return FINE
    start = Path(os.path.abspath(arguments.file or "."))
    if not start.exists():
        raise CommandError(f"There is no file {arguments.file}.")
    folder, job = (start, None) if start.is_dir() else (start.parent, start)
    configuration = configuration_for(arguments, folder)
    settings = written_settings(configuration, job)
    _check(configuration, settings)
    baseline, notes = _baseline(arguments, folder, job)
    rows = [_row(configuration, one) if one.key != _BASELINE or one.line else baseline for one in settings]
    rows += _environment()
    path = None if configuration is None else display_path_of(configuration.path)
    with Output(arguments.output) as output:
        if arguments.format == "json":
            from keepstate.reporting.file_json import FORMAT_VERSION
            from keepstate_lsp.cli.formats.json import pretty

            listed = [{"key": row.key, "value": row.value, "source": row.source} for row in rows]
            output.write(pretty({"version": FORMAT_VERSION, "configuration": path, "settings": listed, "notes": notes}))
            return FINE
        output.write_text(f"configuration: {path or 'none; the defaults hold'}\n\n")
        cells = [[one_line(cell) for cell in (row.key, row.text, row.words)] for row in rows]
        output.write_text("".join(f"{line}\n" for line in columns(cells)))
        output.write_text("".join(f"\n{one_line(note)}\n" for note in notes))
    return FINE


def _check(configuration: Configuration | None, settings: list[WrittenSetting]) -> None:
    """See that other commands would take the settings.

    Raises:
        UsageError: there is no such engine, or no such version of it.
    """
    engine = known_engine((configuration and configuration.engine) or DEFAULT_ENGINE)
    for one in settings:
        if one.key == ENGINE_VERSION:
            known_version(engine, one.value)


def _baseline(arguments: argparse.Namespace, folder: Path, job: Path | None) -> tuple[_Row, list[str]]:
    """The baseline without an entry, which depends on the build, and how it was found."""
    with BaselineReader() as reader:
        settings = RunSettings(arguments, reader)
        spec = settings.spec(folder, job)
        kind = "build" if settings.is_build else "default"
        return _Row(_BASELINE, spec.text, {"kind": kind}), settings.explanations


def _row(configuration: Configuration | None, setting: WrittenSetting) -> _Row:
    if configuration is None or setting.line is None:
        return _Row(setting.key, setting.value, {"kind": "default"})
    source = {
        "kind": "file",
        "path": display_path_of(configuration.path),
        "line": setting.line,
        "job": setting.job,
    }
    return _Row(setting.key, setting.value, source)


def _environment() -> list[_Row]:
    rows = []
    for variable in VARIABLES:
        text = os.environ.get(variable, "").strip() or None
        source = {"kind": "default"} if text is None else {"kind": "environment", "variable": variable}
        value: str | float | None = text
        if variable == patience.VARIABLE:
            value = patience.bound(patience.COMMAND_SECONDS)
        rows.append(_Row(variable, value, source))
    return rows
