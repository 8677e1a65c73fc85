"""All seeded edits."""

from __future__ import annotations

import aggregation_edits
import flink_edits
import flink_rich_edits
import insert_columns
import job_edits
import join_edits
import layered_queries
import ranking_edits
import respelled_arguments
import row_edits
import set_operations
import setting_edits
import shared_views
import sink_edits
import source_edits
import stacked
import stored_columns
import totals_edits
import undeclared_tables
import union_edits
import windows_below
from edits import Edit
from flink_edits import FlinkEdit

OF_QUERIES: tuple[Edit, ...] = (
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
"""Edits of a query over the rows of tables."""
IN_CONTEXT: tuple[Edit, ...] = (
    *union_edits.EDITS,
    *totals_edits.EDITS,
    *shared_views.EDITS,
    *insert_columns.EDITS,
    *respelled_arguments.EDITS,
    *source_edits.EDITS,
    *undeclared_tables.EDITS,
)
"""Edits of what queries have in common with others, and of what stands between them and tables."""
EDITS: tuple[Edit, ...] = (*OF_QUERIES, *IN_CONTEXT)
ON_FLINK: tuple[FlinkEdit, ...] = (*flink_edits.EDITS, *flink_rich_edits.EDITS)
"""Edits whose labels are effects measured on open-source Flink."""
