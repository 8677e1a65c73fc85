"""A Python of Spark's whose workers fail as soon as they load code of Keepstate: ``faulty_worker.py KIND PID WORDS``.

``KIND`` is the fault, ``PID`` the process of the command, ``WORDS`` what Spark calls Python with.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys

KINDS = ("worker-fails", "worker-is-killed", "worker-says-nothing", "worker-stalls")


def fail(kind: str, command: int) -> None:
    """Let this worker fail; of one that stalls, a person has enough after a while."""
    if kind == "worker-is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == "worker-says-nothing":
        os._exit(0)
    elif kind == "worker-stalls":
        os.kill(command, signal.SIGINT)
        signal.pause()


def main() -> None:
    kind, command, *words = sys.argv[1:]
    if kind == "worker-fails":
        sys.exit("worker: out of memory")

    def imported(event: str, arguments: tuple[object, ...]) -> None:
        if event == "import" and str(arguments[0]).startswith("keepstate") and os.getpid() != first:
            fail(kind, int(command))

    first = os.getpid()
    sys.addaudithook(imported)
    assert words[0] == "-m"
    sys.argv = words[1:]
    runpy.run_module(words[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
