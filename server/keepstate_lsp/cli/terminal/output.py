"""The output of a command: standard output, or the file of ``--output``.

A file appears whole or not at all: the text goes to a file beside it, which is renamed at the end. A failed run leaves
the former file. Pipes and devices are written as they are.
"""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, final

from keepstate_lsp.cli.errors import CommandError, ReaderGone
from keepstate_lsp.files.atomic_files import draft_of, put_in_place, settle

PIPE_WIDTH = 80
_LEAST_WIDTH = 40
_MOST_WIDTH = 120


@final
class Output:
    """A byte stream with the facts of its target that a renderer needs. Open it with ``with``."""

    def __init__(self, path: Path | None = None, color: str = "auto") -> None:
        self._path = None if path is None or str(path) == "-" else path
        self._color = color
        self._stream: BinaryIO | None = None
        self._draft: Path | None = None
        """The file beside the output, renamed at the end."""

    def __enter__(self) -> Output:
        if self._path is None:
            if sys.stdout is None:
                raise CommandError("There is no standard output to write to.", "--output FILE")
            self._stream = sys.stdout.buffer
        else:
            try:
                # Opened before the work begins: a wrong path should not cost a long run.
                self._stream = self._opened(self._path)
            except OSError as error:
                raise self._failed(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None or self._stream is None:
            return
        try:
            if self._draft is not None and error is None:
                settle(self._stream)
            self._stream.close()
            if self._draft is not None and error is None:
                # Through a symbolic link, and with the permissions that the file had.
                target = Path(os.path.realpath(self._path))
                with suppress(FileNotFoundError):
                    self._draft.chmod(target.stat().st_mode & 0o777)
                put_in_place(self._draft, target)
                self._draft = None
        except OSError as failure:
            # Buffered bytes are written now. The first error is the one to report.
            if error is None:
                raise self._failed(failure) from failure
        finally:
            if self._draft is not None:
                # The error of the write is reported, not that of removing the draft.
                with suppress(OSError):
                    self._draft.unlink()

    def _opened(self, path: Path) -> BinaryIO:
        target = Path(os.path.realpath(path))
        if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
            return path.open("wb")
        draft = draft_of(target)
        try:
            stream = draft.open("xb")
        except PermissionError:
            # The folder takes no new file; an old one may be written all the same.
            return path.open("wb")
        self._draft = draft
        return stream

    @property
    def is_standard(self) -> bool:
        """Return whether this is standard output."""
        return self._path is None

    @property
    def is_terminal(self) -> bool:
        return self._path is None and sys.stdout.isatty()

    @property
    def color(self) -> bool:
        """Return whether to write colours."""
        if self._color != "auto":
            return self._color == "always"
        if self._path is not None or os.environ.get("NO_COLOR"):
            return False
        forced = os.environ.get("FORCE_COLOR")
        if forced:
            return forced != "0"
        return self.is_terminal and os.environ.get("TERM") != "dumb"

    @property
    def encoding(self) -> str:
        """The character encoding of text; files are UTF-8."""
        if self._path is not None:
            return "utf-8"
        return codecs.lookup(sys.stdout.encoding or "ascii").name

    @property
    def width(self) -> int:
        """The number of columns of a line of text."""
        if self._path is not None or not (self.is_terminal or "COLUMNS" in os.environ):
            return PIPE_WIDTH
        return max(_LEAST_WIDTH, min(_MOST_WIDTH, _columns()))

    @property
    def columns(self) -> int | None:
        """The number of columns of a table; ``None`` where lines may be of any length."""
        if self._path is not None or not (self.is_terminal or "COLUMNS" in os.environ):
            return None
        return max(_LEAST_WIDTH, _columns())

    def write(self, data: bytes) -> None:
        """Write at once, so that a reader sees it while the command goes on."""
        assert self._stream is not None
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError as failure:
            if self._path is None:
                _discard()
                if isinstance(failure, BrokenPipeError):
                    raise ReaderGone from failure
            raise self._failed(failure) from failure

    def write_text(self, text: str) -> None:
        self.write(text.encode(self.encoding, "replace"))

    def _failed(self, failure: OSError) -> CommandError:
        return CommandError(f"{self._path or 'The result'} cannot be written: {failure.strerror}.")


def _discard() -> None:
    """Discard all that is written to standard output from now on.

    Python would try once more at its exit, and complain in its own words.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _columns() -> int:
    # Text for a pipe has a width of its own, and needs no import of archives.
    import shutil

    return shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
