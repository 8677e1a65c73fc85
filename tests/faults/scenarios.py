"""Commands in a repository, each of whose calls fails in turn, and the ways in which a call fails.

After a fault the answer is that of a run without one, or the failure is named and the exit status is 2. Files and
refs are the old or the new ones, to the byte. Nothing is left behind: no draft, no lock, no process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import faulty_worker
from damage import JOB
from fault_points import JAVA, STDOUT, WRITES
from job_rows import RAN, REPLAYED_BEFORE

SECOND = "jobs/evening.sql"
KINDS = {
    "open": ("EIO", "ENOENT", "EACCES"),
    "read": ("EIO", "short"),
    "create": ("EACCES", "ENOSPC", "full-disk", "read-only", "kill"),
    "write": ("EIO", "ENOSPC", "full-disk", "short", "kill"),
    "fsync": ("EIO", "full-disk", "kill"),
    "rename": ("EIO", "EACCES", "read-only", "kill"),
    "link": ("EPERM", "read-only", "kill"),
    "remove": ("EACCES", "read-only", "kill"),
    "mkdir": ("EACCES", "full-disk", "read-only", "kill"),
    "rmdir": ("EACCES", "kill"),
    "chmod": ("EPERM", "read-only", "kill"),
    "utime": ("EPERM", "kill"),
    "flock": ("EIO", "ENOLCK", "EWOULDBLOCK", "kill"),
    "list": ("EIO", "EACCES"),
    "stat": ("EIO", "EACCES"),
    "process": (
        "ENOENT",
        "EAGAIN",
        "git-fails",
        "git-is-killed",
        "git-is-short",
        "git-says-nothing",
        "git-stalls",
        "kill",
    ),
    "java": ("jvm-dies", "jvm-stalls", "kill"),
    "thread": ("no-thread",),
    "timer": ("elapsed",),
    "loop timer": ("elapsed", "late"),
    "worker": faulty_worker.KINDS,
}
"""The ways in which a call fails, by event."""
JVM_KINDS = (
    "ENOENT",
    "EAGAIN",
    "jvm-fails",
    "jvm-is-killed",
    "jvm-says-nothing",
    "jvm-disk-is-full",
    "jvm-stalls",
    "kill",
)
"""The ways in which the start of a JVM fails. A full disk is one on which no file gets larger than half a kilobyte."""


@dataclass(frozen=True)
class Scenario:
    """A command. ``rival`` is the one that it races with, if it writes."""

    name: str
    words: tuple[str, ...]
    rival: tuple[str, ...] = ()
    ledger: bool = False
    """There is a ledger with an entry."""
    jvm: str = ""
    """With Spark: in a JVM of its own, or in one that it shares with other runs."""
    former: tuple[tuple[str, str], ...] = ()
    """Files that an earlier run has left, and what they hold."""
    earlier: tuple[str, ...] = ()
    """A command that was run there before."""

    def resumes(self, kind: str, outcome: Outcome) -> bool:
        """Return whether the run is to be repeated after this fault, as it has to end what the first one began."""
        if kind == "kill":
            return bool(self.rival or self.jvm)
        return outcome.status == 2 and self.words[0] == "audit"

    def has(self, point: Point) -> bool:
        """Return whether the point is tried: of a run with a JVM of its own, those that a shared one has not."""
        is_of_own = point.event in (JAVA, "worker") or point.about == JAVA or "/keepstate-spark-" in point.about
        return self.jvm != OWN or is_of_own


OWN = "own"
LOOKS = ("stat", "open", "read", "list")

SCENARIOS = (
    Scenario("check", ("check", "--format", "json")),
    Scenario("check into a file", ("check", "--format", "json", "--output", "report.json")),
    Scenario("hook", ("check", "--staged")),
    Scenario("check against deployed", ("check", "--against", "deployed", "--format", "json")),
    Scenario("deployed diff", ("deployed", "diff", "--format", "json")),
    Scenario("deployed mark", ("deployed", "mark", JOB, "--by", "Ada"), ("deployed", "mark", SECOND, "--by", "Ada")),
    Scenario("deployed unmark", ("deployed", "unmark", JOB), ("deployed", "mark", SECOND, "--by", "Ada")),
    Scenario("accept", ("accept", JOB, "--because", "so"), ("accept", SECOND, "--because", "so")),
    Scenario("accept more", ("accept", JOB, "--because", "so"), ("accept", SECOND, "--because", "so"), ledger=True),
    Scenario("prune", ("accept", "--prune"), ("accept", SECOND, "--because", "so"), ledger=True),
    Scenario("history", ("history", JOB, "--format", "json")),
    Scenario("baseline", ("baseline", JOB)),
)
_RUN = ("run", "../rows/daily.sql", "--quiet")
_REPLAY = ("replay", "../rows/daily.sql", "--against", "file:../rows/former.sql", "--restart-at", "2026-03-01 10:02:30")
_REPLAY_INTO = (*_REPLAY, "--quiet", "--format", "json", "--output", "replayed", "--no-witness")
_AUDIT = ("audit", "../rows/history", "--output", "audited", "--cores", "1", "--quiet")
OF_SPARK = (
    Scenario("run", (*_RUN, "--format", "jsonl"), jvm="shared"),
    Scenario("run into a folder", (*_RUN, "--format", "csv", "--output", "results"), jvm="shared", former=RAN),
    Scenario("replay", _REPLAY_INTO, jvm="shared", former=REPLAYED_BEFORE),
    Scenario("audit", _AUDIT, jvm="shared"),
    Scenario("audit again", _AUDIT, jvm="shared", earlier=_AUDIT),
    Scenario("run, a JVM of its own", (*_RUN, "--format", "parquet", "--output", "results"), jvm=OWN),
    Scenario("replay, a JVM of its own", _REPLAY_INTO, jvm=OWN),
    Scenario("audit, a JVM of its own", _AUDIT, jvm=OWN),
)


@dataclass(frozen=True)
class Point:
    number: int
    event: str
    about: str

    @property
    def kinds(self) -> tuple[str, ...]:
        if self.about == STDOUT:
            return ("EIO", "ENOSPC")
        if self.about == JAVA:
            return JVM_KINDS
        return KINDS[self.event]


@dataclass
class Outcome:
    """The end of a run, and its files. ``files`` are contents by path, refs among them."""

    status: int | None
    stdout: str
    stderr: str
    files: dict[str, str]
    processes: list[str]
    points: list[Point] = field(default_factory=list)


def cases(points: Iterable[Point], *, each: bool = True) -> list[tuple[Point, str]]:
    """Each point with each way in which it fails. Without ``each``, of calls that only look at one thing the first."""
    seen: set[tuple[str, str]] = set()
    found = []
    for point in points:
        if each or point.event not in LOOKS or (point.event, point.about) not in seen:
            found += [(point, kind) for kind in point.kinds]
        seen.add((point.event, point.about))
    return found


def racing(points: Iterable[Point]) -> list[Point]:
    """The points at which another writer may come in between."""
    return [point for point in points if point.event in WRITES or point.event == "process"]
