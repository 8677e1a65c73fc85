"""The files of a job in results: which file a place of the composed text is in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.project.composed_text import FileRole
from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.paths import display_path_of

if TYPE_CHECKING:
    from keepstate.project.composed_text import ComposedText
    from keepstate.project.composition import ComposedJob


@dataclass(frozen=True)
class PlaceInFile:
    """A span in the text of a file; ``path`` is the one that reports name."""

    path: str | None
    lines: LineIndex
    span: Span


@dataclass(frozen=True)
class JobFiles:
    """The files of a job on both sides, by the places of its composed texts. Paths are those that reports name."""

    current: ComposedText
    baseline: ComposedText
    root: Path
    """Folder that the paths of the files are relative to."""
    assumed: tuple[tuple[str, str], ...] = ()
    """Declarations of the current text that no configuration names: the name and the file of each."""

    @staticmethod
    def of(current: ComposedJob, baseline: ComposedJob, root: Path) -> JobFiles:
        """The files of two versions of a job."""
        assumed = tuple(
            dict.fromkeys((each.says, display_path_of(root / each.file.file_path)) for each in current.assumed)
        )
        return JobFiles(current.composed, baseline.composed, root, assumed)

    def place(self, span: Span, side: str = "current") -> PlaceInFile | None:
        """The place of a span of a composed text; ``None`` for text of no file. On the side of the baseline, paths are
        those of the repository.
        """
        place = (self.current if side == "current" else self.baseline).place(span)
        if place is None:
            return None
        path = place.file.file_path if side == "baseline" else display_path_of(self.root / place.file.file_path)
        return PlaceInFile(path, LineIndex(place.file.text), place.span)

    @property
    def assumed_files(self) -> tuple[str, ...]:
        """The files of the assumed declarations of the current text, relative to ``root``."""
        return tuple(file.file_path for file, role in self.current.files if role is FileRole.ASSUMED)

    @property
    def with_roles(self) -> tuple[tuple[str, str], ...]:
        """The files of the current text, each with its role."""
        return tuple((display_path_of(self.root / file.file_path), role.value) for file, role in self.current.files)
