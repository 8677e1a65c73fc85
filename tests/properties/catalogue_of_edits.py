"""All seeded edits."""

from __future__ import annotations

import aggregation_edits
import job_edits
import join_edits
import ranking_edits
import row_edits
import set_operations
import stacked
from edits import Edit

EDITS: tuple[Edit, ...] = (
    *aggregation_edits.ALL,
    *ranking_edits.ALL,
    *join_edits.ALL,
    *row_edits.ALL,
    *job_edits.ALL,
    *stacked.EDITS,
    *set_operations.EDITS,
)
