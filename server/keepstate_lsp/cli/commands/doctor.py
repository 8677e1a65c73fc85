"""``keepstate doctor``: what is found here, line by line, with a hint where something is amiss."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from itertools import chain
from pathlib import Path

from keepstate import install_words
from keepstate_lsp.baselines import HEAD, BaselineReader, BaselineSpecError, NoBaseline, Reason, SpecKind
from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.baselines.git.failures import GitFailure, GitMissing
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.cli.arguments import add_configuration, known_engine
from keepstate_lsp.cli.commands.check import add_baseline
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.file import Configuration, ConfigurationError
from keepstate_lsp.config.schema import SCHEMA_NAME, schema_text
from keepstate_lsp.files.small_files import read_small
from keepstate_lsp.version import VERSION

OK, WARN, FAIL = "ok", "warn", "fail"
_CODES = {OK: "\x1b[32m", WARN: "\x1b[33m", FAIL: "\x1b[31m"}
_BROKEN = (Reason.UNREADABLE, Reason.GIT_STALLED, Reason.GIT_MISSING)
_OLDEST_GIT = (2, 20)


@dataclass(frozen=True)
class DoctorLine:
    """One thing that was looked at."""

    state: str
    about: str
    result: str
    hint: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="also look at the baseline of this file")
    add_baseline(parser)
    add_configuration(parser)
    parser.add_argument(
        "--planner",
        action="store_true",
        help="also let Flink plan the files that changed, and list where the built-in model disagrees",
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    healthy = True
    with Output(None, arguments.color) as output, BaselineReader() as reader:
        for line in chain(_lines(arguments, reader), _planner(arguments)):
            healthy = healthy and line.state != FAIL
            state = f"{_CODES[line.state]}{line.state:4}\x1b[0m" if output.color else f"{line.state:4}"
            output.write_text(f"{state}  {line.about + ':':14} {inline(line.result)}\n")
            if line.hint is not None:
                output.write_text(f"{'':21} {inline(line.hint)}\n")
    return FINE if healthy else NOT_COMPARED


def _lines(arguments: argparse.Namespace, reader: BaselineReader) -> Iterator[DoctorLine]:
    yield DoctorLine(OK, "keepstate", f"{VERSION} in {Path(__file__).parents[2]}")
    yield DoctorLine(OK, "Python", f"{platform.python_version()} at {sys.executable} on {platform.platform()}")
    for package, prefix in (("sqlglot", "30.30."), ("pygls", "2."), ("lsprotocol", "2025."), ("GitPython", "3.")):
        yield _package(package, prefix)
    with suppress(metadata.PackageNotFoundError):
        compiled = metadata.version("sqlglotc")
        yield DoctorLine(OK, "sqlglotc", f"{compiled} beside sqlglot; Keepstate uses the source, which it extends")
    yield _git()
    folder = Path(os.path.abspath(arguments.file)).parent if arguments.file else Path.cwd()
    repository = reader.repository(folder, HEAD)
    yield from _repository(repository, folder)
    try:
        run_settings = RunSettings(arguments, reader)
        configuration = run_settings.configuration(folder)
        if configuration is None:
            yield DoctorLine(OK, "configuration", "none; the defaults hold")
        else:
            known_engine(configuration.engine or "vvr")
            yield DoctorLine(OK, "configuration", str(configuration.path))
            yield from _schema(configuration)
        spec = run_settings.spec(folder)
    except (ConfigurationError, BaselineSpecError, CommandError) as error:
        yield DoctorLine(FAIL, "configuration", str(error))
        return
    except GitFailure as failure:
        yield DoctorLine(FAIL, "baseline", failure.message)
        return
    if isinstance(repository, NoBaseline):
        return
    if arguments.file is None and (spec.kind.is_on_disk or spec.kind is SpecKind.DEPLOYED):
        yield DoctorLine(OK, "baseline", str(spec))
        return
    if arguments.file is None:
        try:
            commit = repository.commit(spec)
        except GitFailure as failure:
            commit = git_failed(failure, spec, partial=repository.partial)
        if isinstance(commit, NoBaseline):
            yield DoctorLine(_state(commit), "baseline", commit.sentence, commit.mend)
        else:
            yield DoctorLine(OK, "baseline", commit.words())
        return
    baseline = reader.read(Path(os.path.abspath(arguments.file)), spec)
    if isinstance(baseline, NoBaseline):
        yield DoctorLine(OK if baseline.new else _state(baseline), "baseline", baseline.sentence, baseline.mend)
    else:
        yield DoctorLine(
            OK, "baseline", f"{baseline.path} in {baseline.words}, {len(baseline.text.splitlines()):,} lines"
        )


def _schema(configuration: Configuration) -> Iterator[DoctorLine]:
    """The schema beside the configuration, if there is one: the schema of the version that wrote it."""
    path = configuration.path.with_name(SCHEMA_NAME)
    try:
        content = read_small(path)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        yield DoctorLine(WARN, "schema", f"{SCHEMA_NAME} cannot be read: {error}")
        return
    if content == schema_text():
        yield DoctorLine(OK, "schema", f"{SCHEMA_NAME} is that of this version")
    else:
        remedy = f"keepstate config --schema --output {display_path_of(path)}"
        yield DoctorLine(WARN, "schema", f"{SCHEMA_NAME} is that of another version", remedy)


def _planner(arguments: argparse.Namespace) -> Iterator[DoctorLine]:
    if arguments.planner:
        from keepstate_lsp.cli.commands.planned.diagnosis import planner_answers
        from keepstate_lsp.cli.terminal.signals import ending_cleanly

        with ending_cleanly():
            for answer in planner_answers(arguments):
                state = WARN if answer.agrees is None else OK if answer.agrees else FAIL
                yield DoctorLine(state, "planner", answer.words, answer.hint)


def _state(nothing: NoBaseline) -> str:
    """The status of a missing baseline."""
    return FAIL if nothing.reason in _BROKEN else WARN


def _package(name: str, prefix: str) -> DoctorLine:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return DoctorLine(FAIL, name, "not installed", install_words())
    if not version.startswith(prefix):
        return DoctorLine(FAIL, name, f"{version}, but Keepstate needs {prefix}*", install_words())
    return DoctorLine(OK, name, version)


def _git() -> DoctorLine:
    try:
        version = GitProcess(Path.cwd()).run("version").strip()
    except GitFailure as failure:
        hint = "install git and see that it is on the PATH" if isinstance(failure, GitMissing) else None
        return DoctorLine(FAIL, "git", failure.message, hint)
    numbers = re.match(r"git version (\d+)\.(\d+)", version)
    if numbers is None:
        words = f"it answers {version[:80]!r} to git version, as git never does"
        return DoctorLine(FAIL, "git", words, "see that the first git on the PATH is git")
    if (int(numbers[1]), int(numbers[2])) < _OLDEST_GIT:
        return DoctorLine(
            WARN, "git", f"{version}, which is older than Keepstate is tested with", "use git 2.20 or later"
        )
    return DoctorLine(OK, "git", version)


def _repository(repository: Repository | NoBaseline, folder: Path) -> Iterator[DoctorLine]:
    if isinstance(repository, NoBaseline):
        yield DoctorLine(_state(repository), "repository", repository.sentence, repository.mend)
        return
    yield DoctorLine(OK, "repository", str(repository.folders.work_tree))
    try:
        head = repository.commit(HEAD)
    except GitFailure as failure:
        yield DoctorLine(FAIL, "HEAD", failure.message)
        return
    if isinstance(head, NoBaseline):
        yield DoctorLine(WARN, "HEAD", head.sentence, head.mend)
    else:
        yield DoctorLine(OK, "HEAD", head.id)
    if repository.shallow:
        yield DoctorLine(
            WARN, "history", "shallow: earlier revisions, tags and merge bases may be missing", "git fetch --unshallow"
        )
    else:
        yield DoctorLine(OK, "history", "complete")
