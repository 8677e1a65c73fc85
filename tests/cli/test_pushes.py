"""Builds of the default branch: compared with what was there before the push, and never with themselves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.cli.ci.pushes import BEFORE, VARIABLES
from keepstate_lsp.cli.ci.target_branch import SYSTEMS
from keepstate_lsp.cli.main import main
from repositories import GitRepository

NOTHING = "0" * 40
FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")


@pytest.fixture
def pushed(repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A clone at main, onto which two commits were pushed: the first one costs state, the second one is harmless."""
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB})
    repository.commit({"jobs/a.sql": INCOMPATIBLE})
    repository.commit({"README.md": "Jobs"})
    repository.git("clone", "--quiet", repository.folder.as_uri(), str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setenv("CI", "true")
    return GitRepository(tmp_path / "clone")


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    """The status, the files by their names, and what was said besides."""
    capsys.readouterr()
    status = main(["check", *arguments, "--format", "json"])
    captured = capsys.readouterr()
    files = json.loads(captured.out)["files"] if captured.out else []
    return status, {file["path"]: file for file in files}, captured.err


def event(folder: Path, **members: object) -> str:
    path = folder / "event.json"
    path.write_text(json.dumps(members), "utf-8")
    return str(path)


Reported = Callable[[str, str, Path], dict[str, str]]
"""The variables of a build, of the commit before and the one after the push."""
TELLING: dict[str, Reported] = {
    "GitHub": lambda before, after, folder: {
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": event(folder, ref="refs/heads/main", before=before, after=after, created=False),
    },
    "GitLab": lambda before, _, __: {"CI_COMMIT_BEFORE_SHA": before, "CI_COMMIT_BRANCH": "main"},
    "Jenkins": lambda before, after, _: {
        "GIT_PREVIOUS_SUCCESSFUL_COMMIT": before,
        "GIT_PREVIOUS_COMMIT": after,
        "JENKINS_URL": "https://jenkins.example.com/",
    },
    "Jenkins, no success so far": lambda before, _, __: {"GIT_PREVIOUS_COMMIT": before},
    "CodeBuild": lambda before, _, __: {"CODEBUILD_WEBHOOK_PREV_COMMIT": before},
    "Drone": lambda before, _, __: {"DRONE_COMMIT_BEFORE": before, "DRONE_TARGET_BRANCH": "main"},
    "Woodpecker": lambda before, _, __: {"CI_PREV_COMMIT_SHA": before},
    "Cirrus": lambda before, _, __: {"CIRRUS_LAST_GREEN_CHANGE": before},
    "Travis": lambda before, after, _: {"TRAVIS_COMMIT_RANGE": f"{before[:12]}...{after[:12]}"},
    "Semaphore": lambda before, after, _: {"SEMAPHORE_GIT_COMMIT_RANGE": f"{before}...{after}"},
    "any other": lambda before, _, __: {BEFORE: before},
    "any other, by hand": lambda _, __, ___: {BEFORE: "HEAD~2"},
}


def build(pushed: GitRepository, system: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    before, after = pushed.git("rev-parse", "HEAD~2"), pushed.git("rev-parse", "HEAD")
    for name, value in TELLING[system](before, after, tmp_path).items():
        monkeypatch.setenv(name, value)
    return before


@pytest.mark.parametrize("paths", [(), ("jobs",), ("jobs/a.sql",)], ids=str)
@pytest.mark.parametrize("system", TELLING)
def test_a_push_is_compared_with_what_was_there_before_it(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    system: str,
    paths: tuple[str, ...],
) -> None:
    before = build(pushed, system, monkeypatch, tmp_path)
    status, files, said = checked(capsys, *paths)
    assert (status, files["jobs/a.sql"]["verdict"]) == (1, "incompatible")
    assert files["jobs/a.sql"]["baseline"]["commit"] == before
    assert "origin/main holds this commit already" in said and any(variable in said for variable in VARIABLES)
    assert main(["check", *paths, "--quiet"]) == 1
    assert "compared with" not in capsys.readouterr().err.lower()


def test_each_variable_is_tried(tmp_path: Path) -> None:
    tried = {name for reported in TELLING.values() for name in reported("a" * 40, "b" * 40, tmp_path)}
    assert tried >= set(VARIABLES)


SILENT: dict[str, Reported] = {
    "no variable": lambda _, __, ___: {},
    "a new branch": lambda _, __, ___: {"CI_COMMIT_BEFORE_SHA": NOTHING},
    "a branch that was just made": lambda _, after, folder: {
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": event(folder, before=NOTHING, after=after, created=True),
    },
    "by hand": lambda _, __, folder: {
        "GITHUB_EVENT_NAME": "workflow_dispatch",
        "GITHUB_EVENT_PATH": event(folder, ref="refs/heads/main", inputs={}),
    },
    "by the clock": lambda _, __, folder: {
        "GITHUB_EVENT_NAME": "schedule",
        "GITHUB_EVENT_PATH": event(folder, schedule="0 0 * * *"),
    },
    "the same commit again": lambda _, after, __: {BEFORE: after},
    "no green build so far": lambda _, __, ___: {"CIRRUS_LAST_GREEN_CHANGE": "null"},
    "a new branch, by Travis": lambda before, after, _: {"TRAVIS_COMMIT_RANGE": f"{before[:12]}^...{after[:12]}"},
    # The head of the target is checked out by mistake: no pull request would ever be seen.
    "pull_request_target": lambda before, _, folder: {
        "GITHUB_BASE_REF": "main",
        "GITHUB_EVENT_NAME": "pull_request_target",
        "GITHUB_EVENT_PATH": event(folder, action="synchronize", before=before),
    },
    "a build after the merge, by Prow": lambda _, after, __: {"PULL_BASE_REF": "main", "PULL_BASE_SHA": after},
    **{system: lambda _, __, ___, system=system: {"CI": "", system: "True"} for system in SYSTEMS},  # type: ignore[misc]
}


def silent(pushed: GitRepository, build_of: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before, after = pushed.git("rev-parse", "HEAD~2"), pushed.git("rev-parse", "HEAD")
    for name, value in SILENT[build_of](before, after, tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("paths", [(), ("jobs",), ("jobs/a.sql",), ("jobs/*.sql",)], ids=str)
@pytest.mark.parametrize("build_of", SILENT)
def test_what_is_compared_with_itself_is_never_green(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    build_of: str,
    paths: tuple[str, ...],
) -> None:
    silent(pushed, build_of, monkeypatch, tmp_path)
    status, _, said = checked(capsys, *paths)
    assert status == 2
    assert "The baseline merge-base:origin/main is the commit of this build itself." in said
    assert "--against" in said
    # A branch that the CI system calls new has no commit before the push: no variable can name one.
    new = build_of in ("a new branch", "a branch that was just made")
    assert ("The branch is new with this push" in said) == new != (BEFORE in said)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_that_nothing_was_compared(
    pushed: GitRepository, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert main(["check", "--format", form]) == 2
    said = " ".join(capsys.readouterr().out.replace("\\", "").split())
    assert "is the commit of this build itself" in said
    if form == "sarif":
        (run,) = json.loads(said.replace("\n", ""))["runs"]
        assert run["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        # What is named on the command line stays what it is, and is refused where it is the commit itself.
        (("--against", "merge-base:origin/main"), 2),
        (("--against", "origin/main"), 2),
        (("--against", "tag:v*"), 2),
        (("--against", "HEAD~2", "--new-since", "merge-base:origin/main"), 2),
        (("--against", "HEAD~2", "--new-since", "HEAD"), 2),
        (("--against", "HEAD~2"), 1),
        (("--against", "HEAD~2", "--new-since", "HEAD~1"), 0),
        # Who says HEAD in a build means it: files that the build has made are compared with those that were committed.
        (("--against", "HEAD"), 0),
    ],
    ids=str,
)
def test_a_baseline_that_is_named(
    pushed: GitRepository, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int
) -> None:
    pushed.git("tag", "v1")
    assert checked(capsys, *arguments)[0] == status


@pytest.mark.parametrize(
    ("configured", "before", "status"),
    [
        ("merge-base:origin/main", True, 1),
        ("merge-base:origin/main", False, 2),
        ("HEAD", False, 2),
        ("tag:v*", False, 2),
        ("HEAD~3", False, 1),
    ],
)
def test_a_baseline_that_is_configured(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    configured: str,
    before: bool,
    status: int,
) -> None:
    pushed.commit({"keepstate.toml": f'baseline = "{configured}"\n'})
    pushed.git("tag", "v1")
    pushed.git("update-ref", "refs/remotes/origin/main", "HEAD")
    if before:
        monkeypatch.setenv("CI_COMMIT_BEFORE_SHA", pushed.git("rev-parse", "HEAD~3"))
    found, files, said = checked(capsys)
    assert found == status
    if before:
        assert files["jobs/a.sql"]["verdict"] == "incompatible"
        assert "which was there before the push" in said


def test_what_the_build_itself_has_made_is_compared(pushed: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    pushed.write("jobs/b.sql", PARTIAL)
    status, files, _ = checked(capsys)
    assert (status, files["jobs/b.sql"]["verdict"]) == (0, "partial")
    # A file that is new proves nothing: it has nothing to be compared with.
    pushed.write("jobs/b.sql", JOB)
    pushed.write("jobs/new.sql", PARTIAL.replace("daily", "hourly").replace("orders", "visits"))
    assert checked(capsys)[0] == 2


@pytest.fixture
def deployed(pushed: GitRepository) -> GitRepository:
    """Before both commits; what main held between them is not deployed."""
    assert main(["deployed", "mark", "jobs/a.sql", "jobs/b.sql", "--commit", "HEAD~2"]) == 0
    return pushed


def test_everything_counts_where_nothing_tells_what_was_there(
    deployed: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    status, files, said = checked(capsys)
    assert (status, files["jobs/a.sql"]["blame"]) == (1, None)
    assert "all of it counts" in said and "nothing tells what it held before" in said


def test_only_the_push_counts_where_it_is_known(
    deployed: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BEFORE, "HEAD~1")
    status, files, _ = checked(capsys)
    assert (status, files["jobs/a.sql"]["blame"]["changed"]) == (0, False)
    monkeypatch.setenv(BEFORE, "HEAD~2")
    assert checked(capsys)[0] == 1


def test_nothing_is_excused_where_it_is_not_known_whose_doing_it_is(
    deployed: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    deployed.git("update-ref", "refs/keepstate/deployed/eu", "refs/keepstate/deployed/production")
    deployed.git("update-ref", "-d", "refs/keepstate/deployed/production")
    deployed.git("update-ref", "refs/keepstate/deployed/us", "refs/keepstate/deployed/eu")
    # Of several environments none is chosen, but the configuration names one.
    deployed.commit({"keepstate.toml": 'baseline = "deployed:eu"\n'})
    deployed.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert checked(capsys)[0] == 1


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CI_COMMIT_BEFORE_SHA", "--all", "CI_COMMIT_BEFORE_SHA names no commit"),
        ("GIT_PREVIOUS_COMMIT", "main; rm -rf /", "GIT_PREVIOUS_COMMIT names no commit"),
        (BEFORE, "--all", "begins with a dash"),
        (BEFORE, "deployed", f"{BEFORE} names no commit"),
        (BEFORE, "a" * 40, "has no revision"),
        (BEFORE, "file:x", f"{BEFORE} names no commit"),
    ],
)
def test_what_a_variable_says_wrongly(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    says: str,
) -> None:
    monkeypatch.setenv(name, value)
    for paths in ((), ("jobs/a.sql",)):
        status, _, said = checked(capsys, *paths)
        assert status == 2 and says in said


@pytest.mark.parametrize(
    "content", [None, b"", b"{", b"[" * 100_000, b"\xff", b"[]", b'{"before": 7}', b'{"before": "x"}']
)
def test_an_event_that_is_none(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    content: bytes | None,
) -> None:
    path = tmp_path / "event.json"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(path))
    status, _, said = checked(capsys)
    assert status == 2
    assert ("cannot be read" in said) == (content is None or content[:2] not in (b"[]", b'{"'))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "endless device", "folder", "dangling link"])
def test_an_event_that_is_no_file(
    pushed: GitRepository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kind: str,
) -> None:
    path, other = tmp_path / "event.json", tmp_path / "other"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "endless device" else other)
        if kind == "link to a pipe":
            os.mkfifo(other)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(path))
    status, _, said = checked(capsys)
    assert status == 2 and "GITHUB_EVENT_PATH" in said and "cannot be read" in said


def test_a_desk_is_no_build(
    pushed: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI")
    monkeypatch.setenv("GIT_PREVIOUS_COMMIT", pushed.git("rev-parse", "HEAD~2"))
    assert checked(capsys)[0] == 0
    assert checked(capsys, "--against", "merge-base:origin/main")[0] == 0
