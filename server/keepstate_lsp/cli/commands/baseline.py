"""``keepstate baseline``: the baseline of a file, on standard output; where it came from, on standard error."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from keepstate_lsp.baselines import BaselineReader, NoBaseline
from keepstate_lsp.cli.arguments import add_configuration, output_path
from keepstate_lsp.cli.commands.check import add_baseline
from keepstate_lsp.cli.errors import CommandError, tell
from keepstate_lsp.cli.paths import display_path_of
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.run.run_settings import RunSettings
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.sanitize import visible


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    add_baseline(parser)
    add_configuration(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not say where it came from")


def run(arguments: argparse.Namespace) -> int:
    path = Path(os.path.abspath(arguments.file))
    with BaselineReader() as reader, Output(arguments.output) as output:
        baseline = reader.read(path, RunSettings(arguments, reader).spec(path.parent, path))
        if isinstance(baseline, NoBaseline):
            raise CommandError(f"{arguments.file} has no baseline: {baseline.sentence}", baseline.mend)
        if arguments.format == "json":
            from keepstate.reporting.file_json import FORMAT_VERSION
            from keepstate_lsp.cli.formats.json import pretty

            origin = {"spec": baseline.spec.text, "commit": baseline.commit, "path": baseline.path}
            output.write(
                pretty(
                    {
                        "version": FORMAT_VERSION,
                        "path": display_path_of(path),
                        "baseline": origin,
                        "text": baseline.text,
                    }
                )
            )
            return FINE
        if output.is_terminal:
            # A committed text may hold escape codes.
            output.write_text(visible(baseline.text))
        else:
            # The stored text, always in UTF-8, since this becomes a file.
            output.write(baseline.text.encode("utf-8"))
    if not arguments.quiet:
        tell(f"baseline of {arguments.file}: {baseline.words}")
    return FINE
