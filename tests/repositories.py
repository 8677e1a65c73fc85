"""Real git repositories for tests, with fixed authors and dates, untouched by the settings of the machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

from keepstate_lsp.cli.ci import pushes
from keepstate_lsp.cli.ci.target_branch import SYSTEMS, VARIABLES

AUTHOR = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
}
FIRST_DATE = 1_700_000_000
_EMPTY: dict[str, bytes | None] = {}
"""Files and folders (None) of ``.git`` in an empty repository, by path: folders before what they hold."""


class GitRepository:
    """A repository in a folder. Paths are relative to it; the first commits are a minute apart."""

    def __init__(self, folder: Path, *init: str) -> None:
        self.folder = folder
        self._commits = 0
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ".git").exists():
            self._init(*init)

    def _init(self, *options: str) -> None:
        """Be what ``git init`` makes. Without options that is the same for all, so git makes it once for a process."""
        if not options and _EMPTY:
            for path, content in _EMPTY.items():
                place = self.folder / ".git" / path
                if content is None:
                    place.mkdir()
                else:
                    place.write_bytes(content)
            return
        self.git("init", "--quiet", "--initial-branch=main", "--template=", *options)
        made = self.folder / ".git"
        if not options:
            _EMPTY.update({".": None})
            for place in sorted(made.rglob("*")):
                _EMPTY[place.relative_to(made).as_posix()] = place.read_bytes() if place.is_file() else None

    def git(self, *arguments: str, **environment: str) -> str:
        """The output of a git command."""
        date = f"{FIRST_DATE + 60 * self._commits} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        run = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **AUTHOR, **dates, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr.decode(errors="replace")
        return run.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file of the work tree, bytes as they are and text as UTF-8 with its line ends as they are."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, files: dict[str, str | bytes] | None = None, message: str = "Change jobs") -> str:
        """Write ``files``, commit all of the work tree, and answer with the hash."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        self._commits += 1
        return self._head()

    def _head(self) -> str:
        """The commit of HEAD; git reads it unless it is the first text of a plain branch."""
        made = self.folder / ".git"
        if made.is_dir() and (head := (made / "HEAD").read_text()).startswith("ref: "):
            branch = made / head[len("ref: ") :].strip()
            if branch.is_file():
                return branch.read_text().strip()
        return self.git("rev-parse", "HEAD")


@contextmanager
def isolated(home: Path) -> Iterator[None]:
    """In the block, git sees no settings but those of the repositories."""
    saved = dict(os.environ)
    environment = dict(saved)
    isolate_git(environment, home)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


def isolate_git(environment: dict[str, str], home: Path) -> None:
    """Make git, started with ``environment``, see neither the settings of the machine nor those of its user."""
    for name in [name for name in environment if name.startswith("GIT_")]:
        del environment[name]
    settings = home / "gitconfig"
    # Tests clone from folders, and the submodule commands refuse that by default. No commit looks if it is time to
    # tidy up: that is a process more for each.
    settings.write_text(
        '[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n'
        "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )
    environment |= {"GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(home)}
    forget_the_build(environment)


def forget_the_build(environment: MutableMapping[str, str]) -> None:
    """Remove the variables of CI systems that the product reads."""
    targets = (name for names in VARIABLES for name in names if name is not None)
    for name in (*SYSTEMS, *targets, *pushes.VARIABLES):
        environment.pop(name, None)
