"""Variables of the environment for warm Spark sessions."""

from __future__ import annotations

WARM = "KEEPSTATE_WARM"
"""0: no session stays warm; 1: one does, also in a build."""
IDLE = "KEEPSTATE_WARM_IDLE"
"""The seconds without a command after which a warm session ends."""
