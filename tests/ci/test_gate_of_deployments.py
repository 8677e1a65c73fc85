"""The gate in front of a deployment: both example pipelines, run in clones of one repository that records what runs."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from platforms import ROOT, GitHubAction, Ran, clone, definition, run_script
from repositories import GitRepository

SCRIPT = ROOT / "examples" / "shop-jobs" / "ci" / "gate-deployment.sh"
REF = "refs/keepstate/deployed/production"
DEPLOYED = "your deployment goes here"
ACTION = GitHubAction("action.yml")
GITLAB = definition("examples/shop-jobs/.gitlab-ci.yml")
GITHUB = definition("examples/shop-jobs/.github/workflows/keepstate.yml")
Pipeline = Callable[[Path, dict[str, str]], Ran]


def scripts(folder: Path) -> None:
    """The scripts that the examples call lie in the repository of the user."""
    (folder / "ci").mkdir(exist_ok=True)
    for name in ("gate-deployment.sh", "mark-deployed.sh"):
        shutil.copy(ROOT / "examples" / "shop-jobs" / "ci" / name, folder / "ci" / name)


def gitlab(work: Path, environment: dict[str, str]) -> Ran:
    """The lines of the job in one shell, but for the address that only GitLab knows."""
    scripts(work)
    mark = "./ci/mark-deployed.sh"
    lines = [f"{mark}{line.partition(mark)[2]}" if mark in line else line for line in deploy_lines()]
    return run_script("\n".join(lines), work, {"KEEPSTATE": "keepstate", **environment})


def deploy_lines() -> list[str]:
    lines: list[str] = GITLAB["deploy"]["script"]
    return lines


def github(work: Path, environment: dict[str, str]) -> Ran:
    """The steps of the job one after the other, as long as none fails."""
    scripts(work)
    temp = work.parent / "temp"
    programs = temp / "keepstate" / "bin"
    programs.mkdir(parents=True)
    (programs / "keepstate").symlink_to(Path(sys.executable).parent / "keepstate")
    runner = {
        "RUNNER_TEMP": str(temp),
        "GITHUB_STEP_SUMMARY": str(temp / "summary"),
        "GITHUB_OUTPUT": str(temp / "out"),
    }
    output = errors = ""
    for step in GITHUB["jobs"]["deploy"]["steps"]:
        if "keepstate@" in step.get("uses", ""):
            inputs = {"environment": step["with"]["environment"]}
            ran = ACTION.run("Gate the deployment", work, inputs, {**environment, **runner})
        elif "run" in step:
            ran = run_script(step["run"], work, {**environment, "KEEPSTATE": str(programs / "keepstate")})
        else:
            continue
        output, errors = output + ran.output, errors + ran.errors
        if ran.status:
            break
    return Ran(ran.status, output, errors)


@pytest.fixture(params=[gitlab, github], ids=["GitLab", "GitHub"])
def pipeline(request: pytest.FixtureRequest) -> Pipeline:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def central(repository: GitRepository) -> GitRepository:
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB})
    return repository


def deployed(central: GitRepository) -> str:
    assert run_script("keepstate deployed mark jobs/a.sql jobs/b.sql", central.folder, {}).status == 0
    return central.git("rev-parse", REF)


@pytest.mark.parametrize("depth", [(), ("--depth=1",)], ids=["whole", "shallow"])
@pytest.mark.parametrize(("text", "status"), [(INCOMPATIBLE, 1), (PARTIAL, 0), (JOB, 0)])
def test_what_would_lose_state_is_not_deployed(
    central: GitRepository, tmp_path: Path, pipeline: Pipeline, text: str, status: int, depth: tuple[str, ...]
) -> None:
    before = deployed(central)
    central.commit({"jobs/a.sql": text})
    ran = pipeline(clone(central, tmp_path / "work", *depth).folder, {})
    assert ran.status == status, ran.errors
    assert (DEPLOYED in ran.output) == (status == 0)
    assert ("window-size-changed" in ran.output) == (text == INCOMPATIBLE)
    # What was not deployed is not recorded as deployed either.
    assert (central.git("rev-parse", REF) == before) == (status == 1)


def test_what_is_accepted_is_deployed(central: GitRepository, tmp_path: Path, pipeline: Pipeline) -> None:
    deployed(central)
    central.write("jobs/a.sql", INCOMPATIBLE)
    accepted = run_script("keepstate accept --against deployed --because 'a new day begins'", central.folder, {})
    assert accepted.status == 0, accepted.errors
    central.commit()
    assert DEPLOYED in pipeline(clone(central, tmp_path / "work").folder, {}).output


def test_what_is_not_committed_with_a_change_but_on_main_counts_too(
    central: GitRepository, tmp_path: Path, pipeline: Pipeline
) -> None:
    """A merge request is excused for what main held before it. A deployment is not: all of it reaches the job."""
    deployed(central)
    central.commit({"jobs/a.sql": INCOMPATIBLE})
    central.commit({"README.md": "Jobs"})
    ran = pipeline(clone(central, tmp_path / "work").folder, {"CI": "true", "KEEPSTATE_BEFORE": "HEAD~1"})
    assert ran.status == 1 and DEPLOYED not in ran.output


def test_without_a_record_nothing_is_deployed_unless_it_is_the_first_time(
    central: GitRepository, tmp_path: Path, pipeline: Pipeline
) -> None:
    ran = pipeline(clone(central, tmp_path / "one" / "work").folder, {})
    assert ran.status == 2 and DEPLOYED not in ran.output
    assert "nothing is recorded as deployed in production" in ran.errors and "KEEPSTATE_FIRST" in ran.errors


def test_the_first_time(central: GitRepository, tmp_path: Path) -> None:
    ran = gitlab(clone(central, tmp_path / "work").folder, {"KEEPSTATE_FIRST": "true"})
    assert ran.status == 0, ran.errors
    assert DEPLOYED in ran.output
    # From now on there is one.
    assert central.git("ls-tree", "-r", "--name-only", REF, "--", "files/").split() == [
        "files/jobs/a.sql",
        "files/jobs/b.sql",
    ]


@pytest.mark.parametrize("first", ["", "true"])
def test_a_record_that_cannot_be_fetched_is_not_one_that_is_not_there(
    central: GitRepository, tmp_path: Path, first: str
) -> None:
    work = clone(central, tmp_path / "work")
    work.git("remote", "set-url", "origin", (tmp_path / "nowhere").as_uri())
    ran = run_script(f"{SCRIPT} production", work.folder, {"KEEPSTATE_FIRST": first})
    assert ran.status not in (0, 1)


def test_a_record_of_a_former_build_gives_way(central: GitRepository, tmp_path: Path) -> None:
    deployed(central)
    work = clone(central, tmp_path / "work")
    assert run_script(f"{SCRIPT} production", work.folder, {}).status == 0
    central.git("update-ref", "-d", REF)
    central.commit({"jobs/a.sql": INCOMPATIBLE})
    deployed(central)
    work.git("pull", "--quiet")
    assert run_script(f"{SCRIPT} production", work.folder, {}).status == 0


def test_options_and_paths_are_passed_on(central: GitRepository, tmp_path: Path) -> None:
    deployed(central)
    central.commit({"jobs/a.sql": INCOMPATIBLE, "jobs/b.sql": PARTIAL})
    work = clone(central, tmp_path / "work").folder
    for options, status in (("jobs/b.sql", 0), ("jobs/b.sql --fail-on partial", 1), ("--fail-on never", 0)):
        assert run_script(f"{SCRIPT} production {options}", work, {}).status == status


def test_the_name_of_a_file_is_no_command_to_the_runner(central: GitRepository, tmp_path: Path) -> None:
    name = "::add-mask::a.flink.sql"
    central.commit({name: JOB})
    assert run_script(f"keepstate deployed mark -- '{name}'", central.folder, {}).status == 0
    central.commit({name: "INSERT INTO totals SELECT ((( region"})
    ran = github(clone(central, tmp_path / "work").folder, {})
    assert ran.status == 2
    log = re.sub(r"^::stop-commands::(\w+)\n.*?^::\1::", "", ran.output, flags=re.DOTALL | re.MULTILINE)
    assert "add-mask" in ran.output and "add-mask" not in log
    assert not re.search(r"^\s*::", ran.errors, re.MULTILINE)


def test_what_is_written_into_an_input_is_never_run(tmp_path: Path) -> None:
    files = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": "/dev/null", "GITHUB_STEP_SUMMARY": "/dev/null"}
    for name in ("paths", "args", "environment", "remote"):
        for text in ("$(touch ran)", "`touch ran`", "; touch ran"):
            inputs = {"environment": "production", name: text}
            assert ACTION.run("Gate the deployment", tmp_path, inputs, files).status
    assert not (tmp_path / "ran").exists()


def test_both_examples_have_the_gate_in_front_of_the_deployment() -> None:
    lines = deploy_lines()
    assert [DEPLOYED in line for line in lines].index(True) > [
        line.startswith("./ci/gate-deployment.sh") for line in lines
    ].index(True)
    steps = GITHUB["jobs"]["deploy"]["steps"]
    uses = [step.get("uses", "").startswith("OWNER/keepstate@") for step in steps]
    runs = [DEPLOYED in step.get("run", "") for step in steps]
    assert runs.index(True) > uses.index(True)
    assert set(steps[uses.index(True)]["with"]) <= set(ACTION.definition["inputs"])
