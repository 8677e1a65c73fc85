"""Baselines of ``keepstate check`` on a build machine: by variables of each CI system, in clones of all kinds."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.main import main
from repositories import GitRepository

CI_SYSTEMS = [
    {"GITHUB_BASE_REF": "main", "GITHUB_ACTIONS": "true", "CI": "true"},
    {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITLAB_CI": "true", "CI": "true"},
    {"BITBUCKET_PR_DESTINATION_BRANCH": "main", "CI": "true"},
    {"CHANGE_TARGET": "main", "JENKINS_URL": "https://jenkins.example.com/"},
    {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main", "TF_BUILD": "True"},
    {"BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main", "BUILDKITE": "true", "CI": "true"},
    {"CI_COMMIT_TARGET_BRANCH": "main", "CI": "woodpecker"},
    {"DRONE_TARGET_BRANCH": "main", "DRONE_PULL_REQUEST": "7", "CI": "true"},
    {"CIRRUS_BASE_BRANCH": "main", "CI": "true"},
    {"TRAVIS_BRANCH": "main", "TRAVIS_PULL_REQUEST": "7", "CI": "true"},
    {"APPVEYOR_REPO_BRANCH": "main", "APPVEYOR_PULL_REQUEST_NUMBER": "7", "CI": "True"},
    {"SEMAPHORE_GIT_BRANCH": "main", "SEMAPHORE_GIT_PR_NUMBER": "7", "CI": "true"},
    {"BITRISEIO_GIT_BRANCH_DEST": "main", "CI": "true"},
    {"CF_PULL_REQUEST_TARGET": "main", "CI": "true"},
    {"CODEBUILD_WEBHOOK_BASE_REF": "refs/heads/main"},
    {"PULL_BASE_REF": "main", "CI": "true"},
]
NO_CHANGE = [
    {"GITHUB_BASE_REF": ""},
    {"TRAVIS_BRANCH": "main", "TRAVIS_PULL_REQUEST": "false"},
    {"DRONE_TARGET_BRANCH": "main"},
    {"CI": "false"},
    {"CI": "0"},
]


@pytest.fixture
def central(repository: GitRepository) -> GitRepository:
    """A repository that others clone: main went on after the branch ``topic`` had left it."""
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB, "jobs/c.sql": JOB})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"jobs/a.sql": PARTIAL})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"jobs/b.sql": INCOMPATIBLE})
    return repository


@pytest.fixture
def clone(central: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A whole clone, at the branch."""
    return cloned(central, tmp_path / "clone", monkeypatch)


def cloned(
    central: GitRepository, folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str, branch: str = "topic"
) -> GitRepository:
    central.git("clone", "--quiet", f"--branch={branch}", *options, central.folder.as_uri(), str(folder))
    monkeypatch.chdir(folder)
    return GitRepository(folder)


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    """The status, the files by their names, and what was said besides."""
    capsys.readouterr()
    status = main(["check", *arguments, "--format", "json"])
    captured = capsys.readouterr()
    files = json.loads(captured.out)["files"] if captured.out else []
    return status, {file["path"]: file for file in files}, captured.err


@pytest.mark.parametrize("variables", CI_SYSTEMS, ids=lambda variables: next(iter(variables)))
def test_the_target_branch_is_found(
    clone: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    status, files, errors = checked(capsys)
    assert (status, list(files)) == (0, ["jobs/a.sql"])
    assert files["jobs/a.sql"]["baseline"]["spec"] == "merge-base:origin/main"
    assert files["jobs/a.sql"]["baseline"]["commit"] == clone.git("merge-base", "HEAD", "origin/main")
    # One sentence says so, with the variable that names the commit.
    (line,) = errors.splitlines()
    assert "merge-base:origin/main" in line and next(iter(variables)) in line
    assert main(["check", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("variables", NO_CHANGE, ids=str)
def test_what_names_no_target_branch(
    clone: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    clone.write("jobs/c.sql", PARTIAL)
    _, files, errors = checked(capsys)
    assert {path: file["baseline"]["spec"] for path, file in files.items()} == {"jobs/c.sql": "HEAD"}
    assert errors == ""


def test_a_build_of_a_branch_is_compared_with_the_default_branch(
    clone: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    _, files, errors = checked(capsys)
    assert files["jobs/a.sql"]["baseline"]["spec"] == "merge-base:origin/main"
    assert "origin/main is the default branch" in errors
    # An option or a configuration makes the sentence needless.
    _, files, errors = checked(capsys, "--against", "HEAD~1")
    assert files["jobs/a.sql"]["baseline"]["spec"] == "HEAD~1"
    assert errors == ""


def test_a_branch_that_is_only_here(
    central: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(central.folder)
    central.git("checkout", "--quiet", "--detach", "topic")
    monkeypatch.setenv("CHANGE_TARGET", "main")
    _, files, _ = checked(capsys)
    assert files["jobs/a.sql"]["baseline"]["spec"] == "merge-base:main"
    monkeypatch.setenv("CHANGE_TARGET", "release/2")
    status, files, errors = checked(capsys)
    assert (status, files) == (2, {})
    assert "no revision 'release/2'" in errors
    monkeypatch.setenv("CHANGE_TARGET", "--all")
    status, _, errors = checked(capsys)
    assert status == 2
    assert "CHANGE_TARGET names no branch" in errors


def test_gitlab_tells_where_the_change_began(
    central: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = cloned(central, tmp_path / "clone", monkeypatch, "--single-branch")
    began = clone.git("rev-parse", "HEAD~1")
    monkeypatch.setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", began)
    status, files, _ = checked(capsys)
    assert (status, list(files)) == (0, ["jobs/a.sql"])
    assert files["jobs/a.sql"]["baseline"]["spec"] == began
    # One that the clone does not hold is of no use: the branch is asked for.
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", "1" * 40)
    status, _, errors = checked(capsys)
    assert status == 2
    assert "git fetch origin main:refs/remotes/origin/main" in errors


@pytest.mark.parametrize(
    "options",
    [
        ("--depth=1",),
        ("--depth=1", "--no-single-branch"),
        ("--single-branch",),
        ("--filter=blob:none", "--single-branch"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("detached", [False, True])
@pytest.mark.parametrize("paths", [(), ("jobs/a.sql",), ("jobs",)], ids=str)
def test_a_small_clone_is_mended_by_what_is_said(
    central: GitRepository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    detached: bool,
    paths: tuple[str, ...],
) -> None:
    central.git("config", "uploadpack.allowFilter", "true")
    clone = cloned(central, tmp_path / "clone", monkeypatch, *options)
    if detached:
        clone.git("checkout", "--quiet", "--detach")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    for _ in range(3):
        status, files, errors = checked(capsys, *paths)
        if status != 2:
            break
        mends = {line.partition(" To mend: ")[2] for line in errors.splitlines()} - {""}
        assert mends, errors
        for mend in mends:
            subprocess.run(shlex.split(mend), cwd=clone.folder, check=True, capture_output=True)
    assert status == 0
    assert files["jobs/a.sql"]["verdict"] == "partial"
    assert files["jobs/a.sql"]["baseline"]["commit"] == central.git("merge-base", "main", "topic")


def test_what_is_deployed_is_fetched_by_what_is_said(
    central: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(central.folder)
    assert main(["deployed", "mark", "jobs/a.sql", "--environment", "staging"]) == 0
    clone = cloned(central, tmp_path / "clone", monkeypatch, "--depth=1")
    status, _, errors = checked(capsys, "jobs/a.sql", "--against", "deployed:staging")
    assert status == 2
    mend = errors.strip().partition(" To mend: ")[2]
    assert mend == "git fetch origin 'refs/keepstate/deployed/*:refs/keepstate/deployed/*'"
    subprocess.run(shlex.split(mend), cwd=clone.folder, check=True, capture_output=True)
    assert checked(capsys, "jobs/a.sql", "--against", "deployed:staging")[0] == 0


class TestBothBaselines:
    """In CI what is deployed is compared with as soon as it is known."""

    @pytest.fixture
    def deployed(self, central: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
        """A clone at the branch, rebased onto main, with the record of what ran before."""
        monkeypatch.chdir(central.folder)
        assert main(["deployed", "mark", "jobs/a.sql", "jobs/b.sql", "--commit", "HEAD~1"]) == 0
        central.git("checkout", "--quiet", "topic")
        central.git("rebase", "--quiet", "main")
        clone = cloned(central, tmp_path / "clone", monkeypatch)
        clone.git("fetch", "--quiet", "origin", "refs/keepstate/deployed/*:refs/keepstate/deployed/*")
        return clone

    def test_found_by_themselves(
        self, deployed: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_BASE_REF", "main")
        status, files, errors = checked(capsys)
        assert status == 0
        assert {path: (file["verdict"], file["open_verdict"]) for path, file in files.items()} == {
            "jobs/a.sql": ("partial", "partial"),
            "jobs/b.sql": ("incompatible", "compatible"),
        }
        assert {file["blame"]["spec"] for file in files.values()} == {"merge-base:origin/main"}
        assert "Compared with what runs (deployed); only what was added since merge-base:origin/main counts" in errors
        assert checked(capsys, "--fail-on", "partial")[0] == 1
        assert checked(capsys, "--new-since", "none")[0] == 1
        # A named baseline means all of its findings.
        status, files, _ = checked(capsys, "--against", "deployed")
        assert status == 1
        assert {file["blame"] for file in files.values()} == {None}

    def test_a_configured_baseline_has_new_findings_since_the_target_branch(
        self, deployed: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        deployed.commit({"keepstate.toml": 'baseline = "deployed"\n'})
        assert checked(capsys)[0] == 1
        monkeypatch.setenv("GITHUB_BASE_REF", "main")
        status, files, _ = checked(capsys)
        assert status == 0
        assert files["jobs/b.sql"]["blame"]["spec"] == "merge-base:origin/main"

    def test_a_lone_environment_is_the_one(
        self, deployed: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ref = "refs/keepstate/deployed/"
        deployed.git("update-ref", f"{ref}eu", f"{ref}production")
        deployed.git("update-ref", "-d", f"{ref}production")
        monkeypatch.setenv("GITHUB_BASE_REF", "main")
        assert checked(capsys)[1]["jobs/b.sql"]["baseline"]["spec"] == "deployed:eu"
        # Of several environments none is the default.
        deployed.git("update-ref", f"{ref}us", f"{ref}eu")
        assert list(checked(capsys)[1]) == ["jobs/a.sql"]


def test_a_bare_clone_says_what_to_do(
    central: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare.git"
    central.git("clone", "--quiet", "--bare", central.folder.as_uri(), str(bare))
    monkeypatch.chdir(bare)
    for arguments in ([], ["--current", "topic", "--against", "main"]):
        status, _, errors = checked(capsys, *arguments)
        assert status == 2
        assert "without a work tree" in errors
    mend = errors.strip().partition(" To mend: ")[2]
    subprocess.run(shlex.split(mend), cwd=bare, check=True, capture_output=True)
    monkeypatch.chdir(tmp_path / "work-tree")
    status, files, _ = checked(capsys, "--current", "topic", "--against", "merge-base:main")
    assert (status, list(files)) == (0, ["jobs/a.sql"])


@pytest.mark.parametrize("where", ["work tree", "staged", "revision"])
def test_deleted_and_renamed_wherever_the_texts_come_from(
    central: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(central.folder)
    central.git("mv", "jobs/a.sql", "jobs/renamed.sql")
    central.write("jobs/renamed.sql", PARTIAL)
    (central.folder / "jobs/c.sql").unlink()
    arguments: tuple[str, ...] = ()
    if where != "work tree":
        central.git("add", "--all")
        arguments = ("--staged",)
    if where == "revision":
        central.commit()
        commit = central.git("rev-parse", "HEAD")
        central.git("reset", "--quiet", "--hard", "HEAD~1")
        arguments = ("--current", commit)
    for paths in ((), ("jobs",), ("jobs/*.sql",)):
        status, files, errors = checked(capsys, *arguments, *paths)
        assert (status, errors) == (0, "")
        reported = {path: (file["status"], file["verdict"]) for path, file in files.items()}
        reported.pop("jobs/b.sql", None)
        assert reported == {"jobs/c.sql": ("deleted", "compatible"), "jobs/renamed.sql": ("compared", "partial")}
        assert files["jobs/renamed.sql"]["baseline"]["path"] == "jobs/a.sql"
    status, files, _ = checked(capsys, *arguments, "jobs/c.sql")
    assert files["jobs/c.sql"]["status"] == "deleted"
    assert "stop it with a savepoint" in files["jobs/c.sql"]["reason"]
    main(["check", *arguments])
    assert "Nothing reads the state of this job any more" in " ".join(capsys.readouterr().out.split())


def test_the_merge_base_of_another_revision_is_its_own(
    central: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(central.folder)
    # HEAD is main itself, whose merge base with main would be main.
    _, files, _ = checked(capsys, "--current", "topic", "--against", "merge-base:main")
    assert list(files) == ["jobs/a.sql"]
    assert files["jobs/a.sql"]["baseline"]["commit"] == central.git("merge-base", "main", "topic")
