"""The GitHub Action: its steps, run as a runner runs them for a pull request."""

from __future__ import annotations

import json
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, REFORMATTED
from platforms import ROOT, GitHubAction, Ran, clone, definition, run_script
from repositories import GitRepository

ACTION = GitHubAction("action.yml")
Check = Callable[..., Ran]


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The environment of a job for a pull request into main, with Keepstate installed by the first step."""
    programs = tmp_path / "temp" / "keepstate" / "bin"
    programs.mkdir(parents=True)
    (programs / "keepstate").symlink_to(Path(sys.executable).parent / "keepstate")
    for name in ("summary", "output"):
        (tmp_path / name).touch()
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(tmp_path / "temp"),
    }


@pytest.fixture
def check(repository: GitRepository, runner: dict[str, str], tmp_path: Path) -> Check:
    """Checks a pull request that makes ``text`` of the job, in the clone that actions/checkout makes."""

    def run(text: str, depth: str = "0", **inputs: str) -> Ran:
        repository.commit({"jobs/a.sql": JOB})
        repository.git("checkout", "--quiet", "-b", "topic")
        repository.commit({"jobs/a.sql": text})
        repository.git("checkout", "--quiet", "main")
        repository.git("merge", "--quiet", "--no-ff", "topic")
        repository.git("branch", "pull")
        repository.git("reset", "--quiet", "--hard", "HEAD~")
        options = [] if depth == "0" else [f"--depth={depth}", "--branch=pull"]
        work = clone(repository, tmp_path / "work", *options)
        work.git("checkout", "--quiet", "--detach", "origin/pull")
        return ACTION.run("Check", work.folder, {key.replace("_", "-"): value for key, value in inputs.items()}, runner)

    return run


def outputs(runner: dict[str, str]) -> dict[str, str]:
    lines = Path(runner["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_findings_fail_the_step_and_are_annotated(check: Check, runner: dict[str, str]) -> None:
    ran = check(INCOMPATIBLE)
    assert ran.status == 1
    assert "::error file=jobs/a.sql,line=11," in ran.output
    assert "window-size-changed" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text()
    assert outputs(runner)["exit-status"] == "1"
    assert "jobs/a.sql" in Path(outputs(runner)["report"]).read_text()


def test_a_change_without_meaning_passes(check: Check, runner: dict[str, str]) -> None:
    assert check(REFORMATTED).status == 0
    assert outputs(runner)["exit-status"] == "0"


@pytest.mark.parametrize(
    ("inputs", "status"),
    [
        ({"fail_on": "never"}, 0),
        ({"args": "--fail-on never --quiet"}, 0),
        ({"paths": "jobs/*.sql", "against": "HEAD"}, 0),
        ({"paths": "nowhere"}, 2),
        ({"args": "--no-such-flag"}, 2),
        ({"working_directory": "jobs"}, 1),
    ],
)
def test_inputs(check: Check, inputs: dict[str, str], status: int) -> None:
    assert check(INCOMPATIBLE, **inputs).status == status


def test_the_summary_can_be_left_out(check: Check, runner: dict[str, str]) -> None:
    check(INCOMPATIBLE, summary="false")
    assert Path(runner["GITHUB_STEP_SUMMARY"]).read_text() == ""


def test_sarif_is_written_to_be_uploaded(check: Check, tmp_path: Path) -> None:
    assert check(INCOMPATIBLE, sarif="keepstate.sarif").status == 1
    log = json.loads((tmp_path / "work" / "keepstate.sarif").read_text())
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["results"][0]["ruleId"] == "window-size-changed"
    upload = ACTION.step("Upload to code scanning")
    assert "inputs.sarif" in upload["with"]["sarif_file"] and "cancelled()" in upload["if"]


def test_a_shallow_clone_is_reported_with_its_remedy(check: Check) -> None:
    ran = check(INCOMPATIBLE, depth="1")
    assert ran.status == 2
    assert "git fetch" in ran.errors


def test_what_is_written_into_an_input_is_never_run(check: Check, tmp_path: Path) -> None:
    environment = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": "/dev/null"}
    for text in ("$(touch ran)", "`touch ran`", "; touch ran"):
        assert ACTION.run("Check", tmp_path, {"paths": text}, environment).status
    assert not (tmp_path / "ran").exists()
    assert not [step["name"] for step in ACTION.definition["runs"]["steps"] if "${{" in step.get("run", "")]


def test_installs_this_very_code(isolated_git: None, runner: dict[str, str], tmp_path: Path) -> None:
    """A stand-in for Python writes down its arguments: the network is not ours to test."""
    stand_in = tmp_path / "programs" / "python3"
    stand_in.parent.mkdir()
    stand_in.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/told\n'
        f'if [ "$3" = venv ]; then mkdir -p "$4/bin" && ln -sf {stand_in} "$4/bin/python"; fi\n'
    )
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    environment = {**runner, "PATH": f"{stand_in.parent}:/usr/bin:/bin"}
    ran = ACTION.run("Install Keepstate", tmp_path, {}, environment)
    assert ran.status == 0, ran.errors
    made, *installed = (tmp_path / "told").read_text().splitlines()
    # Isolated: a venv.py in the checked repository is not what makes it.
    assert made == f"-I -m venv {runner['RUNNER_TEMP']}/keepstate"
    wanted = [
        f"--only-binary :all: --require-hashes --requirement {ROOT}/supply/build.txt",
        f"--only-binary :all: --require-hashes --requirement {ROOT}/supply/runtime.txt",
        f"--no-deps --no-build-isolation {ROOT}",
    ]
    assert installed == [f"-I -m pip install --quiet --disable-pip-version-check {one}" for one in wanted]


@pytest.mark.parametrize("format_", ["github", "text"])
def test_the_name_of_a_file_is_no_command_to_the_runner(
    repository: GitRepository, runner: dict[str, str], format_: str
) -> None:
    names = ("::add-mask::a.flink.sql", "##[add-mask]a.flink.sql", "a\n::add-mask::b.flink.sql")
    repository.commit(dict.fromkeys(names, JOB))
    for name in names:
        repository.write(name, "INSERT INTO totals SELECT ((( region")
    ran = ACTION.run("Check", repository.folder, {"format": format_, "against": "HEAD"}, runner)
    assert ran.status
    heard = commands(ran.output)
    assert heard and "add-mask" not in heard
    assert "add-mask" in ran.errors and not commands(ran.errors)


def commands(log: str) -> set[str]:
    """The commands that a runner finds: in front of a line, those of the first syntax anywhere; none while stopped."""
    heard = set()
    stopped = None
    for line in log.splitlines():
        found = re.match(r"\s*::([^ :]+)[^:]*::(.*)", line) or re.search(r"##\[([^ \]]+)[^\]]*\](.*)", line)
        if found is None or (stopped is not None and found[1] != stopped):
            continue
        heard.add(found[1])
        stopped = found[2] if found[1] == "stop-commands" else None
    return heard


@pytest.mark.parametrize("path", ["action.yml", "examples/shop-jobs/.github/workflows/keepstate.yml"])
def test_the_code_of_others_is_named_by_the_hash_of_a_commit(path: str) -> None:
    used = re.findall(r"uses: (\S+?)@(.*)", (ROOT / path).read_text("utf-8"))
    assert used
    for name, version in used:
        assert name == "OWNER/keepstate" or re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", version), name


def test_a_job_of_the_example_may_do_what_it_needs() -> None:
    workflow = definition("examples/shop-jobs/.github/workflows/keepstate.yml")
    assert workflow["permissions"] == {}
    jobs = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert jobs == {
        "check": {"contents": "read", "security-events": "write", "pull-requests": "write"},
        "deploy": {"contents": "write"},
    }
    checkout, *_ = workflow["jobs"]["deploy"]["steps"]
    assert checkout["with"]["persist-credentials"] is False


def test_the_example_uses_what_the_action_offers(repository: GitRepository, tmp_path: Path) -> None:
    workflow = definition("examples/shop-jobs/.github/workflows/keepstate.yml")
    steps = workflow["jobs"]["check"]["steps"]
    (used,) = [step for step in steps if step.get("uses", "").split("@")[0].endswith("/keepstate")]
    assert set(used["with"]) <= set(ACTION.definition["inputs"])
    assert next(step for step in steps if "checkout" in step.get("uses", ""))["with"]["fetch-depth"] == 0
    repository.commit({"jobs/a.sql": JOB})
    work = clone(repository, tmp_path / "work")
    (fetch,) = [step["run"] for step in steps if "run" in step]
    assert run_script(fetch, work.folder, {}).status == 0
