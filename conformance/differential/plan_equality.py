"""Equality of two planned scripts: of their plans, of what they store, and of operator ids."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass

from keepstate_flink.plans.equality import plan_lines
from planned_scripts import PlannedScript
from stored_meaning import stored_meanings

_NUMBER = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class Comparison:
    """Facts about two planned scripts, as the fields of the measured pairs have them."""

    plan_equal: bool
    ids_equal: bool
    schema_equal: bool
    meaning_equal: bool

    @property
    def state_equal(self) -> bool:
        return self.schema_equal and self.meaning_equal


def compared(a: PlannedScript, b: PlannedScript, means_the_same: bool = False) -> Comparison:
    """The comparison of two scripts that Flink planned; the meaning is not traced where it is known to be the same."""
    assert a.plan is not None and b.plan is not None
    return Comparison(
        plan_equal=plan_lines(a.plan) == plan_lines(b.plan),
        ids_equal=_ids(a) == _ids(b),
        schema_equal=_schema(a) == _schema(b),
        meaning_equal=means_the_same or stored_meanings(a.plan) == stored_meanings(b.plan),
    )


def stored_lines(planned: PlannedScript) -> list[str]:
    """Stored state and operators as lines to be shown."""
    assert planned.plan is not None
    operators = [json.dumps(operator) for operator in planned.operators]
    return [*sorted(operators), *sorted(map(str, stored_meanings(planned.plan).elements()))]


def _schema(planned: PlannedScript) -> Counter[str]:
    keyed = [operator for operator in planned.operators if not operator["source"]]
    return Counter(json.dumps([operator["key"], operator["kept"]]) for operator in keyed)


def _ids(planned: PlannedScript) -> Counter[str]:
    """Ids of operators with keys, and those of sources with their tables."""
    return Counter(
        f"{operator['id']} {_NUMBER.sub('', operator['name'])}" if operator["source"] else operator["id"]
        for operator in planned.operators
    )
