"""Result of the translation of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepstate.physical.execution_nodes import ExecNode
from keepstate.physical.translation.scans import NormalizedSource, Row


@dataclass
class TranslatedQuery:
    """The nodes of a query: the one of its sink, and those that keep state by the operators of its plan.

    ``normalized`` are the ChangelogNormalize nodes behind sources of upserts, by the scan. ``joins`` are those that are
    planned below the aggregations of INTERSECT and EXCEPT, by the set operation.
    ``key_orders`` are the group keys of aggregations in the order of the physical plan. ``materializer`` puts updates
    into order in front of the sink.
    """

    root: ExecNode
    stateful: dict[int, ExecNode] = field(default_factory=dict)
    sources: dict[int, ExecNode] = field(default_factory=dict)
    normalized: dict[int, NormalizedSource] = field(default_factory=dict)
    joins: dict[int, ExecNode] = field(default_factory=dict)
    materializer: ExecNode | None = None
    key_orders: dict[int, Row] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    """Rows of operators whose plan does not determine them: sessions until they end, where nothing aggregates them at
    once, sorts and limits.
    """
