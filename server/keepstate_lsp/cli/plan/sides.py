"""The two texts of which plans are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate_lsp.config.file import NOTHING_TOLD, Circumstances


@dataclass(frozen=True)
class Side:
    """A text and what it is called."""

    name: str
    text: str
    told: Circumstances = NOTHING_TOLD
    """What the job is told outside of its SQL."""
