"""``keepstate explain``: the page of a rule, or the rules about some words."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_lsp.cli.arguments import add_configuration, configuration_for, filled, known_engine, known_version
from keepstate_lsp.cli.commands.explain.rule_search import no_rule, rules_about, rules_named_like
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.cli.terminal.text_table import columns
from keepstate_lsp.config.engine_versions import FLINK, flink_version

if TYPE_CHECKING:
    from keepstate import RuleInfo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        metavar="RULE",
        nargs="+",
        type=filled,
        help="its id, such as window-size-changed, or a spec id such as WTVF-11; other words list the rules about them",
    )
    parser.add_argument(
        "--engine",
        metavar="ENGINE",
        type=filled,
        help="tell what this engine does, vvr or flink (default: keepstate.toml, else all)",
    )
    parser.add_argument(
        "--engine-version", metavar="V", type=filled, help="tell only what was measured on this version of Flink"
    )
    add_configuration(parser)
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    configuration = configuration_for(arguments, Path.cwd())
    engine = arguments.engine or (configuration.engine if configuration is not None else None)
    version = arguments.engine_version
    known_version(engine or (None if version is None or flink_version(version) else FLINK), version)
    flink = None if version is None else flink_version(version)
    rules = _rules_about(arguments.words, None if engine is None else known_engine(engine), flink)
    if len({rule.id for rule in rules}) > 1 and not _is_name(arguments.words):
        with Output(None, arguments.color) as output:
            output.write_text("".join(f"{line}\n" for line in columns(_rows(rules))))
        return FINE
    page = "\n\n".join(dict.fromkeys(rule.page.strip() for rule in rules)) + "\n"
    with Output(None, arguments.color) as output:
        if output.color:
            from keepstate_lsp.cli.terminal.rule_page import page_for_terminal

            page = page_for_terminal(page, output.width)
        output.write_text(page)
    return FINE


def _rules_about(words: Sequence[str], engine: str | None, flink: str | None) -> Sequence[RuleInfo]:
    """The rules of a name, or else those about the words.

    Raises:
        CommandError: there is none.
    """
    import keepstate

    exact = keepstate.find_rules("-".join(words), engine, flink)
    if exact:
        return exact
    # A word with a hyphen is a name or a part of one: a misspelled name is an error, and no search.
    is_part = len(words) == 1 and "-" in words[0]
    rules = rules_named_like(words[0]) if is_part else rules_about(words)
    if not rules:
        raise no_rule(words)
    ids = {rule.id for rule in rules}
    return keepstate.find_rules(rules[0].id, engine, flink) if len(ids) == 1 else rules


def _is_name(words: Sequence[str]) -> bool:
    import keepstate

    return bool(keepstate.find_rules("-".join(words)))


def _rows(rules: Sequence[RuleInfo]) -> list[tuple[str, str]]:
    """Each name once, with the title and the number of the other kinds of queries that have such a rule."""
    titles: dict[str, list[str]] = {}
    for rule in rules:
        titles.setdefault(rule.id, []).append(rule.title)
    return [(name, f"{first}{_others(len(more))}") for name, (first, *more) in titles.items()]


def _others(number: int) -> str:
    return f", and {number} more {'kind' if number == 1 else 'kinds'} of query" if number else ""
