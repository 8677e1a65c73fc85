"""Unified diffs as git makes them, so that ``git apply`` takes them. Bytes, since a patch has those of its file."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from keepstate_lsp.baselines.head import find_git_folders

_NO_LINE_END = b"\\ No newline at end of file\n"
_ESCAPES = {0x07: "a", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0B: "v", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
_PRINTABLE = range(0x20, 0x7F)


def patch(file: Path, before: bytes, after: bytes) -> bytes:
    """The diff of a file, with its path relative to the repository around it; empty for equal bytes."""
    if before == after:
        return b""
    path = os.fsencode(_path_in_repository(file))
    old, new = _name(b"a/" + path), _name(b"b/" + path)
    # With this line git takes the paths as those of the repository, wherever it is started.
    head = b"diff --git " + old + b" " + new + b"\n"
    lines = difflib.diff_bytes(difflib.unified_diff, _lines(before), _lines(after), _patch_path(old), _patch_path(new))
    return head + b"".join(line if line.endswith(b"\n") else line + b"\n" + _NO_LINE_END for line in lines)


def _path_in_repository(file: Path) -> str:
    resolved = file.parent.resolve() / file.name
    folders = find_git_folders(resolved.parent)
    root = Path.cwd() if folders is None else folders.work_tree
    return Path(os.path.relpath(resolved, root)).as_posix()


def _lines(data: bytes) -> list[bytes]:
    """The lines as git counts them: a carriage return is a part of its line."""
    *ended, last = data.split(b"\n")
    return [*(line + b"\n" for line in ended), *([last] if last else [])]


def _name(path: bytes) -> bytes:
    """A path as git writes it: in quotes with escapes, if it has characters beyond the plain ones."""
    if all(byte in _PRINTABLE and byte not in _ESCAPES for byte in path):
        return path
    escaped = "".join(
        f"\\{_ESCAPES[byte]}" if byte in _ESCAPES else chr(byte) if byte in _PRINTABLE else f"\\{byte:03o}"
        for byte in path
    )
    return f'"{escaped}"'.encode("ascii")


def _patch_path(name: bytes) -> bytes:
    """A path behind ``---`` or ``+++``: a tab ends one with spaces."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name
