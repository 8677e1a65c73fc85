"""One difference between what two versions of an operator store, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.physical.stored import Part
from keepstate.report import Effect


@dataclass(frozen=True)
class Difference:
    part: Part
    effect: Effect
    reason: str
