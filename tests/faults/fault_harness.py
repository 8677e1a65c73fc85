"""Runs of scenarios in copies of one repository, in processes that fork from one with Keepstate loaded."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from damage import DEPLOYED, JOB, MINUTES, make
from fault_points import TELLS, Request
from fault_wrongs import answer
from job_rows import FILES_OF_SPARK, HISTORY, is_of_spark, told
from keepstate_lsp.config.acceptance_file import FILE_NAME, LedgerEntry
from repositories import GitRepository, isolated
from scenarios import SECOND, Outcome, Point, Scenario

ENTRY = LedgerEntry("window-size-changed", "another", "so", "other.sql").to_toml()
MARK = "KEEPSTATE_FAULTS"
"""A variable that all processes of a run have."""
SECONDS = 90.0
"""The least time that a run may take, and that anything else is waited for."""
FIRST_SECONDS = 1800.0
"""The time that the runs without a fault may take, which nothing is known of."""
TIMES_THE_FIRST = 10
"""The time that a run with a fault may take, in that of a run without: the machine may have other work."""
GIT_SECONDS = "300"
STALL_SECONDS = "0.7"
GIT_SCRIPT = """\
kind=$1; shift
case $kind in
  git-fails) echo "fatal: the disk is on fire" >&2; exit 128 ;;
  git-is-killed) kill -9 $$ ;;
  git-is-short) "$@" | { head -c 30; kill -9 0; } ;;
  git-says-nothing) exit 1 ;;
  git-stalls|jvm-stalls) exec tail -f /dev/null ;;
  jvm-fails) echo "Error occurred during initialization of VM" >&2; exit 1 ;;
  jvm-is-killed) kill -9 $$ ;;
  jvm-says-nothing) exit 0 ;;
  jvm-disk-is-full) ulimit -f 1; exec "$@" ;;
esac
"""


@contextmanager
def _told_by(gate: Path, otherwise: str) -> Iterator[None]:
    """A block that ends when something has opened the pipe ``gate``, which is made for it, and closed it again."""
    gate.unlink(missing_ok=True)
    os.mkfifo(gate)
    reading = os.open(gate, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield
        poll = select.poll()
        poll.register(reading, select.POLLIN)
        assert poll.poll(SECONDS * 1000), otherwise
    finally:
        os.close(reading)


_OF_SPARK = 2
"""The number of the server that has Spark loaded. The others are the first and the second one of a race."""


class Harness:
    """Runs scenarios in copies of one repository, in processes that fork from one that has loaded Keepstate."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds = FIRST_SECONDS
        """The time after which a run is ended."""
        self._whole = folder / "whole"
        self._script = folder / "git.sh"
        self._script.write_text(GIT_SCRIPT)
        self._servers: dict[int, subprocess.Popen[str]] = {}
        self._pair = [folder / "old.sql", folder / "new.sql"]
        for minutes, file in enumerate(self._pair):
            file.write_text(MINUTES.format(minutes + 1))
        self._make()

    def close(self) -> None:
        for server in self._servers.values():
            assert server.stdin is not None
            server.stdin.close()
            server.wait(SECONDS)

    def run(self, scenario: Scenario, point: int = -1, kind: str = "", without: str = "") -> Outcome:
        """Run the scenario in a new copy; ``without`` is a file that is removed from it before."""
        root = self.copied(scenario)
        if without:
            (root / without).unlink()
        request = self.request(scenario.words, root, point, kind, jvm=scenario.jvm)
        return self.outcome(root, request, self.status(0, request))

    def begun(self, scenario: Scenario) -> dict[str, str]:
        """The files of a new copy."""
        return contents(self.copied(scenario))

    def again(self, scenario: Scenario) -> Outcome:
        """Run it in the copy of the last run, as people do after a failure."""
        root = self.folder / "copy"
        for name in ("log", "stdout", "stderr"):
            (root.parent / name).unlink(missing_ok=True)
        request = self.request(scenario.words, root, -1, "", jvm=scenario.jvm)
        return self.outcome(root, request, self.status(0, request))

    def race(self, scenario: Scenario, point: int) -> tuple[Outcome, int | None]:
        """Hold the run at ``point``, let the rival run until it ends or waits for a lock, and let the first go on.
        The outcome of the first, with what both left, and the status of the rival.
        """
        root = self.copied(scenario)
        reached, go, waits = (self.folder / name for name in ("reached", "go", "waits"))
        first = self.request(scenario.words, root, point, "race", gates=[str(reached), str(go)])
        other = self.request(scenario.rival, root, -1, TELLS, gates=[str(waits)], prefix="rival-")
        statuses: dict[int, int | None] = {}

        def answer(number: int, request: Request) -> None:
            statuses[number] = self.status(number, request)
            # Whatever is waited for does not come any more.
            with suppress(OSError):
                os.close(os.open(request.gates[0], os.O_WRONLY | os.O_NONBLOCK))

        go.unlink(missing_ok=True)
        os.mkfifo(go)
        holding = threading.Thread(target=answer, args=(0, first))
        with _told_by(reached, "the first one reaches no point, and does not end"):
            holding.start()
        running = threading.Thread(target=answer, args=(1, other))
        with _told_by(waits, "the rival neither ends nor waits for a lock"):
            running.start()
        if holding.is_alive():
            with open(go, "wb"):
                pass
        holding.join()
        running.join()
        return self.outcome(root, first, statuses[0]), statuses[1]

    # ---------------------------------------------------------------------------------------------- within

    def _make(self) -> None:
        with isolated(self.folder):
            repository = make(self._whole / "repository")
            repository.commit({SECOND: MINUTES.format(1).replace("daily", "evening")})
            repository.write(SECOND, MINUTES.format(5).replace("daily", "evening"))
            repository.write(JOB, MINUTES.format(10))
            repository.git("add", "--all")
        for name in ("cache", "temporary"):
            (self._whole / name).mkdir()
        for name, content in FILES_OF_SPARK.items():
            path = self._whole / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        with isolated(self.folder):
            history = GitRepository(self._whole / HISTORY)
            for minutes in (1, 2, 3):
                history.commit({JOB: MINUTES.format(minutes)})

    def copied(self, scenario: Scenario) -> Path:
        root = self.folder / "copy"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self._with_earlier(scenario), root, symlinks=True)
        for name, content in scenario.former:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        if scenario.ledger:
            (root / "repository" / FILE_NAME).write_text(ENTRY)
        for name in ("log", "stdout", "stderr"):
            for prefix in ("", "rival-"):
                (self.folder / f"{prefix}{name}").unlink(missing_ok=True)
        return root

    def _with_earlier(self, scenario: Scenario) -> Path:
        """The folder that copies are made of: as the command that comes before the scenario has left it."""
        if not scenario.earlier:
            return self._whole
        kept = self.folder / f"whole with {scenario.earlier[0]}"
        if not kept.exists():
            done = self.run(Scenario("earlier", scenario.earlier, jvm=scenario.jvm))
            assert done.status == 0, done.stderr
            shutil.copytree(self.folder / "copy", kept, symlinks=True)
        return kept

    def request(
        self,
        words: Iterable[str],
        root: Path,
        point: int,
        kind: str,
        gates: list[str] | None = None,
        prefix: str = "",
        jvm: str = "",
    ) -> Request:
        environment = {
            "TMPDIR": str(root / "temporary"),
            "XDG_CACHE_HOME": str(root / "cache"),
            "KEEPSTATE_GIT_SECONDS": STALL_SECONDS if kind == "git-stalls" else GIT_SECONDS,
            "GIT_COMMITTER_DATE": "1700000000 +0000",
            "GIT_AUTHOR_DATE": "1700000000 +0000",
            MARK: str(self.folder),
        }
        files = {name: str(self.folder / f"{prefix}{name}") for name in ("log", "stdout", "stderr")}
        folder = str(root / "repository")
        return Request(
            list(words), folder, str(root), point, kind, files["log"], environment, os.devnull, files["stdout"],
            files["stderr"], self.seconds, gates or [], jvm,
        )  # fmt: skip

    def status(self, number: int, request: Request) -> int | None:
        if request.jvm:
            number = _OF_SPARK
        if number not in self._servers:
            self._servers[number] = self._server()
        server = self._servers[number]
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(f"{json.dumps(asdict(request))}\n")
        server.stdin.flush()
        answer: int | None = json.loads(server.stdout.readline())
        return answer

    def _server(self) -> subprocess.Popen[str]:
        with isolated(self.folder):
            return subprocess.Popen(
                [
                    sys.executable,
                    str(Path(__file__).with_name("injector.py")),
                    str(self._script),
                    *map(str, self._pair),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )

    def outcome(self, root: Path, request: Request, status: int | None) -> Outcome:
        processes = left(str(self.folder), SECONDS)
        log = Path(request.log)
        points = [
            Point(number, *line.split("\t"))
            for number, line in enumerate(log.read_text(errors="surrogateescape").splitlines())
        ]
        stdout, stderr = (Path(name).read_text(errors="replace") for name in (request.stdout, request.stderr))
        return Outcome(status, stdout, stderr, contents(root), processes, points)


def left(mark: str, within: float) -> list[str]:
    """The processes of runs that still run after so many seconds, but for the servers themselves."""
    until = time.monotonic() + within
    word = f"{MARK}={mark}".encode()
    while True:
        found: list[str] = []
        waiting = select.poll()
        descriptors = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    if word not in (entry / "environ").read_bytes().split(b"\0"):
                        continue
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    descriptors.append(os.pidfd_open(int(entry.name)))
                except OSError:
                    # It has ended meanwhile.
                    continue
                found.append(words)
                waiting.register(descriptors[-1], select.POLLIN)
        # One of them ends, and all are looked for again: what it started may still run.
        ended = waiting.poll(max(0.0, until - time.monotonic()) * 1000) if found else []
        for descriptor in descriptors:
            os.close(descriptor)
        if not ended:
            return found


def contents(root: Path) -> dict[str, str]:
    """All files below the folder but for objects, and the record of what is deployed as the files that it consists
    of, without the time of marking.
    """
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if not path.is_file() or name == f"repository/.git/{DEPLOYED}":
            continue
        if "/.git/objects/" in name and "tmp_obj" not in name:
            continue
        if name.startswith("cache/") and not name.endswith((".draft", ".lock")):
            continue
        if is_of_spark(name):
            if (entry := told(name, path)) is not None:
                found[entry[0]] = entry[1]
            continue
        found[name] = path.read_bytes().decode("latin-1")
    ref = root / "repository/.git" / DEPLOYED
    return {**found, **_recorded(root, ref.read_text().strip() if ref.is_file() else "")}


_KNOWN: dict[str, dict[str, str]] = {"": {}}
"""Contents of commits of records, by hash."""


def _recorded(root: Path, commit: str) -> dict[str, str]:
    if commit not in _KNOWN:
        _KNOWN[commit] = {}
        for line in _git(root, "ls-tree", "-r", commit).splitlines():
            mode, _, rest = line.partition(" ")
            blob, _, name = rest.removeprefix("blob ").partition("\t")
            text = _git(root, "cat-file", "blob", blob)
            _KNOWN[commit][f"{DEPLOYED}/{name}"] = mode + re.sub(r'"marked_at": "[^"]*"', "", text)
    return _KNOWN[commit]


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root / "repository"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def before_and_after(harness: Harness, scenario: Scenario) -> tuple[dict[str, str], Outcome]:
    """The files before the scenario, and its outcome without faults, which is always the same."""
    harness.seconds = FIRST_SECONDS
    first = harness.run(scenario)
    # What is loaded once, as by a JVM, is loaded now.
    begun = time.monotonic()
    whole = harness.run(scenario)
    harness.seconds = max(SECONDS, TIMES_THE_FIRST * (time.monotonic() - begun))
    others = [name for name in {*first.files, *whole.files} if first.files.get(name) != whole.files.get(name)]
    both = f"{answer(first)} {first.stderr[-300:]!r} and {answer(whole)} {whole.stderr[-300:]!r}"
    assert (answer(first), others) == (answer(whole), []), f"two runs differ without any fault: {others}, {both}"
    assert whole.status in (0, 1), whole.stderr
    return harness.begun(scenario), whole


@contextmanager
def harness(folder: Path) -> Iterator[Harness]:
    made = Harness(folder)
    try:
        yield made
    finally:
        made.close()
