"""The CPU of a server that waits, with many documents open in it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import job_folders
from editing import Editor
from figures import Figure
from processes import cpu_of_threads

DOCUMENTS = 200
_SECONDS = 20.0
_QUIET = 6.0
"""Seconds after the last diagnostics, in which the work that they leave for later is done."""
CLIENTS = {
    "the client watches nothing": {},
    "the client watches files": {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}},
}


def idle() -> Iterator[Figure]:
    """A server that waits, with many documents open: its CPU in a second"""
    for what, capabilities in CLIENTS.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            job_folders.lay_out(folder, DOCUMENTS, {})
            editor = Editor(folder, capabilities)
            paths = [job_folders.path_of(folder, number) for number in range(DOCUMENTS)]
            for path in paths:
                document = {"uri": path.as_uri(), "languageId": "sql", "version": 0, "text": path.read_text()}
                editor.notify("textDocument/didOpen", {"textDocument": document})
            for path in paths:
                editor.published(path.as_uri(), 0)
            time.sleep(_QUIET)
            before = cpu_of_threads(editor.server)
            time.sleep(_SECONDS)
            spent = (cpu_of_threads(editor.server) - before) / _SECONDS
            editor.close()
        yield Figure(f"{DOCUMENTS} documents, {what}", spent * 1000, "ms", 1)
