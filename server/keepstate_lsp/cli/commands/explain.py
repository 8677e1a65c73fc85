"""``keepstate explain``: the page of a rule."""

from __future__ import annotations

import argparse
import difflib

from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.exit_status import FINE
from keepstate_lsp.cli.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rule", metavar="RULE", help="its id, such as window-size-changed, or a spec id such as WTVF-11"
    )
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    import keepstate

    rules = keepstate.find_rules(arguments.rule)
    if not rules:
        known = [name for rule in keepstate.rule_catalogue() for name in (rule.id, *rule.spec)]
        close = difflib.get_close_matches(arguments.rule, known, n=3) or difflib.get_close_matches(
            arguments.rule.upper(), known, n=3
        )
        meant = f" Did you mean {' or '.join(dict.fromkeys(close))}?" if close else ""
        raise CommandError(f"There is no rule {arguments.rule!r}.{meant}", "keepstate rules")
    page = "\n\n".join(dict.fromkeys(rule.page.strip() for rule in rules)) + "\n"
    with Output(None, arguments.color) as output:
        output.write_text(_drawn(page, output) if output.color else page)
    return FINE


def _drawn(page: str, output: Output) -> str:
    """The page laid out for a terminal; elsewhere it stays Markdown."""
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(
        file=io.StringIO(), width=output.width, force_terminal=True, color_system="standard", legacy_windows=False
    )
    with console.capture() as capture:
        console.print(Markdown(page))
    return capture.get()
