"""Opening the repository around a folder, with a work tree or without."""

from __future__ import annotations

from pathlib import Path

from keepstate_lsp.baselines.process import GitFailure, GitProcess


def open_git(folder: Path) -> tuple[GitProcess, Path | None]:
    """git at the root of the repository around ``folder``, and its work tree; ``None`` for a bare one, which has to be
    ``folder`` itself: git, as it is run here, enters no bare repository that it has to look for.

    Raises:
        GitFailure: there is no repository.
    """
    here = GitProcess(folder)
    try:
        root = Path(here.run("rev-parse", "--show-toplevel").removesuffix("\n"))
    except GitFailure:
        if not _is_bare(folder):
            raise
        return GitProcess(folder, bare=True), None
    finally:
        here.close()
    return GitProcess(root), root


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
