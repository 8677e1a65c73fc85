"""``keepstate explain``: the page of a rule."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path

from keepstate_lsp.cli.arguments import add_configuration, configuration_for, filled, known_engine, known_version
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.config.engine_versions import FLINK, flink_version


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rule", metavar="RULE", help="its id, such as window-size-changed, or a spec id such as WTVF-11"
    )
    parser.add_argument(
        "--engine",
        metavar="NAME",
        type=filled,
        help="tell what this engine does, vvr or flink (default: keepstate.toml, else all)",
    )
    parser.add_argument(
        "--engine-version", metavar="V", type=filled, help="tell only what was measured on this version of Flink"
    )
    add_configuration(parser)
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    import keepstate

    configuration = configuration_for(arguments, Path.cwd())
    engine = arguments.engine or (configuration.engine if configuration is not None else None)
    asked = arguments.engine_version
    known_version(engine or (None if asked is None or flink_version(asked) else FLINK), asked)
    flink = None if asked is None else flink_version(asked)
    rules = keepstate.find_rules(arguments.rule, None if engine is None else known_engine(engine), flink)
    if not rules:
        known = [name for rule in keepstate.rule_catalogue() for name in (rule.id, *rule.spec)]
        close = difflib.get_close_matches(arguments.rule, known, n=3) or difflib.get_close_matches(
            arguments.rule.upper(), known, n=3
        )
        meant = f" Did you mean {' or '.join(dict.fromkeys(close))}?" if close else ""
        raise CommandError(f"There is no rule {arguments.rule!r}.{meant}", "keepstate rules")
    page = "\n\n".join(dict.fromkeys(rule.page.strip() for rule in rules)) + "\n"
    with Output(None, arguments.color) as output:
        if output.color:
            from keepstate_lsp.cli.terminal.rule_page import page_for_terminal

            page = page_for_terminal(page, output.width)
        output.write_text(page)
    return FINE
