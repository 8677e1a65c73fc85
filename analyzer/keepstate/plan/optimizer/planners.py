"""Planners of open-source Flink, by what they do with columns and joins that nothing reads.

Measured on 1.20.5, 2.1.3, 2.2.1 and 2.3.0, in 90 shapes of queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from keepstate.plan.catalog import Catalog
from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.expressions import Expr
from keepstate.plan.operators import Aggregate


class PlannerGeneration(Enum):
    """A generation of the planner, by its first version of Flink.

    The oldest one drops all columns below COUNT(*), and an OVER window there. That of 2.2 keeps all, and that of 2.3
    the only column of a row. Both keep the window, and drop outer joins that nothing reads.
    """

    OLDEST = (0, 0)
    FROM_2_2 = (2, 2)
    FROM_2_3 = (2, 3)

    @staticmethod
    def of(flink: tuple[int, int]) -> PlannerGeneration:
        """The planner of a version of Flink.

        >>> [PlannerGeneration.of(each).name for each in ((0, 9), (2, 1), (2, 2), (2, 3), (2, 4))]
        ['OLDEST', 'OLDEST', 'FROM_2_2', 'FROM_2_3', 'FROM_2_3']
        """
        return max((each for each in PlannerGeneration if each.value <= flink), key=lambda each: each.value)

    @staticmethod
    def of_version(text: str | None) -> PlannerGeneration:
        """The planner of an engine's version as it is written; the newest one if it names no Flink.

        >>> [PlannerGeneration.of_version(each).name for each in ("1.20", "vvr-11.1-flink-1.20", None)]
        ['OLDEST', 'OLDEST', 'FROM_2_3']
        """
        flink = EngineVersion.of(text).flink if text is not None else None
        return NEWEST_GENERATION if flink is None else PlannerGeneration.of(flink)

    @property
    def removes_joins(self) -> bool:
        return self is not PlannerGeneration.OLDEST

    @property
    def keeps_constant_numbers(self) -> bool:
        """Return whether a ranking may store the number 1 of a ranking below it (so does Flink 2.1 already)."""
        return self is not PlannerGeneration.OLDEST

    def keeps_window_below(self, aggregate: Aggregate) -> bool:
        """Return whether an OVER window right below an aggregation stays, read or not."""
        return aggregate.counts_rows and self is not PlannerGeneration.OLDEST

    def counted_columns(self, aggregate: Aggregate) -> tuple[Expr, ...]:
        """The columns that COUNT(*) reads, of those of its input.

        >>> counted = root("SELECT COUNT(*) FROM (SELECT id, buyer FROM orders)")
        >>> [len(each.counted_columns(counted)) for each in PlannerGeneration]
        [0, 2, 0]
        """
        row = aggregate.counted_row
        match self:
            case PlannerGeneration.OLDEST:
                return ()
            case PlannerGeneration.FROM_2_2:
                return row
            case PlannerGeneration.FROM_2_3:
                return row if len(row) == 1 else ()

    def projected_columns(self, aggregate: Aggregate) -> tuple[Expr, ...]:
        """The columns to which the input of COUNT(*) is projected: the oldest planner too leaves the one column of an
        aggregation as it is.

        >>> counted = root("SELECT COUNT(*) FROM (SELECT DISTINCT buyer FROM orders)")
        >>> [len(each.projected_columns(counted)) for each in PlannerGeneration]
        [1, 1, 1]
        """
        below, row = aggregate.input, aggregate.counted_row
        if (
            self is PlannerGeneration.OLDEST
            and isinstance(below, Aggregate)
            and below.words != "UNION"
            and len(row) == 1
        ):
            return row
        return self.counted_columns(aggregate)


NEWEST_GENERATION = PlannerGeneration.FROM_2_3
OLDER_GENERATIONS = tuple(each for each in PlannerGeneration if each is not NEWEST_GENERATION)


@dataclass(frozen=True)
class PlannerContext:
    """A planner of open-source Flink, with the declarations in force."""

    planner: PlannerGeneration
    catalog: Catalog
