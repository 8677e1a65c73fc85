"""``keepstate init``: a proposal for ``keepstate.toml``, and the files of each job that it makes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from keepstate.embedded.pointers import is_host
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.target import WORK_TREE
from keepstate_lsp.cli.arguments import filled, known_engine, output_path
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.composition_entries import NO_COMPOSITION
from keepstate_lsp.config.file import FILE_NAME, Configuration
from keepstate_lsp.config.schema import SCHEMA_NAME, schema_text
from keepstate_lsp.jobs.config_proposal import ConfigProposal, propose
from keepstate_lsp.jobs.projects import CompositionError, Project
from keepstate_lsp.jobs.runners import may_be_runner


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write {FILE_NAME}, and the schema by which editors complete it; an existing file is never replaced",
    )
    parser.add_argument(
        "--engine", metavar="ENGINE", type=filled, help="the engine that runs the jobs: vvr or flink (default: vvr)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")


def run(arguments: argparse.Namespace) -> int:
    from keepstate.project.memory import ProjectMemory

    engine = None if arguments.engine is None else known_engine(arguments.engine)
    with BaselineReader() as reader, Output(arguments.output) as output:
        repository = reader.repository(Path.cwd(), HEAD)
        if isinstance(repository, NoBaseline):
            raise CommandError(f"There is no repository here: {repository.sentence}", repository.mend)
        root = repository.folders.work_tree
        project = Project.of(reader, repository, WORK_TREE, ProjectMemory())
        runners, hosts = (_texts(repository, project, is_wanted) for is_wanted in (may_be_runner, is_host))
        proposal = propose(project, runners, hosts, engine)
        jobs = list(_jobs(project, proposal, root))
        if arguments.format == "json":
            from keepstate.reporting.file_json import FORMAT_VERSION
            from keepstate_lsp.cli.formats.json import pretty

            output.write(pretty({"version": FORMAT_VERSION, "toml": proposal.toml, "jobs": jobs}))
        else:
            output.write_text(f"{proposal.toml}\n" + "".join(_proposal_text(job) for job in jobs))
        if arguments.write:
            _write(root / FILE_NAME, proposal)
    return FINE


def _write(path: Path, proposal: ConfigProposal) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(proposal.toml)
    except FileExistsError as error:
        raise CommandError(f"{path} exists and is left as it is.", "keepstate init without --write") from error
    schema = path.with_name(SCHEMA_NAME)
    with suppress(FileExistsError), schema.open("x", encoding="utf-8", newline="\n") as file:
        file.write(schema_text())
    tell(f"{path.name} is written, and {schema.name}, by which editors complete it.")


def _texts(repository: Repository, project: Project, accepts: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """The files of the work tree with wanted names, and their texts."""
    for path in sorted(repository.files(WORK_TREE)):
        text = project.host(path) if accepts(path) else None
        if text is not None:
            yield path, text


def _jobs(project: Project, proposal: ConfigProposal, root: Path) -> Iterator[dict[str, Any]]:
    """The jobs under the proposal, each with its files."""
    configuration = Configuration.parse(root / FILE_NAME, proposal.toml, FILE_NAME)
    assert configuration is not None
    parts = {path for one in configuration.scripts for path in project.script_paths(one, "")}
    jobs = [(project.script_paths(one, "")[-1], one) for one in configuration.scripts]
    jobs += ((path, NO_COMPOSITION) for path in project.paths if path not in parts and project.is_job(path))
    for path, several in sorted(jobs, key=lambda job: job[0]):
        composition = configuration.job_config(root / path, several).composition
        with suppress(CompositionError):
            # A file that is gone since it was listed.
            composed_job = project.compose(path, project.host(path), composition, "")
            yield {
                "path": path,
                "files": [{"path": file.path, "role": role.value} for file, role in composed_job.composed.files],
                "ambiguous": {
                    name: [each.file.path for each in declarations]
                    for name, declarations in composed_job.ambiguous.items()
                },
                "undeclared": [name for name in composed_job.undeclared if not _is_called(name, composed_job.text)],
            }


def _is_called(name: str, text: str) -> bool:
    """Return whether a name is that of a function: a parenthesis follows it, and it is no sink with its columns."""
    return re.search(rf"(?<!into )(?<!\w){re.escape(name)}\s*\(", text, re.IGNORECASE) is not None


def _proposal_text(job: dict[str, Any]) -> str:
    lines = [job["path"]]
    lines += (f"  {file['role']:8} {file['path']}" for file in job["files"])
    lines += (f"  ambiguous {name}: {', '.join(paths)}" for name, paths in job["ambiguous"].items())
    if job["undeclared"]:
        lines.append(f"  not declared here: {', '.join(job['undeclared'])}")
    return "\n".join(lines) + "\n"
