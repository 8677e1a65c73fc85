"""``keepstate deployed mark --from-dump``: records of what the interface of a platform says that runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from keepstate_lsp.baselines.deployments import PRODUCTION
from keepstate_lsp.cli.arguments import filled, known_version
from keepstate_lsp.cli.errors import CommandError, UsageError, tell
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.files.small_files import read_bounded
from keepstate_lsp.jobs.deployed import DeployedJobs
from keepstate_lsp.jobs.dumps.dump_trees import LARGEST_DUMP, DumpError, Tree, documents
from keepstate_lsp.jobs.dumps.owners import Candidate, LookupMethod, owners, texts_named
from keepstate_lsp.jobs.dumps.shapes import DumpContent, RunningText, content_at, content_of
from keepstate_lsp.jobs.marked_jobs import JobsHere

Pair = tuple[RunningText, Candidate, LookupMethod]
_ONLY_WITH_A_DUMP = ("sql_field", "deployment", "job")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("texts from a platform, instead of from files")
    group.add_argument(
        "--from-dump",
        metavar="DUMP",
        action="append",
        type=filled,
        help="take the texts that run from this file (JSON or YAML, - for standard input) as a platform's interface "
        "writes its deployments; repeatable",
    )
    group.add_argument("--sql-field", metavar="PATH", type=filled, help="where the SQL stands in it: data.*.statement")
    group.add_argument(
        "--deployment", metavar="NAME", action="append", type=filled, help="only this one of the dump; repeatable"
    )
    group.add_argument("--job", metavar="FILE", type=filled, help="the job that it runs, where it is a single one")


def checked(arguments: argparse.Namespace) -> bool:
    """Return whether texts come from a dump.

    Raises:
        UsageError: options that do not go together, or neither files nor a dump.
    """
    if not arguments.from_dump:
        option = next((name for name in _ONLY_WITH_A_DUMP if getattr(arguments, name)), None)
        if option is not None:
            raise UsageError(f"--{option.replace('_', '-')} needs --from-dump.")
        if not arguments.files:
            raise UsageError("FILE is missing.", "keepstate deployed mark --help", about="keepstate deployed mark")
        return False
    if arguments.files:
        raise UsageError(f"--from-dump does not go together with {arguments.files[0]}; --job names a job.")
    if arguments.commit:
        raise UsageError("--from-dump does not go together with --commit.")
    return True


def mark(arguments: argparse.Namespace, jobs: DeployedJobs, output: Output, engine: str | None, now: str) -> None:
    environment = arguments.environment or PRODUCTION
    try:
        dump = _dump_content(arguments.from_dump, arguments.sql_field)
        texts = texts_named(dump.texts, arguments.deployment or ())
        for sentence in () if arguments.deployment else dump.left_out:
            tell(f"Left out: {sentence}")
        if not texts:
            raise DumpError("The dump has no SQL of any deployment.")
        jobs_here = jobs.work_tree_jobs()
        pairs = (
            _named_by_option(arguments.job, jobs, jobs_here, texts)
            if arguments.job
            else owners(texts, _candidates(jobs_here))
        )
    except DumpError as error:
        raise CommandError(str(error), error.hint) from error
    for text, _, _ in pairs:
        known_version(engine, arguments.engine_version or text.engine_version)
    deployments = jobs.deployments_of_texts(
        [(candidate.job, text) for text, candidate, _ in pairs],
        jobs_here,
        savepoint=arguments.savepoint,
        marked_at=now,
        marked_by=arguments.by,
        engine_version=arguments.engine_version,
        parameters=dict(arguments.parameter),
    )
    jobs.records.mark(environment, deployments)
    for (text, _, by), deployment in zip(pairs, deployments, strict=True):
        at = f"the text of {deployment.commit[:7]}" if deployment.commit else "with a text that HEAD does not have"
        output.write_text(f"{deployment.path}: deployed in {environment} as {text.label} ({by.value}), {at}\n")


def _dump_content(names: Sequence[str], path: str | None) -> DumpContent:
    trees: list[Tree] = []
    for name in names:
        trees += documents(_read(name), "standard input" if name == "-" else name)
    return content_of(trees) if path is None else content_at(trees, path)


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read(LARGEST_DUMP + 1) if name == "-" else read_bounded(Path(name), LARGEST_DUMP)
        if len(data) > LARGEST_DUMP:
            raise ValueError(f"it has more than {LARGEST_DUMP:,} bytes")
        return data.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DumpError(f"There is no file {name}.") from error
    except (OSError, ValueError) as error:
        raise DumpError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _candidates(jobs_here: JobsHere) -> list[Candidate]:
    return [Candidate(job, sql) for job, sql in jobs_here.all()]


def _named_by_option(name: str, jobs: DeployedJobs, jobs_here: JobsHere, texts: Sequence[RunningText]) -> list[Pair]:
    if len(texts) != 1:
        raise DumpError(
            f"--job names one job, and the dump has {len(texts)} deployments with SQL.", "--deployment NAME takes one"
        )
    marked = jobs_here.jobs_with(jobs.relative(name))
    if not (Path.cwd() / name).is_file():
        raise DumpError(f"There is no file {name}.")
    if len(marked) > 1:
        raise DumpError(f"{name} is a part of several jobs: {', '.join(job.path for job in marked)}.")
    return [(texts[0], Candidate(marked[0], ""), LookupMethod.OPTION)]
