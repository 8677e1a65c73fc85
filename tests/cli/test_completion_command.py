"""``keepstate completion``: its scripts in real shells."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import keepstate
from keepstate_lsp.cli.commands.completion import SHELLS, completion_script
from keepstate_lsp.cli.commands.completion.completed_values import COMPLETERS, actions_of, complete_values
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.parser import COMMANDS, parser_with
from repositories import GitRepository, isolated
from terminal import Terminal

FREE = {
    *("K=V", "TABLE=PATH", "TABLE=TIME", "TABLE=COLUMN", "V", "N", "N|NAME", "NAME", "SIGNATURE", "REASON", "SEARCH"),
    *("URL", "PORT", "ENV", "SIZE", "MB", "SECONDS", "LENGTH", "TIME", "DATE", "YYYY-MM-DD", "GLOB"),
}
"""The values that no shell can guess, by their names in the help."""
HOSTILE = "x$(touch${IFS}pwned)"
CASES = {
    "ch": {"check"},
    "deployed m": {"mark", "merge"},
    "help dep": {"deployed"},
    "completion ": set(SHELLS),
    # Options.
    "check --fi": {"--fix", "--fix-verdict"},
    "deployed mark --sa": {"--savepoint"},
    "check jobs --format json --fai": {"--fail-on"},
    # Choices.
    "check --format j": {"json", "junit"},
    "check --fail-on ": {"incompatible", "unknown", "partial", "never"},
    "check --engine ": {"vvr", "flink"},
    # Names of rules.
    "explain window-si": {"window-size-changed"},
    "accept jobs/orders.sql --rule group-key-a": {"group-key-added"},
    # Revisions, and the other kinds of a baseline.
    "check --against mai": {"main"},
    "check --against merge": {"merge-base:"},
    "check --against rel": {"release-1"},
    # A name that a shell would run is none of them.
    "check --current x": set(),
    "deployed mark --commit rel": {"release-1"},
    # Files.
    "check jobs/o": {"jobs/orders.sql"},
    "plan jobs/o": {"jobs/orders.sql"},
    "diff jobs/orders.sql jobs/o": {"jobs/orders.sql"},
    "check --config keep": {"keepstate.toml"},
}
"""The words that a shell offers behind ``keepstate`` and a text."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitRepository]:
    place = tmp_path_factory.mktemp("completed")
    with isolated(place):
        repository = GitRepository(place / "here")
        repository.commit({"jobs/orders.sql": "SELECT 1;", "keepstate.toml": "", "jobs of today/a b.sql": "SELECT 1;"})
        repository.git("branch", HOSTILE)
        repository.git("tag", "release-1")
        yield repository


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("scripts")

    def script(shell: str) -> Path:
        if shutil.which(shell) is None:
            pytest.skip(f"NO {shell} ON THIS MACHINE")
        path = folder / f"_keepstate_{shell}"
        if not path.exists():
            path.write_text(completion_script(shell), "utf-8")
        return path

    return script


ASK_BASH = """\
. "$1"; shift
completed=$(complete -p keepstate); completed=${completed##*-F }; completed=${completed%% *}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$completed" keepstate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


def bash_offers(script: Path, folder: Path, *words: str) -> set[str]:
    command = ["bash", "--noprofile", "--norc", "-c", ASK_BASH, "bash", str(script), "keepstate", *words]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert not run.stderr
    return set(run.stdout.splitlines())


@pytest.mark.parametrize("line", CASES)
def test_bash_offers_words(line: str, repository: GitRepository, scripts: Callable[[str], Path]) -> None:
    assert bash_offers(scripts("bash"), repository.folder, *line.split(" ")) == CASES[line]
    assert not (repository.folder / "pwned").exists()


def test_bash_takes_a_name_with_blanks_for_one(repository: GitRepository, scripts: Callable[[str], Path]) -> None:
    script = scripts("bash")
    assert bash_offers(script, repository.folder, "check", "jobs of") == {"jobs of today"}
    assert bash_offers(script, repository.folder, "check", "jobs of today/a") == {"jobs of today/a b.sql"}
    assert "jobs of today" in bash_offers(script, repository.folder, "audit", "")


@pytest.mark.parametrize("line", CASES)
def test_fish_offers_words(line: str, repository: GitRepository, scripts: Callable[[str], Path]) -> None:
    command = ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(scripts("fish"))]
    run = subprocess.run(
        [*command, f"keepstate {line}"], cwd=repository.folder, capture_output=True, text=True, check=True
    )
    assert not run.stderr
    assert {offered.partition("\t")[0] for offered in run.stdout.splitlines()} == CASES[line]


# One completion each, since zsh writes it into the line; and none that the end of the typed word alone would show.
SINGLE = {line: words for line, words in CASES.items() if len(words) == 1 and line != "ch"}


def test_zsh_completes_words(repository: GitRepository, scripts: Callable[[str], Path], tmp_path: Path) -> None:
    shutil.copyfile(scripts("zsh"), tmp_path / "_keepstate")
    environment = {**os.environ, "HOME": str(tmp_path), "PS1": "READY> "}
    with Terminal(["zsh", "-f", "-i"], environment, repository.folder) as terminal:
        terminal.type(
            f"PS1='READY'; PS1+='> '; fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; clear\n"
        )
        terminal.wait_for("the prompt", lambda screen: screen.strip() == "READY>")
        for line, words in SINGLE.items():
            (word,) = words
            # A word that is complete is followed by a blank or a colon; what else was typed goes.
            expected = f"READY> keepstate {line.rpartition(' ')[0]} {word}".replace("  ", " ")
            terminal.type(f"keepstate {line}\t")
            terminal.wait_for(line, lambda screen, end=expected: screen.rstrip().endswith(end))  # type: ignore[misc]
            terminal.type("\x15\x0c")
            terminal.wait_for("an empty line", lambda screen: screen.strip() == "READY>")
        terminal.type("keepstate check --format j\t")
        terminal.wait_for("both choices", lambda screen: "json" in screen and "junit" in screen)
    assert not (repository.folder / "pwned").exists()


def test_every_value_is_completed_or_free() -> None:
    """A new kind of value is either completed or known to be free."""
    parser = parser_with(*COMMANDS)
    complete_values(parser)
    left = {
        action.metavar
        for action in actions_of(parser)
        if isinstance(action.metavar, str) and action.choices is None and not hasattr(action, "complete")
    }
    assert left == FREE
    assert not FREE & set(COMPLETERS)


def test_every_rule_is_offered() -> None:
    script = completion_script("bash")
    (offered,) = (line for line in script.splitlines() if line.startswith("_shtab_keepstate_explain_pos_0_choices="))
    assert set(offered.partition("(")[2].rstrip(")").split()) == {rule.id for rule in keepstate.rule_catalogue()}


@pytest.mark.parametrize("shell", ["", "powershell", "csh"])
def test_other_shells_are_refused(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", *filter(None, [shell])]) == 2
    said = capsys.readouterr().err
    assert "zsh" in said or "SHELL is missing" in said
    assert len(said.splitlines()) == 1


def test_hidden_options_stay_hidden() -> None:
    hidden = {
        option
        for action in actions_of(parser_with(*COMMANDS))
        if action.help is argparse.SUPPRESS
        for option in action.option_strings
        if option.startswith("--") and option != "--version"
    }
    assert hidden
    for shell in SHELLS:
        assert not hidden & set(completion_script(shell).split())


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out == completion_script("zsh")
