"""Pointers to a value of a YAML or HCL file: ``k8s/revenue.yaml#/spec/job/args/0``.

The part behind ``#`` is a JSON pointer (RFC 6901: ``~1`` is a slash, ``~0`` a tilde). A number in front of it names one
of several YAML documents, from 1: ``k8s/jobs.yaml#2/spec/job/args/0``. In HCL, the type and the labels of a block are
parts of their own: ``main.tf#/resource/confluent_flink_statement/revenue/statement``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

YAML_SUFFIXES = (".yaml", ".yml")
HCL_SUFFIXES = (".tf", ".hcl")
_WRITTEN = re.compile(r"(?P<file>[^#]*[^#/])#(?P<document>\d{0,6})(?P<parts>(?:/[^#]*)+)", re.DOTALL)
_ESCAPE = re.compile(r"~(.?)")
MOST_PARTS = 100
"""Parts of a pointer, each of which reads a level of the file."""
SEARCHED_PARTS = 20
"""Levels of a file that are searched for SQL: each one is read once more."""


@dataclass(frozen=True, slots=True)
class FilePointer:
    """A value of a file. ``document`` counts from 1; ``None`` where the pointer leaves it open."""

    file: str
    parts: tuple[str, ...]
    document: int | None = None

    @staticmethod
    def parse(text: str) -> FilePointer | None:
        """Read a pointer; ``None`` for a path.

        >>> FilePointer.parse("k8s/a.yaml#/data/a~1b.sql")
        FilePointer(file='k8s/a.yaml', parts=('data', 'a/b.sql'), document=None)
        >>> FilePointer.parse("sql/#1.sql") is None
        True
        """
        match = _WRITTEN.fullmatch(text)
        if match is None:
            return None
        parts = tuple(_ESCAPE.sub(_unescaped, part) for part in match["parts"][1:].split("/"))
        return FilePointer(match["file"], parts, int(match["document"]) if match["document"] else None)

    def __str__(self) -> str:
        """Return the pointer as it is written in a configuration.

        >>> str(FilePointer("k8s/a.yaml", ("data", "a/b.sql"), 2))
        'k8s/a.yaml#2/data/a~1b.sql'
        """
        return f"{self.file}#{self.document or ''}/{'/'.join(map(escaped, self.parts))}"

    @property
    def fault(self) -> str | None:
        """The reason why the pointer can name no value, whatever its file holds; ``None``: it may."""
        if not is_host(self.file):
            return f"a pointer leads into a file with {', '.join(YAML_SUFFIXES)} or {' or '.join(HCL_SUFFIXES)}"
        if any(sign in self.file for sign in "*?["):
            return "a pointer names one file, so there is no glob in front of #"
        if len(self.parts) > MOST_PARTS:
            return f"a pointer has at most {MOST_PARTS} parts"
        if self.document is not None and (self.document == 0 or self.file.lower().endswith(HCL_SUFFIXES)):
            return "the number behind # is that of a YAML document, from 1"
        return None


def _unescaped(match: re.Match[str]) -> str:
    return {"0": "~", "1": "/"}.get(match[1], match[0])


def escaped(part: str) -> str:
    """A key as a part of a pointer.

    >>> escaped("a/b~c")
    'a~1b~0c'
    """
    return part.replace("~", "~0").replace("/", "~1")


def is_host(path: str) -> bool:
    """Return whether a file of this name may hold SQL that a pointer names.

    >>> is_host("k8s/revenue.YML"), is_host("main.tf"), is_host("job.sql")
    (True, True, False)
    """
    return path.lower().endswith((*YAML_SUFFIXES, *HCL_SUFFIXES))


def file_of(path: str) -> str:
    """The path of the file that a path or a pointer leads into.

    >>> file_of("k8s/a.yaml#/data/a.sql"), file_of("a.sql")
    ('k8s/a.yaml', 'a.sql')
    """
    if "#" not in path:
        return path
    pointer = FilePointer.parse(path)
    return path if pointer is None else pointer.file
