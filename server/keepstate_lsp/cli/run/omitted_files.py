"""Files of a run that are no jobs: other SQL, which is left out, declarations, which others read, and files of another
kind with SQL that no configuration names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import FilePointer, is_host
from keepstate.reporting.new_names import FLINK_SUFFIXES
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import Target
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.run.run_files import JobFile
from keepstate_lsp.config.job_names import SQL_SUFFIXES, glob_test, is_job
from keepstate_lsp.jobs.projects import Project

if TYPE_CHECKING:
    from keepstate.project.memory import ProjectMemory

NO_STATEMENT = "neither text holds a statement"
_OF_PLANS = frozenset({"EXECUTE", "COMPILE"})
"""Statements of plans that are files: these may hold queries."""
_READERS_SHOWN = 5
"""Jobs in a sentence about a declaration."""


def is_other_sql(job: JobFile, texts: Sequence[str]) -> bool:
    """Return whether a file that was named on the command line, or by a glob there, is no Flink SQL: a shell names all
    files of a folder at once.
    """
    if not job.is_named or job.declared or is_job(job.path.name, texts):
        return False
    return shows_no_job(texts)


def shows_no_job(texts: Iterable[str]) -> bool:
    """Return whether the texts show nothing of Flink SQL, and write into no table."""
    import keepstate

    return not any(keepstate.may_be_flink_job(text) for text in texts)


def read_by(paths: Sequence[str]) -> str:
    """A sentence with the jobs that read the tables of a file."""
    if not paths:
        return "It declares tables, and no job known here reads them."
    first = ", ".join(paths[:_READERS_SHOWN])
    rest = len(paths) - _READERS_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return f"Its tables are read by {len(paths)} {'job' if len(paths) == 1 else 'jobs'}: {first}{more}."


def runs_plainly(text: str) -> bool:
    """Return whether the words of a text show that it runs a query. Whether any other runs one takes reading it.

    >>> runs_plainly("INSERT INTO s SELECT a FROM t"), runs_plainly("CREATE TABLE t (a INT)")
    (True, False)
    """
    # Loaded where files were named: a check without paths asks about none.
    from keepstate.project.text_names import begins_query

    return begins_query(text)


def reason_without_queries(texts: Iterable[str], memory: ProjectMemory | None = None) -> str | None:
    """The reason why texts have no state to compare: none of them runs a query. ``None`` if one does, or may do so.
    What ``memory`` has read is not read again.
    """
    if memory is None:
        from keepstate.project.memory import ProjectMemory

        memory = ProjectMemory()
    contents = [memory.read("", text) for text in texts]
    words = {word for file in contents for word in file.without_state}
    if any(file.runs or file.unread for file in contents) or words & _OF_PLANS:
        return None
    if all(file.start is None for file in contents):
        return NO_STATEMENT
    if words:
        return f"no text runs a query, and {', '.join(sorted(words))} is not compared, for it keeps no state"
    return "neither file runs a query, and declarations alone have no state. Compare the jobs that read them"


def left_out_unnamed(job: JobFile) -> Notice:
    """A changed file that writes into a table and shows nothing of Flink SQL."""
    return left_out(job, "Left out, though it changed: it writes into a table, but shows nothing that is Flink's own.")


def left_out(job: JobFile, statement: str) -> Notice:
    """A file that is taken for no job, and what to do if it is one."""
    name = job.path.with_suffix(FLINK_SUFFIXES[-1]).name
    return Notice(
        job.display_path, statement, f"If it is a job, name it in `files` of keepstate.toml, or call it {name}."
    )


def matches_nothing(key: str, glob: str, folder: str, paths: Iterable[str]) -> str:
    """The sentence about an entry that names no SQL file among the ``paths`` of a repository; ``folder`` is that of the
    configuration.
    """
    prefix = f"{folder}/" if folder else ""
    below = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    matches = glob_test(glob)
    candidates = sorted(path for path in below if matches(path))
    if candidates:
        more = f" and {len(candidates) - 1} more" if len(candidates) > 1 else ""
        names = f"{', '.join(SQL_SUFFIXES[:-1])} or {SQL_SUFFIXES[-1]}"
        return f"{key} = {glob} matches no SQL file: {candidates[0]}{more} is there, and names of SQL end with {names}."
    inside = f"{glob.rstrip('/')}/"
    if any(path.startswith(inside) for path in below):
        return f"{key} = {glob} is a folder: name its files, as in {inside}*.sql."
    return f"No file matches {key} = {glob}."


def left_out_values(project: Project, repository: Repository, commit: Commit, target: Target) -> Iterator[Notice]:
    """A notice for each YAML or HCL file that changed since ``commit`` and holds Flink SQL that no configuration names.
    Such SQL is not compared.
    """
    pointers = map(FilePointer.parse, project.names.pointers)
    named_values = {(pointer.file, pointer.parts) for pointer in pointers if pointer is not None}
    for path, status in repository.changed_files(commit, target, is_host).items():
        text = None if status == "D" else project.host(path)
        values = [] if text is None else _values(text, path, named_values)
        if values:
            more = f" and {len(values) - 1} more" if len(values) > 1 else ""
            yield Notice(
                path,
                f"Left out, though it changed: it holds Flink SQL at {values[0]}{more}, and no script names it.",
                "Name it in `script` of a [[job]]; keepstate init proposes the entries.",
            )


def _values(text: str, path: str, named_values: Collection[tuple[str, tuple[str, ...]]]) -> list[str]:
    """The pointers to the values with Flink SQL in a file, without those that are named."""
    # Loaded where such a file changed: it reads the other kinds of files.
    from keepstate.embedded.search import flink_texts

    return [str(each) for each in flink_texts(text, path) if (each.file, each.parts) not in named_values]
