"""``keepstate diff``: two files, or many pairs of texts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.cli.arguments import add_comparison, add_report_output, job_settings
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.formats.results import ResultOutputs
from keepstate_lsp.cli.paths import Places
from keepstate_lsp.cli.result.exit_status import exit_status
from keepstate_lsp.cli.result.file_result import compare, not_compared
from keepstate_lsp.cli.result.new_findings import Origin
from keepstate_lsp.cli.sources import STANDARD_INPUT, read_source, source_path
from keepstate_lsp.config.job_config import JobConfigReader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE.sql", nargs="?", help="what runs now; - is standard input")
    parser.add_argument("current", metavar="CURRENT.sql", nargs="?", help="what shall run; - is standard input")
    parser.add_argument(
        "--pairs",
        metavar="FILE.jsonl",
        help='compare many pairs instead: a line is {"id", "baseline", "current"}, and so is each line of the answer '
        "(JSON); - is standard input",
    )
    add_comparison(parser)
    add_report_output(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.pairs is not None:
        if arguments.baseline is not None:
            raise UsageError("Name two files, or --pairs, not both.")
        from keepstate_lsp.cli.run.pairs import run_pairs

        return run_pairs(arguments)
    if arguments.current is None:
        raise UsageError("Name two files: BASELINE.sql and CURRENT.sql.")
    if arguments.baseline == arguments.current == STANDARD_INPUT:
        raise UsageError("Standard input can only be one of the two files.")
    name = arguments.current
    with BaselineReader() as reader:
        configs = JobConfigReader(reader, arguments.config)
        current = configs.current(source_path(name))
        baseline = current
        if arguments.baseline != STANDARD_INPUT:
            baseline = configs.of_other_file(source_path(arguments.baseline), current)
    settings = job_settings(arguments, current.source, current, baseline)
    with ResultOutputs(arguments) as outputs:
        shown = name.replace("\\", "/") if sys.platform == "win32" else name
        texts = [read_source(side) for side in (arguments.baseline, name)]
        unread = [
            f"{side} {text.what}"
            for side, text in zip((arguments.baseline, name), texts, strict=True)
            if isinstance(text, NotText)
        ]
        if unread:
            comparison = not_compared(shown, settings, " ".join(unread))
        else:
            was, now = (text for text in texts if isinstance(text, str))
            comparison = compare(shown, now, was, settings, Origin(arguments.baseline))
        outputs.write([comparison], settings.engine, Places(Path.cwd()))
    return exit_status([comparison])
