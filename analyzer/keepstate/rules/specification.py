"""Ids of the specification, section by section, which rules, pages and tests refer to.

A rule names the ids that it implements, and its section on the rule page too. ``MEANINGS`` are ids that no single rule
can implement: they define verdicts and their combination.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SpecSection:
    number: int
    title: str
    ids: tuple[str, ...]


def _ids(family: str, count: int) -> tuple[str, ...]:
    return tuple(f"{family}-{number:02}" for number in range(1, count + 1))


SECTIONS = (
    SpecSection(1, "What results mean", _ids("OV", 4)),
    SpecSection(2, "Aggregations over window table-valued functions", _ids("WTVF", 30)),
    SpecSection(3, "Aggregations with group windows", _ids("GWA", 24)),
    SpecSection(4, "Top-N over windows", _ids("WTN", 13)),
    SpecSection(
        5,
        "Changes that are none",
        (*_ids("AL", 2), *_ids("FMT", 6), *_ids("STR", 5), *_ids("EQ", 6), *_ids("ID", 1)),
    ),
    SpecSection(6, "Group aggregations", _ids("GA", 14)),
    SpecSection(7, "OVER aggregations", _ids("OA", 12)),
    SpecSection(8, "Deduplication", _ids("DD", 7)),
    SpecSection(9, "Top-N", _ids("TN", 8)),
    SpecSection(10, "Window joins and window deduplication", (*_ids("WJ", 2), *_ids("WD", 2))),
    SpecSection(11, "Joins", (*_ids("JR", 5), *_ids("JI", 6), *_ids("JT", 3), *_ids("JL", 3))),
    SpecSection(12, "Pattern recognition", _ids("PR", 6)),
    SpecSection(
        13, "Filters, UNION ALL, sorting, LIMIT", (*_ids("WH", 4), *_ids("UA", 3), *_ids("TS", 4), *_ids("LM", 3))
    ),
    SpecSection(14, "Sources", _ids("SRC", 10)),
    SpecSection(15, "Sinks", _ids("SNK", 6)),
    SpecSection(16, "Other limits, configuration, engine", (*_ids("OL", 6), *_ids("CFG", 6))),
    SpecSection(17, "How changes combine", _ids("CMB", 4)),
)
SPEC_IDS = tuple(id_ for section in SECTIONS for id_ in section.ids)
MEANINGS = frozenset((*_ids("OV", 4), *_ids("CMB", 4)))
INFERRED = frozenset(
    "WTVF-29 WTVF-30 GWA-24 WTN-12 WTN-13 AL-02 FMT-01 FMT-02 FMT-03 FMT-04 FMT-05 FMT-06 STR-02 STR-04 STR-05 EQ-01"
    " EQ-02 EQ-03 EQ-04 EQ-06 ID-01 GA-10 GA-11 GA-12 GA-14 OA-08 OA-09 OA-10 OA-11 OA-12 DD-07 TN-08 WJ-01 WJ-02"
    " WD-01 WD-02 PR-06 WH-04 UA-03 CFG-03 CFG-06 CMB-02 CMB-04".split()
)
"""Ids that no page of the vendor has: they follow from other ids, or from the plans of Flink."""
