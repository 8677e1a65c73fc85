"""Small edits of a thousand queries: another state in Flink's plan is felt, and the same state is silent.

``edited_queries.tsv`` has queries in the manner of jobs, and below each its edits: one token that became another. Each
edit has two facts of Flink 2.3.0: whether the operators with state, and all below them, are the ``same`` in both plans.
It also has the engines to which the change fits all the same, such as a Top-N over changes with another N.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import keepstate
from keepstate.report import Verdict

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class EditedQuery:
    tables: str
    query: str
    edited: str
    is_same: bool
    fitting: frozenset[str]


def edits() -> list[EditedQuery]:
    parts = ("\n" + (FOLDER / "edited_queries.sql").read_text("utf-8")).split("\n-- ")[1:]
    tables = dict(part.split("\n", 1) for part in parts)
    result: list[EditedQuery] = []
    name = query = ""
    for line in (FOLDER / "edited_queries.tsv").read_text("utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) == 2:
            name, query = fields
        elif not line.startswith("#"):
            _, at, before, after, state, engines = fields
            begin = int(at)
            edited = query[:begin] + after + query[begin + len(before) :]
            fitting = frozenset(() if engines == "-" else engines.split())
            result.append(EditedQuery(tables[name], query, edited, state == "same", fitting))
    return result


EDITS = edits()
PARTS = 24


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_edits_are_felt_as_flink_plans_them(part: int, engine: str) -> None:
    wrong = []
    for edit in EDITS[part::PARTS]:
        former, changed = (keepstate.JobVersion(edit.tables + query) for query in (edit.query, edit.edited))
        fits = keepstate.check(changed, former, engine).verdict is Verdict.COMPATIBLE
        if fits != (engine in edit.fitting):
            wrong.append((edit.query, edit.edited))
    assert not wrong


def test_the_same_state_fits_in_flink() -> None:
    same = [edit for edit in EDITS if edit.is_same]
    assert len(same) > 500
    assert all("flink" in edit.fitting for edit in same)


def test_another_state_is_felt_in_nearly_all_edits() -> None:
    """The changes of the rest were restored exactly, or are another column of the same content."""
    others = [edit for edit in EDITS if not edit.is_same]
    assert len(others) > 1_200
    assert sum("flink" in edit.fitting for edit in others) < len(others) // 15
