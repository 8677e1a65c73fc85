"""docs/tutorial.md: a reader follows it from top to bottom, and sees what it says."""

from __future__ import annotations

import glob
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from program_starts import KEEPSTATE, ran
from repositories import AUTHOR

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
BLOCK = re.compile(r"(?:^`(?P<file>[\w./]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Reader:
    """A shell of a reader: the folder of the next command, and the output of the last block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown = ""
        self._status = 0

    def run(self, block: str) -> None:
        self.shown = ""
        for line in block.splitlines():
            name, *words = shlex.split(line.replace("$?", str(self._status)))
            arguments = [path for word in words for path in self._expanded(word)]
            if name == "cd":
                self.folder = (self.folder / arguments[0]).resolve()
            elif name == "keepstate":
                self._finish(ran(*KEEPSTATE, *arguments, cwd=self.folder, capture_output=True, text=True))
            else:
                self._finish(_done([name, *arguments], self.folder))
                assert self._status == 0, (line, self.shown)

    def _expanded(self, word: str) -> list[str]:
        return sorted(glob.glob(word, root_dir=self.folder)) if "*" in word and "/" in word else [word]

    def _finish(self, done: subprocess.CompletedProcess[str]) -> None:
        self._status = done.returncode
        self.shown += done.stdout
        assert done.returncode in (0, 1), done.stderr


def _done(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **AUTHOR}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("isolated_git")
def test_a_reader_sees_what_the_tutorial_says(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "clone")
    reader.folder.mkdir()
    (reader.folder / "examples").symlink_to(ROOT / "examples")
    kinds = []
    for block in BLOCK.finditer(PAGE):
        text = block["text"]
        kinds.append(block["language"])
        if block["language"] == "sh":
            reader.run(text)
        elif block["language"] == "diff":
            subprocess.run(["git", "apply"], cwd=reader.folder, input=text, text=True, check=True)
        elif block["language"] == "text":
            shown = " ".join(reader.shown.split())
            for line in text.splitlines():
                assert " ".join(line.split()) in shown, (line, reader.shown)
        elif block["file"]:
            (reader.folder / block["file"]).write_text(text, "utf-8")
        else:
            # An excerpt: the file of the example says the same.
            assert text in (reader.folder / "jobs/revenue.sql").read_text("utf-8")
    assert {"sh", "diff", "text", "sql"} == set(kinds)


@pytest.mark.usefixtures("isolated_git")
def test_the_harmless_edit_has_no_finding(tmp_path: Path) -> None:
    """The steps of the page that show nothing: the check behind each edit, by its exit status."""
    reader = Reader(tmp_path)
    subprocess.run(["cp", "-r", ROOT / "examples/shop-jobs", tmp_path / "shop"], check=True)
    reader.run("cd shop\ngit init --quiet\ngit add .\ngit commit --quiet --message Jobs")
    edits = [block["text"] for block in BLOCK.finditer(PAGE) if block["language"] == "diff"]
    assert len(edits) == 2
    for edit, status in zip(edits, (0, 1), strict=True):
        subprocess.run(["git", "apply"], cwd=reader.folder, input=edit, text=True, check=True)
        reader.run("keepstate check --quiet\necho $?\ngit checkout --quiet .")
        assert reader.shown.splitlines()[-1] == str(status)
