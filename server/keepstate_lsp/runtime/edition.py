"""A short name of the files of a package, so that what was made from them is known at the next start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from keepstate_lsp.version import VERSION

_BYTE_CODE = "__pycache__"


def edition(*folders: Path) -> str:
    """A name of eight digits, another one if a file below ``folders`` came, went, or has another time or size. A folder
    that is not there, as in an archive, adds nothing to the version of this distribution.

    >>> edition(Path("nowhere")) == edition()
    True
    """
    stamps = sorted(stamp for folder in folders for stamp in _stamps(os.fspath(folder)))
    return f"{crc32(repr((VERSION, stamps)).encode('utf-8', 'surrogateescape')):08x}"


def _stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    """The path, time and size of each file."""
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name != _BYTE_CODE:
                yield from _stamps(entry.path)
        else:
            stat = entry.stat()
            yield entry.path, stat.st_mtime_ns, stat.st_size
