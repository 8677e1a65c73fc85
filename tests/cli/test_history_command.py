"""keepstate history: what each past change of a job would have meant."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import keepstate
from jobs import BROKEN, INCOMPATIBLE, JOB, NOT_FLINK, PARTIAL, REFORMATTED
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.cli.main import main
from repositories import GitRepository

LARGE = 256


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.sql": JOB, "other.txt": "1"}, "First version")
    return repository


def reported(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert main(["history", *arguments, "--format", "json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Subject and verdict (or what there is instead) of each change."""
    return [
        (change["subject"], change["verdict"] if change["status"] == "compared" else change["status"])
        for change in document["changes"]
    ]


def ttl(hours: int) -> str:
    return f'[parameters]\n"table.exec.state.ttl" = "{hours} h"\n"pipeline.max-parallelism" = {128 * hours}\n'


def with_topic(job: GitRepository) -> None:
    """A branch that changes the job twice and renames it, merged while the main line went on."""
    job.git("checkout", "--quiet", "-b", "topic")
    job.commit({"jobs/a.sql": PARTIAL}, "Add an aggregate")
    job.git("mv", "jobs/a.sql", "jobs/b.sql")
    job.commit({}, "Rename")
    job.commit({"jobs/b.sql": INCOMPATIBLE}, "Change the window")
    job.git("checkout", "--quiet", "main")
    job.commit({"other.txt": "2"}, "Something else")
    job.git("merge", "--quiet", "--no-ff", "-m", "Merge the topic", "topic")


class TestRows:
    def test_every_change_has_its_verdict(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"jobs/a.sql": REFORMATTED}, "Reformat")
        job.commit({"other.txt": "2"}, "Something else")
        job.commit({"jobs/a.sql": PARTIAL}, "Add an aggregate")
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Change the window")
        document = reported(capsys, "jobs/a.sql")
        assert rows(document) == [
            ("Change the window", "incompatible"),
            ("Add an aggregate", "partial"),
            ("Reformat", "unchanged"),
            ("First version", "new"),
        ]
        assert document["summary"]["changes"] == 3
        assert document["summary"]["lost"] == 1
        newest = document["changes"][0]
        assert newest["commit"] == job.git("rev-parse", "HEAD")
        assert newest["author"] == "Ada"
        assert {finding["rule"] for finding in newest["findings"]} == {"window-size-changed", "aggregate-removed"}

    def test_a_text_that_cannot_be_read_is_a_row(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"jobs/a.sql": BROKEN}, "Break")
        job.commit({"jobs/a.sql": b"\xff\xfe\xff\x00\x01"}, "Binary")
        job.commit({"jobs/a.sql": JOB}, "Mend")
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Change the window")
        assert main(["history", "jobs/a.sql", "--format", "json"]) == 2
        captured = capsys.readouterr()
        assert [verdict for _, verdict in rows(json.loads(captured.out))] == [
            "incompatible",
            "not-compared",
            "not-compared",
            "not-valid",
            "new",
        ]
        assert captured.err.count("not compared:") == 2 and captured.err.count("not valid:") == 1

    def test_deleted_and_brought_back(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.git("rm", "--quiet", "jobs/a.sql")
        job.commit({}, "Delete")
        assert rows(reported(capsys, "jobs/a.sql")) == [("Delete", "deleted"), ("First version", "new")]
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Bring back")
        document = reported(capsys, "jobs/a.sql")
        assert rows(document) == [("Bring back", "new"), ("Delete", "deleted"), ("First version", "new")]
        assert document["summary"]["changes"] == 0

    def test_the_configuration_of_each_commit_counts(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.commit({"keepstate.toml": ttl(1)}, "Configure")
        job.commit({"jobs/keepstate.toml": "# nothing for nobody\n", "elsewhere/keepstate.toml": ttl(9)}, "Elsewhere")
        job.commit({"jobs/keepstate.toml": ttl(1)}, "Nearer")
        job.commit({"jobs/keepstate.toml": ttl(2)}, "Reconfigure")
        job.commit({"jobs/keepstate.toml": "# hours\n" + ttl(2)}, "Comment")
        found = dict(rows(reported(capsys, "jobs/a.sql")))
        assert found["Reconfigure"] == "incompatible"
        # The nearest file is the one that counts, and it says nothing any more, and then the same as before.
        assert list(found) == ["Reconfigure", "Nearer", "Elsewhere", "Configure", "First version"]

    def test_a_parameter_by_hand_stands_over_all_files(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.commit({"keepstate.toml": '[parameters]\n"pipeline.max-parallelism" = 128\n'}, "Configure")
        options = ("--parameter", "pipeline.max-parallelism=64")
        assert rows(reported(capsys, "jobs/a.sql", *options)) == [("First version", "new")]

    def test_a_wrong_configuration_is_a_row(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"keepstate.toml": "no = toml = at all"}, "Slip")
        job.commit({"keepstate.toml": "", "jobs/a.sql": PARTIAL}, "Mend")
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Change the window")
        document = reported(capsys, "jobs/a.sql", status=2)
        assert [verdict for _, verdict in rows(document)] == ["incompatible", "not-compared", "not-compared", "new"]
        assert "is not TOML" in document["changes"][1]["reason"]


class TestBranches:
    def test_a_merge_is_one_change_of_the_main_line(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with_topic(job)
        document = reported(capsys, "jobs/b.sql", "--first-parent")
        assert rows(document) == [("Merge the topic", "incompatible"), ("First version", "new")]
        assert document["changes"][0]["former_path"] == "jobs/a.sql"
        assert document == reported(capsys, "jobs/b.sql")

    def test_all_branches(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        with_topic(job)
        assert rows(reported(capsys, "jobs/b.sql", "--full")) == [
            ("Change the window", "incompatible"),
            ("Rename", "unchanged"),
            ("Add an aggregate", "partial"),
            ("First version", "new"),
        ]

    def test_a_merge_that_is_like_none_of_its_parents_counts(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.git("checkout", "--quiet", "-b", "topic")
        job.commit({"jobs/a.sql": f"-- Orders of a day.\n{JOB}"}, "Explain it")
        job.git("checkout", "--quiet", "main")
        job.commit({"jobs/a.sql": JOB.replace("'1' MINUTE", "'3' MINUTE")}, "Change the window")
        job.git("merge", "--quiet", "--no-ff", "-m", "Merge the topic", "topic")
        found = rows(reported(capsys, "jobs/a.sql", "--full"))
        assert found[0] == ("Merge the topic", "unchanged")
        assert sorted(found[1:3]) == [("Change the window", "incompatible"), ("Explain it", "unchanged")]

    def test_a_file_that_was_called_otherwise_before(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.commit({"old/a.txt": JOB.replace("daily", "hourly")}, "A note")
        job.commit({"old/a.txt": JOB.replace("daily", "hourly") + "-- more\n"}, "More of it")
        job.git("mv", "old/a.txt", "jobs/b.sql")
        job.commit({}, "Make a job of it")
        assert [subject for subject, _ in rows(reported(capsys, "jobs/b.sql"))] == [
            "Make a job of it",
            "More of it",
            "A note",
        ]


class TestWhere:
    def test_since(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.git("commit", "--quiet", "--allow-empty", "-m", "Nothing")
        job.write("jobs/a.sql", PARTIAL)
        later = {"GIT_COMMITTER_DATE": "2024-03-01T00:00:00 +0000"}
        job.git("commit", "--quiet", "--all", "-m", "Add an aggregate", **later)
        assert rows(reported(capsys, "jobs/a.sql", "--since", "2024-02-29")) == [("Add an aggregate", "partial")]
        assert rows(reported(capsys, "jobs/a.sql", "--since", "2024-03-02")) == []
        assert main(["history", "jobs/a.sql", "--since", "last tuesday"]) == 2
        assert "'last tuesday' is no day" in capsys.readouterr().err

    def test_nothing_found_is_no_success(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["history", "jobs/b.sql"]) == 2
        assert "has a file jobs/b.sql" in capsys.readouterr().err
        assert main(["history", "jobs/a.sql", "--revision", "v9"]) == 2
        assert capsys.readouterr().err == "keepstate: There is no revision v9.\n"

    def test_a_shallow_clone_says_where_it_ends(
        self,
        job: GitRepository,
        capsys: pytest.CaptureFixture[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        job.commit({"jobs/a.sql": PARTIAL}, "Add an aggregate")
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Change the window")
        job.git("clone", "--quiet", "--depth", "2", job.folder.as_uri(), str(tmp_path / "clone"))
        monkeypatch.chdir(tmp_path / "clone")
        document = reported(capsys, "jobs/a.sql", status=2)
        assert rows(document) == [("Change the window", "incompatible"), ("Add an aggregate", "not-compared")]
        assert "shallow" in document["changes"][1]["reason"]

    def test_a_bare_clone_will_do(
        self,
        job: GitRepository,
        capsys: pytest.CaptureFixture[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        job.commit({"jobs/a.sql": PARTIAL, "keepstate.toml": ttl(1)}, "Add an aggregate")
        expected = reported(capsys, "jobs/a.sql")
        job.git("clone", "--quiet", "--bare", job.folder.as_uri(), str(tmp_path / "bare"))
        monkeypatch.chdir(tmp_path / "bare")
        assert reported(capsys, "jobs/a.sql") == expected

    def test_settings_of_the_repository_change_nothing_and_run_nothing(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        job.commit({"jobs/a.sql": PARTIAL}, "Add an aggregate")
        expected = reported(capsys, "jobs/a.sql")
        settings = {
            "log.showSignature": "true",
            "log.showRoot": "false",
            "log.follow": "true",
            "log.date": "relative",
            "diff.relative": "true",
            "diff.renames": "false",
            "diff.external": f"touch {tmp_path}/run",
            "gpg.program": f"touch {tmp_path}/run",
        }
        for key, value in settings.items():
            job.git("config", key, value)
        assert reported(capsys, "jobs/a.sql") == expected
        assert not (tmp_path / "run").exists()


class TestFormats:
    def test_text_has_a_line_for_each_finding(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"jobs/a.sql": INCOMPATIBLE}, "Change the window")
        assert main(["history", "jobs/a.sql"]) == 0
        first, finding, oldest, summary = capsys.readouterr().out.splitlines()
        assert first.startswith("✕ incompatible  ") and first.endswith("Ada: Change the window")
        assert finding.startswith("│ ")
        assert finding.strip("│ ").startswith("incompatible[window-size-changed] window size 1 minute -> 2 minutes")
        assert oldest.startswith("+ new ")
        assert summary == "1 change of jobs/a.sql: 1 would have lost state (incompatible)."

    def test_nothing_of_a_commit_is_markup(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"jobs/a.sql": PARTIAL}, "a | b <script> `x`")
        assert main(["history", "jobs/a.sql", "--format", "markdown"]) == 0
        table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| partial")]
        assert len(table) == 1
        assert r"a \| b &lt;script> \`x\`" in table[0]
        assert table[0].replace(r"\|", "").count("|") == 7


def test_the_same_change_is_judged_once(
    job: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        job.commit({"jobs/a.sql": PARTIAL}, "There")
        job.commit({"jobs/a.sql": JOB}, "And back")
    judged = 0

    def counted(*arguments: Any) -> Any:
        nonlocal judged
        judged += 1
        return check(*arguments)

    check = keepstate.Workspace.analysis
    monkeypatch.setattr(keepstate.Workspace, "analysis", counted)
    assert len(reported(capsys, "jobs/a.sql")["changes"]) == 7
    assert judged == 2


def test_the_history_is_read_as_it_is_asked_for(job: GitRepository) -> None:
    for number in range(LARGE):
        job.write("jobs/a.sql", JOB + f"-- {number}\n")
        job.git("commit", "--quiet", "--all", "-m", f"Change {number}")
    with History.around(job.folder) as history:
        changes = history.changes("jobs/a.sql", ())
        assert next(changes).commit.subject == f"Change {LARGE - 1}"
        # A reader that stops early ends git as well.
        changes.close()  # type: ignore[attr-defined]  # it is a generator
        assert sum(1 for _ in history.changes("jobs/a.sql", ())) == LARGE + 1


def test_the_survey_of_a_whole_repository(job: GitRepository, tmp_path: Path) -> None:
    job.commit({"jobs/a.sql": PARTIAL, "jobs/b.sql": JOB, "schema.sql": NOT_FLINK}, "Add an aggregate")
    job.commit({"jobs/a.sql": INCOMPATIBLE, "jobs/b.sql": REFORMATTED}, "Change the window")
    job.git("clone", "--quiet", "--bare", job.folder.as_uri(), str(tmp_path / "bare"))
    program = Path(__file__).parents[2] / "examples" / "survey.py"
    run = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "bare")], capture_output=True, text=True, check=True
    )
    reported = run.stdout.splitlines()
    assert reported[0].startswith("2 changes of jobs/a.sql: 1 would have lost state")
    assert reported[1] == "1 change of jobs/b.sql: 1 would have kept it (compatible)."
    assert reported[3].startswith("3 changes of all jobs: 1 would have lost state")
    assert "     1  incompatible[window-size-changed]" in reported


def test_a_doubt_is_the_reason_of_a_change(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The query does not fit the sink that another file may declare for it."""
    monkeypatch.chdir(repository.folder)
    sink = "CREATE TABLE s (a INT, n BIGINT{}) WITH ('connector' = 'kafka');\n"
    repository.commit({"s.sql": sink.format(""), "a.sql": "INSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a;\n"})
    repository.commit({"s.sql": sink.format(", more INT")})
    assert main(["history", "a.sql", "--engine", "flink", "--format", "json"]) == 0
    newest = json.loads(capsys.readouterr().out)["changes"][0]
    assert (newest["verdict"], newest["findings"]) == ("unknown", [])
    assert newest["reason"].startswith("Flink refuses this if the job uses s from s.sql: ")
