"""Result of the translation of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field

from keepstate.physical.nodes import Node
from keepstate.physical.translation.scans import Normalized, Row


@dataclass
class Translated:
    """The nodes of a query: the one of its sink, and those that keep state by the operators of its plan.

    ``normalized`` are the ChangelogNormalize nodes behind sources of upserts, by the scan. ``joins`` are those that are
    planned below the aggregations of INTERSECT and EXCEPT, by the set operation.
    ``key_orders`` are the group keys of aggregations in the order of the physical plan. ``materializer`` puts updates
    into order in front of the sink.
    """

    root: Node
    stateful: dict[int, Node] = field(default_factory=dict)
    sources: dict[int, Node] = field(default_factory=dict)
    normalized: dict[int, Normalized] = field(default_factory=dict)
    joins: dict[int, Node] = field(default_factory=dict)
    materializer: Node | None = None
    key_orders: dict[int, Row] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    """Rows of operators whose plan does not determine them: sessions until they end, where nothing aggregates them at
    once, sorts and limits.
    """
