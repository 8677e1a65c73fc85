"""docs/troubleshooting.md: each message of its tables is shown by the command that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import DECLARED, INCOMPATIBLE, JOB, NOT_FLINK
from keepstate_lsp.cli.main import main
from repositories import GitRepository

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
INVALID = DECLARED.replace("GROUP BY region,", "GROUP BY")
COMMANDS = {
    "is not in a git repository": ("check", "../outside/a.sql"),
    "There is no revision": ("check", "jobs/a.sql", "--against", "mian"),
    "The repository has no revision": ("check", "jobs/a.sql", "--against", "merge-base:origin/release"),
    "which is shallow: its history was cut off": ("check", "jobs/a.sql", "--against", "HEAD~1"),
    "is the commit of this build itself": ("check", "jobs/a.sql", "--against", "merge-base:HEAD"),
    "it does not exist, nor did it in": ("check", "jobs/none.sql"),
    "It shows nothing of Flink SQL": ("check", "other.sql"),
    "not valid: Flink refuses it": ("check", "jobs/invalid.sql"),
    "There is no command": ("chekc",),
}
"""A command for each message; the fixture has the files."""


def messages(section: str) -> Iterator[str]:
    """Messages in the first column of the table of a section."""
    yield from re.findall(r"^\| `([^`]+)` \|", SECTIONS[section], re.MULTILINE)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_git: None) -> GitRepository:
    """A shallow clone as a build has it, with two new files, and a file outside of it."""
    central = GitRepository(tmp_path / "central")
    central.commit({"jobs/a.sql": JOB})
    central.commit({"jobs/a.sql": INCOMPATIBLE})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.sql").write_text(JOB, "utf-8")
    central.git("clone", "--quiet", "--depth", "1", central.folder.as_uri(), str(tmp_path / "clone"))
    shallow = GitRepository(tmp_path / "clone")
    shallow.write("jobs/invalid.sql", INVALID)
    shallow.write("other.sql", f"{NOT_FLINK}SELECT FROM")
    monkeypatch.chdir(shallow.folder)
    return shallow


def test_each_message_of_the_page_has_a_command() -> None:
    assert list(messages("The check could not compare")) == list(COMMANDS)


@pytest.mark.parametrize("message", COMMANDS)
def test_a_command_shows_the_message(
    message: str, clone: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if message == "is the commit of this build itself":
        monkeypatch.setenv("CI", "true")
    if "no revision" in message:
        clone.git("fetch", "--quiet", "--unshallow")
    status = main([*COMMANDS[message]])
    assert message in " ".join(capsys.readouterr().err.split())
    assert status == 2


def test_flink_says_what_the_page_quotes() -> None:
    traces = [path.read_text("utf-8") for path in (ROOT / "tests" / "restore_errors" / "traces").glob("*.txt")]
    quoted = list(messages("The restart failed"))
    assert len(quoted) == 2
    for message in quoted:
        assert any(message in trace for trace in traces), message
