"""``keepstate parse``: the statements of a file, or of many texts, and what cannot be read."""

from __future__ import annotations

import argparse
from typing import Any

from keepstate.reporting.file_json import FORMAT_VERSION, Json, read_problems, text_range
from keepstate.text import Encoding, LineIndex
from keepstate_lsp.cli.arguments import output_path
from keepstate_lsp.cli.errors import UsageError, tell
from keepstate_lsp.cli.formats.json import one_line, pretty
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.result.problems import tell_unread
from keepstate_lsp.cli.run.pairs import MalformedLine, input_lines, object_of, text_of
from keepstate_lsp.cli.source_text import source_text
from keepstate_lsp.cli.terminal.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="- is standard input")
    parser.add_argument(
        "--statements",
        metavar="FILE.jsonl",
        help='parse many texts instead: a line is {"id", "sql"}, and so is each line of the answer (JSON); '
        "- is standard input",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")


def run(arguments: argparse.Namespace) -> int:
    if (arguments.file is None) == (arguments.statements is None):
        raise UsageError("Name either a file or --statements FILE.jsonl.")
    with Output(arguments.output) as output:
        return _many(arguments.statements, output) if arguments.file is None else _one(arguments, output)


def _one(arguments: argparse.Namespace, output: Output) -> int:
    import keepstate

    text = source_text(arguments.file)
    script = keepstate.parse_script(text)
    if arguments.format == "json":
        output.write(pretty({"version": FORMAT_VERSION, "path": arguments.file, **_parsed(text)}))
    else:
        lines = LineIndex(text)
        for statement in script.statements:
            start = lines.position(statement.span.start, Encoding.UTF32)
            end = lines.position(statement.span.end, Encoding.UTF32)
            place = f"{start.line + 1}:{start.character + 1}-{end.line + 1}:{end.character + 1}"
            output.write_text(f"{place}\t{statement.kind.value}\n")
    tell_unread(arguments.file, text, script.problems)
    return NOT_COMPARED if script.problems else FINE


def _many(name: str, output: Output) -> int:
    """One line of JSON for each text. Texts that cannot be parsed are an answer here; lines that are none are not."""
    status = FINE
    for number, line in enumerate(input_lines(name), start=1):
        if not line.strip():
            continue
        identity: Any = None
        try:
            entry = object_of(line)
            identity = entry.get("id")
            answer = _parsed(text_of(entry, "sql"))
        except MalformedLine as error:
            status = NOT_COMPARED
            tell(f"{name}:{number}: {error}")
            answer = {"ok": False, "statements": [], "problems": [{"message": str(error), "range": None}]}
        output.write(one_line({"id": identity, **answer}))
    return status


def _parsed(text: str) -> Json:
    import keepstate

    script = keepstate.parse_script(text)
    lines = LineIndex(text)
    return {
        "ok": not script.problems,
        "statements": [
            {"kind": statement.kind.value, "range": text_range(lines, statement.span)}
            for statement in script.statements
        ],
        "problems": [
            {"message": entry["message"], "range": entry["range"]}
            for entry in read_problems(None, lines, script.problems)
        ],
    }
