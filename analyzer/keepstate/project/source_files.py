"""Files of one revision, as a project reads them."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.embedded.pointers import file_of


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text with its path in the repository, with ``/``, or with a pointer into a file (YAML, HCL).

    The text of a value of such a file has spaces in place of everything but the SQL, so that places in the text are
    places in the file.
    """

    path: str
    text: str
    host: str | None = None
    """The whole text of the file that a pointer leads into; ``None`` for a file of SQL."""

    @property
    def file_path(self) -> str:
        """The path of the file, without the pointer."""
        return self.path if self.host is None else file_of(self.path)

    @property
    def folder(self) -> tuple[str, ...]:
        """The names of the folders on the way to the file."""
        return tuple(self.file_path.split("/")[:-1])


def distance(folder: tuple[str, ...], other: tuple[str, ...]) -> int:
    """The number of steps up and down between two folders.

    >>> distance(("jobs", "daily"), ("jobs", "ddl"))
    2
    """
    shared = 0
    for part, other_part in zip(folder, other, strict=False):
        if part != other_part:
            break
        shared += 1
    return len(folder) + len(other) - 2 * shared
