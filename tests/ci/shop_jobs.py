"""The example repository, as a test takes it over: its edits, and the engineer who makes them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from platforms import ROOT, clone, run_script
from repositories import GitRepository

SHOP = ROOT / "examples" / "shop-jobs"
REF = "refs/keepstate/deployed/production"
DEPLOYED = "your deployment goes here"


@dataclass(frozen=True)
class Edit:
    """An edit of the README: the diff, the commands and the lines of the comment below its heading."""

    title: str
    diff: str
    commands: tuple[str, ...]
    shown: tuple[str, ...]


def edits() -> Iterator[Edit]:
    for part in re.split(r"^### ", (SHOP / "README.md").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        blocks: dict[str, list[str]] = {}
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", part, re.MULTILINE | re.DOTALL):
            blocks.setdefault(language, []).append(text)
        (diff,) = blocks.pop("diff")
        shown = tuple(line for text in blocks.pop("text", []) for line in text.splitlines())
        yield Edit(part.partition("\n")[0], diff, tuple(blocks.pop("sh", [])), shown)
        assert not blocks


EDITS = {edit.title: edit for edit in edits()}
FINE = "An edit that means the same"
WORSE = "Ten places instead of three"
DECLARED = "A wider column of a table that all three jobs read"


def shop_repository(folder: Path) -> GitRepository:
    """The example as a repository of its own."""
    shutil.copytree(SHOP, folder)
    repository = GitRepository(folder)
    repository.commit(message="Jobs of the shop")
    # Others push to its branches, as to those of a host.
    repository.git("checkout", "--quiet", "--detach")
    return repository


class Desk:
    """A clone of an engineer, who makes the edits of the README on branches."""

    def __init__(self, central: GitRepository, folder: Path) -> None:
        self._clone = clone(central, folder)
        self._clone.git("checkout", "--quiet", "main")

    def branch(self, name: str, *edits: Edit) -> None:
        self._clone.git("checkout", "--quiet", "-b", name, "main")
        for edit in edits:
            subprocess.run(["git", "apply"], cwd=self._clone.folder, input=edit.diff.encode(), check=True)
        self.push(name)

    def push(self, name: str) -> None:
        self._clone.commit()
        self._clone.git("push", "--quiet", "--force", "origin", name)

    def run(self, command: str) -> None:
        ran = run_script(command, self._clone.folder, {})
        assert ran.status == 0, ran.errors

    def merge(self, name: str) -> str:
        """Merge a branch and push; the commit of main before."""
        before = self._clone.git("rev-parse", "main")
        self._clone.git("checkout", "--quiet", "main")
        self._clone.git("merge", "--quiet", "--no-ff", "--message", "Merge", name)
        self._clone.git("push", "--quiet", "origin", "main")
        return before


def recorded(central: GitRepository, path: str) -> str:
    """The text of a file as it is recorded as deployed."""
    return central.git("show", f"{REF}:files/{path}")
