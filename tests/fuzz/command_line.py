"""The command line in this process, as a shell would see it."""

from __future__ import annotations

import contextlib
import io

from keepstate_lsp.cli.main import main

_STATUSES = {0, 1, 2}


def run(command: list[str]) -> tuple[int, str]:
    """The exit status and what was written to standard output.

    Raises:
        AssertionError: it did not end as it says it does, or says that something is wrong inside of it.
    """
    # Real text streams: results are written as bytes below them.
    said, reported = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(reported):
        status = main(command)
    written = []
    for stream in (said, reported):
        stream.flush()
        stream.seek(0)
        written.append(stream.read())
    assert status in _STATUSES, (command, status)
    assert not any(wrong in written[1] for wrong in ("Traceback", "Internal error", "usage:")), written[1][-2000:]
    return status, written[0]
