"""The command line on files that hold anything: it ends with one of its statuses, and what it writes can be read."""

from __future__ import annotations

import json
import random
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from analysis_targets import fresh_of_pairs, seeds_of_pairs
from command_line import run
from fuzz_target import Target, text_of, texts_of
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.formats.restore_error import ErrorExplanation, explanation_document, page
from keepstate_lsp.restore_errors import read_error
from sql_seeds import SQL_WORDS

_LONGEST = 8_000
_TRACES = Path(__file__).parents[1] / "restore_errors" / "traces"
_TRACE_WORDS = tuple(
    """Caused by: java.lang.Exception: org.apache.flink.table.runtime.operators. Cannot map operator with max
    parallelism new key serializer must be compatible with the previous switched from RUNNING to FAILED. Exception Error
    a.b.c: at ( 0123456789abcdef0123456789abcdef GroupAggregate[5] state for Failed to rollback to checkpoint/savepoint
    """.split()
)


def write_reports(data: bytes) -> None:
    """Two files compared, in each format: documents are well-formed, and say the same verdict."""
    was, now = (text[:_LONGEST].encode("utf-8", "replace") for text in texts_of(data, 2))
    with tempfile.TemporaryDirectory(prefix="keepstate-fuzz-") as folder:
        names = [str(Path(folder) / name) for name in ("was.sql", "now.sql")]
        for name, content in zip(names, (was, now), strict=True):
            Path(name).write_bytes(content)
        for engine in ("vvr", "flink"):
            # One comparison for all formats: the others would be the same again.
            outputs = {format_: Path(folder) / f"{engine}.{format_}" for format_ in REPORT_FORMATS}
            words = [word for name, path in outputs.items() for word in ("--format", name, "--output", str(path))]
            status, said = run(["diff", *names, "--engine", engine, *words])
            assert not said
            for format_, path in outputs.items():
                _check_written(format_, path.read_text("utf-8"))
            alone = random.Random(data).choice(REPORT_FORMATS)
            assert run(["diff", *names, "--engine", engine, "--format", alone])[0] == status
        for command in (["plan", names[1]], ["plan", *names]):
            for format_ in ("text", "json", "dot", "mermaid"):
                status, said = run([*command, "--format", format_])
                # Plans that do not differ have no diagram: the reason goes to standard error.
                assert said or format_ == "mermaid"
                if format_ == "json":
                    json.loads(said)


def _check_written(format_: str, said: str) -> None:
    if format_ in ("json", "sarif", "gitlab"):
        json.loads(said)
    elif format_ == "junit":
        ET.fromstring(said.encode())


def explain_an_error(data: bytes) -> None:
    """Any text is an exception, or none, and either can be written as a page and as JSON."""
    error = read_error(text_of(data))
    explanation = ErrorExplanation(error)
    assert page(explanation).strip()
    json.dumps(explanation_document(explanation))
    assert error.cause is None or error.cause.title in page(explanation)


def _traces() -> list[bytes]:
    return [path.read_bytes() for path in sorted(_TRACES.iterdir())]


TARGETS = (
    Target("reports", write_reports, seeds_of_pairs, SQL_WORDS, fresh_of_pairs),
    Target("restore-errors", explain_an_error, _traces, _TRACE_WORDS),
)
