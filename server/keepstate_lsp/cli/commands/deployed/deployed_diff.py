"""``keepstate deployed diff``: what runs, compared with what is committed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from keepstate.embedded.pointers import FilePointer, file_of
from keepstate.report import ENGINE_VERSION, Verdict
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.deployments import PRODUCTION, Deployment, is_environment, mark_command, ref_of
from keepstate_lsp.cli.arguments import add_comparison, filled
from keepstate_lsp.cli.commands import check
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED, exit_status
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.result.problems import tell_problems
from keepstate_lsp.cli.run.check_run import CheckRun
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.progress import TerminalProgress
from keepstate_lsp.jobs.deployed import DeployedJobs, with_path
from keepstate_lsp.reporting.effects import headline

_SHARED = (
    "engine",
    "engine_version",
    "baseline_engine_version",
    "parameter",
    "baseline_parameter",
    "fail_on",
    "config",
)
_WORDS = {
    FileStatus.NEW: "not deployed",
    FileStatus.DELETED: "gone",
    FileStatus.UNCHANGED: "same",
    FileStatus.NOT_COMPARED: "not compared",
    FileStatus.NOT_VALID: "not valid",
}
_WIDEST = max(map(len, (*_WORDS.values(), *(verdict.value for verdict in Verdict))))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        metavar="[ENV] [PATH ...]",
        nargs="*",
        type=filled,
        help=f"the environment (default: {PRODUCTION}), and files, folders and globs to compare (default: all jobs)",
    )
    parser.add_argument(
        "--current", metavar="REV", default="HEAD", help="what to compare with what runs (default: %(default)s)"
    )
    add_comparison(parser)


@dataclass(frozen=True)
class DeployedDifference:
    """One job: its deployed and its committed version."""

    comparison: FileResult
    deployment: Deployment | None

    @property
    def word(self) -> str:
        """The verdict, or what there is instead."""
        return _WORDS.get(self.comparison.status, self.comparison.verdict.value)

    def config_differences(self) -> Iterator[tuple[str, str | None, str | None]]:
        """The differences between the configurations of the job: key, deployed value, committed value."""
        if self.deployment is None or self.comparison.status is FileStatus.DELETED:
            return
        was, now = self.comparison.settings.baseline, self.comparison.settings.current
        # A version that is set on one side only is no difference.
        if None not in (was.engine_version, now.engine_version) and was.engine_version != now.engine_version:
            yield ENGINE_VERSION, was.engine_version, now.engine_version
        for key in sorted({*was.parameters, *now.parameters}):
            if was.parameters.get(key) != now.parameters.get(key):
                yield key, was.parameters.get(key), now.parameters.get(key)


def diff(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> int:
    """Write what differs; the exit status is that of ``keepstate check``."""
    environment, paths = _targets(arguments, jobs)
    deployed = jobs.records.all(environment)
    comparisons, problems = _compared(arguments, jobs, environment, paths, deployed)
    differences = [DeployedDifference(one, _deployment(one, jobs, deployed)) for one in comparisons]
    if arguments.format == "json":
        from keepstate.reporting.file_json import FORMAT_VERSION
        from keepstate_lsp.cli.formats.json import pretty

        output.write(pretty({"version": FORMAT_VERSION, **_document(differences, environment, arguments.current)}))
    else:
        output.write_text(_text(differences, environment, arguments.current))
    tell_problems(comparisons, problems)
    return NOT_COMPARED if problems else exit_status(comparisons)


def _targets(arguments: argparse.Namespace, jobs: DeployedJobs) -> tuple[str, list[str]]:
    """The environment and the paths. The first word is an environment if one is called so."""
    environments = jobs.records.environments()
    paths: list[str] = list(arguments.targets)
    environment = arguments.environment
    if environment is None and paths and paths[0] in environments:
        environment = paths.pop(0)
    environment = environment or PRODUCTION
    if environment not in environments:
        ref, remote = ref_of(environment), jobs.remote()
        mend = f"git fetch {remote} {ref}:{ref}" if remote else mark_command(environment, "FILE ...")
        raise CommandError(f"Nothing is recorded as deployed in {environment} in this clone.", mend)
    recorded = jobs.records.all(environment)
    for name in paths[:1]:
        if is_environment(name) and not Path(name).exists() and not with_path(recorded.values(), jobs.relative(name)):
            raise CommandError(f"{name} is neither an environment nor a file.", "keepstate deployed list")
    return environment, paths


def _compared(
    arguments: argparse.Namespace,
    jobs: DeployedJobs,
    environment: str,
    paths: Sequence[str],
    deployed: dict[str, Deployment],
) -> tuple[list[FileResult], list[RunProblem]]:
    """The results of ``keepstate check``; without paths also of deployed files that the configuration does not name."""
    if jobs.root is None:
        raise CommandError("A bare repository has no configuration to compare with.", "git clone, then deployed diff")
    with BaselineReader() as reader, TerminalProgress() as progress:
        run = CheckRun(_check_arguments(arguments, environment, paths), reader)
        comparisons, problems = list(run.comparisons(progress)), list(run.problems)
        if not paths:
            paths_met = {jobs.relative(one.path) for one in comparisons if one.path is not None}
            paths_met |= {
                one.origin.path for one in comparisons if one.origin is not None and one.origin.path is not None
            }
            missed = list(
                dict.fromkeys(str(jobs.root / path) for path in map(file_of, deployed) if path not in paths_met)
            )
            if missed:
                rest = CheckRun(_check_arguments(arguments, environment, missed), reader)
                comparisons += rest.comparisons(progress)
                problems += rest.problems
    return sorted(comparisons, key=lambda one: one.path or ""), problems


def _check_arguments(arguments: argparse.Namespace, environment: str, paths: Sequence[str]) -> argparse.Namespace:
    """The arguments of the equivalent ``keepstate check``."""
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    words = ["--against", f"deployed:{environment}", "--current", arguments.current, "--", *paths]
    parsed = parser.parse_args(words)
    for name in _SHARED:
        setattr(parsed, name, getattr(arguments, name))
    return parsed


def _deployment(comparison: FileResult, jobs: DeployedJobs, deployed: dict[str, Deployment]) -> Deployment | None:
    if comparison.status is FileStatus.NEW or comparison.path is None:
        return None
    several = comparison.settings.current.composition
    path = (comparison.origin.path if comparison.origin is not None else None) or jobs.relative(comparison.path)
    candidates = with_path(deployed.values(), path)
    pointer = FilePointer.parse(several.script[-1]) if several.script else None
    same = [each for each in candidates if several.name is not None and each.name == several.name]
    ends = [each for each in candidates if pointer is not None and each.path.endswith(str(replace(pointer, file="")))]
    return next(iter((*same, *ends, *candidates)), None)


def _text(differences: Sequence[DeployedDifference], environment: str, current: str) -> str:
    lines: list[str] = []
    for one in differences:
        lines.append(f"{one.word:{_WIDEST}}  {inline(one.comparison.path)}{_since(one.deployment)}")
        lines += [f"{'':{_WIDEST}}  {line}" for line in _details(one)]
    counts = [(sum(one.word == word for one in differences), word) for word in dict.fromkeys(_order())]
    counted = ", ".join(f"{number} {word}" for number, word in counts if number)
    jobs = f"{len(differences)} job{'' if len(differences) == 1 else 's'}"
    nothing = "no jobs: nothing is recorded, and no Flink SQL is committed"
    lines.append(f"{environment} and {inline(current)}: {f'{jobs}: {counted}' if counted else nothing}.")
    return "".join(f"{line}\n" for line in lines)


def _order() -> Iterator[str]:
    yield from (verdict.value for verdict in reversed(Verdict))
    yield from _WORDS.values()


def _since(deployment: Deployment | None) -> str:
    if deployment is None:
        return ""
    at = deployment.commit[:7] if deployment.commit is not None else "never committed"
    return f"  (deployed {deployment.marked_at[:10]}, {at})"


def _details(one: DeployedDifference) -> Iterator[str]:
    comparison = one.comparison
    if comparison.status.failed:
        yield f"{comparison.reason}" + (f" To mend: {comparison.mend}" if comparison.mend else "")
    if one.deployment is not None and comparison.path is not None:
        renamed = comparison.status is not FileStatus.DELETED and not comparison.path.endswith(one.deployment.path)
        if renamed and comparison.origin is not None and comparison.origin.path == one.deployment.path:
            yield f"runs as {inline(one.deployment.path)}"
    for key, was, now in one.config_differences():
        yield f"{key}: {'not set' if was is None else was} -> {'not set' if now is None else now}"
    for finding in comparison.report.findings if comparison.report is not None else ():
        yield f"{headline(finding)} {' '.join(finding.message.split())}"


def _document(differences: Sequence[DeployedDifference], environment: str, current: str) -> dict[str, Any]:
    return {
        "environment": environment,
        "current": current,
        "verdict": Verdict.worst(one.comparison.verdict for one in differences).value,
        "files": [_file(one) for one in differences],
    }


def _file(one: DeployedDifference) -> dict[str, Any]:
    comparison, report = one.comparison, one.comparison.report
    return {
        "path": comparison.path,
        "status": comparison.status.value,
        "reason": comparison.reason,
        "verdict": comparison.verdict.value,
        "deployment": None if one.deployment is None else one.deployment.to_json(),
        "told": [{"key": key, "deployed": was, "current": now} for key, was, now in one.config_differences()],
        "findings": [
            {
                "rule": finding.rule,
                "verdict": finding.verdict.value,
                "effect": finding.effect.value,
                "message": finding.message,
            }
            for finding in (() if report is None else report.findings)
        ],
    }
