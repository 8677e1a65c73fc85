"""A fork of Keepstate's programs is what a start of them is (tests/program_starts.py)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import program_starts
from program_starts import KEEPSTATE, SERVER, at_start, ran

ROOT = Path(__file__).parents[2]
SEEN = """\
import json, os, resource, signal, sys, threading
left = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
mask = os.umask(0)
print(json.dumps({
    "words": [sys.argv, sys.orig_argv, sys.path, sys.executable, __name__, sys.flags.isolated],
    "place": [os.getcwd(), sorted(os.environ.items()), mask],
    "parent": os.getppid(),
    "group": [os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid()],
    "signals": [str(signal.getsignal(number)).partition(" at ")[0] for number in sorted(signal.valid_signals())],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "open": left,
    "threads": [thread.name for thread in threading.enumerate()],
    "streams": [
        [stream.encoding, stream.errors, stream.line_buffering, stream.mode, stream.fileno(), stream.newlines]
        for stream in (sys.stdin, sys.stdout, sys.stderr)
    ],
    "input": sys.stdin.read(),
}))
print("said", file=sys.stderr)
"""
ENDS = {
    "a status": "import sys; sys.exit(3)",
    "words": "import sys; sys.exit('no')",
    "an error": "raise ValueError('odd')",
    "Ctrl-C": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "at once": "import os; os._exit(4)",
    "a handler": "import atexit; atexit.register(print, 'behind')",
    "a thread": "import threading; threading.Timer(0.01, print, ['later']).start()",
    "a full disk": "import sys; sys.stdout = open('/dev/full', 'w'); print('x')",
}
pytestmark = pytest.mark.skipif(not program_starts.CAN_FORK, reason="there are no forks here")


def both_ways(*command: str, **options: Any) -> tuple[subprocess.CompletedProcess[str], ...]:
    """The ends of a command that is started, and of one that is forked."""
    given = {"capture_output": True, "text": True, **options}
    return subprocess.run(command, check=False, **given), ran(*command, **given)


@pytest.mark.parametrize("session", [False, True], ids=["a process", "a session"])
def test_a_fork_sees_what_a_started_process_sees(tmp_path: Path, session: bool) -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.signal(signal.SIGTERM, lambda *_: None)
    mask = os.umask(0o027)
    try:
        started, forked = both_ways(
            *(sys.executable, "-c", SEEN, "a word", "é"),
            cwd=tmp_path,
            env={**os.environ, "ODD": "a\udcff=\n"},
            input="given\r\n",
            start_new_session=session,
        )
    finally:
        os.umask(mask)
        for number, handler in zip((signal.SIGHUP, signal.SIGTERM), former, strict=True):
            signal.signal(number, handler)
    assert json.loads(forked.stdout) == json.loads(started.stdout)
    assert json.loads(forked.stdout)["parent"] == os.getpid()
    assert forked.stderr == started.stderr == "said\n"


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_fork_ends_as_a_started_process_does(end: str) -> None:
    started, forked = both_ways(sys.executable, "-c", end)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.stderr.splitlines()[-1:] == started.stderr.splitlines()[-1:]


@pytest.mark.parametrize(
    "command",
    [
        (*KEEPSTATE, "--version"),
        (*KEEPSTATE, "check"),
        (*SERVER,),
    ],
    ids=" ".join,
)
def test_commands_say_the_same(command: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    started, forked = both_ways(*command, cwd=tmp_path, env=environment, input="")
    assert vars(forked) == vars(started)


def test_forks_share_nothing() -> None:
    change = "import os, keepstate.text as text; text.mark = 1; os.environ['MARK'] = '1'"
    assert ran(sys.executable, "-c", change).returncode == 0
    look = "import os, sys, keepstate.text as text; sys.exit(hasattr(text, 'mark') or 'MARK' in os.environ)"
    assert ran(sys.executable, "-c", look).returncode == 0


def test_a_fork_has_imported_all_that_it_runs_but_no_spark() -> None:
    code = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    imported = set(ran(sys.executable, "-c", code, capture_output=True, text=True).stdout.split())
    assert imported >= {"keepstate", "keepstate_lsp", "sqlglot", "lsprotocol", "git"}
    assert not imported & {"pytest", "hypothesis", "pyspark", "keepstate_spark", "keepstate_flink"}


def test_another_interpreter_is_started() -> None:
    code = "import sys; print(sys.flags.dev_mode, 'keepstate' in sys.modules)"
    plain = ran(sys.executable, "-c", code, capture_output=True, text=True)
    assert plain.stdout == "False True\n"
    odd = ran(sys.executable, "-c", code, capture_output=True, text=True, env={**os.environ, "PYTHONDEVMODE": "1"})
    assert odd.stdout == "True False\n"
    assert at_start({"PYTHONHASHSEED": "0", "HOME": "/"}) == {"PYTHONHASHSEED": "0"}


def test_what_forks_ends_with_the_tests() -> None:
    tests = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r}); import program_starts\n"
        "program_starts.ran(sys.executable, '-c', 'pass')\n"
        "print(*open('/proc/self/task/' + str(program_starts.os.getpid()) + '/children'), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", tests], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        end = os.pidfd_open(int(process.stdout.readline()))
        process.kill()
    # It is no child of this process: readable means that it ended.
    import select

    assert select.select([end], [], [], 30)[0]
    os.close(end)
