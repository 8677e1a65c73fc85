"""The files that a job is composed of, as plain values: for records, for other processes, and for digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepstate.project.composed_text import Segment
    from keepstate.project.composition import ComposedJob

AMBIGUOUS = "ambiguous"
"""The role of a file with one of several declarations of a name, of which none is taken, or a nearer one."""
_RIVAL = "rival"
"""Such a declaration, beside a nearer one that is taken."""


@dataclass(frozen=True)
class JobPart:
    """A file of a job. ``reading`` is the role that it is offered in (``script``, ``context`` or ``assumed``), ``role``
    the one that it has.
    """

    path: str
    blob: str
    role: str
    reading: str
    text: str


@dataclass(frozen=True)
class JobParts:
    """The files of a job: those of its script in their order, then those whose declarations it may read. The same files
    make the same job.
    """

    files: tuple[JobPart, ...]
    assumed: tuple[tuple[str, str], ...]
    """Declarations that no configuration names: the name and the file of each."""
    meaning: tuple[tuple[str, ...], ...]
    """The composed text piece by piece, each with its file and role, and the declarations that differ."""

    @property
    def digest(self) -> str:
        """A digest of all that a report on the job depends on: texts, roles, and the paths that it names."""
        return hashlib.blake2b(repr(self.meaning).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def means_like(self, other: JobParts) -> bool:
        """Return whether both make one text of pieces of the same roles, in which the same is ambiguous. Where the
        pieces come from does not count, nor do declarations that are farther than a taken one.
        """
        own_pieces, other_pieces = ([piece[1:] for piece in one.meaning if piece[1] != _RIVAL] for one in (self, other))
        return own_pieces == other_pieces


def parts_of(job: ComposedJob, blobs: Mapping[str, str], context: Iterable[str]) -> JobParts:
    """The files of a composed job. ``blobs`` has those of all files by path, ``context`` the paths of its context."""
    from keepstate.project.composed_text import FileRole

    context_paths = set(context)
    parts: dict[tuple[str, str], JobPart] = {}
    for file, role in job.composed.files:
        parts[file.path, role.value] = JobPart(file.path, blobs[file.file_path], role.value, role.value, file.text)
    meaning = [
        ("" if each.file is None else each.file.path, each.role.value, _segment_text(each))
        for each in job.composed.segments
    ]
    several = [(AMBIGUOUS, *each) for each in job.ambiguous.items()]
    several += [(_RIVAL, *each) for each in job.rivals.items()]
    for kind, name, declarations in sorted(several, key=lambda each: each[:2]):
        for each in sorted(declarations, key=lambda declaration: declaration.file.path):
            path = each.file.path
            reading = FileRole.CONTEXT.value if path in context_paths else FileRole.ASSUMED.value
            part = JobPart(path, blobs[each.file.file_path], AMBIGUOUS, reading, each.file.text)
            parts.setdefault((path, reading), part)
            meaning.append(("", kind, f"{name} {path} {' '.join(each.text.split())}"))
    files = sorted(parts.values(), key=lambda part: part.reading != FileRole.SCRIPT.value)
    assumed = tuple(dict.fromkeys((each.name, each.file.path) for each in job.assumed))
    return JobParts(tuple(files), assumed, tuple(meaning))


def _segment_text(segment: Segment) -> str:
    """The text of a segment; of a value without the place that it has in its file."""
    if segment.file is None or segment.file.host is None:
        return segment.text
    return "\n".join(line.strip() for line in segment.text.strip().splitlines())
