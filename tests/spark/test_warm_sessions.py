"""Commands that a warm Spark session answers, one after the other."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway

from keepstate_lsp.cli.commands.spark.session_folder import can_be_warm
from keepstate_spark.jvm import Address
from keepstate_spark.warm.kept_objects import stays_full

pytestmark = pytest.mark.skipif(not can_be_warm(), reason="no session can be warm on this system")

TABLE = """SET 'table.local-time-zone' = 'UTC';
CREATE TABLE t (k STRING, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'rows.csv', 'format' = 'csv');
"""
KEEPSTATE = (
    sys.executable,
    "-c",
    # As the installed program, which looks for no module in the folder that it is started in.
    "import sys; sys.path.pop(0); from keepstate_lsp.cli.main import main; sys.exit(main())",
)
SUMS = "INSERT INTO s SELECT k, SUM(v) AS total{} FROM t GROUP BY k;\n"
ROWS = "a,1,2026-03-01 10:00:00\na,2,2026-03-01 10:01:00\n{},5,2026-03-01 10:02:00\n"


class Desk:
    """A user at a terminal, with folders of jobs and the sessions of no other user."""

    def __init__(self) -> None:
        # The name of a socket is short, and folders of tests are not.
        self.home = Path(tempfile.mkdtemp(prefix="ks-"))
        (self.home / "run").mkdir(mode=0o700)
        own = {"KEEPSTATE_WARM": "1", "XDG_RUNTIME_DIR": str(self.home / "run"), "XDG_CACHE_HOME": str(self.home)}
        self.environment = {**os.environ, **own, "PYTHONUTF8": "1"}

    def job(self, name: str, key: str, text: str = SUMS.format("")) -> Path:
        """The folder of a job with rows of the keys a and ``key``."""
        folder = self.home / name
        folder.mkdir()
        (folder / "job.sql").write_text(TABLE + text)
        (folder / "rows.csv").write_text(ROWS.format(key))
        return folder

    def said(self, *words: str, folder: Path | None = None, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [*KEEPSTATE, *words]
        cwd = folder or self.home
        return subprocess.run(
            command, cwd=cwd, env=self.environment, input=given, capture_output=True, text=True, check=False
        )

    def rows(self, folder: Path, *words: str, status: int = 0, error: str = "") -> list[Any]:
        """The rows of a job that was run."""
        ran = self.said("run", "job.sql", "--format", "jsonl", *words, folder=folder)
        assert (ran.returncode, error in ran.stderr, bool(error)) == (status, True, bool(ran.stderr)), ran.stderr
        return sorted(json.loads(line) for line in ran.stdout.splitlines()[1:])

    def sessions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.said("spark", "status", "--format", "json").stdout)["sessions"]
        return found


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.said("spark", "stop")
    shutil.rmtree(desk.home)


def test_two_runs_are_answered_by_one_session(desk: Desk) -> None:
    first, second = desk.job("first", "b"), desk.job("second", "c")
    # The session has the code that it was started with, and not that of a folder in which it answers.
    (second / "keepstate_spark.py").write_text("raise SystemExit(9)")
    (second / "decimal.py").write_text("raise SystemExit(9)")
    assert desk.rows(first) == [["a", 3], ["b", 5]]
    (begun,) = desk.sessions()
    assert desk.rows(second) == [["a", 3], ["c", 5]]
    (later,) = desk.sessions()
    assert (later["process"], later["jvm"]) == (begun["process"], begun["jvm"])
    assert (begun["commands"], later["commands"]) == (1, 2)


def test_a_script_may_come_through_standard_input(desk: Desk) -> None:
    folder = desk.job("piped", "d")
    ran = desk.said("run", "-", "--format", "csv", folder=folder, given=TABLE + SUMS.format(""))
    assert (ran.returncode, sorted(ran.stdout.splitlines())) == (0, ["a,3", "d,5", "k,total"])


PLANS = "org.apache.spark.sql.execution.QueryExecution"
QUERIES = f"{SUMS.format('')}SELECT v, COUNT(*) OVER (PARTITION BY k ORDER BY ts) AS n FROM t;\n"


def array(gateway: JavaGateway, class_: Any, *values: Any) -> Any:
    """An array of the JVM of ``gateway``."""
    made = gateway.new_array(class_, len(values))
    for index, value in enumerate(values):
        made[index] = value
    return made


def address_of(jvm: int) -> Address:
    """The gateway of the JVM of a session."""
    content = Path(f"/proc/{jvm}/cwd/address").read_bytes()
    port, length = struct.unpack_from("!ii", content)
    return port, content[8 : 8 + length].decode()


@contextmanager
def gateway_of(jvm: int) -> Iterator[JavaGateway]:
    port, secret = address_of(jvm)
    # Without memory management the end of an object in this process asks nothing of a JVM that has gone.
    parameters = GatewayParameters("127.0.0.1", port, auth_token=secret, enable_memory_management=False)
    gateway = JavaGateway(gateway_parameters=parameters)
    try:
        yield gateway
    finally:
        gateway.close()


def objects_in(jvm: int, class_name: str) -> tuple[int, int]:
    """The live objects of a class in a JVM of a session, after a collection, and the objects that Python may name."""
    with gateway_of(jvm) as gateway:
        named = gateway.java_gateway_server.getGateway().getBindings().size()
        server = gateway.jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
        name = gateway.jvm.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
        signature = array(gateway, gateway.jvm.String, "[Ljava.lang.String;")
        arguments = array(gateway, gateway.jvm.Object, array(gateway, gateway.jvm.String))
        # Py4J finds no method of a class that its module does not export.
        methods = gateway.jvm.java.lang.Class.forName("javax.management.MBeanServer").getMethods()
        invoke = next(method for method in methods if method.getName() == "invoke")
        given = array(gateway, gateway.jvm.Object, name, "gcClassHistogram", arguments, signature)
        text = invoke.invoke(server, given)
    counts = (line.split() for line in text.splitlines())
    return sum(int(words[1]) for words in counts if len(words) > 3 and words[3] == class_name), named


tells_folders = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="no folder of a process is told here")


@tells_folders
def test_no_plan_of_a_command_stays(desk: Desk) -> None:
    """Each plan once stayed, so that seventy commands filled a heap of a gigabyte."""
    folder = desk.job("many", "b", QUERIES)
    found = []
    for number in range(6):
        assert desk.said("run", "job.sql", folder=folder).returncode == 0
        if number in (1, 5):
            (session,) = desk.sessions()
            found.append(objects_in(session["jvm"], PLANS))
    # Listeners of Spark may still have the last one. Without care there were 27 and 81.
    assert max(plans for plans, _ in found) <= 2
    assert found[1][1] == found[0][1]


@tells_folders
def test_a_session_whose_heap_stays_full_ends_after_its_answer(desk: Desk) -> None:
    folder, small = desk.job("full", "b"), ("--memory", "512m")
    before = {session["process"] for session in desk.sessions()}
    desk.rows(folder, *small)
    (session,) = (each for each in desk.sessions() if each["process"] not in before)
    with gateway_of(session["jvm"]) as gateway:
        for number in range(40):
            if stays_full(address_of(session["jvm"])):
                break
            block = gateway.new_array(gateway.jvm.byte, 10_000_000)
            gateway.jvm.java.lang.System.getProperties().put(f"full.{number}", block)
        else:
            pytest.fail("400 MB do not fill a heap of 512 MB.")
    assert desk.rows(folder, *small) == [["a", 3], ["b", 5]]
    assert session["process"] not in {each["process"] for each in desk.sessions()}


def test_errors_have_their_words_and_status(desk: Desk) -> None:
    folder = desk.job("broken", "b", "SELECT nothing FROM t;")
    ran = desk.said("run", "job.sql", folder=folder)
    assert (ran.returncode, "job.sql:" in ran.stderr) == (2, True)


def test_a_replay_is_answered_as_well(desk: Desk) -> None:
    folder = desk.job("replayed", "b", SUMS.format(", MAX(v) AS m"))
    (folder / "old.sql").write_text(TABLE + SUMS.format(""))
    replay = (
        "replay",
        "job.sql",
        "--against",
        "file:old.sql",
        "--restart-at",
        "2026-03-01 10:01:30",
        "--quiet",
        "--no-witness",
    )
    warm = desk.said(*replay, folder=folder)
    served = sum(session["commands"] for session in desk.sessions())
    own = desk.said(*replay, "--no-warm", folder=folder)
    assert (warm.returncode, warm.stdout, warm.stderr) == (own.returncode, own.stdout, own.stderr)
    assert sum(session["commands"] for session in desk.sessions()) == served


def test_an_interrupted_command_leaves_the_session_free(desk: Desk, default_signals: None) -> None:
    tables = ", ".join(f"t AS t{number}" for number in range(20))
    folder = desk.job("endless", "g", f"SELECT COUNT(*) AS n FROM {tables};")
    begun = [session["process"] for session in desk.sessions()]
    command = [*KEEPSTATE, "run", "job.sql"]
    with subprocess.Popen(command, cwd=folder, env=desk.environment, stderr=subprocess.PIPE, text=True) as process:
        while not any(session["busy"] for session in desk.sessions()):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Interrupted" in process.stderr.read()
    assert process.returncode == 2
    (folder / "job.sql").write_text(TABLE + SUMS.format(""))
    assert desk.rows(folder) == [["a", 3], ["g", 5]]
    assert [session["process"] for session in desk.sessions()] == begun


def test_another_setting_gets_another_session(desk: Desk) -> None:
    folder = desk.job("set", "e")
    before = {session["process"] for session in desk.sessions()}
    assert desk.rows(folder, "--spark", "spark.sql.shuffle.partitions=2") == [["a", 3], ["e", 5]]
    assert len({session["process"] for session in desk.sessions()} - before) == 1


def test_a_session_whose_jvm_died_is_replaced_once(desk: Desk) -> None:
    folder = desk.job("killed", "f")
    desk.rows(folder)
    before = desk.sessions()
    for session in before:
        os.kill(session["jvm"], signal.SIGKILL)
    assert desk.rows(folder, error="Starting another one.") == [["a", 3], ["f", 5]]
    assert not {session["process"] for session in before} >= {session["process"] for session in desk.sessions()}


def test_nothing_is_left_after_stop(desk: Desk) -> None:
    sessions = desk.sessions()
    assert desk.said("spark", "stop").stdout.endswith("ended.\n")
    assert desk.sessions() == []
    assert list((desk.home / "run" / "keepstate-spark").iterdir()) == []
    for number in (session[name] for session in sessions for name in ("process", "jvm")):
        assert has_ended(number)


def has_ended(process: int) -> bool:
    """Return whether a process has ended, though its parent may not have asked for its status yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
