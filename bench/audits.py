"""The cost of an audit on Spark beside a plain loop over the same histories in one process.

Both read the same repositories, judge each different pair once, and look for the same fixes. They take turns, and the
best round of each counts: other work on the machine only ever adds to the cost. Spark has two cores and is warm, as a
plain loop has imported its modules.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from figures import Figure, Reference
from keepstate_lsp.jobs.audit_rows import HistoryReader
from keepstate_lsp.jobs.survey import SurveyTerms
from keepstate_spark.audit.audit_folder import AuditFolder
from keepstate_spark.audit.auditing import AuditRun, AuditTerms
from keepstate_spark.audit.classifying import Limits, pair_of, warm_up
from keepstate_spark.audit.judging import VersionPair, judged
from keepstate_spark.audit.repository_reading import AuditedRepository
from keepstate_spark.audit.sessions import audit_session
from processes import children_of

sys.path.append(str(Path(__file__).parents[1] / "examples"))
import job_histories

PAIRS = 16_000
FEWER = 2000
TEAMS, FORKS = 4, 1
CORES = 2
ROUNDS = 2
ENGINE = "vvr"
EFFICIENCY = 0.85
_LOOK_SECONDS = 0.2
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Spent:
    """The cost of a run. ``pairs`` were judged; times are seconds."""

    pairs: int
    wall: float
    cpu: float
    workers: float = 0
    """The most megabytes of Spark's Python processes at once, shared pages divided."""


def audits() -> Iterator[Figure]:
    """Many histories, judged on Spark and in a plain loop"""
    with tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary:
        folder = Path(temporary)
        for name, size in (("many", PAIRS), ("few", FEWER)):
            for repository, history in job_histories.repositories(size, TEAMS, FORKS, 1):
                history.write(folder / name / repository)
        with audit_session(None, CORES, "1g", {}) as session:
            rounds: list[tuple[Spent, Spent]] = []
            fewer: list[Spent] = []
            for number in range(ROUNDS):
                alone = plain(folder / "many")
                # Spark lets go of idle workers, and new ones load the analyzer.
                fewer.append(on_spark(session, folder / "few", folder / f"few-{number}"))
                rounds.append((alone, on_spark(session, folder / "many", folder / f"many-{number}")))
    alone = min((one for one, _ in rounds), key=lambda spent: spent.wall)
    spark = min((one for _, one in rounds), key=lambda spent: spent.wall)
    least = min(one.cpu for one, _ in rounds)
    assert alone.pairs == spark.pairs
    loop_wall, loop_cpu = Reference("a plain loop", alone.wall), Reference("CPU of the loop", least)
    yield Figure(f"{alone.pairs:,} pairs in a plain loop: a second", alone.pairs / alone.wall)
    yield Figure("    CPU of a pair, reading and fixes included", 1000 * least / alone.pairs, "ms")
    yield Figure(f"the same on Spark with {CORES} cores: a second", spark.pairs / spark.wall)
    most = 1 / EFFICIENCY / CORES
    yield Figure("    time of the clock", spark.wall, "s", beside=loop_wall, most=most)
    workers = min(one.cpu for _, one in rounds)
    yield Figure("    CPU of the workers", workers, "s", beside=loop_cpu, most=1 / EFFICIENCY)
    fewest = Reference(f"with a {PAIRS // FEWER}th of the pairs", max(few.workers for few in fewer))
    yield Figure(f"    most memory of its {CORES} workers", spark.workers, "MB", beside=fewest)


def plain(folder: Path) -> Spent:
    """The loop, in a process of its own."""
    run = subprocess.run([sys.executable, __file__, str(folder)], capture_output=True, text=True, check=True)
    return Spent(**json.loads(run.stdout))


def loop(folder: Path) -> Spent:
    """Read and judge in this process, one after the other."""
    warm_up(ENGINE)
    reader = HistoryReader(SurveyTerms())
    pairs: dict[str, tuple[tuple[str, str, int], VersionPair]] = {}
    began, cpu = time.perf_counter(), _own_cpu()
    for repository in repositories(folder):
        for number, row in enumerate(reader(repository.folder, None)):
            if row.get("pair") and row["baseline_text"] is not None:
                place = (repository.name, row["job"], number)
                pairs.setdefault(row["pair"], (place, pair_of(row)))
    # Versions of a job follow each other, so that each is parsed once.
    for _, pair in sorted(pairs.values(), key=lambda entry: entry[0]):
        for _ in judged(pair, ENGINE):
            pass
    return Spent(len(pairs), time.perf_counter() - began, _own_cpu() - cpu)


def on_spark(session: SparkSession, folder: Path, output: Path) -> Spent:
    """The same by an audit, up to the stored reports."""
    terms = AuditTerms(ENGINE, "bench", {}, Limits())
    with AuditFolder.opened(output) as opened, _Watch(os.getpid()) as watch:
        run = AuditRun(session, opened, repositories(folder), terms)
        began, cpu = time.perf_counter(), watch.cpu()
        run.read(HistoryReader(SurveyTerms()))
        pairs = run.judge()
        return Spent(pairs, time.perf_counter() - began, watch.cpu() - cpu, watch.peak)


def repositories(folder: Path) -> list[AuditedRepository]:
    return [
        AuditedRepository(path.relative_to(folder).as_posix(), str(path)) for path in sorted(folder.glob("*/*.git"))
    ]


class _Watch:
    """The Python processes below the JVM of a process, those that judge included."""

    def __init__(self, driver: int) -> None:
        (self._jvm,) = children_of(driver, "java")
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak = 0.0

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def cpu(self) -> float:
        """Seconds that they used, those that ended included."""
        return sum(sum(_times(pid)) for pid in _below(self._jvm))

    def _look(self) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            self.peak = max(self.peak, sum(map(_memory, _below(self._jvm))))


def _below(parent: int) -> list[int]:
    """All processes that descend from one."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            fields = _fields(int(folder.name))
            if fields:
                parents[int(folder.name)] = int(fields[1])
    found = [pid for pid, its in parents.items() if its == parent]
    for pid in found:
        found += [child for child, its in parents.items() if its == pid]
    return found


def _fields(pid: int) -> list[str]:
    """The fields behind the name in the line of ``/proc``; none for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _times(pid: int) -> list[float]:
    """Its own times and those of its children that ended."""
    return [int(field) / _TICKS for field in _fields(pid)[11:15]]


def _memory(pid: int) -> float:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0) / 1024


def _own_cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    spent = loop(Path(sys.argv[1]))
    print(json.dumps({"pairs": spent.pairs, "wall": spent.wall, "cpu": spent.cpu}))
