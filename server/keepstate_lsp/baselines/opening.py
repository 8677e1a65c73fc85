"""Opening the repository around a folder, with a work tree or without."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure, GitMissing, GitStalled, GitStrange
from keepstate_lsp.baselines.git.objects import Objects
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.baselines.head import find_git_folders


def open_git(folder: Path, patience: Patience | None = None) -> tuple[Objects, Path | None]:
    """The objects of the repository around ``folder``, and its work tree; ``None`` for a bare one, which has to be
    ``folder`` itself: git, as it is run here, enters no bare repository that it has to look for.

    >>> with repository({"a.sql": "SELECT 1"}) as folder:
    ...     _, work_tree = open_git(folder)
    ...     work_tree.samefile(folder)
    True

    Raises:
        GitFailure: there is no repository, or git cannot tell.
    """
    patience = patience or Patience.of_command()
    located = find_git_folders(folder)
    try:
        git, root = GitProcess(folder, patience=patience).paths(2, "rev-parse", "--absolute-git-dir", "--show-toplevel")
    except GitFailure as failure:
        if isinstance(failure, (GitMissing, GitStalled, GitStrange)) or not _is_bare(folder):
            raise
        return Objects(GitProcess(folder, bare=True, patience=patience)), None
    if located is not None and located.git.exists() and not located.git.samefile(git):
        raise DamagedObject(f"{located.work_tree / '.git'} is no repository that git can read")
    return Objects(GitProcess(Path(root), Path(git), patience=patience)), Path(root)


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
