"""The parser of the command line: commands in groups, and errors of usage as one sentence with a suggestion."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.other_programs import (
    ACTIONS_OF_OTHERS,
    ADVICE,
    COMMANDS_OF_OTHERS,
    OPTIONS_OF_OTHERS,
    VALUES_OF_OTHERS,
)
from keepstate_lsp.cli.terminal.output import Output
from keepstate_lsp.near_names import did_you_mean, near_names
from keepstate_lsp.version import VERSION

GROUPS = {
    "check a change": {
        "check": "compare files of the working tree with their baseline in git",
        "diff": "compare two files, or many pairs; no git needed",
        "validate": "tell whether files are programs that Flink takes",
        "accept": "let findings stand: enter them in the ledger, with a reason",
    },
    "look into it": {
        "explain": "show the page of a rule, or list the rules about some words",
        "rules": "list all rules with their verdicts, or search them",
        "plan": "show the plan and the state of a file as Keepstate sees them",
        "parse": "list the statements of a file and what cannot be read",
        "baseline": "print the baseline of a file and where it came from",
        "history": "tell what each past change of a job would have meant",
    },
    "deployments": {
        "deployed": "record and show what is deployed where, to compare with",
    },
    "rows on Spark": {
        "replay": "tell what a restart at a given time does to results, on Spark, over files",
        "run": "run the queries of a file on Spark, over files",
        "audit": "judge every change of every job in the history of many repositories, on Spark",
        "spark": "show and end the Spark sessions that replay and run keep warm",
    },
    "real Flink": {
        "verify": "restart the changed job on a real Flink, from a savepoint of its baseline",
        "cutover": "plan how the changed job goes into production without a wrong result",
        "explain-error": "explain an exception that Flink threw at a restart from a savepoint",
    },
    "set up": {
        "demo": "show Keepstate at work in a small repository of its own",
        "init": "propose a keepstate.toml for this repository, with the files of each job",
        "config": "show the settings that hold here, and where each comes from",
        "doctor": "show what is found here: git, repository, configuration, versions",
        "lsp": "run the language server",
        "completion": "print the completions of this command line for bash, zsh or fish",
        "help": "show this help, or that of a command",
    },
}
"""Command and summary, by purpose; each command is a module of its name in ``keepstate_lsp.cli.commands``, imported for
its run.
"""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

_DESCRIPTION = "Tells whether a running Flink SQL job keeps its state when its SQL changes."
_EXIT_STATUS = "Exit status: 0 fine, 1 findings at or above --fail-on, 2 something could not be compared."
_LIKELY = 0.8
"""The likeness of a misspelled name, for which an abbreviation is not taken."""
_FAIRLY = 0.65
"""The likeness of a misspelled command: short words have letters in common by chance."""
_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_ABOUT = re.compile(r"argument (?P<name>[^:]+): (?P<words>.+)", re.DOTALL)
_NOT_TOGETHER = re.compile(r"not allowed with argument (?P<other>\S+)")
_NO_VALUE = re.compile(r"expected .*argument")
_MISSING = re.compile(r"the following arguments are required: (?P<names>.+)")


class Parser(argparse.ArgumentParser):
    """A parser without abbreviations. Wrong usage raises ``UsageError``: one sentence about the command at fault."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{**settings, "allow_abbrev": False})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The arguments and no others.

        Raises:
            UsageError: there are others.
        """
        # Here and not after the whole line, which would blame the outermost parser and hide a misspelled option behind
        # an argument that its value replaced.
        if self._actions_below() is None:
            self._refuse_unknown_options(args)
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            options = [word for word in rest if word.startswith("-") and word != "-"]
            if options:
                self._refuse_option(options[0])
            raise self._wrong(f"There is no place for {rest[0]!r}.", f"{self.prog} --help")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Raise ``UsageError``: a message of argparse in our words."""
        raise self._wrong(self._sentence(message), f"{self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write a help or the version to standard output: argparse would hide that its reader is gone."""
        with Output() as output:
            output.write_text(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = action.choices
        if choices is None or value in choices:
            return
        choice_names = [str(choice) for choice in choices]
        if isinstance(action, argparse._SubParsersAction):
            kind = (action.metavar if isinstance(action.metavar, str) else "action").lower()
            of_others = (COMMANDS_OF_OTHERS if kind == "command" else ACTIONS_OF_OTHERS).get(str(value))
            suggestion = did_you_mean(
                [of_others] if of_others else near_names(str(value), choice_names, likeness=_FAIRLY)
            )
            listed = "" if suggestion or kind == "command" else f" There is {', '.join(choice_names)}."
            hint = "keepstate help" if kind == "command" else None if suggestion else f"{self.prog} --help"
            raise self._wrong(f"There is no {kind} {value!r}.{suggestion}{listed}", hint)
        name = _name_of(action)
        of_others = VALUES_OF_OTHERS.get(name, {}).get(str(value).lower())
        near = [of_others] if of_others in choice_names else near_names(str(value), choice_names)
        suggestion = did_you_mean(near) or f" There is {', '.join(choice_names)}."
        raise self._wrong(f"{name} cannot be {value!r}.{suggestion}")

    def _actions_below(self) -> argparse._SubParsersAction[Any] | None:
        return next((action for action in self._actions if isinstance(action, argparse._SubParsersAction)), None)

    def _refuse_unknown_options(self, words: Sequence[str]) -> None:
        for word in words:
            if word == "--":
                return
            is_option = word.startswith("-") and word != "-" and " " not in word
            if not is_option or _NEGATIVE_NUMBER.fullmatch(word):
                continue
            options = self._option_string_actions
            is_short = not word.startswith("--") and word[:2] in options
            if not is_short and word.partition("=")[0] not in options:
                self._refuse_option(word)

    def _refuse_option(self, word: str) -> NoReturn:
        option = word.partition("=")[0]
        names = [name for name, action in self._option_string_actions.items() if action.help is not argparse.SUPPRESS]
        long = [name for name in names if name.startswith("--")]
        of_others = {
            name: own_option
            for name, own_option in OPTIONS_OF_OTHERS.items()
            if not own_option or own_option.partition(" ")[0] in names
        }
        near = [option] if option in of_others else _near_options(option, long, _LIKELY)
        near = near or [name for name in long if name.startswith(option)][:1]
        near = near or _near_options(option, long) or _near_options(option, of_others, _LIKELY)
        suggestion = did_you_mean(filter(None, (of_others.get(name, name) for name in near)))
        hint = None if suggestion else ADVICE.get(option, f"{self.prog} --help")
        raise self._wrong(f"There is no option {option}.{suggestion}", hint)

    def _sentence(self, message: str) -> str:
        if missing := _MISSING.fullmatch(message):
            return self._is_missing(missing["names"])
        about = _ABOUT.fullmatch(message)
        if about is None:
            return f"{message[:1].upper()}{message[1:]}" + ("" if message.endswith(".") else ".")
        name, words = about["name"].rpartition("/")[2], about["words"]
        if other := _NOT_TOGETHER.fullmatch(words):
            return f"{name} does not go together with {other['other'].rpartition('/')[2]}."
        if _NO_VALUE.fullmatch(words):
            action = self._option_string_actions.get(name)
            return f"{name} needs a value: {name} {_placeholder(action)}." if action else f"{name} is missing."
        if words.startswith("ignored explicit argument"):
            return f"{name} takes no value."
        words = re.sub(r"^invalid (?:\w+) value: ('.*')$", r"\1 is no number", words)
        return f"{name}: {words}" + ("" if words.endswith(".") else ".")

    def _is_missing(self, names: str) -> str:
        below = self._actions_below()
        if below is not None:
            return f"Name an action: {', '.join(below.choices)}."
        return f"{names} {'are' if ', ' in names else 'is'} missing."

    def _wrong(self, sentence: str, hint: str | None = None) -> UsageError:
        return UsageError(sentence, hint, about=self.prog)


class _Overview(Parser):
    """The outermost parser, with a help that groups the commands by purpose."""

    def format_help(self) -> str:
        width = max(map(len, COMMANDS))
        lines = ["usage: keepstate COMMAND [OPTION ...]", "", _DESCRIPTION]
        for title, commands in GROUPS.items():
            lines += ["", f"{title}:", *(f"  {name:{width}}  {summary}" for name, summary in commands.items())]
        lines += [
            "",
            "options:",
            f"  {'-h, --help':{width}}  show this help",
            f"  {'-V, --version':{width}}  show the version",
        ]
        return "\n".join([*lines, "", "keepstate help COMMAND shows the options of a command.", _EXIT_STATUS, ""])


def parser_with(*commands: str, has_others: bool = True) -> Parser:
    """The parser of the whole command line, with the options of ``commands``; unless it ``has_others``, with these
    commands only.
    """
    parser = _Overview("keepstate")
    _add_version(parser)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name in COMMANDS if has_others else commands:
        summary = COMMANDS[name]
        subparser = subparsers.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        _add_version(subparser, argparse.SUPPRESS)
        if name in commands:
            module: Any = import_module(f"keepstate_lsp.cli.commands.{name.replace('-', '_')}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed command line.

    Raises:
        UsageError: it is wrong.
    """
    first = arguments[0] if arguments else ""
    command = next((word for word in arguments if not word.startswith("-")), "")
    # Each parser takes its time, and those of other commands are for their names only.
    parser = parser_with(command, has_others=first not in COMMANDS)
    if first.strip("-") and first.startswith("-") and first.partition("=")[0] not in parser._option_string_actions:
        first_command = next((word for word in arguments if word in COMMANDS), None)
        if first_command is None:
            parser._refuse_option(first)
        raise UsageError(
            f"There is no option {first} before the command.", f"keepstate {first_command} {first}", "keepstate"
        )
    return parser.parse_args(arguments)


def help_of(words: Sequence[str]) -> str:
    """The help of a command, or of an action of it; without words, that of the program.

    Raises:
        UsageError: there is no such command.
    """
    parser: argparse.ArgumentParser = parser_with(words[0] if words else "")
    for word in words:
        below = parser._actions_below() if isinstance(parser, Parser) else None
        if below is None or not isinstance(parser, Parser):
            raise UsageError(f"There is no action {word!r}.", f"{parser.prog} --help", parser.prog)
        parser._check_value(below, word)
        parser = below.choices[word]
    return parser.format_help()


def _add_version(parser: argparse.ArgumentParser, words: str | None = None) -> None:
    parser.add_argument("--version", "-V", action="version", version=f"keepstate {VERSION}", help=words)


def _near_options(wrong: str, options: Iterable[str], likeness: float = _FAIRLY) -> list[str]:
    """The option that resembles ``wrong`` most, without the dashes, which all of them have in common."""
    names = {name.lstrip("-"): name for name in options}
    return [names[name] for name in near_names(wrong.lstrip("-"), names, likeness=likeness)]


def _name_of(action: argparse.Action) -> str:
    if action.option_strings:
        return max(action.option_strings, key=len)
    return action.metavar if isinstance(action.metavar, str) else action.dest


def _placeholder(action: argparse.Action) -> str:
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()
