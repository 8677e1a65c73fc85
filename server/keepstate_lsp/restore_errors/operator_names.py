"""The query that an operator of Flink stands for, by the names of the operator in logs and stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """One kind of stateful operator. ``id`` is the kind of query in findings and rule pages; ``titles`` are the names
    of its operators in the plans that Keepstate makes. ``key`` and ``value`` say what in the SQL makes the key (empty:
    it has none) and the stored value of its state.
    """

    id: str
    words: str
    titles: tuple[str, ...]
    key: str
    value: str


_AGGREGATES = "the aggregates in SELECT and HAVING: which there are, in which order, with which types"
_COLUMNS = "the columns of the rows that it stores: which are read, in which order, with which types"
_SIDES = "the columns that are read of its inputs, with their types, and what kind of join it is"

WINDOW_AGGREGATE = OperatorKind(
    "window-tvf",
    "an aggregation over windows of TUMBLE, HOP, CUMULATE or SESSION in FROM",
    ("WindowAggregate", "WindowTableFunction"),
    "the GROUP BY columns besides window_start and window_end",
    _AGGREGATES,
)
GROUP_WINDOW = OperatorKind(
    "group-window",
    "an aggregation over TUMBLE, HOP or SESSION in GROUP BY",
    ("GroupWindowAggregate",),
    "the GROUP BY columns besides the window",
    _AGGREGATES,
)
GROUP_AGGREGATE = OperatorKind(
    "group-aggregate", "a GROUP BY without window, or a DISTINCT", ("GroupAggregate",), "GROUP BY", _AGGREGATES
)
OVER = OperatorKind(
    "over-aggregate",
    "an OVER aggregation",
    ("OverAggregate",),
    "PARTITION BY of the OVER clause",
    "the aggregates, their frame, and the columns of its input",
)
TOP_N = OperatorKind("top-n", "a Top-N (ROW_NUMBER ... <= N)", ("Rank",), "PARTITION BY of the ranking", _COLUMNS)
DEDUPLICATION = OperatorKind(
    "deduplication", "a deduplication (ROW_NUMBER ... = 1)", ("Deduplicate",), "PARTITION BY of the ranking", _COLUMNS
)
WINDOW_TOP_N = OperatorKind(
    "window-top-n",
    "a Top-N of each window",
    ("WindowRank",),
    "PARTITION BY of the ranking, besides window_start and window_end",
    _COLUMNS,
)
WINDOW_DEDUPLICATION = OperatorKind(
    "window-deduplication",
    "a deduplication of each window",
    ("WindowDeduplicate",),
    "PARTITION BY of the ranking, besides window_start and window_end",
    _COLUMNS,
)
JOIN = OperatorKind("regular-join", "a join", ("Join",), "the equalities in ON", _SIDES)
INTERVAL_JOIN = OperatorKind("interval-join", "an interval join", ("IntervalJoin",), "the equalities in ON", _SIDES)
WINDOW_JOIN = OperatorKind(
    "window-join", "a window join", ("WindowJoin",), "the equalities in ON, besides those of the windows", _SIDES
)
TEMPORAL_JOIN = OperatorKind(
    "temporal-join", "a join FOR SYSTEM_TIME AS OF", ("TemporalJoin",), "the equalities in ON", _SIDES
)
LOOKUP_JOIN = OperatorKind("lookup-join", "a lookup join", ("LookupJoin",), "the equalities in ON", _SIDES)
PATTERN = OperatorKind(
    "pattern-recognition",
    "a MATCH_RECOGNIZE",
    ("Match",),
    "PARTITION BY of the pattern",
    "the columns of its input, and the variables of PATTERN",
)
SORT = OperatorKind("temporal-sort", "an ORDER BY time", ("TemporalSort",), "", _COLUMNS)
LIMIT = OperatorKind("limit", "an ORDER BY ... LIMIT", ("SortLimit", "Limit"), "", _COLUMNS)
SINK = OperatorKind(
    "sink",
    "a sink that Flink sorts updates for (SinkUpsertMaterializer)",
    (),
    "the primary key of the sink",
    "the columns that are written to the sink, with their types",
)
NORMALIZATION = OperatorKind(
    "source",
    "a source whose changes Flink completes (ChangelogNormalize)",
    (),
    "the primary key of the source",
    "the columns that are read of the source, with their types",
)

# By the package of a class below org.apache.flink.table.runtime.operators; the first one that fits a trace counts, for
# a Top-N of windows runs inside of the operator for window aggregations.
_PACKAGES = (
    ("rank.window.", WINDOW_TOP_N),
    ("deduplicate.window.", WINDOW_DEDUPLICATION),
    ("join.window.", WINDOW_JOIN),
    ("join.interval.", INTERVAL_JOIN),
    ("join.temporal.", TEMPORAL_JOIN),
    ("join.lookup.", LOOKUP_JOIN),
    ("join.stream.", JOIN),
    ("aggregate.window.", WINDOW_AGGREGATE),
    ("aggregate.asyncwindow.", WINDOW_AGGREGATE),
    ("window.groupwindow.", GROUP_WINDOW),
    ("aggregate.", GROUP_AGGREGATE),
    ("over.", OVER),
    ("rank.", TOP_N),
    ("deduplicate.", DEDUPLICATION),
    ("match.", PATTERN),
    ("sort.SortLimit", LIMIT),
    ("sort.", SORT),
    ("sink.SinkUpsertMaterializer", SINK),
    ("sink.WatermarkCompactingSinkMaterializer", SINK),
)
_KEYED = (GROUP_AGGREGATE, OVER, TOP_N, DEDUPLICATION, LIMIT, SORT, NORMALIZATION)
# The classes of operators, which name a state backend that cannot be restored. Those that many queries share leave the
# kind open.
_CLASSES = {
    "WindowAggOperator": (WINDOW_AGGREGATE, WINDOW_TOP_N, WINDOW_DEDUPLICATION),
    "AsyncStateWindowAggOperator": (WINDOW_AGGREGATE,),
    "SlicingWindowOperator": (WINDOW_AGGREGATE, WINDOW_TOP_N, WINDOW_DEDUPLICATION),
    "AggregateWindowOperator": (GROUP_WINDOW,),
    "TableAggregateWindowOperator": (GROUP_WINDOW,),
    "KeyedProcessOperator": _KEYED,
    "KeyedMapBundleOperator": (GROUP_AGGREGATE, DEDUPLICATION, NORMALIZATION),
    "StreamingJoinOperator": (JOIN,),
    "MiniBatchStreamingJoinOperator": (JOIN,),
    "StreamingSemiAntiJoinOperator": (JOIN,),
    "StreamingMultiJoinOperator": (JOIN,),
    "AsyncStateStreamingJoinOperator": (JOIN,),
    "KeyedCoProcessOperatorWithWatermarkDelay": (INTERVAL_JOIN,),
    "KeyedCoProcessOperator": (INTERVAL_JOIN,),
    "WindowJoinOperator": (WINDOW_JOIN,),
    "AsyncStateWindowJoinOperator": (WINDOW_JOIN,),
    "TemporalRowTimeJoinOperator": (TEMPORAL_JOIN,),
    "TemporalProcessTimeJoinOperator": (TEMPORAL_JOIN,),
    "CepOperator": (PATTERN,),
    "RowTimeSortOperator": (SORT,),
    "ProcTimeSortOperator": (SORT,),
    "SinkUpsertMaterializer": (SINK,),
    "SinkUpsertMaterializerV2": (SINK,),
}
# The names of tasks, as in "GroupAggregate[5]".
_TASKS = {
    "WindowAggregate": WINDOW_AGGREGATE,
    "GlobalWindowAggregate": WINDOW_AGGREGATE,
    "GroupWindowAggregate": GROUP_WINDOW,
    "GroupAggregate": GROUP_AGGREGATE,
    "GlobalGroupAggregate": GROUP_AGGREGATE,
    "IncrementalGroupAggregate": GROUP_AGGREGATE,
    "OverAggregate": OVER,
    "Rank": TOP_N,
    "Deduplicate": DEDUPLICATION,
    "WindowRank": WINDOW_TOP_N,
    "WindowDeduplicate": WINDOW_DEDUPLICATION,
    "Join": JOIN,
    "MultiJoin": JOIN,
    "IntervalJoin": INTERVAL_JOIN,
    "WindowJoin": WINDOW_JOIN,
    "TemporalJoin": TEMPORAL_JOIN,
    "Match": PATTERN,
    "TemporalSort": SORT,
    "SortLimit": LIMIT,
    "Limit": LIMIT,
    "SinkMaterializer": SINK,
    "ChangelogNormalize": NORMALIZATION,
}

_FRAME = re.compile(r"org\.apache\.flink\.table\.runtime\.operators\.([\w.$]+)")
_CEP = "org.apache.flink.cep."
_BACKEND = re.compile(r"(?:state backend|state) for (\w+?)_[0-9a-f]{32}")
_TASK = re.compile(r"\b([A-Z][A-Za-z]+)\[\d+\]")


def operator_kinds(text: str) -> tuple[OperatorKind, ...]:
    """The kinds of operator that the text of an error can be about, the most telling name in it deciding; empty where
    it names none.
    """
    frames = _FRAME.findall(text)
    for package, kind in _PACKAGES:
        if any(frame.startswith(package) for frame in frames):
            return (kind,)
    if _CEP in text:
        return (PATTERN,)
    tasks = tuple(dict.fromkeys(_TASKS[name] for name in _TASK.findall(text) if name in _TASKS))
    classes = _of_classes(_BACKEND.findall(text))
    both = tuple(kind for kind in classes if kind in tasks)
    return both or classes or tasks


def _of_classes(names: Iterable[str]) -> tuple[OperatorKind, ...]:
    return tuple(dict.fromkeys(kind for name in names for kind in _CLASSES.get(name, ())))
