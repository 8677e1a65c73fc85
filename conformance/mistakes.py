"""The pairs that the flink profile gets wrong without a reason, by cause.

Delete the pairs of a cause when it is mended: the tests fail for a pair of the list that agrees.
"""

from __future__ import annotations

_CAUSES = {
    "below a ranking Flink keeps the aggregates that nothing reads": (
        "window_topn_agg/unread_count_removed window_topn_agg/unread_max_added window_topn_agg/tumble_to_hop "
        "unread_below_rank/explicit_columns_count_removed unread_below_other/rank_over_projecting_subquery "
        "q00134 q02734 q01589 q00749 q05589 wtopn n00149 m00119 m00132 m00205 m00293 m00010"
    ),
    "a window keeps the rows of all grouping sets, kept apart by the number of each set": (
        "gs_tumble/middle_set_removed_and_filter gs_tumble/cube_to_rollup gs_window_more/hop_set_removed"
    ),
    "Flink computes aggregates in the order of the sink's columns": (
        "sink/column_list_and_reorder insert_columns/list_and_select_reordered "
        "insert_columns/window_sink_ddl_revenue_biggest_swapped"
    ),
    "Flink computes one aggregate twice if it is written in two ways": (
        "udagg_group/dup_aggregate_with_alias same_aggregate_twice/second_removed_respelled"
    ),
    "a reserved word is taken as the name of a column": "reserved_word/source_column_user_added",
    "a ranking does not store a column that is constant by the filter below": "q02372 topnconst",
    "with a filter above it, OVER stores all columns of its input, read or not": (
        "q01349 q00604 q04148 overddl overfilter q01193 n00185 n00506 n00436"
    ),
    "table.optimizer.multi-join.enabled makes another operator of a window join as well": "q01389",
    "a sort stores a column as often as it gives it": "q02400",
    "a ranking stores a computed sort key beside the columns": "n00897",
    "NOT NULL of a key goes through UNION ALL": "q01905 n00711 q05664",
    "a join key that is constant on both sides is no key": "n00789",
    "below a union, a Calc brings the group key to the front whatever columns the source has": "n00620",
}
TO_BE_MENDED = {id_: cause for cause, ids in _CAUSES.items() for id_ in ids.split()}
