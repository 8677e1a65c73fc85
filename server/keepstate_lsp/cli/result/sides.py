"""The texts of a job that a command is about: today, and at a baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from keepstate.project.composed_text import ComposedLines
from keepstate.text import LineIndex, Span
from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob


@dataclass(frozen=True)
class JobText:
    """A text and its name. ``composed`` is the job that the text is of, if it has several files."""

    name: str
    text: str
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the job."""
    composed: ComposedJob | None = None
    own: str = ""
    """The text of its own file, where it was read from one."""

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text; those of its files, for a job of several."""
        return LineIndex(self.text) if self.composed is None else ComposedLines(self.composed.composed)

    @property
    def without_assumptions(self) -> JobText:
        """The job with the declarations of its script and of its configuration alone."""
        if self.composed is None:
            return self
        job = self.composed.without_assumptions
        return replace(self, text=job.text, composed=None if job.is_plain else job)

    def file_of(self, span: Span | None) -> str:
        """The name of the file that a span of the text is in."""
        place = None if self.composed is None or span is None else self.composed.composed.place(span)
        return self.name if self.composed is None or place is None or place.path == self.composed.path else place.path
