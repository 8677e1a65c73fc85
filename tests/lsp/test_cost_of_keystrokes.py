"""A keystroke in a long document costs what changed, in each layout of a job: instructions are counted, not time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from function_calls import instructions_of
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.virtual_documents import VirtualDocuments
from keepstate_lsp.analyzer import KeepstateAnalyzer
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.config.client_settings import Settings
from repositories import GitRepository

TABLE = """\
CREATE TABLE t{n} (k STRING, v BIGINT, unread INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 't{n}', 'format' = 'json');
"""
QUERIES = """\
CREATE TEMPORARY VIEW v{n} AS SELECT k, v, ts FROM t{n} WHERE v > 10;
INSERT INTO s{n} SELECT k, SUM(v) AS total FROM v{n} GROUP BY k;
INSERT INTO w{n} SELECT window_start, k, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE v{n}, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, k;
"""
FEW, MANY = 15, 45
EDITS = {
    "an aggregate": ("SUM(v) AS total FROM v5 ", "SUM(v + {n}) AS total FROM v5 "),
    "a comment": ("FROM v5 GROUP BY k;", "FROM v5 /* {n} */ GROUP BY k;"),
    "a view": ("FROM t5 WHERE v > 10", "FROM t5 WHERE v > {n}"),
}
LAYOUTS = {"one file": 650, "a context": 1_600, "assumed tables": 2_000}
"""Instructions for each further group of a table, a view and two queries. It was 610 to 45,000."""


@contextmanager
def opened(layout: str, engine: str, groups: int) -> Iterator[Callable[[str, int], Analysis]]:
    """A function that makes a keystroke: ``text``, and the number of the version."""
    tables = "".join(TABLE.format(n=number) for number in range(groups))
    queries = "".join(QUERIES.format(n=number) for number in range(groups))
    settings = f'engine = "{engine}"\n'
    with TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        files = {"job.sql": tables + queries}
        if layout != "one file":
            files = {"tables.sql": tables, "job.sql": queries}
        if layout == "a context":
            settings += 'context = ["tables.sql"]\n'
        GitRepository(root).commit({**files, "keepstate.toml": settings})
        with BaselineReader() as reader:
            service = AnalysisService(KeepstateAnalyzer(), reader, VirtualDocuments(Path(folder) / "shelf"))
            last: list[Analysis] = []

            def keystroke(edit: str, version: int) -> Analysis:
                was, now = EDITS[edit]
                text = files["job.sql"].replace(was, now.format(n=version + 20), 1) if version else files["job.sql"]
                document = Document((root / "job.sql").as_uri(), "sql", version, text, is_being_typed=version > 0)
                analysis = service.analyse(document, Settings(), root, last[0] if last else None, (document,))
                last[:] = [analysis]
                return analysis

            keystroke("a comment", 0)
            yield keystroke


@cache
def instructions(layout: str, engine: str, groups: int) -> dict[str, int]:
    """The instructions of bytecode that a keystroke of each kind executes."""
    counts: dict[str, int] = {}
    with opened(layout, engine, groups) as keystroke:
        for place, edit in enumerate(EDITS):
            for number in range(2):
                analysis = keystroke(edit, 10 * place + number + 1)
                assert analysis.failure is None and analysis.report is not None
            counts[edit] = instructions_of(partial(keystroke, edit, 10 * place + 3))
    return counts


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_what_a_keystroke_does_not_reach_costs_next_to_nothing(engine: str, layout: str, edit: str) -> None:
    few, many = (instructions(layout, engine, groups)[edit] for groups in (FEW, MANY))
    assert (many - few) / (MANY - FEW) <= LAYOUTS[layout]
