"""Submodules, and other repositories inside of one: git keeps no file of theirs in the repository around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.cli.result.file_result import RunProblem
from keepstate_lsp.cli.result.scope import Notice
from keepstate_lsp.config.job_names import may_be_job


def changed_submodules(
    repository: Repository,
    commit: Commit,
    target: Target,
    reader: BaselineReader,
    reached: Callable[[str], bool],
    wanted: Callable[[str], bool],
) -> list[RunProblem]:
    """A problem for each submodule with SQL files that differ between ``commit`` and ``target``, or cannot be compared.
    ``reached`` chooses submodules, and ``wanted`` files, by their paths in the repository around.

    Raises:
        GitFailure: git cannot list them.
    """
    before = repository.submodules(commit.id)
    if not before:
        return []
    now = repository.submodules(target)
    found = []
    for path in sorted(filter(reached, before.keys() & now.keys())):
        moved = None if target is WORK_TREE else now[path]
        problem = _changed(repository, path, before[path], moved, reader, wanted)
        if problem is not None:
            found.append(problem)
    return found


def _changed(
    repository: Repository,
    path: str,
    before: str,
    now: str | None,
    reader: BaselineReader,
    wanted: Callable[[str], bool],
) -> RunProblem | None:
    """The problem of one submodule, between its former commit and its present one (``None``: its work tree), if any."""
    if before == now:
        return None
    folder = repository.folders.work_tree / path
    try:
        inner = _repository_in(folder, reader)
        if isinstance(inner, NoBaseline):
            return _not_compared(path, inner.sentence.removesuffix("."))
        if inner is None and now is None and _holds_files(folder):
            return _not_compared(path, "it holds files, and its repository is gone")
        if inner is None:
            recorded = repository.submodules(INDEX).get(path) if now is None else now
            return None if recorded == before else _not_compared(path, "it is not checked out")
        known = inner.revisions.commit(before)
        if known is None:
            return _not_compared(path, f"its commit {before[:7]} is not in the clone")
        changed = inner.changed(
            Commit(known, known),
            WORK_TREE if now is None else now,
            lambda name: may_be_job(name) and wanted(f"{path}/{name}"),
        )
    except GitFailure as failure:
        return _not_compared(path, failure.message)
    if not changed:
        return None
    files = "1 SQL file" if len(changed) == 1 else f"{len(changed)} SQL files"
    return RunProblem(
        path, f"{files} changed in this submodule and cannot be compared from outside.", _check(path, before, now)
    )


def repositories_within(repository: Repository, reader: BaselineReader) -> list[Notice]:
    """A notice for each other repository with SQL files that lies in the work tree and is no submodule.

    Further work trees of the same repository are none: they hold the same jobs.
    """
    found = []
    for path in repository.within():
        inner = _repository_in(repository.folders.work_tree / path, reader)
        if isinstance(inner, Repository) and inner.folders.common == repository.folders.common:
            continue
        number = len(inner.present(may_be_job)) if isinstance(inner, Repository) else None
        if number == 0:
            continue
        jobs = "" if number is None else f", with {number} SQL file{'' if number == 1 else 's'}"
        found.append(
            Notice(path, f"A repository of its own{jobs}: it is not compared from outside.", f"keepstate check {path}")
        )
    return found


def _repository_in(folder: Path, reader: BaselineReader) -> Repository | NoBaseline | None:
    """The repository of a submodule; the reason why it cannot be read; ``None``: it was not checked out."""
    found = reader.repository(folder, HEAD)
    return None if isinstance(found, Repository) and not found.is_at(folder) else found


def _holds_files(folder: Path) -> bool:
    try:
        return next(folder.iterdir(), None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


def _not_compared(path: str, why: str) -> RunProblem:
    sentence = f"This submodule changed, and whether its jobs did cannot be told: {why}."
    return RunProblem(path, sentence, f"git submodule update --init {path}")


def _check(path: str, before: str, now: str | None) -> str:
    current = "" if now is None else f" --current {now[:12]}"
    return f"cd {path} && keepstate check --against {before[:12]}{current}"
