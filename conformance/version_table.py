#!/usr/bin/env python3
"""The page docs/conformance.md: what a restart did after each edit, on each version of Flink.

A row is one restart: an edit that one rule is about. ``--check`` writes nothing and ends with 1 if the page is not the
one that follows from the data.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from candidates import Candidate, MeasuredExample, chosen
from version_differences import CAUSES
from version_store import NOT_RUN, by_key, measured_versions

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
NOT_MEASURED, REFUSED, STARTS = "not measured", "refused", "starts"
WORDS = {"E": "exact", "L": "state lost", "D": "wrong results", "F": "does not start", "S": STARTS}
_REFUSES = f"{NOT_RUN}Flink does not take"
_NAMED = re.compile(r"[\w.]*Exception: |\b(?:com|org)\.[\w.]+|[0-9a-f]{32}")
_LONGEST = 140
_INTRODUCTION = """\
<!-- Made by conformance/version_table.py from conformance/versions/. -->

# What a restart did, edit by edit and version by version

Each row of these tables is one edit, restarted on each version of Flink. A job runs on the first part of some rows
and is stopped with a savepoint. The changed job continues from the savepoint with the other rows. An edit has the
name of its rule, and of the example of the rule page or the pair. The rows are the same on all versions.

*Basis: measured on real Flink. What Keepstate predicts is in [predictions](predictions.md), with more measurements.*

| cell | meaning |
|---|---|
| exact | the rows are those of the changed job if it had always run |
| state lost | the rows are those of a start without state |
| wrong results | the rows are neither |
| does not start | Flink refuses the savepoint, or the job fails with it |
| starts | it starts; its rows differ from run to run, or are the same with and without state |
| refused | this version does not take one of the two scripts |
| not measured | this restart was not tried on this version, or could not be |

* A savepoint is always restored on the version that wrote it.
* **Bold** rows differ between versions; [the reasons](#versions-that-differ) are below.
* Outcomes hold for one position of the savepoint and these rows, so *exact* proves less than the others.
* `make conformance FLINK=1.20` measures a version: first this table, then all other examples and pairs.
"""


@dataclass(frozen=True)
class Row:
    """One restart by version; ``cells`` are in the order of ``versions``."""

    candidate: Candidate
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Return whether two versions did different things; refusals and missing cells are no outcomes."""
        outcomes = set(self.cells) - {NOT_MEASURED, REFUSED}
        # What only starts may be anything but a job that does not.
        decided = outcomes - {STARTS}
        return len(decided) > 1 or outcomes == {STARTS, WORDS["F"]}


def cell(outcome: str | None) -> str:
    """The word for a stored outcome.

    >>> cell("D?"), cell("E?"), cell("not run: Flink does not take the baseline: x"), cell(None)
    ('wrong results', 'starts', 'refused', 'not measured')
    """
    if outcome is None or outcome.startswith(NOT_RUN):
        return REFUSED if outcome is not None and outcome.startswith(_REFUSES) else NOT_MEASURED
    # Rows that come out alike with state and without show no more than that it starts.
    return STARTS if outcome in ("E?", "L?") else WORDS[outcome[0]]


def rows() -> tuple[Row, ...]:
    """The rows of the table: of every candidate that was measured, by page and rule."""
    versions, outcomes = measured_versions(), by_key()
    found = (
        Row(candidate, tuple(cell(outcomes.get(candidate.key, {}).get(version)) for version in versions))
        for candidate in chosen()
    )
    return tuple(sorted(found, key=lambda row: (row.candidate.rule, row.candidate.key)))


def page() -> str:
    """The document."""
    versions, every = measured_versions(), rows()
    lines = [_INTRODUCTION, *_coverage(versions, every)]
    for query, of_query in groupby(every, key=lambda row: row.candidate.rule.partition("/")[0]):
        lines += [f"## {query}\n", *_table(versions, list(of_query)), ""]
    lines += _differing(versions, every)
    lines += _refusals(versions, every)
    return "\n".join(lines).rstrip() + "\n"


def _coverage(versions: Sequence[str], every: Sequence[Row]) -> Iterator[str]:
    yield f"{len(every)} restarts; of all examples and pairs, more were measured on some versions:\n"
    yield "| Flink | restarts of this table with an outcome | all that were measured |"
    yield "|---|---|---|"
    outcomes = by_key()
    for place, version in enumerate(versions):
        here = sum(row.cells[place] not in (NOT_MEASURED, REFUSED) for row in every)
        all_of_it = sum(not outcome.get(version, NOT_RUN).startswith(NOT_RUN) for outcome in outcomes.values())
        yield f"| {version} | {here} | {all_of_it} |"
    yield ""


def _table(versions: Sequence[str], of_query: Sequence[Row]) -> Iterator[str]:
    yield f"| edit | restart | {' | '.join(versions)} |"
    yield f"|---|---|{'---|' * len(versions)}"
    for row in of_query:
        cells = (f"**{word}**" if row.differs else word for word in row.cells)
        yield f"| {_link(row.candidate)} | {_name(row.candidate)} | {' | '.join(cells)} |"


def _link(candidate: Candidate) -> str:
    query, _, rule = candidate.rule.partition("/")
    return f"[{rule}](rules/{query}.md#{rule})"


def _name(candidate: Candidate) -> str:
    return f"`{candidate.key.rpartition('/')[2] if isinstance(candidate, MeasuredExample) else candidate.key}`"


def _differing(versions: Sequence[str], every: Sequence[Row]) -> Iterator[str]:
    yield "## Versions that differ\n"
    differing = [row for row in every if row.differs]
    if not differing:
        yield "None.\n"
        return
    yield f"| edit | restart | {' | '.join(versions)} | why |"
    yield f"|---|---|{'---|' * len(versions)}---|"
    for row in differing:
        why = CAUSES.get(row.candidate.key, "**not explained**")
        yield f"| {_link(row.candidate)} | {_name(row.candidate)} | {' | '.join(row.cells)} | {why} |"
    yield ""


def _refusals(versions: Sequence[str], every: Sequence[Row]) -> Iterator[str]:
    """The sentences of Flink for scripts that a version refuses and the newest takes, with the versions."""
    outcomes = by_key()
    found: dict[str, dict[str, set[str]]] = {}
    for row in every:
        refusing = [version for version, word in zip(versions, row.cells, strict=True) if word == REFUSED]
        for version in refusing:
            sentence = outcomes[row.candidate.key][version].removeprefix(NOT_RUN)
            words = " ".join(_NAMED.sub("", sentence).split()).strip(" :.")[:_LONGEST]
            found.setdefault(words, {}).setdefault(version, set()).add(_name(row.candidate))
    if not found:
        return
    yield "## Scripts that a version refuses\n"
    for words, by_version in found.items():
        names = sorted(set().union(*by_version.values()))
        yield f"* {words.replace('|', ' ')} ({', '.join(by_version)}: {', '.join(names)})"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    arguments = parser.parse_args()
    text = page()
    if arguments.check:
        if not PAGE.is_file() or PAGE.read_text("utf-8") != text:
            print(f"{PAGE} is out of date; run conformance/version_table.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
