"""``keepstate deployed``: record what runs where, so that edits can be compared with that."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.baselines.deployments import PRODUCTION, Deployment, DeploymentError, is_environment, ref_of
from keepstate_lsp.cli.arguments import filled, known_version, output_path, parameter
from keepstate_lsp.cli.commands.deployed import deployed_diff, mark_from_dump
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.text_table import columns
from keepstate_lsp.config.file import Configuration
from keepstate_lsp.jobs.deployed import DeployedJobs, with_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    mark = _action(actions, "mark", _mark, "record files as deployed")
    mark.add_argument("files", metavar="FILE", nargs="*", help="job files, relative to the working directory")
    mark.add_argument(
        "--commit", metavar="REV", type=filled, help="take the texts from this revision instead of the work tree"
    )
    mark.add_argument("--engine-version", metavar="V", type=filled, help="the version of the engine that runs the jobs")
    mark.add_argument(
        "--parameter", metavar="K=V", action="append", type=parameter, default=[], help="a job parameter; repeatable"
    )
    mark.add_argument(
        "--savepoint", metavar="PATH", type=filled, help="the savepoint that the next change would start from"
    )
    mark.add_argument("--by", metavar="NAME", type=filled, help="who deployed it (default: git's user)")
    mark_from_dump.add_arguments(mark)

    listed = _action(actions, "list", _list, "list what is deployed")
    listed.add_argument("files", metavar="FILE", nargs="*", type=filled, help="only these files")
    show = _action(actions, "show", _show, "show the record of one file")
    show.add_argument("files", metavar="FILE", nargs=1)
    show.add_argument("--sql", action="store_true", help="the deployed text instead of its record")
    unmark = _action(actions, "unmark", _unmark, "forget files")
    unmark.add_argument("files", metavar="FILE", nargs="+")
    merge = _action(actions, "merge", _merge, "take over the newer records of a fetched ref")
    merge.add_argument("revision", metavar="REV", help="the fetched record, such as FETCH_HEAD")
    differing = _action(actions, "diff", deployed_diff.diff, "compare what runs with what is committed")
    deployed_diff.add_arguments(differing)
    for subparser in (mark, listed, show, unmark, merge, differing):
        subparser.add_argument(
            "--environment", "-e", metavar="ENV", type=_environment, help=f"default: {PRODUCTION}; list: all"
        )
        subparser.add_argument(
            "--output", metavar="FILE", type=output_path, help="write there instead of to standard output"
        )
    for subparser in (listed, show, differing):
        subparser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")


if TYPE_CHECKING:
    _Parsers = argparse._SubParsersAction[argparse.ArgumentParser]
_Action = Callable[[argparse.Namespace, DeployedJobs, Output], int | None]
"""Answers with the exit status; ``None`` stands for success."""


def _action(actions: _Parsers, name: str, action: _Action, summary: str) -> argparse.ArgumentParser:
    subparser: argparse.ArgumentParser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
    )
    subparser.set_defaults(action=action)
    return subparser


def _environment(name: str) -> str:
    if not is_environment(name):
        raise argparse.ArgumentTypeError(f"{name!r} is no name of an environment: use letters, digits, '.', '_', '-'")
    return name


def run(arguments: argparse.Namespace) -> int:
    try:
        with Output(arguments.output) as output, DeployedJobs.around(Path.cwd()) as jobs:
            status: int | None = arguments.action(arguments, jobs, output)
    except DeploymentError as error:
        raise CommandError(str(error), error.mend) from error
    return FINE if status is None else status


def _engine_here() -> str | None:
    """The engine that the configuration names; a record itself names none."""
    configuration = Configuration.around(Path.cwd())
    return None if configuration is None else configuration.engine


def _mark(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> None:
    environment = arguments.environment or PRODUCTION
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if mark_from_dump.checked(arguments):
        mark_from_dump.mark(arguments, jobs, output, _engine_here(), now)
        _tell_to_share(jobs, environment)
        return
    deployments = jobs.deployments_of(
        arguments.files,
        commit=arguments.commit,
        engine_version=known_version(_engine_here(), arguments.engine_version),
        parameters=dict(arguments.parameter),
        savepoint=arguments.savepoint,
        marked_at=now,
        marked_by=arguments.by,
    )
    jobs.records.mark(environment, deployments)
    for deployment in deployments:
        at = f"at {deployment.commit[:7]}" if deployment.commit else "with changes that were never committed"
        output.write_text(f"{deployment.path}: deployed in {environment}, {at}\n")
    _tell_to_share(jobs, environment)


def _tell_to_share(jobs: DeployedJobs, environment: str) -> None:
    if remote := jobs.remote():
        tell(f"Only this clone knows so far. Share it: git push {remote} {ref_of(environment)}")


def _list(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> None:
    environments = (arguments.environment,) if arguments.environment else jobs.records.environments()
    paths = {jobs.relative(name) for name in arguments.files}
    deployed = [
        (environment, deployment)
        for environment in environments
        for deployment in jobs.records.all(environment).values()
        if not paths or any(with_path([deployment], path) for path in paths)
    ]
    if arguments.format == "json":
        _write_json(output, {"deployments": [_entry(environment, deployment) for environment, deployment in deployed]})
        return
    if not deployed:
        tell("Nothing is recorded as deployed in this clone.")
        return
    rows = [("ENVIRONMENT", "FILE", "COMMIT", "DEPLOYED", "ENGINE", "HERE")]
    rows += [
        (
            environment,
            deployment.path,
            deployment.commit[:7] if deployment.commit else "-",
            deployment.marked_at.replace("T", " ").removesuffix("Z"),
            deployment.engine_version or "-",
            jobs.state_here(deployment),
        )
        for environment, deployment in deployed
    ]
    output.write_text("".join(f"{line}\n" for line in columns(rows)))


def _show(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> None:
    environment = arguments.environment or PRODUCTION
    deployment = _deployments_of(jobs, environment, arguments.files)[0]
    if arguments.sql:
        output.write(jobs.text(deployment))
    elif arguments.format == "json":
        _write_json(output, _entry(environment, deployment))
    else:
        rows = [(key.replace("_", " "), str(value)) for key, value in _facts(environment, deployment)]
        rows += [("parameter", f"{key} = {value}") for key, value in deployment.parameters.items()]
        output.write_text("".join(f"{line}\n" for line in columns(rows)))


def _facts(environment: str, deployment: Deployment) -> list[tuple[str, str]]:
    facts = {
        "environment": environment,
        "file": deployment.path,
        "commit": deployment.commit or "none: the text was never committed",
        "deployed": f"{deployment.marked_at} by {deployment.marked_by or 'nobody named'}",
        "engine version": deployment.engine_version,
        "savepoint": deployment.savepoint,
    }
    return [(key, value) for key, value in facts.items() if value is not None]


def _unmark(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> None:
    environment = arguments.environment or PRODUCTION
    removals = _deployments_of(jobs, environment, arguments.files)
    jobs.records.unmark(environment, [deployment.path for deployment in removals])
    output.write_text("".join(f"{one.path}: not deployed in {environment} any more\n" for one in removals))


def _merge(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output) -> None:
    environment = arguments.environment or PRODUCTION
    count = jobs.records.merge(environment, arguments.revision)
    output.write_text(f"{count} file{'' if count == 1 else 's'} taken over from {arguments.revision}\n")


def _deployments_of(jobs: DeployedJobs, environment: str, files: Sequence[str]) -> list[Deployment]:
    deployments: list[Deployment] = []
    for name in files:
        path = jobs.relative(name)
        own = jobs.records.find(environment, path)
        matches = with_path(jobs.records.all(environment).values(), path) if own is None else [own]
        if not matches:
            raise CommandError(f"{name} is not recorded as deployed in {environment}.", "keepstate deployed list")
        deployments += matches
    return deployments


def _entry(environment: str, deployment: Deployment) -> dict[str, object]:
    return {"environment": environment, **deployment.to_json()}


def _write_json(output: Output, value: dict[str, object]) -> None:
    from keepstate.reporting.file_json import FORMAT_VERSION
    from keepstate_lsp.cli.formats.json import pretty

    output.write(pretty({"version": FORMAT_VERSION, **value}))
