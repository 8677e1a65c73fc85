"""``keepstate diff --pairs``: many comparisons in one process, JSON Lines in and out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keepstate import Workspace
from keepstate.project.memory import ProjectMemory
from keepstate_lsp.cli.arguments import JobSettings, job_settings
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.formats.json import document, notice_objects, one_line
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED, exit_status
from keepstate_lsp.cli.result.file_result import FileResult, compare, not_compared
from keepstate_lsp.cli.result.real_flink.agreement import Agreement, pair_name
from keepstate_lsp.cli.result.run_result import unmeasured_versions
from keepstate_lsp.cli.result.summary import STATUS_WORDS
from keepstate_lsp.cli.run.omitted_files import NO_STATEMENT, reason_without_queries
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.file import Configuration


class MalformedLine(Exception):
    """A line of input is malformed; the message has the reason."""


def run_pairs(arguments: argparse.Namespace, planned: Callable[[FileResult], FileResult] | None = None) -> int:
    """Answer each line of the input with one line; a pair that fails does not end the run. ``planned`` adds the answers
    of a planner to a comparison; then a last sentence counts how often it agrees with the built-in model.
    """
    path = _only_output(arguments)
    configuration = None if arguments.config is None else Configuration.at(arguments.config)
    settings = job_settings(arguments, configuration)
    status = FINE
    answered = 0
    agreement = Agreement()
    with Output(path, "never") as output:
        for number, line in enumerate(input_lines(arguments.pairs), start=1):
            if not line.strip():
                continue
            identity, comparison = _compared(line, settings)
            if planned is not None:
                comparison = planned(comparison)
                for sentence in agreement.add_planned(comparison):
                    tell(f"{arguments.pairs}:{number}{pair_name(identity)}: {sentence}")
            answer = {
                "id": identity,
                "status": comparison.status.value,
                **document(
                    [comparison],
                    comparison.settings.engine,
                    notices=notice_objects(unmeasured_versions([comparison])),
                ),
            }
            if reason := _without_queries(comparison):
                answer["nothing_compared"] = f"Nothing was compared: {reason}."
            output.write(one_line(answer))
            answered += 1
            if comparison.status.failed:
                words = f"{STATUS_WORDS[comparison.status]}: {comparison.reason}"
                tell(f"{arguments.pairs}:{number}{pair_name(identity)}: {words}")
            status = max(status, exit_status([comparison]))
    if not answered:
        tell(f"{arguments.pairs} holds no pair, so nothing was compared.")
        return NOT_COMPARED
    if planned is not None:
        tell(agreement.sentence("Flink's planner agrees with the built-in model"))
    return status


def _only_output(arguments: argparse.Namespace) -> Path | None:
    outputs: list[Path] = arguments.output
    if set(arguments.format) - {"json"} or len(outputs) > 1:
        raise UsageError("With --pairs the answer is JSON Lines, in one place.")
    return outputs[0] if outputs else None


def input_lines(name: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input for ``-``, as they come.

    Raises:
        CommandError: the file cannot be read.
    """
    if name == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as file:
            yield from file
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error


def object_of(line: bytes) -> dict[str, Any]:
    """The JSON object on a line.

    Raises:
        MalformedLine: it holds none.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MalformedLine(f"The line is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise MalformedLine("The line is not a JSON object.")
    return value


def text_of(entry: Mapping[str, Any], key: str) -> str:
    """The text under ``key``.

    Raises:
        MalformedLine: there is none.
    """
    text = entry.get(key)
    if not isinstance(text, str):
        raise MalformedLine(f'"{key}" is {"missing" if text is None else "not a text"}.')
    return text


def _compared(line: bytes, settings: JobSettings) -> tuple[Any, FileResult]:
    identity = None
    try:
        pair = object_of(line)
        identity = pair.get("id")
        settings = settings_of(pair, settings)
        current, baseline = text_of(pair, "current"), text_of(pair, "baseline")
    except MalformedLine as error:
        return identity, not_compared(None, settings, str(error))
    memory = ProjectMemory()
    if reason_without_queries((baseline, current), memory) == NO_STATEMENT:
        return identity, not_compared(None, settings, f"{NO_STATEMENT.capitalize()}, so nothing was compared.")
    return identity, compare(None, current, baseline, settings, workspace=Workspace(memory.memo))


def _without_queries(comparison: FileResult) -> str | None:
    """The reason why a pair without findings has no state to compare; ``None`` if it has some."""
    if comparison.report is None or comparison.status.failed or comparison.report.findings or comparison.refusals:
        return None
    return reason_without_queries((comparison.baseline, comparison.current))


def settings_of(pair: Mapping[str, Any], settings: JobSettings) -> JobSettings:
    """The settings of the run with those of a pair over them.

    Raises:
        MalformedLine: the line has an engine, a version or parameters that there cannot be.
    """
    import keepstate

    engine = pair.get("engine") or settings.engine
    if engine not in keepstate.ENGINES:
        raise MalformedLine(f"There is no engine {engine!r}; there is {', '.join(keepstate.ENGINES)}.")
    parameters = _parameters(pair, "parameters")
    versions = {side: _version(pair, f"{side}_engine_version") for side in ("current", "baseline")}
    for version in versions.values():
        if fault := version_fault(engine, version):
            raise MalformedLine(fault)
    return replace(
        settings,
        engine=engine,
        current=settings.current.overridden(versions["current"], parameters),
        baseline=settings.baseline.overridden(
            versions["baseline"], {**parameters, **_parameters(pair, "baseline_parameters")}
        ),
    )


def _parameters(pair: Mapping[str, Any], key: str) -> dict[str, str]:
    parameters = pair.get(key) or {}
    if not isinstance(parameters, dict):
        raise MalformedLine(f'"{key}" is not an object.')
    return {name: _parameter(value) for name, value in parameters.items()}


def _version(pair: Mapping[str, Any], key: str) -> str | None:
    version = pair.get(key)
    if version is None:
        return None
    if isinstance(version, bool) or not isinstance(version, (str, int, float)):
        raise MalformedLine(f'"{key}" is not a text.')
    return str(version)


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)
