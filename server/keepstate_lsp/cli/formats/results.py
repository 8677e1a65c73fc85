"""The result of a run in the formats that were asked for, and what failed on standard error."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import final

from keepstate_lsp.cli.arguments import report_outputs
from keepstate_lsp.cli.errors import tell
from keepstate_lsp.cli.paths import RepositoryPaths
from keepstate_lsp.cli.result.file_result import FileResult, RunProblem
from keepstate_lsp.cli.result.problems import tell_problems
from keepstate_lsp.cli.result.run_result import RunResult, unmeasured_versions
from keepstate_lsp.cli.result.run_scope import Notice, RunScope
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.sanitize import one_line


@final
class ResultOutputs:
    """The places that a run writes to. Open them with ``with``, before the work begins."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._quiet: bool = arguments.quiet
        self._docs_url: str | None = arguments.docs_url
        self._outputs = [(name, Output(path, arguments.color)) for name, path in report_outputs(arguments)]
        self._opened = ExitStack()

    def __enter__(self) -> ResultOutputs:
        with ExitStack() as opening:
            for _, output in self._outputs:
                opening.enter_context(output)
            self._opened = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.__exit__(kind, error, trace)

    @property
    def are_text(self) -> bool:
        """True if all reports are text. Documents list the queries of files without a difference as well."""
        return all(name == "text" for name, _ in self._outputs)

    def say(self, lines: Sequence[str]) -> None:
        """Write lines about the run in front of its report, or to standard error where the report is no text there."""
        output = next((output for name, output in self._outputs if name == "text" and output.is_standard), None)
        for line in lines:
            if output is None or self._quiet:
                tell(line)
            else:
                output.write_text(f"{one_line(line)}\n")

    def begin(self, line: str) -> None:
        """Write the first line of the reports that people read."""
        for name, output in self._outputs:
            if name == "text" and not self._quiet:
                lines = textwrap.wrap(one_line(line), output.width, break_long_words=False, break_on_hyphens=False)
                output.write_text("".join(f"{each}\n" for each in [*lines, ""]))

    def write(
        self,
        comparisons: Sequence[FileResult],
        engine: str,
        places: RepositoryPaths,
        problems: Sequence[RunProblem] = (),
        scope: RunScope | None = None,
        notices: Sequence[Notice] = (),
    ) -> None:
        """Write the result of a run; nothing is held back because some files could not be compared."""
        notices = (*notices, *unmeasured_versions(comparisons))
        result = RunResult(comparisons, engine, problems, places, scope, notices, self._docs_url)
        for name, output in self._outputs:
            _write(name, result, output, self._quiet)
        tell_problems(comparisons, problems)
        for notice in notices:
            tell(f"{notice.path}: {notice.words}" if notice.path is not None else notice.words)


def _write(name: str, result: RunResult, output: Output, quiet: bool) -> None:
    # Each format imports what it needs: who asks for JSON does not pay for the terminal's colours.
    if name == "json":
        from keepstate_lsp.cli.formats.json import pretty, run_document

        output.write(pretty(run_document(result)))
    elif name == "sarif":
        from keepstate_lsp.cli.formats.json import pretty
        from keepstate_lsp.cli.formats.sarif import sarif_log

        output.write(pretty(sarif_log(result)))
    elif name == "github":
        from keepstate_lsp.cli.formats.github import workflow_commands

        output.write(workflow_commands(result).encode("utf-8", "replace"))
    elif name == "gitlab":
        from keepstate_lsp.cli.formats.gitlab import code_quality

        output.write(code_quality(result))
    elif name == "junit":
        from keepstate_lsp.cli.formats.junit import junit_xml

        output.write(junit_xml(result))
    elif name == "markdown":
        from keepstate_lsp.cli.formats.markdown import comment

        output.write(comment(result).encode("utf-8", "replace"))
    else:
        from keepstate_lsp.cli.formats.text import TextRenderer

        renderer = TextRenderer(output.width, output.color, output.encoding)
        output.write_text(
            renderer.findings(result.comparisons)
            if quiet
            else renderer.report(result.comparisons, result.problems, result.scope, result.notices)
        )
