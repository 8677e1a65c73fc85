"""A proposal for ``keepstate.toml``: what the files of a repository tell about its jobs.

Nothing is executed. An order of files is proposed where a command gives it; where numbers or programs only hint at one,
the entry is a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from keepstate_lsp.config.effective_settings import ENGINE
from keepstate_lsp.config.engine_versions import FLINK
from keepstate_lsp.config.schema import DIRECTIVE
from keepstate_lsp.jobs.projects import Project
from keepstate_lsp.jobs.runners import Run, runs_in

_NUMBERED = re.compile(r"\d+[_.\-]")
_LONGEST_LIST = 20
_OPERATOR = re.compile(r"^apiVersion:\s*[\"']?flink\.apache\.org/", re.MULTILINE)
"""A manifest of the Flink Kubernetes operator."""


@dataclass(frozen=True)
class ProposedEntry:
    """An entry of the proposal: files of a context or of a script, and the reason for it."""

    files: tuple[str, ...]
    reason: str
    is_certain: bool = True
    """A command gives the order; else the entry is written as a comment."""
    is_context: bool = False


@dataclass(frozen=True)
class EngineChoice:
    """The proposed engine, and the reason for it."""

    name: str
    reason: str


@dataclass(frozen=True)
class ConfigProposal:
    """The proposed configuration."""

    engine: EngineChoice
    context: tuple[ProposedEntry, ...] = ()
    scripts: tuple[ProposedEntry, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def toml(self) -> str:
        """The text of the file.

        >>> choice = EngineChoice("flink", "as --engine says")
        >>> print(ConfigProposal(choice, (ProposedEntry(("ddl/*.sql",), "2 files declare tables"),)).toml)
        #:schema ./keepstate.schema.json
        # Proposed by keepstate init. Read it, and delete what is wrong.
        <BLANKLINE>
        engine = "flink"  # as --engine says
        <BLANKLINE>
        context = [
          "ddl/*.sql",  # 2 files declare tables
        ]
        <BLANKLINE>
        """
        lines = [DIRECTIVE, "# Proposed by keepstate init. Read it, and delete what is wrong."]
        lines += (f"# {_one_line(note)}" for note in self.notes)
        lines += ["", f"engine = {_quoted(self.engine.name)}  # {_one_line(self.engine.reason)}"]
        if self.context:
            lines += ["", "context = ["]
            lines += (
                f"  {_quoted(file)},  # {_one_line(entry.reason)}" for entry in self.context for file in entry.files
            )
            lines.append("]")
        for entry in self.scripts:
            lines += ["", f"# {_one_line(entry.reason)}"]
            mark = "" if entry.is_certain else "# "
            lines += [f"{mark}[[job]]", f"{mark}script = [{', '.join(map(_quoted, entry.files))}]"]
        return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    return json.dumps(path, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def propose(
    project: Project,
    runners: Iterable[tuple[str, str]],
    hosts: Iterable[tuple[str, str]] = (),
    engine: str | None = None,
) -> ConfigProposal:
    """The proposal for the files of a revision. ``runners`` are texts of other files that may name SQL files, and
    ``hosts`` those that may hold SQL as a value, by path. ``engine`` is the engine that was asked for.

    >>> from keepstate_lsp.jobs.named_files import NamedFiles
    >>> from keepstate.project.memory import ProjectMemory
    >>> files = {"ddl/t.sql": "CREATE TABLE t (a INT);", "jobs/a.sql": "INSERT INTO s SELECT a FROM t"}
    >>> project = Project(NamedFiles(tuple(files)), files.get, ProjectMemory())
    >>> runs = [("run.sh", "sql-client.sh -i ddl/t.sql -f jobs/a.sql")]
    >>> [entry.files for entry in propose(project, runs).scripts]
    [('ddl/t.sql', 'jobs/a.sql')]
    """
    hosts = list(hosts)
    runs = [run for path, text in runners for run in runs_in(path, text, project.paths)]
    commands = list(dict.fromkeys(run for run in runs if run.is_command and len(run.files) > 1))
    in_commands = {file for run in commands for file in run.files}
    scripts = [_script(run) for run in commands]
    known_files = {entry.files for entry in scripts}
    for run in runs:
        if not run.is_command and len(run.files) > 1 and run.files not in known_files:
            known_files.add(run.files)
            scripts.append(_script(run))
    for folder, files in _folders(project.paths).items():
        numbered = tuple(file for file in files if _NUMBERED.match(PurePosixPath(file).name))
        if len(numbered) > 1 and numbered not in known_files and not in_commands.issuperset(numbered):
            reason = f"The files of {folder or 'this folder'} have numbers: one script in this order, or alternatives?"
            scripts.append(ProposedEntry(numbered, reason, is_certain=False))
    context = tuple(_context(project, in_commands))
    for entry in (entry for path, text in hosts for entry in _embedded(project, path, text)):
        if entry.is_context:
            context += (entry,)
        else:
            scripts.append(entry)
    return ConfigProposal(_engine(engine, hosts), context, tuple(scripts), tuple(_notes(project)))


def _engine(option: str | None, hosts: Iterable[tuple[str, str]]) -> EngineChoice:
    """The engine that was asked for, or that a file of the repository is for, or the default."""
    if option is not None:
        return EngineChoice(option, "as --engine says")
    for path, text in hosts:
        if match := _OPERATOR.search(text):
            line = text.count("\n", 0, match.start()) + 1
            return EngineChoice(FLINK, f"{path}, line {line}, is for the Kubernetes operator of open-source Flink")
    return EngineChoice(ENGINE, f'the default: Realtime Compute, Ververica Runtime; "{FLINK}" is open-source Flink')


def _script(run: Run) -> ProposedEntry:
    reason = f"{run.path}, line {run.line}, "
    if run.is_command:
        return ProposedEntry(run.files, reason + "runs these files in this order.")
    return ProposedEntry(run.files, reason + "and below name these files: one script in this order?", is_certain=False)


def _embedded(project: Project, path: str, text: str) -> Iterator[ProposedEntry]:
    """The SQL in a YAML or HCL file: a job for each text that runs a query, and a context for those that declare."""
    from keepstate.embedded.search import flink_texts

    for pointer in flink_texts(text, path):
        content = project.read(str(pointer))
        if content is None:
            continue
        line = text.count("\n", 0, content.start or 0) + 1
        if content.runs:
            yield ProposedEntry((str(pointer),), f"{path}, line {line}, holds the SQL of a job.")
        elif content.declarations:
            yield ProposedEntry((str(pointer),), "declares tables, and runs no query", is_context=True)


def _folders(paths: Iterable[str]) -> dict[str, list[str]]:
    by_folder: dict[str, list[str]] = {}
    for path in sorted(paths):
        by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    return by_folder


def _context(project: Project, in_commands: set[str]) -> Iterator[ProposedEntry]:
    """The files that declare what other files read, and run nothing: a folder of them as one glob."""
    for folder, files in _folders(project.paths).items():
        contents = {file: project.read(file) for file in files}
        declaring = [file for file, one in contents.items() if one is not None and one.declarations and not one.runs]
        chosen_files = []
        for file in declaring:
            one = contents[file]
            names = [] if one is None else [each.name for each in one.declarations]
            if file not in in_commands and project.readers(names).paths - {file}:
                chosen_files.append(file)
        if not chosen_files:
            continue
        if len(chosen_files) > 1 and len(declaring) == len(files):
            glob = f"{folder}/*.sql" if folder else "*.sql"
            if all(file.endswith(".sql") for file in files):
                yield ProposedEntry((glob,), f"{len(chosen_files)} files declare what others read, and run no query")
                continue
        for file in chosen_files:
            yield ProposedEntry((file,), "declares what others read, and runs no query")


def _notes(project: Project) -> Iterator[str]:
    """The names that several files declare with other meanings: no entry can choose between them."""
    index = project.index(project.declaring)
    seen_names: set[str] = set()
    for declaration in index.declarations:
        if declaration.name in seen_names:
            continue
        seen_names.add(declaration.name)
        declarations = index.of(declaration.name)
        if len({each.meaning() for each in declarations}) > 1 and len(seen_names) <= _LONGEST_LIST * 100:
            files = ", ".join(dict.fromkeys(each.file.file_path for each in declarations[:_LONGEST_LIST]))
            yield (
                f"{declaration.name} is declared with different meanings in {files}: choose by `context` of a [[job]]."
            )
