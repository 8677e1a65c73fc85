"""The command that a report offers for accepting a finding does so: it is pasted, run, and the gate passes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate.report import Effect, Verdict
from keepstate.reporting.accept_command import AcceptCommand
from keepstate.reporting.next_steps import next_steps
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.acceptance_file import FILE_NAME, AcceptanceFile
from repositories import GitRepository

FORMATS = ("text", "json", "github", "junit", "markdown")
"""Formats that show how to accept; the others have no place for it."""
UNHEARD_OF = "[parameters]\n'table.exec.unheard-of' = '{}'\n"


@pytest.fixture
def branch(repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> GitRepository:
    """A clone at a branch whose change is committed: against HEAD there is nothing to accept."""
    repository.commit({"jobs/a.sql": JOB, "jobs/of the day/b.sql": JOB})
    repository.git("clone", "--quiet", repository.folder.as_uri(), str(tmp_path / "clone"))
    clone = GitRepository(tmp_path / "clone")
    clone.git("checkout", "--quiet", "-b", "topic")
    clone.commit({"jobs/a.sql": INCOMPATIBLE})
    monkeypatch.chdir(clone.folder)
    return clone


def commands(output: str) -> list[str]:
    """The commands in a report that are lines of it, or stand between backticks in it."""
    joined = re.sub(r"\\\n\s*", "", output).replace('\\"', '"')
    found = re.findall(r"keepstate accept [^`\n]*?--because '<reason>'", joined)
    return list(dict.fromkeys(found))


def reported(capsys: pytest.CaptureFixture[str], form: str, *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(["check", *arguments, "--format", form])
    output = capsys.readouterr().out
    if form == "junit":
        output = output.replace("&lt;", "<").replace("&gt;", ">")
    return status, output


AGAINST = {
    "merge base": ["--against", "merge-base:origin/main"],
    "revision": ["--against", "HEAD~1"],
    "deployed": ["--against", "deployed"],
    "two baselines": ["--against", "deployed", "--new-since", "merge-base:origin/main"],
    "file": ["jobs/a.sql", "--against", "file:jobs/of the day/b.sql"],
    "engine": ["--against", "HEAD~1", "--engine", "flink", "--engine-version", "1.20"],
    "parameters": ["--against", "HEAD~1", "--parameter", "table.exec.state.ttl=1 d"],
    "configuration": ["--against", "HEAD~1", "--config", "other.toml"],
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("against", AGAINST)
def test_what_is_offered_is_pasted_and_the_gate_passes(
    branch: GitRepository, capsys: pytest.CaptureFixture[str], form: str, against: str
) -> None:
    branch.write("other.toml", 'engine = "flink"\n')
    main(["deployed", "mark", "jobs/a.sql", "--commit", "HEAD~1"])
    status, output = reported(capsys, form, *AGAINST[against])
    assert status == 1
    offered = commands(output)
    assert offered
    for command in offered:
        (branch.folder / FILE_NAME).unlink(missing_ok=True)
        words = shlex.split(command)
        assert words[0] == "keepstate" and words[-1] == "<reason>"
        assert main([*words[1:-1], "the figures of today may go"]) == 0
        assert reported(capsys, form, *AGAINST[against])[0] == 0


def test_from_a_folder_below_the_comment_names_the_file_as_at_the_root(
    branch: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(branch.folder / "jobs")
    _, output = reported(capsys, "markdown", "--against", "merge-base:origin/main")
    assert all(" jobs/a.sql " in command for command in commands(output)) and commands(output)


def test_what_may_be_a_secret_is_not_repeated(branch: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    for form in FORMATS:
        _, output = reported(capsys, form, "--against", "HEAD~1", "--parameter", "s3.secret-key=hunter2")
        assert "hunter2" not in output and "s3.secret-key=VALUE" in output


def test_two_files_have_no_ledger_and_are_offered_a_comment(
    branch: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["diff", "jobs/of the day/b.sql", "jobs/a.sql"]
    for form in FORMATS:
        capsys.readouterr()
        assert main([*files, "--format", form]) == 1
        output = capsys.readouterr().out.replace("&lt;", "<").replace("&gt;", ">")
        assert "keepstate accept" not in output and "-- keepstate: accept " in output
    comment = "-- keepstate: accept window-size-changed because so\nFROM TABLE"
    branch.write("jobs/a.sql", INCOMPATIBLE.replace("FROM TABLE", comment))
    assert main(files) == 0


@pytest.mark.parametrize(
    "against", ["merge-base:origin/a`b", "merge-base:origin/a\nb", "x" * 2_000, "a<b>", "a&b", "a$b"]
)
def test_a_name_that_would_end_the_command_is_left_to_be_filled_in(against: str) -> None:
    command = AcceptCommand("jobs/a.sql", against)
    steps = next_steps("vvr", None, Verdict.INCOMPATIBLE, {Effect.STATE_LOST}, command=command)
    assert "keepstate accept jobs/a.sql --against BASELINE --because '<reason>'" in steps[0].steps[-2]


def test_several_files_are_named_one_by_one(branch: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    branch.commit({"jobs/of the day/b.sql": INCOMPATIBLE})
    _, output = reported(capsys, "text", "--against", "merge-base:origin/main")
    (command,) = commands(output)
    assert command == "keepstate accept FILE --against merge-base:origin/main --because '<reason>'"


class TestNothingToAccept:
    """A request that cannot be done is an error that names the compared versions."""

    @pytest.mark.parametrize("paths", [[], ["jobs/a.sql"], ["jobs"]])
    def test_against_head_after_the_commit(
        self, branch: GitRepository, capsys: pytest.CaptureFixture[str], paths: list[str]
    ) -> None:
        assert main(["accept", *paths, "--because", "so"]) == 2
        said = capsys.readouterr().err
        head = branch.git("rev-parse", "--short=7", "HEAD")
        assert f"HEAD ({head})" in said and "engine vvr" in said
        if not paths:
            assert "merge-base:origin/main" in said
        assert not (branch.folder / FILE_NAME).exists()

    def test_another_rule(self, branch: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["accept", "--against", "HEAD~1", "--because", "so", "--rule", "aggregate-added"]
        assert main(asked) == 2
        assert "no finding of aggregate-added in jobs/a.sql" in capsys.readouterr().err
        assert main([*asked, "--rule", "window-size-changed"]) == 0
        assert "There is no finding of aggregate-added" in capsys.readouterr().err
        (entry,) = AcceptanceFile.at(branch.folder / FILE_NAME).entries
        assert entry.rule == "window-size-changed"

    def test_twice_is_no_error(self, branch: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        for says in ("written", "accepted already"):
            assert main(["accept", "--against", "HEAD~1", "--because", "so"]) == 0
            assert says in capsys.readouterr().out


def test_an_entry_goes_to_the_ledger_that_holds_for_its_file(
    branch: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    branch.write(f"jobs/{FILE_NAME}", "")
    branch.commit({"c.sql": JOB})
    branch.write("c.sql", INCOMPATIBLE)
    branch.write("jobs/a.sql", JOB)
    assert main(["accept", "--because", "so"]) == 0
    assert [entry.file for entry in AcceptanceFile.at(branch.folder / "jobs" / FILE_NAME).entries] == ["a.sql"]
    assert [entry.file for entry in AcceptanceFile.at(branch.folder / FILE_NAME).entries] == ["c.sql"]
    assert main(["check"]) == 0


def test_pruning_for_one_file_leaves_the_entries_of_others(
    branch: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    branch.commit({"jobs/of the day/b.sql": PARTIAL})
    assert main(["accept", "--against", "merge-base:origin/main", "--because", "so"]) == 0
    assert len(AcceptanceFile.at(branch.folder / FILE_NAME).entries) == 2
    assert main(["accept", "--prune", "jobs/a.sql", "--against", "HEAD"]) == 0
    assert [entry.file for entry in AcceptanceFile.at(branch.folder / FILE_NAME).entries] == ["jobs/of the day/b.sql"]


@pytest.mark.parametrize("quiet", ["--quiet", "-q"])
def test_a_line_of_quiet_output_says_what_does_not_count(
    branch: GitRepository, capsys: pytest.CaptureFixture[str], quiet: str
) -> None:
    both = INCOMPATIBLE.replace("SUM(amount) AS amount", "SUM(amount) AS amount, MAX(amount) AS largest")
    main(["deployed", "mark", "jobs/a.sql", "--commit", "HEAD~1"])
    branch.write("jobs/a.sql", both)
    arguments = ["check", "--against", "deployed", "--new-since", "HEAD", quiet]
    capsys.readouterr()
    main(arguments)
    added, before = sorted(capsys.readouterr().out.splitlines(), key=lambda line: "window" in line)
    assert re.search(r"^jobs/a\.sql:\d+:\d+: partial\[aggregate-added\]: ", added)
    assert re.search(r"^jobs/a\.sql:\d+:\d+: there before this change, incompatible\[window-size-changed\]: ", before)
    assert main(["accept", "--against", "deployed", "--because", "so"]) == 0
    capsys.readouterr()
    assert main(["check", "--against", "deployed", quiet]) == 0
    assert all(": accepted, " in line for line in capsys.readouterr().out.splitlines())


def test_the_command_of_json_is_the_one_of_the_file(branch: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    branch.commit({"keepstate.toml": UNHEARD_OF.format(1)})
    branch.write("keepstate.toml", UNHEARD_OF.format(2))
    _, output = reported(capsys, "json")
    files = json.loads(output)["files"]
    assert len(files) == 2
    for file in files:
        said = json.dumps(file["next_steps"])
        assert f"keepstate accept {shlex.quote(file['path'])} --against HEAD" in said
