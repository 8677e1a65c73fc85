"""Mistakes that people make at a prompt: each gets one line, with what was meant where that is clear."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import JOB, PARTIAL
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.parser import parsed
from repositories import GitRepository, isolated

HELP = "Try: keepstate help"
MISTAKES = {
    # Commands.
    "chek": f"keepstate: There is no command 'chek'. Did you mean check? {HELP}",
    "chekc jobs": f"keepstate: There is no command 'chekc'. Did you mean check? {HELP}",
    "Check": f"keepstate: There is no command 'Check'. Did you mean check? {HELP}",
    "dif a.sql jobs/orders.sql": f"keepstate: There is no command 'dif'. Did you mean diff? {HELP}",
    "difff a.sql jobs/orders.sql": f"keepstate: There is no command 'difff'. Did you mean diff? {HELP}",
    "compare a.sql jobs/orders.sql": f"keepstate: There is no command 'compare'. Did you mean diff? {HELP}",
    "explian ttl": f"keepstate: There is no command 'explian'. Did you mean explain? {HELP}",
    "rule": f"keepstate: There is no command 'rule'. Did you mean rules? {HELP}",
    "explain_error log": f"keepstate: There is no command 'explain_error'. Did you mean explain-error? {HELP}",
    "valdiate a.sql": f"keepstate: There is no command 'valdiate'. Did you mean validate? {HELP}",
    "lint": f"keepstate: There is no command 'lint'. Did you mean check? {HELP}",
    "version": f"keepstate: There is no command 'version'. Did you mean --version? {HELP}",
    "log a.sql": f"keepstate: There is no command 'log'. Did you mean history? {HELP}",
    "server": f"keepstate: There is no command 'server'. Did you mean lsp? {HELP}",
    "deploy mark a.sql": f"keepstate: There is no command 'deploy'. Did you mean deployed? {HELP}",
    "a.sql": f"keepstate: There is no command 'a.sql'. {HELP}",
    "help chek": f"keepstate: There is no command 'chek'. Did you mean check? {HELP}",
    "help check jobs": "keepstate check: There is no action 'jobs'. Try: keepstate check --help",
    "help deployed lsit": "keepstate deployed: There is no action 'lsit'. Did you mean list?",
    "deployed": "keepstate deployed: Name an action: mark, list, show, unmark, merge, diff. "
    "Try: keepstate deployed --help",
    "deployed lsit": "keepstate deployed: There is no action 'lsit'. Did you mean list?",
    "deployed remove a.sql": "keepstate deployed: There is no action 'remove'. Did you mean unmark?",
    "deployed push a.sql": "keepstate deployed: There is no action 'push'. "
    "There is mark, list, show, unmark, merge, diff. Try: keepstate deployed --help",
    # Options.
    "--verison": "keepstate: There is no option --verison. Did you mean --version?",
    "-v": "keepstate: There is no option -v. Did you mean -V?",
    "--quiet check": "keepstate: There is no option --quiet before the command. Try: keepstate check --quiet",
    "--format json check": "keepstate: There is no option --format before the command. Try: keepstate check --format",
    "check --agianst HEAD": "keepstate check: There is no option --agianst. Did you mean --against?",
    "check --agianst=HEAD": "keepstate check: There is no option --agianst. Did you mean --against?",
    "check --agains HEAD": "keepstate check: There is no option --agains. Did you mean --against?",
    "check --baseline HEAD": "keepstate check: There is no option --baseline. Did you mean --against?",
    "check --base main": "keepstate check: There is no option --base. Did you mean --against?",
    "check --cached": "keepstate check: There is no option --cached. Did you mean --staged?",
    "check --stagd": "keepstate check: There is no option --stagd. Did you mean --staged?",
    "check --json": "keepstate check: There is no option --json. Did you mean --format json?",
    "check -f json": "keepstate check: There is no option -f. Did you mean --format?",
    "check -o out.json": "keepstate check: There is no option -o. Did you mean --output?",
    "check --ouput out.json": "keepstate check: There is no option --ouput. Did you mean --output?",
    "check --failon partial": "keepstate check: There is no option --failon. Did you mean --fail-on?",
    "check --fail_on partial": "keepstate check: There is no option --fail_on. Did you mean --fail-on?",
    "check --dialect flink": "keepstate check: There is no option --dialect. Did you mean --engine?",
    "check --engine_version 2": "keepstate check: There is no option --engine_version. Did you mean --engine-version?",
    "check --param a=b": "keepstate check: There is no option --param. Did you mean --parameter?",
    "check --par a=b": "keepstate check: There is no option --par. Did you mean --parameter?",
    "check --no-color": "keepstate check: There is no option --no-color. Did you mean --color never?",
    "check --colour never": "keepstate check: There is no option --colour. Did you mean --color?",
    "check --foo": "keepstate check: There is no option --foo. Try: keepstate check --help",
    "-": f"keepstate: There is no command '-'. {HELP}",
    "check --verbose": "keepstate check: There is no option --verbose. Try: keepstate check --help",
    "check --silent": "keepstate check: There is no option --silent. Did you mean --quiet?",
    "check --exit-zero": "keepstate check: There is no option --exit-zero. Did you mean --fail-on never?",
    "diff a.sql jobs/orders.sql --fromat json": "keepstate diff: There is no option --fromat. Did you mean --format?",
    "plan --layot unified a.sql": "keepstate plan: There is no option --layot. Did you mean --layout?",
    "baseline --agianst": "keepstate baseline: There is no option --agianst. Did you mean --against?",
    "deployed list --env prod": "keepstate deployed list: There is no option --env. Did you mean --environment?",
    "deployed mark --comit HEAD a.sql": "keepstate deployed mark: There is no option --comit. Did you mean --commit?",
    "verify --agianst HEAD a.sql": "keepstate verify: There is no option --agianst. Did you mean --against?",
    "check --staged=yes": "keepstate check: --staged takes no value. Try: keepstate check --help",
    "check --staged --current HEAD": "keepstate check: --current does not go together with --staged. "
    "Try: keepstate check --help",
    # Values.
    "check --format jsn": "keepstate check: --format cannot be 'jsn'. Did you mean json?",
    "check --format=JSON": "keepstate check: --format cannot be 'JSON'. Did you mean json?",
    "check --format xml": "keepstate check: --format cannot be 'xml'. Did you mean junit?",
    "check --format html": "keepstate check: --format cannot be 'html'. There is text, json, sarif, github, gitlab, "
    "junit, markdown.",
    "rules --format yaml": "keepstate rules: --format cannot be 'yaml'. There is text, json.",
    "check --fail-on incompatibel": "keepstate check: --fail-on cannot be 'incompatibel'. Did you mean incompatible?",
    "check --color alway": "keepstate check: --color cannot be 'alway'. Did you mean always?",
    "check --planner flnk": "keepstate check: --planner cannot be 'flnk'. Did you mean flink?",
    "diff a.sql a.sql --engine flik": "keepstate diff: There is no engine 'flik'. Did you mean flink?",
    "diff a.sql a.sql --engine spark": "keepstate diff: There is no engine 'spark'. There is vvr, flink. "
    "Try: keepstate diff --help",
    "check --jobs many": "keepstate check: --jobs: 'many' is no number of processes: 1 or more. "
    "Try: keepstate check --help",
    "check --parameter key": "keepstate check: --parameter: 'key' is not of the form KEY=VALUE. "
    "Try: keepstate check --help",
    "check --against": "keepstate check: --against needs a value: --against BASELINE. Try: keepstate check --help",
    "check --format": "keepstate check: --format needs a value: "
    "--format text|json|sarif|github|gitlab|junit|markdown. Try: keepstate check --help",
    "lsp --tcp http": "keepstate lsp: --tcp: 'http' is no number. Try: keepstate lsp --help",
    "check --config keepstat.toml": "keepstate: There is no configuration file keepstat.toml.",
    # Arguments.
    "baseline": "keepstate baseline: FILE is missing. Try: keepstate baseline --help",
    "explain": "keepstate explain: RULE is missing. Try: keepstate explain --help",
    "deployed mark": "keepstate deployed mark: FILE is missing. Try: keepstate deployed mark --help",
    "diff a.sql": "keepstate diff: Name two files: BASELINE.sql and CURRENT.sql. Try: keepstate diff --help",
    "diff a.sql b.sql c.sql": "keepstate diff: There is no place for 'c.sql'. Try: keepstate diff --help",
    "doctor a.sql b.sql": "keepstate doctor: There is no place for 'b.sql'. Try: keepstate doctor --help",
    "parse aa.sql": "keepstate: aa.sql does not exist. Did you mean a.sql?",
    "parse jobs/order.sql": "keepstate: jobs/order.sql does not exist. Did you mean jobs/orders.sql?",
    "parse jobs": "keepstate: jobs is a folder, not a file.",
    # Rules.
    "explain window-size-change": "keepstate: There is no rule 'window-size-change'. Did you mean window-size-changed, "
    "window-slide-changed or window-step-changed? Try: keepstate rules",
    "explain WTVF-111": "keepstate: There is no rule 'WTVF-111'. Did you mean WTVF-11, WTVF-21 or WTVF-19? "
    "Try: keepstate rules",
    "rules xyzzy": "keepstate: There is no rule 'xyzzy'. Try: keepstate rules",
    "accept --because x --rule group-key-add": "keepstate accept: There is no rule 'group-key-add'. "
    "Did you mean group-key-added? Try: keepstate rules",
    # Baselines.
    "baseline a.sql --against orgin/main": "keepstate: a.sql has no baseline: There is no revision orgin/main. "
    "Did you mean origin/main?",
    "baseline a.sql --against origin/master": "keepstate: a.sql has no baseline: There is no revision origin/master. "
    "Did you mean origin/main?",
    "baseline a.sql --against origin/mian": "keepstate: a.sql has no baseline: There is no revision origin/mian. "
    "Did you mean origin/main?",
    "baseline a.sql --against merge-base:orgin/main": "keepstate: a.sql has no baseline: "
    "There is no revision orgin/main. Did you mean origin/main?",
    "baseline a.sql --against master": "keepstate: a.sql has no baseline: There is no revision master. "
    "Did you mean main?",
    "baseline a.sql --against mian~1": "keepstate: a.sql has no baseline: There is no revision mian~1. "
    "Did you mean main~1?",
    "baseline a.sql --against release-1.1": "keepstate: a.sql has no baseline: There is no revision release-1.1. "
    "Did you mean release-1.0?",
    "baseline a.sql --against topic": "keepstate: a.sql has no baseline: There is no revision topic. "
    "Did you mean origin/topic?",
    "baseline a.sql --against HEAD~5": "keepstate: a.sql has no baseline: The repository has no revision 'HEAD~5'. "
    "HEAD has 2 commits.",
    "baseline a.sql --against main^^^": "keepstate: a.sql has no baseline: The repository has no revision 'main^^^'. "
    "main has 2 commits.",
    "baseline a.sql --against HAED": "keepstate: a.sql has no baseline: There is no revision HAED. Did you mean HEAD?",
    "baseline a.sql --against merge_base:main": "keepstate baseline: The baseline 'merge_base:main' is of no known "
    "kind. Did you mean merge-base:main?",
    "baseline a.sql --against tags:release-*": "keepstate baseline: The baseline 'tags:release-*' is of no known kind. "
    "Did you mean tag:release-*?",
    "baseline a.sql --against deployed:prodution": "keepstate: a.sql has no baseline: Nothing is recorded as deployed "
    "in prodution in this clone. Did you mean production?",
    "history a.sql --revision orgin/main": "keepstate: There is no revision orgin/main. Did you mean origin/main?",
    "deployed mark a.sql --commit mian": "keepstate: There is no revision mian. Did you mean main?",
    "deployed merge orgin/main": "keepstate: There is no revision orgin/main. Did you mean origin/main?",
    # Words of other programs.
    "fix a.sql": f"keepstate: There is no command 'fix'. Did you mean check --fix? {HELP}",
    "watch jobs": f"keepstate: There is no command 'watch'. Did you mean check --watch? {HELP}",
    "langserver": f"keepstate: There is no command 'langserver'. Did you mean lsp? {HELP}",
    "language-server": f"keepstate: There is no command 'language-server'. Did you mean lsp? {HELP}",
    "ci": f"keepstate: There is no command 'ci'. Did you mean check? {HELP}",
    "schema": f"keepstate: There is no command 'schema'. Did you mean config --schema? {HELP}",
    "setup": f"keepstate: There is no command 'setup'. Did you mean init? {HELP}",
    "tutorial": f"keepstate: There is no command 'tutorial'. Did you mean demo? {HELP}",
    "completions bash": f"keepstate: There is no command 'completions'. Did you mean completion? {HELP}",
    "suppress a.sql": f"keepstate: There is no command 'suppress'. Did you mean accept? {HELP}",
    "upgrade": f"keepstate: There is no command 'upgrade'. {HELP}",
    "deployed add a.sql": "keepstate deployed: There is no action 'add'. Did you mean mark?",
    "deployed rm a.sql": "keepstate deployed: There is no action 'rm'. Did you mean unmark?",
    "completion powershell": "keepstate completion: SHELL cannot be 'powershell'. There is bash, zsh, fish.",
    "completion": "keepstate completion: SHELL is missing. Try: keepstate completion --help",
    "check --dry-run": "keepstate check: There is no option --dry-run. Did you mean --fix --diff?",
    "check --fix --dry-run": "keepstate check: There is no option --dry-run. Did you mean --fix --diff?",
    "check --unsafe-fixes": "keepstate check: There is no option --unsafe-fixes. Did you mean --fix-verdict partial?",
    "check --exit-code": "keepstate check: There is no option --exit-code. Did you mean --fail-on?",
    "check --strict": "keepstate check: There is no option --strict. Did you mean --fail-on partial?",
    "check --workers 2": "keepstate check: There is no option --workers. Did you mean --jobs?",
    "check -w": "keepstate check: There is no option -w. Did you mean --watch?",
    "check -c keepstate.toml": "keepstate check: There is no option -c. Did you mean --config?",
    "check --ignore group-key-added": "keepstate check: There is no option --ignore. Try: keepstate help accept",
    "check --select group-key-added": "keepstate check: There is no option --select. Try: keepstate help accept",
    "check --exclude jobs": "keepstate check: There is no option --exclude. Try: keepstate help init",
    "check --all": "keepstate check: There is no option --all. Try: keepstate check --help",
    "check -r": "keepstate check: There is no option -r. Try: keepstate check --help",
    "rules --search window": "keepstate rules: There is no option --search. Try: keepstate rules WORD",
    "rules --kind window": "keepstate rules: There is no option --kind. Try: keepstate rules WORD",
    "accept a.sql -m planned": "keepstate accept: There is no option -m. Did you mean --because?",
    "accept a.sql --reason planned": "keepstate accept: There is no option --reason. Did you mean --because?",
    "accept a.sql": "keepstate accept: Say --because REASON, or --prune. Try: keepstate accept --help",
    "init --force": "keepstate init: There is no option --force. Did you mean --write?",
    "init --yes": "keepstate init: There is no option --yes. Did you mean --write?",
    "init jobs": "keepstate init: There is no place for 'jobs'. Try: keepstate init --help",
    "config --list": "keepstate config: There is no option --list. Did you mean --show?",
    "config --validate": "keepstate config: There is no option --validate. Did you mean --show?",
    "config engine": "keepstate: There is no file engine.",
    "lsp --port 9000": "keepstate lsp: There is no option --port. Did you mean --tcp?",
    "check --fail-on error": "keepstate check: --fail-on cannot be 'error'. Did you mean incompatible?",
    "check --fail-on warning": "keepstate check: --fail-on cannot be 'warning'. Did you mean partial?",
    "check --fail-on none": "keepstate check: --fail-on cannot be 'none'. Did you mean never?",
    "check --format md": "keepstate check: --format cannot be 'md'. Did you mean markdown?",
    "check --format codequality": "keepstate check: --format cannot be 'codequality'. Did you mean gitlab?",
    "check --color yes": "keepstate check: --color cannot be 'yes'. Did you mean always?",
    "check --color off": "keepstate check: --color cannot be 'off'. Did you mean never?",
    "diff a.sql a.sql --engine apache-flink": "keepstate diff: There is no engine 'apache-flink'. Did you mean flink?",
    "diff a.sql a.sql --engine Ververica": "keepstate diff: There is no engine 'Ververica'. Did you mean vvr?",
    # Baselines as git diff takes them, and kinds without what they are of.
    "baseline a.sql --against main..HEAD": "keepstate baseline: The baseline 'main..HEAD' is a range and no revision. "
    "Did you mean main?",
    "baseline a.sql --against main...": "keepstate baseline: The baseline 'main...' is a range and no revision. "
    "Did you mean merge-base:main?",
    "baseline a.sql --against ..HEAD": "keepstate baseline: The baseline '..HEAD' is a range and no revision. "
    "Try: keepstate baseline --help",
    "baseline a.sql --against merge-base": "keepstate: a.sql has no baseline: There is no revision merge-base. "
    "The kind of baseline is written merge-base:REF.",
    "baseline a.sql --against tag": "keepstate: a.sql has no baseline: There is no revision tag. "
    "The kind of baseline is written tag:GLOB.",
    "baseline a.sql --against depoyed": "keepstate: a.sql has no baseline: There is no revision depoyed. "
    "Did you mean deployed?",
    "validate jobs": "keepstate: jobs is a folder, not a file.",
}
"""Typed arguments, and the one line on standard error; the exit status is 2."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A clone with two commits, a tag, a branch of its remote and a deployment."""
    place = tmp_path_factory.mktemp("mistakes")
    with isolated(place):
        central = GitRepository(place / "central")
        central.commit({"a.sql": JOB, "jobs/orders.sql": JOB})
        central.git("tag", "release-1.0")
        central.git("branch", "topic")
        central.commit({"a.sql": PARTIAL})
        central.git("clone", "--quiet", str(central.folder), str(place / "clone"))
        before = Path.cwd()
        os.chdir(place / "clone")
        try:
            assert said("deployed mark a.sql")[0] == 0
        finally:
            os.chdir(before)
        yield place / "clone"


def said(line: str) -> tuple[int, str, str]:
    """Exit status and both outputs of a typed line."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        status = main(shlex.split(line))
    out, errors = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return status, out, errors


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_gets_one_line(line: str) -> None:
    status, out, errors = said(line)
    assert (status, out, errors) == (2, "", f"{MISTAKES[line]}\n")


REVISIONS = {
    "check main": "keepstate: main: not compared: it does not exist, nor did it in HEAD. "
    "It is a revision: --against main compares with it.",
    "check HEAD~1": "keepstate: HEAD~1: not compared: it does not exist, nor did it in HEAD. "
    "It is a revision: --against HEAD~1 compares with it.",
    "check job": "keepstate: job: not compared: it does not exist, nor did it in HEAD. Did you mean jobs?",
    "check nowhere": "keepstate: nowhere: not compared: it does not exist, nor did it in HEAD.",
    "diff HEAD a.sql": "keepstate: a.sql: not compared: HEAD does not exist. "
    "HEAD is a revision: keepstate check a.sql --against HEAD compares with it.",
    "diff release-1.0:a.sql a.sql": "keepstate: a.sql: not compared: release-1.0:a.sql does not exist. "
    "release-1.0 is a revision: keepstate check a.sql --against release-1.0 compares with it.",
    "diff main HEAD": "keepstate: HEAD: not compared: main does not exist. HEAD does not exist. "
    "main is a revision: keepstate check FILE --against main compares with it.",
    "diff jobs jobs": "keepstate: jobs: not compared: it is a folder, not a file.",
}
"""Names in the place of files, and the one line on standard error beside the report."""


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("line", REVISIONS)
def test_a_revision_is_no_file(line: str) -> None:
    status, _, errors = said(line)
    assert (status, errors) == (2, f"{REVISIONS[line]}\n")


def corrected(line: str) -> str | None:
    """The line with the first suggestion in the place of the mistake; ``None`` without one."""
    answer = MISTAKES[line]
    meant = re.search(r"Did you mean (.+?)(?:, | or |\?)", answer)
    if meant is None:
        return None
    wrong = next(found[1].strip("'") for pattern in WRONG if (found := re.search(pattern, answer)))
    assert wrong in line
    return line.replace(wrong, meant[1], 1)


WRONG = (
    r"There is no (?:command|action|option|engine|rule|revision) (\S+?)\. Did",
    r"cannot be (\S+)\. Did",
    r"The baseline (\S+) is (?:of|a range)",
    r"deployed in (\S+) in",
    r"(\S+) does not exist\. Did",
)
"""The places of the mistaken word in an answer."""
RUN = ("baseline", "explain ", "parse", "diff", "history", "deployed mark", "help")
"""Commands that are quick, and write nothing but a record in the clone."""


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("line", [line for line in MISTAKES if corrected(line)])
def test_what_was_meant_works(line: str) -> None:
    better = corrected(line)
    assert better is not None
    words = shlex.split(better)
    fault = fault_of(words)
    # Something else may have been missing before.
    assert "There is no" not in fault
    assert "cannot be" not in fault
    if not fault and better.startswith(RUN):
        status, _, errors = said(better)
        assert status in (0, 1), errors


ADVICE = sorted({found[1] for text in MISTAKES.values() if (found := re.search("Try: keepstate (.+)$", text))})


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("advice", ADVICE)
def test_the_advice_is_a_command(advice: str) -> None:
    # The rest of the typed line has the value.
    assert fault_of(advice.split()).partition(" needs a value")[0] in ("", "--format")


def fault_of(words: list[str]) -> str:
    """The sentence of the parser about arguments; empty if it takes them, or shows a help."""
    try:
        parsed(words)
    except UsageError as error:
        return error.sentence
    except SystemExit as end:
        return "" if end.code == 0 else str(end.code)
    return ""


def test_there_are_many() -> None:
    assert len(MISTAKES) >= 130
