"""The measured sets of this folder as records: the one place that knows their files, fields and compression.

README.md says what each set is. A field of a line that its record does not have is an error (``TypeError``), so a newer
set is read completely or not at all.

    >>> case = spec_cases()[0]
    >>> case.expect
    'partial'
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).parent
SPEC_CASES = HERE / "spec" / "cases"
RESTORES = HERE / "restores"
GOLDEN = HERE / "golden"
QUERIES = HERE / "queries"
VALIDATION = HERE / "validation"
EQUIVALENCE = HERE / "equivalence"


@dataclass(frozen=True)
class SpecCase:
    """Two scripts and the verdict that the specification gives them (profile ``vvr``)."""

    id: str
    rule: str
    kind: str
    baseline: str
    current: str
    expect: str
    clauses: tuple[str, ...]
    """Texts that findings underline, the main one first."""
    inferred: bool
    why: str
    clause_side: str = "current"
    clause_alternative: str = ""
    """A text that is as good an answer as the first clause."""
    clause_context: str = ""
    """A longer text around a clause that occurs more than once."""
    touches: tuple[str, ...] = ()
    """Texts that the clause of a finding overlaps."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    baseline_engine_version: str | None = None
    current_engine_version: str | None = None


@dataclass(frozen=True)
class Outcome:
    """End of one restore. Not ``discriminating``: these rows cannot tell exact from lost."""

    outcome: str
    discriminating: bool = True
    failure: str = ""
    compared: str = ""
    """Set where final contents were compared, because inputs interleave; ``raw`` is what the rows alone said."""
    raw: str = ""


@dataclass(frozen=True)
class Restore:
    """A job, its change, and the outcomes on real Flink by version and position of the savepoint."""

    id: str
    change: str
    baseline: str
    current: str
    measured: Mapping[str, Outcome]
    family: str = ""
    flink: tuple[str, ...] = ()
    note: str = ""
    """Set where the outcome is exact by the luck of these rows, and is not to be demanded."""


@dataclass(frozen=True)
class Program:
    """A script and what Flink 2.3.0 says to it. Lines and columns count from 1, the end inclusive."""

    id: str
    kind: str
    base: str
    sql: str
    accepted: bool
    stage: str | None
    message: str | None
    line: int | None
    column: int | None
    typing: bool
    depends_on: str | None
    end_line: int | None = None
    end_column: int | None = None
    statement_line: int | None = None


@dataclass(frozen=True)
class PlannedPair:
    """Two scripts that Flink 2.3.0 planned, and what is equal in plan, state and operator ids."""

    id: str
    kind: str
    context: str
    a: str
    b: str
    plan_equal: bool
    state_equal: bool
    ids_equal: bool
    schema_equal: bool
    meaning_equal: bool


@dataclass(frozen=True)
class SampledRestore:
    """A planned pair that was restored as well: heap backend, one position of the savepoint, few rows."""

    id: str
    change: str
    outcome: str
    discriminating: bool | None
    error: str | None
    vvr: str | None
    """Verdict of Keepstate when the pairs were chosen; ``flink`` likewise."""
    flink: str | None
    a: str
    b: str


@dataclass(frozen=True)
class GoldenQuery:
    """A query over the tables of ``folder``, with the columns, types and rows that Flink 2.3.0 gave."""

    name: str
    folder: Path
    sql: str
    mode: str
    zone: str
    watermark_interval: int
    """Milliseconds; 0: a watermark behind every row."""
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def ddl(self) -> str:
        """The tables and views; paths in it are relative to ``folder``."""
        return (self.folder / "ddl.sql").read_text("utf-8")


@cache
def spec_cases() -> tuple[SpecCase, ...]:
    """The cases of spec/rules.md."""
    names = sorted({path.name.partition(".")[0] for path in SPEC_CASES.glob("*.jsonl*")})
    return tuple(case for name in names for case in _records(SpecCase, SPEC_CASES / f"{name}.jsonl"))


@cache
def documents() -> tuple[SpecCase, ...]:
    """Cases in the form of the specification's, written from the vendor's pages by another reader."""
    return tuple(_records(SpecCase, SPEC_CASES / "more" / "documents.jsonl"))


@cache
def restores(name: str) -> tuple[Restore, ...]:
    """The pairs of one file: ``pairs`` or ``pairs-2``."""
    found = []
    for line in lines(RESTORES / f"{name}.jsonl"):
        measured = {column: _record(Outcome, outcome) for column, outcome in line.pop("measured").items()}
        found.append(_record(Restore, {**line, "measured": measured}))
    return tuple(found)


@cache
def programs() -> tuple[Program, ...]:
    return tuple(_records(Program, VALIDATION / "programs.jsonl"))


@cache
def reserved_words() -> tuple[str, ...]:
    """Words, in lower case, that Flink takes as the name of a column only in backticks."""
    return tuple((VALIDATION / "reserved-words.txt").read_text("utf-8").split())


@cache
def planned_pairs() -> tuple[PlannedPair, ...]:
    return tuple(_records(PlannedPair, EQUIVALENCE / "pairs.jsonl"))


@cache
def sampled_restores() -> tuple[SampledRestore, ...]:
    return tuple(_records(SampledRestore, EQUIVALENCE / "compat_sample.jsonl"))


@cache
def golden_queries(folder: Path) -> tuple[GoldenQuery, ...]:
    """The queries of ``GOLDEN`` or ``QUERIES``. The first of them leaves out what is the same for all its queries."""
    found = []
    for path in sorted((folder / "queries").glob("*.sql")):
        header, *rows = lines(folder / "expected" / f"{path.stem}.jsonl")
        found.append(
            GoldenQuery(
                name=path.stem,
                folder=folder,
                sql=path.read_text("utf-8"),
                mode=header["mode"],
                zone=header.get("zone", "Europe/Berlin"),
                watermark_interval=header.get("watermark_interval", 200),
                columns=tuple(header["columns"]),
                types=tuple(header["types"]),
                rows=tuple(map(tuple, rows)),
            )
        )
    return tuple(found)


def content_of(path: Path) -> bytes:
    """The content of a file of this folder, which may lie here under its name with ``.gz``.

    Raises:
        OSError: there is neither of both.
    """
    packed = path.with_name(f"{path.name}.gz")
    return gzip.decompress(packed.read_bytes()) if packed.is_file() else path.read_bytes()


def lines(path: Path, parse_float: Callable[[str], Any] | None = None) -> Iterator[Any]:
    """The JSON values of ``path``, one a line; ``parse_float`` as in ``json.loads``."""
    # Bytes are broken at line feeds alone; texts would also be at the other separators that a string may hold.
    for line in content_of(path).splitlines():
        yield json.loads(line, parse_float=parse_float)


_Record = TypeVar("_Record")


def _records(kind: type[_Record], path: Path) -> Iterator[_Record]:
    for line in lines(path):
        yield _record(kind, line)


def _record(kind: type[_Record], values: Mapping[str, Any]) -> _Record:
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
