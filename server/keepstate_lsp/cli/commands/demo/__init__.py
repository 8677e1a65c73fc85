"""``keepstate demo``: Keepstate at work in a small repository of its own, made and edited as an engineer would."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from keepstate_lsp.cli.ci.target_branch import in_ci
from keepstate_lsp.cli.commands.demo.demo_repository import OLD_FILE, differences, make_repository
from keepstate_lsp.cli.commands.demo.language_client import LanguageClient
from keepstate_lsp.cli.commands.demo.programs import keepstate_output
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.signals import ending_cleanly

FILE = "bestsellers.flink.sql"
_NEXT = """
Now with your own repository:
  keepstate check     compares the Flink SQL that changed with the last commit
  keepstate init      proposes a keepstate.toml, with the engine and the files of each job
  keepstate help      lists all commands
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="leave the repository and say where it is")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    if shutil.which("git") is None:
        raise CommandError("The demo makes a git repository, and there is no git on the PATH.")
    with ending_cleanly(), Output(None, arguments.color) as output:
        if arguments.keep:
            folder = Path(tempfile.mkdtemp(prefix="keepstate-demo-"))
            _show(folder, output)
            output.write_text(f"\nThe repository is in {folder / 'shop'}: open its jobs/ in an editor.\n")
        else:
            # Objects of git are read-only, which keeps Windows from removing them otherwise.
            with tempfile.TemporaryDirectory(prefix="keepstate-demo-", ignore_cleanup_errors=True) as name:
                _show(Path(name), output)
        output.write_text(_NEXT)
    return FINE


def _show(folder: Path, output: Output) -> None:
    jobs = make_repository(folder.resolve() / "shop")
    _in_the_terminal(jobs.parent, output)
    _in_the_past(jobs.parent, output)
    _in_the_editor(jobs / FILE, output)


def _in_the_terminal(repository: Path, output: Output) -> None:
    _heading("In the terminal: git diff --stat, then keepstate check", output)
    output.write_text(f"{differences(repository)}\n")
    # A build of a CI system has another baseline by default.
    against = ("--against", "HEAD") if in_ci(os.environ) else ()
    text, status = keepstate_output(("check", *against), repository, output)
    output.write_text(f"{text}\n(exit status {status}: something was found at or above --fail-on unknown)\n")


def _in_the_past(repository: Path, output: Output) -> None:
    _heading(f"What former changes would have meant: keepstate history jobs/{OLD_FILE}", output)
    output.write_text(keepstate_output(("history", f"jobs/{OLD_FILE}"), repository, output)[0])


def _in_the_editor(path: Path, output: Output) -> None:
    _heading(f"In the editor: what the language server publishes for {path.name}", output)
    text = path.read_text("utf-8")
    with LanguageClient([sys.executable, "-m", "keepstate_lsp"], path.parent) as client:
        for diagnostic in client.open(path, text):
            start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
            lines = [
                f"{path.name}:{start['line'] + 1}:{start['character'] + 1}  {diagnostic['code']}",
                f"    {text.splitlines()[start['line']]}",
                f"    {' ' * start['character']}{'~' * (end['character'] - start['character'])}",
                f"    {diagnostic['message']}",
                *(f"    {related['message']}" for related in diagnostic.get("relatedInformation", ())),
                "\n  hover:",
                *(f"    {line}" for line in client.hover(path, start).splitlines()),
                "\n  quick-fixes:",
                *(f"    {title}" for title in client.code_actions(path, diagnostic)),
            ]
            output.write_text("".join(f"{line}\n" for line in lines))


def _heading(text: str, output: Output) -> None:
    output.write_text(f"\n{'=' * len(text)}\n{text}\n{'=' * len(text)}\n\n")
