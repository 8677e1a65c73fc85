"""``keepstate validate``: is each job a program that Flink takes?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from keepstate.reporting.file_json import FORMAT_VERSION, Json
from keepstate.reporting.validity_json import validity_json
from keepstate.text import Encoding, LineIndex
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.cli.arguments import add_configuration, add_output, filled, known_engine, known_version, parameter
from keepstate_lsp.cli.errors import UsageError, tell
from keepstate_lsp.cli.formats.json import one_line, pretty
from keepstate_lsp.cli.result.exit_status import FINDINGS as INVALID
from keepstate_lsp.cli.result.exit_status import FINE, NOT_COMPARED
from keepstate_lsp.cli.result.file_result import tell_fault
from keepstate_lsp.cli.result.sides import JobText
from keepstate_lsp.cli.run.named_jobs import NamedJobs
from keepstate_lsp.cli.run.pairs import MalformedLine, input_lines, object_of, text_of
from keepstate_lsp.cli.source_text import read_source
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.engine_versions import version_fault

if TYPE_CHECKING:
    from keepstate import Validity

_ENGINE = "flink"
"""The engine whose SQL is meant where neither option nor configuration names one: the grammar is that of Flink."""
_INTERNAL = "internal-error"
_WORDS = {"invalid": "Flink refuses this", "undecided": "cannot tell"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="- is standard input")
    parser.add_argument(
        "--programs",
        metavar="FILE.jsonl",
        help='validate many programs instead: a line is {"id", "sql"}, optionally with "engine_version" and "context" '
        '(texts whose declarations come first), and so is each line of the answer: {"id", "validity", "problems"}; '
        "- is standard input",
    )
    parser.add_argument(
        "--engine", metavar="ENGINE", type=filled, help=f"the engine that runs the job (default: {_ENGINE})"
    )
    parser.add_argument("--engine-version", metavar="V", type=filled, help="its version (default: the newest)")
    parser.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter set outside of the SQL; may be repeated",
    )
    add_configuration(parser)
    add_output(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    if bool(arguments.files) == (arguments.programs is not None):
        raise UsageError("Name either files or --programs FILE.jsonl.")
    with Output(arguments.output, arguments.color) as output:
        return _files(arguments, output) if arguments.files else _programs(arguments, output)


def _files(arguments: argparse.Namespace, output: Output) -> int:
    status = FINE
    answers: list[Json] = []
    with closing(BaselineReader(steady=True)) as reader:
        jobs = NamedJobs(arguments, reader)
        for name in arguments.files:
            text = read_source(name)
            if isinstance(text, NotText):
                tell(f"{name} {text.fault}{f' To mend: {text.mend}' if text.mend else ''}")
                status = NOT_COMPARED
                answers.append({"path": name, "validity": None, "problems": []})
                continue
            # What is only assumed refuses nothing.
            side = jobs.with_text(name, text).without_assumptions
            config = side.config.overridden(arguments.engine_version, dict(arguments.parameter))
            configured = config.source.engine if config.source is not None else None
            engine = known_engine(arguments.engine or configured or _ENGINE)
            known_version(engine, config.engine_version)
            try:
                validity = _validity((), side.text, engine, config.engine_version, config.parameters)
            except Exception as error:  # noqa: BLE001 - any fault at all must cost one file only, and is reported
                words = _fault(name, error)
                status = NOT_COMPARED
                tell(f"{name}: {words}")
                answers.append({"path": name, **_unanswered(_INTERNAL, words)})
                continue
            answer = validity_json(validity, side.lines, side.file_of)
            answers.append({"path": name, **answer})
            if answer["validity"] == "invalid":
                status = max(status, INVALID)
            if arguments.format == "text":
                _tell(side, validity, output, quiet=arguments.quiet)
    if arguments.format == "json":
        output.write(pretty({"version": FORMAT_VERSION, "files": answers}))
    return status


def _programs(arguments: argparse.Namespace, output: Output) -> int:
    """One line of JSON for each program; a line that holds none does not end the run."""
    status = FINE
    engine = known_engine(arguments.engine or _ENGINE)
    for number, line in enumerate(input_lines(arguments.programs), start=1):
        if not line.strip():
            continue
        identity: Any = None
        answer: Json
        try:
            entry = object_of(line)
            identity = entry.get("id")
            text = text_of(entry, "sql")
            version = entry.get("engine_version") or arguments.engine_version
            if fault := version_fault(engine, version):
                raise MalformedLine(fault)
            validity = _validity(_context(entry), text, engine, version, dict(arguments.parameter))
            answer = validity_json(validity, LineIndex(text))
        except MalformedLine as error:
            status = NOT_COMPARED
            tell(f"{arguments.programs}:{number}: {error}")
            answer = _unanswered("not-read", str(error))
        except Exception as error:  # noqa: BLE001 - any fault at all must cost one program only, and is reported
            place = f"{arguments.programs}:{number}"
            words = _fault(place, error)
            status = NOT_COMPARED
            tell(f"{place}: {words}")
            answer = _unanswered(_INTERNAL, words)
        if answer["validity"] == "invalid":
            status = max(status, INVALID)
        output.write(one_line({"id": identity, **answer}))
    return status


def _unanswered(check: str, message: str) -> Json:
    return {"validity": None, "problems": [{"check": check, "message": message, "range": None}]}


def _fault(name: str, error: Exception) -> str:
    tell_fault(name, error)
    return f"The validation failed ({type(error).__name__}: {error}). This is a fault of Keepstate; please report it."


def _context(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts whose declarations come before a program."""
    context = entry.get("context") or []
    if not isinstance(context, list) or not all(isinstance(text, str) for text in context):
        raise MalformedLine('"context" is not a list of texts.')
    return tuple(context)


def _validity(
    context: Sequence[str], text: str, engine: str, version: str | None, parameters: Mapping[str, str]
) -> Validity:
    import keepstate

    return keepstate.validate(keepstate.JobVersion(text, parameters, version), engine, context)


def _tell(side: JobText, validity: Validity, output: Output, *, quiet: bool) -> None:
    """Write a line for each problem, and one for a file without any."""
    answer = validity.answer.value
    if quiet and answer != "invalid":
        return
    if answer == "valid":
        output.write_text(f"{side.name}: valid\n")
    for problem in sorted(validity.problems or validity.undecided, key=lambda problem: problem.span):
        start = side.lines.position(problem.span.start, Encoding.UTF32)
        place = f"{side.file_of(problem.span)}:{start.line + 1}:{start.character + 1}"
        output.write_text(f"{place}: {_WORDS[answer]}: {problem.message} [{problem.rule}]\n")
