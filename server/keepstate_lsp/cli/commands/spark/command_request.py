"""A command as it is handed to a warm session: its words, and where and how they were typed."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

STANDARD_FILES = (0, 1, 2)


@dataclass(frozen=True)
class Request:
    """A command. Its three standard files travel beside it, and a note about the second one."""

    words: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    mask: int
    encodings: Sequence[Sequence[str]]
    """Encoding of characters, and treatment of others, of each standard file."""

    def message(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_process(words: Sequence[str]) -> Request:
        """The command of this process."""
        mask = os.umask(0o077)
        os.umask(mask)
        encodings = [(stream.encoding, stream.errors or "strict") for stream in (sys.stdin, sys.stdout, sys.stderr)]
        return Request(list(words), os.getcwd(), dict(os.environ), mask, encodings)

    def take_place(self, files: Sequence[int], written: Note) -> None:
        """Make this process the one that was asked: its folder, environment and standard files."""
        os.chdir(self.folder)
        os.umask(self.mask)
        os.environ.clear()
        os.environ.update(self.environment)
        for number, file in zip(STANDARD_FILES, files, strict=True):
            os.dup2(file, number)
            os.close(file)
        (in_, in_errors), (out, out_errors), (err, err_errors) = self.encodings
        given = io.BufferedReader(io.FileIO(0, "r", closefd=False))
        sys.stdin = io.TextIOWrapper(given, in_, in_errors)
        results = io.BufferedWriter(_Noted(written))
        sys.stdout = io.TextIOWrapper(results, out, out_errors, line_buffering=os.isatty(1))
        messages = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(messages, err, err_errors, line_buffering=True)


class Note:
    """A file without a name that two processes share: whatever it holds, standard output was written to."""

    def __init__(self, file: int) -> None:
        self.file = file

    @staticmethod
    def new() -> Note:
        with tempfile.TemporaryFile() as file:
            return Note(os.dup(file.fileno()))

    def __bool__(self) -> bool:
        return os.fstat(self.file).st_size > 0

    def set(self) -> None:
        os.pwrite(self.file, b"1", 0)


class _Noted(io.FileIO):
    """Standard output that notes when it is written to."""

    def __init__(self, written: Note) -> None:
        super().__init__(1, "w", closefd=False)
        self._written = written

    def write(self, data: Any) -> Any:
        self._written.set()
        return super().write(data)
