"""Reasons why stored state may differ without a change in the diff of the plans: a second opinion on both.

The diff compares the meanings of queries, the layouts compare the state that Flink stores. Where only the layouts
differ, one of the two is wrong, or Flink stores by more than the meaning: such causes stand here. Every other
disagreement is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from keepstate import JobVersion
from keepstate.engines.flink.assessment import FlinkAssessment
from measured import given_pairs, own_pairs, sampled_pairs
from shared_analyses import analyse
from truth import planned_pairs

_CAUSES = {
    "operator ids and offsets follow the order of the text: of INSERTs, of the inputs of a union and of a join": (
        "edit:union-swapped statement_set/insert_moved_to_front regular_join/sides_swapped "
        "join/swap join_more/sides union/swap setop/distinct_union setop_more/swapped setop_a/swapped set_p/swap"
    ),
    "a query without state is not compared, and shares its source with one that has some": "set_p/where set_p/expr",
    "keys of a join are stored in the order of its conditions": "edit:join-key-reordered join2/order_of_keys",
    "a source of upserts keeps what is read of it, to say what was before": "upsl/*",
    "lookup joins keep nothing, and by the documents are no part of what state is made of": (
        "edit:lookup-condition-removed q00408 q03014 lookup_agg/lookup_removed lu/gone lookup_in_front_of_state/*"
    ),
    "a sort stores computed columns, which by the documents it does not": (
        "edit:value-constant edit:value-operator sort_row/*"
    ),
    "rankings, OVER windows and patterns store columns that nothing reads, and a constant or a filter moves them": (
        "edit:filter-key-constant q01349 q04148 overfilter "
        "held_by_over/* held_by_rank/* insert_column_list/over_left_out_column ovl/lead lag_offset/bare_to_one"
    ),
    "calls are merged by how their operands are written": (
        "udagg_group/dup_aggregate_with_alias same_aggregate_twice/second_removed_respelled one_meaning_two_ways/* "
        "one_meaning_two_spellings/*"
    ),
    "limits and OVER windows keep what the query gives that is limited, or all of their input": (
        "below_limit/* held_by_over_of_results/*"
    ),
    "a computed column and what it says are two columns of a stored row": (
        "respelled/* respelled_view/* respelled_above_rows/* beside_columns/*"
    ),
    "ids follow the shape, which unread columns below a ranking and the operands of dropped calls decide": (
        "union_unread/* dropped/*"
    ),
    "sub-plans of several statements are one if they are written alike": "shared_by_inserts/*",
    "results without a name are numbered by the columns of the target, and sub-plans go by names": "insert_columns/*",
    "what stands behind the last state reaches a sink that keeps rows": "sink_that_keeps_rows/*",
    "a ranking that gives numbers keeps more rows": "topn/drop_rank_column topn2/drop_rn rank_number/* rank_offset/*",
    "grouping sets are open in the documents, so the diff says only that both sides have some": (
        "gs_unbounded/to_cube gs_tumble/* gs_window_more/hop_set_removed case/grouping_sets gs/* rollup/to_cube "
        "sets_of_windows/*"
    ),
}
EXPLAINED = {pattern: cause for cause, patterns in _CAUSES.items() for pattern in patterns.split()}
"""Causes by the kinds of planned pairs and the ids of restored ones, as patterns."""


def patterns_of(name: str) -> frozenset[str]:
    """The patterns that explain the disagreements of a kind or an id."""
    return frozenset(pattern for pattern in EXPLAINED if fnmatchcase(name, pattern))


Compared = tuple[str, JobVersion, JobVersion]
"""A kind or an id, the current version, and the baseline."""


def compared() -> Iterator[Compared]:
    """All pairs of the corpora, each with what it is explained by: its kind or id."""
    for planned in planned_pairs():
        yield planned.kind, JobVersion(planned.b), JobVersion(planned.a)
    for pair in (*given_pairs("pairs"), *given_pairs("pairs-2"), *sampled_pairs(), *own_pairs()):
        yield pair.id, *pair.versions


def disagreements(pairs: Iterable[Compared]) -> Iterator[tuple[str, str]]:
    """The kinds and ids with state that differs for no change of the diff, each with the operators and how they do."""
    for name, current, baseline in pairs:
        for one in FlinkAssessment.of(analyse(current, baseline, "flink").comparison.diff).disagreements:
            yield name, f"{one.numbers} {one.difference.part.name}: {one.difference.reason}"
