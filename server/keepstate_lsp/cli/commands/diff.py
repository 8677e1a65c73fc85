"""``keepstate diff``: two files, or many pairs of texts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline, Reason
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.head import find_git_folders
from keepstate_lsp.cli.arguments import JobSettings, add_comparison, add_functions, add_report_output, job_settings
from keepstate_lsp.cli.commands.planned.planner_option import add_planner, planner_of, with_planner
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.formats.results import ResultOutputs
from keepstate_lsp.cli.paths import RepositoryPaths
from keepstate_lsp.cli.result.exit_status import exit_status
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, compare, not_compared
from keepstate_lsp.cli.result.new_findings import BaselineOrigin
from keepstate_lsp.cli.result.run_scope import RunScope
from keepstate_lsp.cli.source_text import is_stream, read_source, source_path
from keepstate_lsp.config.job_config import JobConfigReader

if TYPE_CHECKING:
    from keepstate import Workspace
    from keepstate.project.composition import ComposedJob
    from keepstate.project.memory import ProjectMemory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE.sql", nargs="?", help="what runs now; - is standard input")
    parser.add_argument("current", metavar="CURRENT.sql", nargs="?", help="what shall run; - is standard input")
    parser.add_argument(
        "--pairs",
        metavar="FILE.jsonl",
        help='compare many pairs instead: a line is {"id", "baseline", "current"}, and so is each line of the answer '
        "(JSON); - is standard input",
    )
    add_planner(parser)
    add_functions(parser)
    add_comparison(parser)
    add_report_output(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.pairs is not None:
        if arguments.baseline is not None:
            raise UsageError("Name two files, or --pairs, not both.")
        from keepstate_lsp.cli.run.pairs import run_pairs

        with planner_of(arguments) as planned:
            return run_pairs(arguments, planned)
    if arguments.current is None:
        raise UsageError("Name two files: BASELINE.sql and CURRENT.sql.")
    if arguments.baseline == arguments.current and is_stream(arguments.current):
        raise UsageError("Standard input can only be one of the two files.")
    name = arguments.current
    with BaselineReader() as reader:
        configs = JobConfigReader(reader, arguments.config)
        current = configs.current(source_path(name))
        baseline = current
        if not is_stream(arguments.baseline):
            baseline = configs.of_other_file(source_path(arguments.baseline), current)
    settings = job_settings(arguments, current.source, current, baseline)
    with ResultOutputs(arguments) as outputs:
        display = name.replace("\\", "/") if sys.platform == "win32" else name
        texts = [read_source(side) for side in (arguments.baseline, name)]
        unread = [
            f"{side} {text.fault}"
            for side, text in zip((arguments.baseline, name), texts, strict=True)
            if isinstance(text, NotText)
        ]
        is_one_job = outputs.are_text and _are_one_job(arguments, texts, settings)
        scope = None
        if unread:
            comparison = not_compared(display, settings, " ".join(dict.fromkeys(unread)) + _revisions(arguments, texts))
        elif is_one_job:
            comparison = FileResult(display, FileStatus.UNCHANGED, settings, BaselineOrigin(arguments.baseline))
        else:
            memory = _memory()
            (was, now), root = _composed(arguments, [text for text in texts if isinstance(text, str)], memory)
            origin = BaselineOrigin(arguments.baseline)
            comparison = compare(display, now, was, settings, origin, workspace=_workspace(memory), root=root)
            scope = _without_queries([text for text in texts if isinstance(text, str)], comparison, memory)
        if scope is None:
            [comparison] = with_planner(arguments, [comparison])
        outputs.write([comparison] if scope is None else [], settings.engine, RepositoryPaths(Path.cwd()), scope=scope)
    return exit_status([comparison])


def _are_one_job(arguments: argparse.Namespace, texts: Sequence[str | NotText], settings: JobSettings) -> bool:
    """Return whether the sides are equal in all that a job reads: one file under one name, or equal texts outside of a
    repository, where no other file declares anything. Then nothing is parsed. Elsewhere the declarations of other files
    decide, and the analyzer reports a comment that accepts nothing.
    """
    was, now = texts
    if was != now or not isinstance(now, str) or not now.strip() or "keepstate:" in now or not settings.is_unchanged:
        return False
    files = [source_path(name) for name in (arguments.baseline, arguments.current) if not is_stream(name)]
    return len(files) == 2 and (files[0] == files[1] or not any(find_git_folders(file.parent) for file in files))


def _revisions(arguments: argparse.Namespace, texts: Sequence[str | NotText]) -> str:
    """The sentence about a revision in the place of a file."""
    from keepstate_lsp.cli.named_revisions import words_for_revisions

    missing = [
        name
        for name, text in zip((arguments.baseline, arguments.current), texts, strict=True)
        if isinstance(text, NotText) and text.reason is Reason.MISSING_FILE
    ]
    return words_for_revisions(missing, arguments.current if arguments.current not in missing else "FILE")


def _without_queries(texts: Sequence[str], comparison: FileResult, memory: ProjectMemory) -> RunScope | None:
    """The scope of a comparison of texts that run no query: there is no state to judge."""
    from keepstate_lsp.cli.run.omitted_files import reason_without_queries

    is_said = comparison.status.failed or comparison.refusals or (comparison.report and comparison.report.findings)
    reason = None if is_said else reason_without_queries(texts, memory)
    if reason is None:
        return None
    engine = comparison.settings.engine
    return RunScope(engine, reason=f"Nothing to compare: {reason} (engine {engine}).")


def _memory() -> ProjectMemory:
    # Equal files are not read.
    from keepstate.project.memory import ProjectMemory

    return ProjectMemory()


def _workspace(memory: ProjectMemory) -> Workspace:
    """A memory of comparisons in which the statements of ``memory`` are read already."""
    import keepstate

    return keepstate.Workspace(memory.memo)


def _composed(
    arguments: argparse.Namespace, texts: Sequence[str], memory: ProjectMemory
) -> tuple[list[str | ComposedJob], Path]:
    """Both jobs, with the declarations of other files that they read, and the folder that the paths of these files are
    relative to. Jobs outside of repositories, and those that declare all that they name, are alone.

    Raises:
        CommandError: a job cannot be composed.
    """
    from keepstate.project.composition import VisibleDeclarations
    from keepstate.project.source_files import SourceFile

    files = [source_path(name) for name in (arguments.baseline, arguments.current) if not is_stream(name)]
    folder = files[-1].parent if files else Path.cwd()
    alone = [memory.compose([SourceFile("", text)], VisibleDeclarations()) for text in texts]
    if find_git_folders(folder) is None or not any(job.undeclared for job in alone):
        return list(texts), folder
    from keepstate_lsp.cli.run.named_jobs import NamedJobs

    with BaselineReader(steady=True) as reader:
        repository = reader.repository(folder, HEAD)
        root = folder if isinstance(repository, NoBaseline) else repository.folders.work_tree
        # Elsewhere `current` is a revision, and here a file.
        jobs = NamedJobs(argparse.Namespace(**{**vars(arguments), "current": None, "baseline": None}), reader)
        # A stream was read already, and cannot be read again.
        is_read = is_stream(arguments.current)
        now = jobs.with_text(arguments.current, texts[1]) if is_read else jobs.current(arguments.current)
        if is_stream(arguments.baseline):
            return [texts[0], now.text if now.composed is None else now.composed], root
        was = jobs.other(arguments.baseline, now)
    return [side.text if side.composed is None else side.composed for side in (was, now)], root
