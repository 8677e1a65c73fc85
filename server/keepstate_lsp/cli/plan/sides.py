"""The two texts of which plans are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate_lsp.config.file import EMPTY_CONFIG, JobConfig


@dataclass(frozen=True)
class Side:
    """A text and its name."""

    name: str
    text: str
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the job."""
