"""The text that a job is composed of, with the file of each piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keepstate_lsp.cli.result.sides import JobText


def script_text(side: JobText) -> str:
    """The composed text; a comment in front of each piece names its file."""
    return "".join(f"-- {path}{words}\n{text}\n" for path, words, text in _with_words(side))


def script_document(side: JobText) -> dict[str, Any]:
    """The same as values of JSON."""
    return {"pieces": [{"path": path, "role": role, "text": text} for path, role, text in _pieces(side)]}


def _with_words(side: JobText) -> Iterator[tuple[str, str, str]]:
    for path, role, text in _pieces(side):
        yield path, "" if role == "script" else f" ({role})", text


def _pieces(side: JobText) -> Iterator[tuple[str, str, str]]:
    """The file, the role and the text of each piece. Text between two pieces goes with the one before it."""
    if side.composed is None:
        yield side.name, "script", side.text.rstrip("\n")
        return
    path, role, text = "", "", ""
    for segment in side.composed.composed.segments:
        other = segment.file is not None and (segment.file.path, segment.role.value) != (path, role)
        if other and path:
            yield path, role, text.strip("\n")
        if other and segment.file is not None:
            path, role, text = segment.file.path, segment.role.value, ""
        text += segment.text
    yield path, role, text.strip("\n")
