"""Reasons for predictions that differ from the measurement, pair by pair: without a reason it is a mistake.

Most are of one kind: the state is wrong, and the rows of the test did not show it. Keepstate goes by the stored state.
"""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.report import Effect
from measured import MeasuredPair

_UNSEEN = {
    "cumulate_tvf/window_size_15": "the windows that were open at this savepoint end alike; two others show it",
    "tumble_tvf/to_cumulate": "at this savepoint no window was filled beyond its first step; two others show it",
    "group_agg/sum_to_max_same_type": "sums are read as maxima, above which no row came; another savepoint shows it",
    "shape/two_change_one": "sums are read as maxima, above which no row came",
    "window_topn/n_2_to_3": "rows beyond the second are dropped as they arrive in one bundle; here all arrived apart",
    "wf_session/later_to_much_later": "the sessions that were open at the savepoint pass the new filter as well",
    "wtopn/n_1_3": "rows beyond the first are dropped as they arrive in one bundle; here all arrived apart",
    "waggtopn/n": "rows beyond the first are dropped as they arrive in one bundle; here all arrived apart",
    "topn/n_2_to_3": "third rows are not in the state; better ones came and hid it",
    "topn/n_3_to_2": "the row that is too many is taken back unsent, which the rank number hides here",
    "topn/drop_rank_column": "no row came that pushes one out behind which another is kept; ten more pairs show it",
    "topn/where": "the best rows of the state pass the new filter as well",
    "topn/nulls": "the sort column has no NULL in these rows",
    "dedup/where": "the rows that are stored pass the new filter as well",
    "dedup/col_same_type": "a first row is kept only until it is sent, and none was waiting at the savepoint",
    "join/where_right": "the rows that are stored pass the new filter as well",
    "ijoin/left_narrow": "rows that have had partners only under the wider bounds did not occur",
    "interval_join/to_left": "inner joins do not mark who has found a partner; it shows in other runs of the same pair",
    "case/max_str": "the largest texts of both columns hide one another in these rows",
    "case/max_str_upper": "texts in capital letters sort in front of the stored ones in these rows",
    "case/coalesce": "the column has no NULL in these rows",
    "case/avg_double": "a mean begins with zero and a sum with NULL: only a group without values would show it",
    "case/avg_long": "a mean begins with zero and a sum with NULL: only a group without values would show it",
    "case/global_sum_max": "sums are read as maxima, above which no row came",
    "tvf2/cascade": "sums are read as maxima, above which no row came",
    "over2/proc_to_row": "totals go on by another clock, and the rows of the test came in the order of both",
    "topn2/norn_3_2": "a row that is too many goes unnoticed as long as no better one comes",
    "topn2/rn_3_2": "the row that is too many is taken back unsent, which the rank number hides here",
    "topn2/n_7_3": "the rows that are too many are taken back unsent, which the rank number hides here",
    "join2/agg_above": "sums are read as maxima, above which no row came",
    "setop/distinct_union": "offsets of the one table are read for the other, and they are alike here",
    "ddl2/row_order": "stored rows are read with two columns swapped, and none of them had to leave here",
    "group/count_to_count_arg": "the column has no NULL in these rows",
    "dedup_rowtime/desc_to_asc": "1.20 keeps the last row as the first one; no row came out of order to show it",
    "dedup/desc_to_asc": "1.20 keeps the last row as the first one; no row came out of order to show it",
}
_UNSEEN_ALIKE = {
    "sums are read as maxima, above which no row came": "g/sum_to_max set_r/other topg/max",
    "the column has no NULL in these rows": "g/where_notnull topg/count_cnt_a fn/count_expr",
    "a sum passes over NULL: only a group of nothing else would show it": "null2/coalesce null2/notnull",
    "what the former filter let pass does not show in these rows": (
        "setop_more/where setop_e/where slw/where anti/cond ljoin/on_cond_l ij/cond topn_more/inner_where dd/where "
        "set/where_second vset/where_one nest/having_inner fn/cd_filter fnw/cd_filter"
    ),
    "the row that is too many goes unnoticed as long as no better one comes": "sl/n2",
    "rows beyond the limit are dropped as they arrive in one bundle; here all arrived apart": "wt/n5 wt/asc",
    "offsets of the one table are read for the other; rows that are read twice change no set": "setop_more/swapped",
    "rows that wait for the watermark are few, and none of them found a version": "tj/col_left_same",
    "no row was without elements, so both kinds of joins gave the same": "unnest/left",
    "stored rows are read with two columns swapped, and none of them had to leave here": "ddl_topn/swap_ab",
    "a first value never changes, so nothing is sent that would show it": "fn/first_b",
    "later times are no smaller than the largest one, so nothing is sent that would show it": "fn/max_ts",
    "the wider numbers hold the same values; it shows where one does not fit": "fn/dec",
    "the windows that were open at these savepoints end alike": "casc/inner_size",
    "the texts of these rows have no blanks around them, so keys stay as they are": "g/key_trim",
}
_UNSEEN |= {id_: why for why, ids in _UNSEEN_ALIKE.items() for id_ in ids.split()}
_UNSEEN_IN_JOBS = {
    "rank_number/unique_ts_asc_2": "rows came in the order of their time, so none pushed another one out",
    "rank_number/unique_ts_asc_3": "rows came in the order of their time, so none pushed another one out",
    "window_topn_agg/n_2_to_3": (
        "rows beyond the second are dropped as they arrive in one bundle; here all arrived apart"
    ),
}
_UNSEEN_IN_SAMPLE = {
    "q05696": "rows that wait for the watermark are few, and none of them was sent in another order",
    "q00781": "rows that passed the former filter of one branch never were the largest",
    "union": "rows that passed the former filter of one branch never were the largest",
}
_UNSEEN |= _UNSEEN_IN_JOBS | _UNSEEN_IN_SAMPLE
_BETWEEN = {
    "mr/part": "rows of the former keys that wait for their time match nothing in these rows",
    "window_topn/order_other_column_same_type": (
        "stored rows keep their place by the former column; here none of them got to the top, which looks like lost"
    ),
    "case/where_const_other": "groups of the former constant are never asked for again in these rows",
    "over2/minmax": "the stored smallest value is above all later ones, which looks like none",
    "over_frames/max_range_col_other": "stored values of the former column never were the largest",
}
_BETWEEN |= dict.fromkeys(
    (
        "group_agg/group_key_order group_agg/replace_group_key_same_type nested/key_upper group/key_expr gs/swap "
        "topn/partition_same_row dedup/part_in_row dedup/proc_asc_part keys/three_swap g/key_replace"
    ).split(),
    "no value of the new keys is one of the former keys in these rows; in others it may be",
)
_ADDED = {
    "tj/agg": "the new aggregation begins with empty state, as the profile says",
    "reuse/three": "the new query begins with empty state, as the profile says",
    "shape/add_other_source": "the new source begins from its start, as the profile says; its rows were read before",
    "shape/add_other_source_agg": "the new query begins with empty state, as the profile says",
    "shape/add_second_query": (
        "the new query begins with empty state, as the profile says; measured against one that always ran, rows differ"
    ),
}
_LOST_ABOVE = {
    "topn/agg_max_n": (
        "the ranking begins without rows, as the profile says, and the aggregation below it goes on: "
        "the rows are those of neither run"
    ),
}


def reason(pair: MeasuredPair, predicted: Effect) -> str:
    """The reason why ``predicted`` differs from the measurement; empty for a mistake."""
    if not pair.discriminating and predicted in (Effect.STATE_LOST, Effect.WRONG_RESULTS):
        return "the rows of this test cannot tell"
    if pair.note and predicted in (Effect.STATE_LOST, Effect.WRONG_RESULTS):
        return pair.note
    if predicted is Effect.UNDETERMINED:
        return "not modelled, and said so"
    if predicted is Effect.WRONG_RESULTS and pair.effect is Effect.EXACT:
        return _UNSEEN.get(pair.id, "")
    if predicted is Effect.WRONG_RESULTS and pair.effect is Effect.STATE_LOST:
        return _BETWEEN.get(pair.id, "")
    if predicted is Effect.STATE_LOST and pair.effect is Effect.WRONG_RESULTS:
        return _LOST_ABOVE.get(pair.id, "")
    if predicted is Effect.STARTS_EMPTY:
        return _ADDED.get(pair.id, "")
    return ""


def needless(predictions: Iterable[tuple[MeasuredPair, Effect]]) -> list[str]:
    """The pairs that have a reason here and agree under each setting, or are not among ``predictions``."""
    used = {pair.id for pair, predicted in predictions if predicted is not pair.effect and reason(pair, predicted)}
    return sorted({*_UNSEEN, *_BETWEEN, *_ADDED, *_LOST_ABOVE} - used)
