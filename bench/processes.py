"""Facts of the system about a running process."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def memory(pid: int) -> float:
    """Megabytes of it that are in memory."""
    return int(_ps("-o", "rss=", "-p", str(pid))) / 1024


def open_files(pid: int) -> int | None:
    """The number of open files, pipes and sockets; ``None`` if the system does not report it."""
    folder = Path(f"/proc/{pid}/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else None


def children(pid: int) -> int:
    """The number of child processes."""
    return _ps("-A", "-o", "ppid=").split().count(str(pid))


def children_of(pid: int, program: str) -> list[int]:
    """The processes that it started and that run ``program``."""
    rows = (line.split(None, 2) for line in _ps("-A", "-o", "ppid=,pid=,comm=").splitlines())
    return [int(child) for parent, child, name in rows if int(parent) == pid and Path(name).name == program]


def cpu_seconds(pid: int) -> float:
    """CPU seconds so far, user and system, all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_threads(pid: int) -> float:
    """CPU seconds so far of the threads that run now, to the microsecond where the system counts so finely."""
    try:
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in _threads(pid)) / 1e9
    except FileNotFoundError:
        return cpu_seconds(pid)


def _threads(pid: int) -> list[Path]:
    return list(Path(f"/proc/{pid}/task").iterdir())


def peak_memory(pid: int) -> float:
    """The most megabytes of it that were ever in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def _ps(*arguments: str) -> str:
    return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=True).stdout
