"""All seeded edits."""

from __future__ import annotations

import aggregation_edits
import job_edits
import join_edits
import layered_queries
import ranking_edits
import row_edits
import set_operations
import setting_edits
import sink_edits
import stacked
import stored_columns
import windows_below
from edits import Edit

EDITS: tuple[Edit, ...] = (
    *aggregation_edits.ALL,
    *ranking_edits.ALL,
    *join_edits.ALL,
    *row_edits.ALL,
    *job_edits.ALL,
    *stacked.EDITS,
    *set_operations.EDITS,
    *windows_below.EDITS,
    *stored_columns.EDITS,
    *sink_edits.EDITS,
    *setting_edits.EDITS,
    *layered_queries.EDITS,
)
