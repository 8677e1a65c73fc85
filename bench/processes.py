"""What the system tells of a running process."""

from __future__ import annotations

import subprocess
from pathlib import Path


def memory(pid: int) -> float:
    """Megabytes of it that are in memory."""
    return int(_ps("-o", "rss=", "-p", str(pid))) / 1024


def open_files(pid: int) -> int | None:
    """How many files, pipes and sockets it has open; ``None`` where the system does not tell."""
    folder = Path(f"/proc/{pid}/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else None


def children(pid: int) -> int:
    """How many processes that it started are still there."""
    return _ps("-A", "-o", "ppid=").split().count(str(pid))


def _ps(*arguments: str) -> str:
    return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=True).stdout
