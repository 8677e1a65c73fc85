"""A git that does not answer, as on a dead network disk: each command waits until a pipe is opened for writing."""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path


class StallingGit:
    """Put ``folder`` first on the PATH. Nothing stalls until ``stall`` is called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self._pipe = folder / "pipe"
        os.mkfifo(self._pipe)
        self._what = folder / "what"
        self._where = folder / "where"
        self._log = folder / "log"
        self._log.touch()
        git = shutil.which("git")
        script = self.folder / "git"
        # The process that waits is a child of the script, as where git is a wrapper that starts another one.
        script.write_text(
            f"""#!/bin/sh
echo "$$ $*" >> {self._log}
if [ -s {self._what} ]; then
  for word in "$@"; do
    if grep -qxe "$word" {self._what}; then
      case "$*" in *"$(cat {self._where} 2>/dev/null)"*) cat {self._pipe} > /dev/null ;; esac
    fi
  done
fi
exec {git} "$@"
"""
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)

    @property
    def path(self) -> str:
        """The PATH with this git in front."""
        return f"{self.folder}{os.pathsep}{os.environ['PATH']}"

    def stall(self, *commands: str, where: str = "") -> None:
        """From now on these commands (``rev-parse``; all: ``-C``) hang, in folders whose name holds ``where``."""
        self._where.write_text(where)
        self._what.write_text("".join(f"{command}\n" for command in commands))

    def answer(self) -> None:
        """From now on nothing hangs; what hangs goes on."""
        self._what.write_text("")
        # Opened without waiting for a reader: there may be none.
        try:
            os.close(os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return

    def begun(self) -> list[str]:
        """The commands that were started, a line each."""
        return self._log.read_text().splitlines()

    def forget(self) -> None:
        """Forget what was begun."""
        self._log.write_text("")

    def left(self, within: float = 0.0) -> list[object]:
        """The processes that still run after ``within`` seconds, of all that were started and what these started."""
        until = time.monotonic() + within
        while True:
            found: list[object] = [pid for line in self.begun() if _runs(pid := int(line.split()[0]))]
            found += self.waiting()
            if not found or time.monotonic() >= until:
                return found

    def waiting(self) -> list[str]:
        """The names of processes that hang at the pipe."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if os.fsencode(self._pipe) in words:
                    found.append(entry.name)
        return found


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
