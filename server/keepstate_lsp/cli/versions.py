"""The two versions of a job that a command restarts: from files and git, or as a program hands them over."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.baselines import BaselineReader, BaselineSpec, NoBaseline, SpecKind
from keepstate_lsp.cli.arguments import JobSettings, job_settings, known_engine, known_version
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.result.sides import JobText
from keepstate_lsp.cli.run.named_jobs import NamedJobs
from keepstate_lsp.cli.source_text import is_stream
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_tables import UNITS

_ELSEWHERE = (
    "against",
    "engine",
    "engine_version",
    "baseline_engine_version",
    "parameter",
    "baseline_parameter",
    "function",
)


@dataclass(frozen=True)
class RestartVersions:
    """Both versions, and their settings."""

    current: JobText
    baseline: JobText
    settings: JobSettings
    plan: str = ""
    """The compiled plan that is the baseline, and then the text of that side is empty."""
    compiled_by: str = ""
    """The version of Flink that compiled it."""


def versions_of(arguments: argparse.Namespace, takes_plans: bool = False) -> RestartVersions | None:
    """The two versions that the command line names; ``None`` for a new file, which has nothing to lose.

    Raises:
        CommandError: the baseline cannot be had, or what was handed over is not understood.
    """
    if is_stream(arguments.file):
        raise UsageError("Standard input has no baseline: name the file.")
    return _handed_over(arguments) if arguments.versions is not None else _restart_versions(arguments, takes_plans)


def _restart_versions(arguments: argparse.Namespace, takes_plans: bool) -> RestartVersions | None:
    name = arguments.file
    with BaselineReader(steady=True) as reader:
        jobs = NamedJobs(arguments, reader)
        current = jobs.current(name)
        spec = jobs.spec(current)
        if takes_plans and spec.kind is SpecKind.PLAN:
            return _with_plan(arguments, current, spec)
        former = jobs.baseline(current)
        if isinstance(former, NoBaseline):
            if not former.new:
                raise CommandError(f"{name} has no baseline: {former.sentence}", former.mend)
            tell(f"{former.sentence} It has no state that a restart could lose.")
            return None
        baseline = former
    return RestartVersions(
        current, baseline, job_settings(arguments, current.config.source, current.config, baseline.config)
    )


def _with_plan(arguments: argparse.Namespace, current: JobText, spec: BaselineSpec) -> RestartVersions:
    from keepstate_lsp.cli.result.real_flink.compiled_plan import plan_of

    plan = plan_of(spec)
    if isinstance(plan, NoBaseline):
        raise CommandError(plan.sentence, plan.mend)
    settings = job_settings(arguments, current.config.source, current.config)
    return RestartVersions(current, JobText(str(spec), "", current.config), settings, plan.text, plan.flink)


def _handed_over(arguments: argparse.Namespace) -> RestartVersions:
    options = [name for name in (*_ELSEWHERE, "config") if getattr(arguments, name, None)]
    if options:
        option = f"--{options[0].replace('_', '-')}"
        raise UsageError(f"--versions says all of both versions: it does not go together with {option}.")
    path: Path = arguments.versions
    try:
        document = json.loads(path.read_text("utf-8"))
        current, baseline = (_side(_entry(document, key, dict)) for key in ("current", "baseline"))
        engine = known_engine(_entry(document, "engine", str))
        known_version(engine, current.config.engine_version)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} does not hold the two versions of a job: {error}.") from error
    # For a page that shows the command line.
    arguments.against = document["baseline"].get("against")
    return RestartVersions(current, baseline, JobSettings(engine, current.config, baseline.config))


def _side(document: Mapping[str, Any]) -> JobText:
    import keepstate

    parameters = _entry(document, "parameters", dict)
    unit = document.get("jobs")
    if unit is not None and unit not in UNITS:
        raise ValueError(f"jobs is {unit!r}")
    settings = {str(key): str(value) for key, value in parameters.items()}
    functions = keepstate.read_functions(document.get("functions") or {})
    config = JobConfig(document.get("engine_version"), settings, jobs=unit, functions=functions)
    return JobText(_entry(document, "name", str), _entry(document, "text", str), config)


def _entry(document: Mapping[str, Any], key: str, kind: Callable[..., Any]) -> Any:
    value = document[key]
    if not isinstance(value, kind):  # type: ignore[arg-type]  # str or dict
        raise TypeError(f"{key} is of another kind")
    return value
