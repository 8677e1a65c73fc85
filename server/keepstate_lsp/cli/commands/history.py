"""``keepstate history``: what each past change of a job would have meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.cli.arguments import DEFAULT_ENGINE, day, filled, known_engine, known_version, output_path, parameter
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.result.history_rows import HistoryRow, Tally, history_rows
from keepstate_lsp.cli.result.summary import STATUS_WORDS
from keepstate_lsp.cli.source_text import source_path
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.file import Configuration, JobConfig
from keepstate_lsp.jobs.job_history import JobHistory, PastJudge
from keepstate_lsp.near_names import did_you_mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a job file, which may be gone; renames are followed")
    parser.add_argument("--since", metavar="YYYY-MM-DD", type=day, help="only what was committed on this day or later")
    parser.add_argument("--revision", metavar="REV", default="HEAD", help="where to begin (default: %(default)s)")
    walk = parser.add_mutually_exclusive_group()
    walk.add_argument(
        "--first-parent",
        action="store_const",
        dest="merges",
        const=Merges.FIRST_PARENT,
        default=Merges.FIRST_PARENT,
        help="the main line alone: a merge is one change, with all that it brought (default)",
    )
    walk.add_argument(
        "--full",
        action="store_const",
        dest="merges",
        const=Merges.FULL,
        help="the commits of all branches, and of the merges those that are like none of their parents",
    )
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--engine", metavar="ENGINE", type=filled, help="the engine that runs the job: vvr or flink (default: vvr)"
    )
    group.add_argument("--engine-version", metavar="V", type=filled, help="its version, for all commits")
    group.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter for all commits, over what keepstate.toml said in each; may be repeated",
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=("text", "json", "markdown", "html"), default="text", help="default: %(default)s"
    )
    group.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    path = source_path(arguments.file)
    configured = Configuration.around(path.parent)
    engine = known_engine(arguments.engine or (configured and configured.engine) or DEFAULT_ENGINE)
    by_hand = JobConfig(known_version(engine, arguments.engine_version), dict(arguments.parameter))
    try:
        with Output(arguments.output, arguments.color) as output, History.around(_folder(path)) as history:
            name = _inside(history, arguments.file, path)
            _check_revision(history, arguments.revision)
            changes = JobHistory(history, by_hand).changes(
                name, arguments.revision, arguments.merges, arguments.since and f"{arguments.since}T00:00:00"
            )
            rows = _write_rows(arguments, output, history_rows(changes, PastJudge(engine)), name, engine)
            if not rows and arguments.since is None:
                mend = "git fetch --unshallow" if history.is_shallow else "git log --all -- FILE"
                raise CommandError(f"No commit of {arguments.revision} has a file {name}.", mend)
    except GitFailure as failure:
        raise CommandError(f"git cannot tell the history: {failure.message}.") from failure
    failed = [row for row in rows if row.status.failed]
    for row in failed:
        mend = f" To mend: {row.mend}" if row.mend else ""
        tell(f"{row.change.path} at {row.change.commit.short}: {STATUS_WORDS[row.status]}: {row.reason}{mend}")
    return NOT_COMPARED if failed else FINE


def _check_revision(history: History, name: str) -> None:
    """Raises ``CommandError`` if there is no such revision. A range is left to git."""
    if ".." in name or name == "HEAD" or history.commit(name) is not None:
        return
    fetch = "git fetch --unshallow" if history.is_shallow else None
    suggestion = did_you_mean(history.near(name))
    raise CommandError(f"There is no revision {name}.{suggestion}", None if suggestion else fetch)


def _write_rows(
    arguments: argparse.Namespace, output: Output, rows: Iterator[HistoryRow], path: str, engine: str
) -> list[HistoryRow]:
    """All rows, which were written in the format that was asked for."""
    from keepstate_lsp.cli.formats.history_formats import HistoryText, history_document, history_markdown
    from keepstate_lsp.cli.formats.history_page import history_page
    from keepstate_lsp.cli.formats.json import pretty

    if arguments.format == "text":
        text = HistoryText(output.color, output.encoding)
        history = []
        for row in rows:
            output.write_text(text.row(row))
            history.append(row)
        if history or arguments.since is not None:
            output.write_text(text.summary(Tally.of(history), path))
        return history
    history = list(rows)
    if arguments.format == "json":
        where = (path, engine, arguments.revision, arguments.merges, arguments.since)
        output.write(pretty(history_document(history, *where)))
    elif arguments.format == "html":
        # The page says that it is UTF-8, whatever the terminal takes.
        output.write(history_page(history, path, engine).encode())
    else:
        output.write_text(history_markdown(history, path))
    return history


def _folder(path: Path) -> Path:
    """The nearest folder that is there: files of former times may lie in folders of former times."""
    return next(folder for folder in path.parents if folder.is_dir())


def _inside(history: History, name: str, path: Path) -> str:
    """The path inside of the repository; in a bare clone the name is that path."""
    if history.root is None:
        return name
    for root in (history.root, history.root.resolve()):
        for candidate in (path, path.resolve()):
            if candidate.is_relative_to(root):
                return candidate.relative_to(root).as_posix()
    raise CommandError(f"{name} is outside of the work tree {history.root}.")
