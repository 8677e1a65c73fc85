"""Submodules, and other repositories inside of one: git keeps no file of theirs in the repository around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.target import INDEX, WORK_TREE, Target
from keepstate_lsp.cli.result.file_result import RunProblem
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.config.job_names import may_be_job


def changed_submodules(
    repository: Repository,
    commit: Commit,
    target: Target,
    reader: BaselineReader,
    is_reached: Callable[[str], bool],
    accepts: Callable[[str], bool],
) -> list[RunProblem]:
    """A problem for each submodule with SQL files that differ between ``commit`` and ``target``, or cannot be compared.
    ``is_reached`` chooses submodules and ``accepts`` files, by their paths in the repository around.

    Raises:
        GitFailure: git cannot list them.
    """
    before = repository.submodules(commit.id)
    if not before:
        return []
    now = repository.submodules(target)
    problems = []
    for path in sorted(filter(is_reached, before.keys() & now.keys())):
        commit_now = None if target is WORK_TREE else now[path]
        problem = _submodule_problem(repository, path, before[path], commit_now, reader, accepts)
        if problem is not None:
            problems.append(problem)
    return problems


def _submodule_problem(
    repository: Repository,
    path: str,
    before: str,
    now: str | None,
    reader: BaselineReader,
    accepts: Callable[[str], bool],
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
        known_commit = inner.revisions.commit(before)
        if known_commit is None:
            return _not_compared(path, f"its commit {before[:7]} is not in the clone")
        paths = inner.changed_files(
            Commit(known_commit, known_commit),
            WORK_TREE if now is None else now,
            lambda name: may_be_job(name) and accepts(f"{path}/{name}"),
        )
    except GitFailure as failure:
        return _not_compared(path, failure.message)
    if not paths:
        return None
    files = "1 SQL file" if len(paths) == 1 else f"{len(paths)} SQL files"
    return RunProblem(
        path, f"{files} changed in this submodule and cannot be compared from outside.", _check(path, before, now)
    )


def repositories_within(repository: Repository, reader: BaselineReader) -> list[Notice]:
    """A notice for each other repository with SQL files that lies in the work tree and is no submodule.

    Further work trees of the same repository are none: they hold the same jobs.
    """
    notices = []
    for path in repository.within():
        inner = _repository_in(repository.folders.work_tree / path, reader)
        if isinstance(inner, Repository) and inner.folders.common == repository.folders.common:
            continue
        number = len(inner.present(may_be_job)) if isinstance(inner, Repository) else None
        if number == 0:
            continue
        jobs = "" if number is None else f", with {number} SQL file{'' if number == 1 else 's'}"
        notices.append(
            Notice(path, f"A repository of its own{jobs}: it is not compared from outside.", f"keepstate check {path}")
        )
    return notices


def _repository_in(folder: Path, reader: BaselineReader) -> Repository | NoBaseline | None:
    """The repository of a submodule; the reason why it cannot be read; ``None``: it was not checked out."""
    repository = reader.repository(folder, HEAD)
    return None if isinstance(repository, Repository) and not repository.is_at(folder) else repository


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
