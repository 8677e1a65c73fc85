"""``keepstate check`` in real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, NOT_FLINK, PARTIAL, REFORMATTED
from keepstate_lsp.cli.main import main
from repositories import GitRepository


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Two committed jobs and something else, seen from the root of the repository."""
    monkeypatch.chdir(repository.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB, "db/schema.sql": NOT_FLINK, "README.md": "Jobs"})
    return repository


class Checked:
    """The result of a run with ``--format json``."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.status = main(["check", *arguments, "--format", "json"])
        captured = capsys.readouterr()
        self.errors = captured.err
        self.document: dict[str, Any] = json.loads(captured.out) if captured.out else {}

    @property
    def files(self) -> dict[str, tuple[str, str]]:
        return {file["path"]: (file["status"], file["verdict"]) for file in self.document["files"]}


def test_a_changed_file_against_head(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    checked = Checked(capsys)
    assert checked.status == 1
    assert checked.files == {"jobs/a.sql": ("compared", "incompatible")}
    (file,) = checked.document["files"]
    assert file["baseline"] == {"spec": "HEAD", "commit": jobs.git("rev-parse", "HEAD"), "path": "jobs/a.sql"}
    assert checked.errors == ""
    assert main(["check"]) == 1
    head = jobs.git("rev-parse", "--short=7", "HEAD")
    first, blank, file_line, *_ = capsys.readouterr().out.splitlines()
    assert (first, blank) == (f"Against HEAD ({head}), engine vvr (default; keepstate init chooses).", "")
    assert file_line == f"jobs/a.sql: incompatible with HEAD ({head})"
    assert main(["check", "--engine", "vvr"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == f"Against HEAD ({head}), engine vvr."
    # A line for each finding, and no other.
    assert main(["check", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("jobs/a.sql:")


def test_nothing_changed(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    head = jobs.git("rev-parse", "--short=7", "HEAD")
    assert " ".join(capsys.readouterr().out.split()) == (
        f"Nothing to compare: no Flink SQL file changed since HEAD ({head}) (3 SQL files looked at, engine vvr)."
    )
    checked = Checked(capsys)
    assert (checked.status, checked.files) == (0, {})
    assert checked.document["verdict"] == "compatible"
    jobs.write("README.md", "Other")
    jobs.write("db/schema.sql", NOT_FLINK * 2)
    assert Checked(capsys).files == {}


def test_all_states_of_files(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/c.sql": JOB, "jobs/d.sql": JOB, "jobs/f.fql": "SELECT 1", "jobs/old.sql": PARTIAL})
    jobs.write("jobs/a.sql", PARTIAL)
    jobs.write("jobs/b.sql", REFORMATTED)
    jobs.write("jobs/c.sql", JOB.replace("\n", "\r\n"))
    (jobs.folder / "jobs/d.sql").unlink()
    jobs.write("jobs/e.sql", INCOMPATIBLE.replace("daily", "elsewhere").replace("orders", "visits"))
    (jobs.folder / "jobs/old.sql").rename(jobs.folder / "jobs/renamed.sql")
    jobs.write("jobs/f.fql", "SELECT 2")
    checked = Checked(capsys)
    states = {path: state for path, (state, _) in checked.files.items()}
    assert states["jobs/a.sql"] == "compared"
    assert states["jobs/b.sql"] == "unchanged"
    assert "jobs/c.sql" not in states
    assert states["jobs/d.sql"] == "deleted"
    assert states["jobs/e.sql"] == "new"
    assert states["jobs/renamed.sql"] == "unchanged"
    assert "jobs/old.sql" not in states
    assert "jobs/f.fql" in states
    assert list(states) == sorted(states)


def test_folders_and_globs(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    jobs.write("jobs/ignored/x.sql", JOB)
    jobs.write(".gitignore", "ignored/\n")
    both = {"jobs/a.sql": ("compared", "partial"), "jobs/b.sql": ("unchanged", "compatible")}
    assert Checked(capsys, "jobs").files == both
    assert Checked(capsys, ".").files == both
    assert Checked(capsys, "jobs/*.sql").files == both
    assert Checked(capsys, "**/[ab].sql").files == both
    assert Checked(capsys, "jobs/b.sql", "jobs/b.sql").files == {"jobs/b.sql": both["jobs/b.sql"]}
    # What a glob or a person names is compared whatever it looks like.
    assert list(Checked(capsys, "d?/*.sql").files) == ["db/schema.sql"]
    assert list(Checked(capsys, "jobs/ignored/x.sql").files) == ["jobs/ignored/x.sql"]


def test_paths_that_lead_nowhere(jobs: GitRepository, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for path, says in {
        "jobs/gone.sql": "jobs/gone.sql: not compared: it does not exist, nor did it in HEAD.",
        "nowhere/*.sql": "No Flink SQL file is there.",
        "db": "There is no Flink SQL in db.",
        str(tmp_path): "is not in a git repository",
    }.items():
        checked = Checked(capsys, path)
        assert checked.status == 2, path
        assert says in checked.errors
        assert checked.document["verdict"] == "unknown"
        assert checked.document["problems"]
        assert main(["check", path]) == 2
        assert says in capsys.readouterr().err


def test_each_path_that_leads_nowhere_is_named(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    checked = Checked(capsys, "job/*.sql", "jobs", "x*.sql")
    assert checked.status == 2
    assert "jobs/a.sql" in checked.files
    assert [line.split(": ")[1] for line in checked.errors.splitlines()] == ["job/*.sql", "x*.sql"]


def test_a_file_that_cannot_be_compared_beside_one_that_can(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    jobs.write("jobs/b.sql", BROKEN)
    checked = Checked(capsys)
    assert checked.status == 2
    assert checked.files == {"jobs/a.sql": ("compared", "partial"), "jobs/b.sql": ("not-valid", "unknown")}
    assert "jobs/b.sql: not valid" in checked.errors
    assert "jobs/a.sql" not in checked.errors


def test_from_a_folder_below(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    monkeypatch.chdir(jobs.folder / "db")
    assert list(Checked(capsys).files) == ["../jobs/a.sql"]
    assert list(Checked(capsys, "../jobs/a.sql").files) == ["../jobs/a.sql"]
    monkeypatch.chdir(jobs.folder / "jobs")
    assert list(Checked(capsys).files) == ["a.sql"]


def test_against(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.git("tag", "deployed-1")
    jobs.commit({"jobs/a.sql": PARTIAL})
    assert Checked(capsys).files == {}
    for against in ("HEAD~1", "deployed-1", "tag:deployed-*"):
        checked = Checked(capsys, "--against", against)
        assert checked.files == {"jobs/a.sql": ("compared", "partial")}
        assert checked.document["files"][0]["baseline"]["spec"] == against
    checked = Checked(capsys, "jobs/a.sql", "--against", "file:jobs/b.sql")
    assert checked.files == {"jobs/a.sql": ("compared", "partial")}
    assert checked.document["files"][0]["baseline"] == {"spec": "file:jobs/b.sql", "commit": None, "path": "jobs/b.sql"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--against", "v9"], "no revision 'v9'"),
        (["jobs/a.sql", "--against", "v9"], "no revision 'v9'"),
        (["--against", "deployed"], "Nothing is recorded as deployed"),
        (["--against", "mergebase:main"], "no known kind"),
        (["--against", "file:jobs/b.sql"], "name the file to compare"),
        (["jobs", "--against", "file:jobs/b.sql"], "name the one file"),
        (["jobs/a.sql", "--against", "file:gone.sql"], "gone.sql does not exist"),
        (["--current", "v9"], "no revision 'v9'"),
        (["--current", "tag:v*"], "takes a git revision"),
        (["--staged", "--current", "HEAD"], "--current does not go together with --staged."),
        (["--format", "yaml"], "--format cannot be 'yaml'. There is text, json,"),
        (["--parameters", "a=b"], "no option --parameters. Did you mean --parameter?"),
        (["--stage"], "no option --stage. Did you mean --staged?"),
        (["--engine", "flnk"], "no engine 'flnk'"),
        (["--config", "gone.toml"], "no configuration file gone.toml"),
    ],
)
def test_what_is_asked_wrongly(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err


def test_staged(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    assert Checked(capsys, "--staged").files == {}
    jobs.git("add", "--all")
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/c.sql", JOB)
    assert Checked(capsys, "--staged").files == {"jobs/a.sql": ("compared", "partial")}
    assert Checked(capsys, "--staged", "jobs/a.sql").files == {"jobs/a.sql": ("compared", "partial")}
    assert Checked(capsys, "--staged", "jobs").files["jobs/b.sql"] == ("unchanged", "compatible")
    jobs.git("mv", "jobs/b.sql", "jobs/renamed.sql")
    assert Checked(capsys, "--staged").files == {
        "jobs/a.sql": ("compared", "partial"),
        "jobs/renamed.sql": ("unchanged", "compatible"),
    }
    jobs.git("rm", "--quiet", "--cached", "--force", "jobs/a.sql")
    assert Checked(capsys, "--staged", "jobs/a.sql").files == {"jobs/a.sql": ("deleted", "compatible")}


def test_a_revision_against_another(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.git("checkout", "--quiet", "-b", "topic")
    jobs.commit({"jobs/a.sql": PARTIAL, "jobs/only-there.sql": JOB})
    jobs.git("checkout", "--quiet", "main")
    checked = Checked(capsys, "--current", "topic")
    assert checked.files == {"jobs/a.sql": ("compared", "partial"), "jobs/only-there.sql": ("new", "compatible")}
    assert Checked(capsys, "jobs/a.sql", "--current", "topic", "--against", "topic").files == {
        "jobs/a.sql": ("unchanged", "compatible")
    }
    assert "jobs/b.sql" in Checked(capsys, "jobs", "--current", "topic").files


def test_a_repository_without_commits(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.write("a.sql", JOB)
    assert Checked(capsys).status == 0
    checked = Checked(capsys, "a.sql")
    assert (checked.status, checked.files) == (0, {"a.sql": ("new", "compatible")})


def test_outside_of_a_repository(
    isolated_git: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sql").write_text(JOB)
    for arguments in ([], ["a.sql"], ["."], ["*.sql"]):
        checked = Checked(capsys, *arguments)
        assert checked.status == 2
        assert "is not in a git repository" in checked.errors


def test_in_ci_the_merge_base_is_the_baseline(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    monkeypatch.setenv("CI", "true")
    # Without a remote there is no branch to go into.
    assert Checked(capsys).document["files"][0]["baseline"]["spec"] == "HEAD"
    jobs.git("checkout", "--quiet", "--", ".")
    clone = GitRepository(tmp_path / "clone")
    clone.git("remote", "add", "origin", jobs.folder.as_uri())
    clone.git("fetch", "--quiet")
    clone.git("checkout", "--quiet", "-b", "topic", "origin/main")
    clone.commit({"jobs/a.sql": PARTIAL})
    jobs.commit({"jobs/b.sql": INCOMPATIBLE})
    clone.git("fetch", "--quiet")
    monkeypatch.chdir(clone.folder)
    checked = Checked(capsys)
    assert checked.files == {"jobs/a.sql": ("compared", "partial")}
    assert checked.document["files"][0]["baseline"]["spec"] == "merge-base:origin/main"
    # A clone of one branch, of one commit: no silent pass.
    jobs.git("fetch", "--quiet", clone.folder.as_uri(), "topic:topic")
    shallow = tmp_path / "shallow"
    clone.git("clone", "--quiet", "--depth=1", "--branch=topic", jobs.folder.as_uri(), str(shallow))
    monkeypatch.chdir(shallow)
    checked = Checked(capsys)
    assert checked.status == 2
    assert "shallow" in checked.errors
    assert "--unshallow" in checked.errors


class TestConfiguration:
    def test_files_and_settings(self, jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        jobs.write("keepstate.toml", 'files = ["jobs/*.sql"]\nbaseline = "HEAD~1"\nfail-on = "partial"\n')
        jobs.commit({"jobs/a.sql": PARTIAL})
        checked = Checked(capsys)
        assert checked.status == 1
        assert checked.files == {"jobs/a.sql": ("compared", "partial"), "jobs/b.sql": ("unchanged", "compatible")}
        assert Checked(capsys, "--fail-on", "unknown").status == 0
        assert Checked(capsys, "--against", "HEAD").files["jobs/a.sql"] == ("unchanged", "compatible")
        assert Checked(capsys, "db/schema.sql").files == {"db/schema.sql": ("unchanged", "compatible")}

    def test_globs_that_match_nothing(self, jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        jobs.write("keepstate.toml", 'files = ["job/*.sql"]\n')
        checked = Checked(capsys)
        assert checked.status == 2
        assert "No file matches files = job/*.sql." in checked.errors

    def test_the_nearest_file_wins(self, jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        jobs.write("pyproject.toml", '[tool.keepstate]\nfail-on = "partial"\n')
        jobs.write("jobs/keepstate.toml", 'fail-on = "never"\n')
        jobs.write("jobs/a.sql", PARTIAL)
        jobs.write("other.sql", PARTIAL)
        jobs.commit()
        jobs.write("jobs/a.sql", INCOMPATIBLE)
        assert Checked(capsys).status == 0
        jobs.write("other.sql", JOB)
        jobs.commit()
        jobs.write("other.sql", PARTIAL)
        assert Checked(capsys).status == 1

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("filess = []", "no setting 'filess'"),
            ("files = 'a'", "files must be a list"),
            ("files = []", "files must be a list"),
            ("engine = 1", "engine must be a text"),
            ("engine = 'x'", "no engine 'x'"),
            ("fail-on = 'x'", "fail-on must be one of"),
            ("baseline = 'x:y'", "no known kind"),
            ("[parameters]\na = []", "the parameter a must be"),
            ("parameters = 1", "parameters must be a table"),
            ("a = ", "is not TOML"),
        ],
    )
    def test_mistakes_are_errors(
        self, jobs: GitRepository, capsys: pytest.CaptureFixture[str], text: str, says: str
    ) -> None:
        jobs.write("jobs/a.sql", PARTIAL)
        jobs.write("keepstate.toml", text)
        assert main(["check"]) == 2
        captured = capsys.readouterr()
        assert says in captured.err
        assert captured.out == ""


def test_quiet_and_colour(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.write("jobs/a.sql", PARTIAL)
    assert main(["check", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("jobs/a.sql:10:")
    main(["check", "--color", "always"])
    assert "\x1b[" in capsys.readouterr().out
    main(["check"])
    assert "\x1b[" not in capsys.readouterr().out
    jobs.git("checkout", "--quiet", "--", ".")
    main(["check", "--quiet"])
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt", reason="permissions are another thing there")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (jobs.folder / "jobs/a.sql").chmod(0)
    assert main(["check", "jobs/a.sql"]) == 2
    assert "it cannot be read: Permission denied." in capsys.readouterr().err
