"""The values that a shell completes: files, folders, revisions, and the names of rules, engines and commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keepstate_lsp.cli.parser import COMMANDS

_Completer = Mapping[str, Any]
"""The function that completes a value, by shell, with the text that defines it."""

_NAMED = "git for-each-ref --format='%(refname:short)' refs/heads refs/remotes refs/tags 2>/dev/null"
# bash expands each word of a list once more, and a branch may be called $(rm).
_HARMLESS = "grep -x '[[:alnum:]_./@+-]*'"
_KINDS = "HEAD merge-base: tag: deployed file: plan:"
REVISIONS: _Completer = {
    "bash": "_keepstate_revisions",
    "zsh": "_keepstate_revisions",
    "fish": "(_keepstate_revisions)",
    "preamble": {
        "bash": f'_keepstate_revisions() {{\n  compgen -W "{_KINDS} $({_NAMED} | {_HARMLESS})" -- "$1"\n}}\n',
        "zsh": f'_keepstate_revisions() {{\n  compadd -- {_KINDS} ${{(f)"$({_NAMED} | {_HARMLESS})"}}\n}}\n',
        "fish": f"function _keepstate_revisions\n  string split ' ' '{_KINDS}'\n  {_NAMED} | {_HARMLESS}\nend\n",
    },
}
# In the place of those of the library, which take a name with a blank for two.
FILES: _Completer = {
    "bash": "_keepstate_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
    "preamble": {"bash": '_keepstate_files() {\n  compgen -f -- "$1"\n}\n'},
}
FOLDERS: _Completer = {
    "bash": "_keepstate_dirs",
    "zsh": "_files -/",
    "fish": "(__fish_complete_directories)",
    "preamble": {"bash": '_keepstate_dirs() {\n  compgen -d -- "$1"\n}\n'},
}
COMPLETERS: Mapping[str, _Completer] = {
    "BASELINE": REVISIONS,
    "REV": REVISIONS,
    "FILE": FILES,
    "PATH": FILES,
    "[ENV] [PATH ...]": FILES,
    "FILE.sql": FILES,
    "FILE.jsonl": FILES,
    "BASELINE.sql": FILES,
    "CURRENT.sql": FILES,
    "DUMP": FILES,
    "ERRORFILE": FILES,
    "DIR": FOLDERS,
    "REPO": FOLDERS,
}
"""The completer of a value, by the name of the value in the help."""


def complete_values(parser: argparse.ArgumentParser) -> None:
    """Enter the completers of values into a parser, which must parse no command line afterwards."""
    words = _words()
    for action in actions_of(parser):
        name = action.metavar
        if not isinstance(name, str):
            continue
        if name in words and action.choices is None:
            action.choices = words[name]()
        elif name in COMPLETERS:
            action.complete = COMPLETERS[name]  # type: ignore[attr-defined]


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments and options of a parser and of those below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from actions_of(below)


def _words() -> Mapping[str, Callable[[], list[str]]]:
    """The words that a value is one of, by its name in the help."""
    import keepstate

    return {
        "ENGINE": lambda: list(keepstate.ENGINES),
        "RULE": lambda: sorted({rule.id for rule in keepstate.rule_catalogue()}),
        "COMMAND": lambda: list(COMMANDS),
    }
