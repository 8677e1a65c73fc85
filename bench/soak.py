"""A server that is edited against for a long time while all around it goes wrong.

    python bench/soak.py --edits 20000 [--documents 50] [--minutes N] [--seed N]

Fifty documents of three repositories are edited, saved, closed and opened again. Meanwhile branches are switched,
rebased and rewound, configuration changes, git is slow, fails or is killed, folders vanish, are read-only, or the disk
is full. At every checkpoint the server must show what a server that was just started shows of the same texts, in the
same world. At the end it must have grown no more than a little, and go without leaving anything behind. Linux only.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from keepstate.text import Encoding, LineIndex
from soak_server import Server
from soak_world import GIT_WRAPPER, Repository, edited

MOST_GROWTH = 40.0
"""Megabytes more in memory at the end than after the first fifth."""
_EDITS_BEFORE_WAITING = 8
_DISTURBANCES = (
    *("save", "save", "reopen", "hover", "commit", "switch", "rebase", "rewind", "configure", "kill git"),
    *("slow git", "broken git", "no jobs", "no git", "read-only", "full disk", "folder leaves"),
)


class Soak:
    """One soak: the world, the server in it, and what was found."""

    def __init__(self, home: Path, documents: int, seed: int) -> None:
        self._home = home
        self._chance = random.Random(seed)
        self._slow, self._broken = home / "git-is-slow", home / "git-is-broken"
        programs = home / "programs"
        programs.mkdir()
        wrapper = programs / "git"
        wrapper.write_text(GIT_WRAPPER.format(slow=self._slow, broken=self._broken, git=shutil.which("git")))
        wrapper.chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        self._environment = {"PATH": path, "XDG_CACHE_HOME": str(home / "cache")}
        bounds = [round(documents * part) for part in (0, 0.4, 0.8, 1)]
        self._repositories = [
            Repository(home / f"folder_{number}", range(start, end))
            for number, (start, end) in enumerate(pairwise(bounds))
        ]
        self._paths = [path for repository in self._repositories for path in repository.paths]
        self._texts = {path: path.read_text() for path in self._paths}
        self._versions = dict.fromkeys(self._paths, 1)
        self._undo: list[tuple[str, Callable[[], Any]]] = []
        self._drop = shutil.which("setpriv") is not None and os.geteuid() == 0
        self._server = self._started()
        self.faults: list[str] = []
        self.events: Counter[str] = Counter()
        self.samples: list[dict[str, float]] = []

    def _started(self) -> Server:
        server = Server(self._home, [one.folder for one in self._repositories], self._environment, self._drop)
        for path in self._paths:
            server.open(path, self._versions[path], self._texts[path])
        return server

    # ------------------------------------------------------------------------------------------ what happens

    def edit(self) -> None:
        path = self._chance.choice(self._paths)
        text = self._texts[path]
        kind = self._chance.random()
        if kind < 0.1:
            # Undo of all edits.
            text = self._texts[path] = path.read_text() if path.exists() else ""
            changes: list[dict[str, Any]] = [{"text": text}]
        else:
            start, end, into = edited(text, self._chance)
            lines = LineIndex(text)
            places = [lines.position(offset, Encoding.UTF16) for offset in (start, end)]
            first, last = ({"line": place.line, "character": place.character} for place in places)
            changes = [{"range": {"start": first, "end": last}, "text": into}]
            self._texts[path] = text[:start] + into + text[end:]
        self._versions[path] += 1
        self._server.change(path, self._versions[path], changes)
        self.events["edits"] += 1
        if self._chance.random() < 1 / _EDITS_BEFORE_WAITING:
            self._server.settled(path, self._versions[path])

    def disturb(self) -> None:
        """Something goes wrong, or is put right."""
        repository = self._chance.choice(self._repositories)
        what = self._chance.choice(_DISTURBANCES)
        self.events[what] += 1
        self.put_right()
        match what:
            case "save":
                path = self._chance.choice(repository.paths)
                path.write_text(self._texts[path], newline="")
                self._server.tell("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
            case "reopen":
                path = self._chance.choice(repository.paths)
                self._server.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
                self._versions[path] += 1
                self._server.open(path, self._versions[path], self._texts[path])
            case "hover":
                path = self._chance.choice(repository.paths)
                place = {"line": self._chance.randint(0, 9), "character": 10}
                self._server.ask("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": place})
            case "commit":
                repository.commit("More")
            case "switch":
                repository.switch(self._chance)
            case "rebase":
                repository.rebase()
            case "rewind":
                repository.rewind()
            case "configure":
                repository.configure(self._chance)
            case "kill git":
                self.events["git processes killed"] += self._server.kill_git()
            case "slow git":
                self._slow.touch()
                self._undo.append((what, self._slow.unlink))
            case "broken git":
                self._broken.touch()
                self._server.kill_git()
                self._undo.append((what, self._broken.unlink))
            case "no jobs":
                repository.lose_jobs()
                self._undo.append((what, repository.find_jobs))
            case "no git":
                repository.lose_git()
                self._undo.append((what, repository.find_git))
            case "read-only":
                repository.lock(True)
                self._undo.append((what, lambda: repository.lock(False)))
            case "full disk":
                self._server.limit_files(0)
                self._undo.append((what, lambda: self._server.limit_files(-1)))
            case "folder leaves":
                self._folders(removed=repository)
                self._undo.append((what, lambda: self._folders(added=repository)))

    def put_right(self) -> None:
        while self._undo:
            _, undo = self._undo.pop()
            undo()

    def _folders(self, added: Repository | None = None, removed: Repository | None = None) -> None:
        event = {
            name: [{"uri": one.folder.as_uri(), "name": one.folder.name}] if one is not None else []
            for name, one in (("added", added), ("removed", removed))
        }
        self._server.tell("workspace/didChangeWorkspaceFolders", {"event": event})

    # ------------------------------------------------------------------------------------------ what is found

    def check(self) -> None:
        """Compare with a server that was just started; the world stays as it is, but for what it does to one server."""
        if any(what in ("full disk", "folder leaves", "slow git", "broken git") for what, _ in self._undo):
            self.put_right()
        state = ", ".join(what for what, _ in self._undo) or "all is well"
        fresh = self._started()
        for path in self._paths:
            fresh.settled(path, self._versions[path])
        expected = fresh.shown(self._paths)
        self._fault(fresh.close(), "fresh server")
        for path in self._paths:
            self._server.settled(path, self._versions[path])
        self._fault(self._server.differences(self._paths, expected), f"checkpoint, {state}")
        self.samples.append(self._server.resting())
        self.events["checkpoints"] += 1
        self.events["diagnostics compared"] += sum(map(len, expected.values()))

    def close(self) -> None:
        self.put_right()
        self.check()
        self._fault(self._server.complaints, "log")
        self._fault(self._server.close(), "the end")
        begin, end = self.samples[len(self.samples) // 5], self.samples[-1]
        if end["megabytes"] > begin["megabytes"] + MOST_GROWTH:
            self.faults.append(f"memory grew from {begin['megabytes']} to {end['megabytes']} MB")
        for what in ("open files", "threads", "children"):
            if end[what] > max(sample[what] for sample in self.samples[: len(self.samples) // 5 + 1]) + 6:
                self.faults.append(f"{what} grew from {begin[what]} to {end[what]}")
        if zombies := max(sample["zombies"] for sample in self.samples):
            self.faults.append(f"{zombies:g} processes that nobody waited for")

    def _fault(self, found: Sequence[str], where: str) -> None:
        self.faults += [f"{where}, after {self.events['edits']} edits: {one}" for one in found]


def run(edits: int, documents: int, seed: int, minutes: float, every: int) -> Soak:
    """A soak of so many edits, or of so many minutes, with a checkpoint after ``every`` edits."""
    # Not below another repository.
    with tempfile.TemporaryDirectory(prefix="keepstate-soak-") as folder:
        soak = Soak(Path(folder), documents, seed)
        until = time.monotonic() + 60 * minutes
        chance = random.Random(seed)
        for number in range(1, edits + 1):
            soak.edit()
            if chance.random() < 0.05:
                soak.disturb()
            if number % every == 0:
                soak.check()
                if sys.stderr.isatty() or number % (10 * every) == 0:
                    print(number, soak.samples[-1], len(soak.faults), file=sys.stderr, flush=True)
                if time.monotonic() > until:
                    break
        soak.close()
        return soak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--documents", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=500, help="edits between two checkpoints")
    arguments = parser.parse_args()
    soak = run(arguments.edits, arguments.documents, arguments.seed, arguments.minutes, arguments.every)
    for what, count in soak.events.most_common():
        print(f"{count:8}  {what}")
    for name in ("megabytes", "open files", "threads", "children", "zombies"):
        values = [sample[name] for sample in soak.samples]
        middle = values[len(values) // 5]
        print(
            f"{name}: {values[0]:g} at first, {middle:g} after a fifth, {values[-1]:g} at last, {max(values):g} at most"
        )
    for fault in soak.faults[:40]:
        print(f"FAULT  {fault}")
    print(f"{len(soak.faults)} faults")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
