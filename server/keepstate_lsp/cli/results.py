"""Comparisons in the format that was asked for, and what failed on standard error."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from keepstate_lsp.cli.comparison import FileComparison, RunProblem
from keepstate_lsp.cli.output import Output
from keepstate_lsp.cli.problems import tell_problems


def write_results(
    arguments: argparse.Namespace,
    output: Output,
    comparisons: Sequence[FileComparison],
    engine: str,
    problems: Sequence[RunProblem] = (),
) -> None:
    """Write the result of a run; nothing is held back because some files could not be compared."""
    if arguments.format == "json":
        from keepstate_lsp.cli.render_json import document, pretty, problem

        output.write(pretty(document(comparisons, engine, [problem(entry.path, entry.sentence) for entry in problems])))
    else:
        # Only a person's format pays for importing rich.
        from keepstate_lsp.cli.render_text import TextRenderer

        renderer = TextRenderer(output.width, output.color, output.encoding)
        output.write_text(renderer.findings(comparisons) if arguments.quiet else renderer.report(comparisons, problems))
    tell_problems(comparisons, problems)
