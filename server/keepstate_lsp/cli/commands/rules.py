"""``keepstate rules``: all rules, by query kind, or those about some words, the best first."""

from __future__ import annotations

import argparse

from keepstate_lsp.cli.arguments import filled, output_path
from keepstate_lsp.cli.commands.explain.rule_search import no_rule, rules_about
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="SEARCH", nargs="*", type=filled, help="only rules about these words")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")


def run(arguments: argparse.Namespace) -> int:
    import keepstate

    words: list[str] = arguments.words
    rules = rules_about(words) if words else keepstate.rule_catalogue()
    if not rules:
        raise no_rule(words)
    with Output(arguments.output) as output:
        if arguments.format == "json":
            from keepstate.reporting.file_json import FORMAT_VERSION
            from keepstate_lsp.cli.formats.json import pretty

            listed = [
                {
                    "id": rule.id,
                    "query_kind": rule.query_kind,
                    "spec": list(rule.spec),
                    "title": rule.title,
                    "verdicts": {engine: verdict.value for engine, verdict in rule.verdicts.items()},
                }
                for rule in rules
            ]
            output.write(pretty({"version": FORMAT_VERSION, "rules": listed}))
            return FINE
        widest = max((len(rule.id) for rule in rules), default=0)
        specs = max((len(", ".join(rule.spec)) for rule in rules), default=0)
        kind = None
        for rule in rules:
            # The best hits stand first, whatever they are about.
            if not words and rule.query_kind != kind:
                output.write_text(f"{'' if kind is None else chr(10)}{rule.query_kind}\n")
                kind = rule.query_kind
            indent = "" if words else "  "
            verdicts = ", ".join(f"{verdict.value} ({engine})" for engine, verdict in rule.verdicts.items())
            output.write_text(
                f"{indent}{rule.id:{widest}}  {verdicts:18}  {', '.join(rule.spec):{specs}}  {rule.title}\n"
            )
    return FINE
