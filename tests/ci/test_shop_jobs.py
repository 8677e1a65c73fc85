"""The example repository: its edits, made as its README has them, and its pipelines, run as the CI systems run them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gitlab import GitLabRunner
from hosts import Comments, host
from repositories import GitRepository
from shop_jobs import DECLARED, DEPLOYED, EDITS, FINE, REF, SHOP, WORSE, Desk, recorded, shop_repository
from workflows import GitHubRunner


@dataclass(frozen=True)
class Outcome:
    """The result of a build for a person."""

    passed: bool
    log: str


@dataclass
class System:
    """A CI system of the repository ``central``."""

    central: GitRepository
    change: Callable[[str], Outcome]
    deploy: Callable[[str, bool], Outcome]


@pytest.fixture
def comments() -> Iterator[Comments]:
    with host() as comments:
        yield comments


@pytest.fixture
def shop(isolated_git: None, tmp_path: Path) -> GitRepository:
    """The example as a repository of its own."""
    return shop_repository(tmp_path / "shop-jobs")


@pytest.fixture(params=["GitHub", "GitLab"])
def system(request: pytest.FixtureRequest, shop: GitRepository, comments: Comments, tmp_path: Path) -> System:
    if request.param == "GitLab":
        gitlab = GitLabRunner(SHOP / ".gitlab-ci.yml", shop, tmp_path / "runs", comments.gitlab())

        def request_of(branch: str) -> Outcome:
            ran = gitlab.merge_request(branch)["keepstate"]
            return Outcome(ran.status == 0, ran.output + ran.errors)

        def deploy_there(_: str, first: bool) -> Outcome:
            ran = gitlab.push(variables={"KEEPSTATE_FIRST": "true"} if first else {})["deploy"]
            return Outcome(ran.status == 0, ran.output + ran.errors)

        return System(shop, request_of, deploy_there)

    workflow = SHOP / ".github" / "workflows" / "keepstate.yml"

    def github(first: bool = False) -> GitHubRunner:
        variables = {"KEEPSTATE_FIRST": "true"} if first else {}
        github.runs += 1  # type: ignore[attr-defined]
        temp = tmp_path / f"runs{github.runs}"  # type: ignore[attr-defined]
        temp.mkdir()
        return GitHubRunner(workflow, shop, temp, comments.github(), variables)

    github.runs = 0  # type: ignore[attr-defined]

    def change(branch: str) -> Outcome:
        jobs = github().pull_request(branch)
        assert jobs["deploy"].status == "skipped"
        return Outcome(jobs["check"].status == "success", jobs["check"].output + jobs["check"].errors)

    def deploy(before: str, first: bool) -> Outcome:
        jobs = github(first).push(before)
        assert jobs["check"].status == "skipped"
        return Outcome(jobs["deploy"].status == "success", jobs["deploy"].output + jobs["deploy"].errors)

    return System(shop, change, deploy)


@pytest.fixture
def desk(system: System, tmp_path: Path) -> Desk:
    return Desk(system.central, tmp_path / "desk")


@pytest.fixture
def deployed(system: System) -> System:
    """The system behind its first deployment."""
    first = system.deploy("0" * 40, True)
    assert first.passed, first.log
    return system


def test_the_first_deployment_has_to_be_called_so(system: System) -> None:
    refused = system.deploy("0" * 40, False)
    assert not refused.passed and DEPLOYED not in refused.log and "KEEPSTATE_FIRST" in refused.log
    first = system.deploy("0" * 40, True)
    assert first.passed and DEPLOYED in first.log, first.log
    assert recorded(system.central, "jobs/revenue.sql").startswith("-- Revenue per category")


def test_an_edit_that_means_the_same_is_deployed(deployed: System, desk: Desk, comments: Comments) -> None:
    desk.branch("same", EDITS[FINE])
    assert deployed.change("same").passed
    assert not comments.all
    shipped = deployed.deploy(desk.merge("same"), False)
    assert shipped.passed and DEPLOYED in shipped.log
    assert recorded(deployed.central, "jobs/revenue.sql").startswith("-- What each category earns")


@pytest.mark.parametrize("title", [WORSE, DECLARED])
def test_what_would_lose_state_is_refused_with_one_comment(
    deployed: System, desk: Desk, comments: Comments, title: str
) -> None:
    desk.branch("worse", EDITS[title])
    outcome = deployed.change("worse")
    assert not outcome.passed
    (comment,) = comments.of_builds
    assert EDITS[title].shown
    lines = comment.body.splitlines()
    for line in EDITS[title].shown:
        assert any(each.startswith(line) for each in lines), line
    # The second build of the same request.
    assert not deployed.change("worse").passed
    assert len(comments.of_builds) == 1 and comments.of_builds[0].edits == 1
    # Merged all the same, it is not deployed.
    before = deployed.central.git("rev-parse", REF)
    shipped = deployed.deploy(desk.merge("worse"), False)
    assert not shipped.passed and DEPLOYED not in shipped.log
    assert deployed.central.git("rev-parse", REF) == before


def test_what_is_accepted_passes_and_is_deployed(deployed: System, desk: Desk, comments: Comments) -> None:
    desk.branch("ranks", EDITS[WORSE])
    assert not deployed.change("ranks").passed
    (command,) = EDITS[WORSE].commands
    desk.run(command)
    desk.push("ranks")
    assert deployed.change("ranks").passed
    (comment,) = comments.of_builds
    assert "restarted at night" in comment.body and comment.edits == 1
    shipped = deployed.deploy(desk.merge("ranks"), False)
    assert shipped.passed and DEPLOYED in shipped.log, shipped.log
    assert "place <= 10" in recorded(deployed.central, "jobs/largest_orders.sql")


def test_a_comment_is_edited_when_the_edit_is_taken_back(deployed: System, desk: Desk, comments: Comments) -> None:
    desk.branch("ranks", EDITS[WORSE])
    assert not deployed.change("ranks").passed
    desk.run("git checkout --quiet main -- jobs")
    desk.push("ranks")
    assert deployed.change("ranks").passed
    (comment,) = comments.of_builds
    assert "incompatible" not in comment.body and comment.edits == 1


def test_a_comment_that_cannot_be_written_is_a_warning(shop: GitRepository, comments: Comments, tmp_path: Path) -> None:
    """A pull request from a fork: its token may only read."""
    Desk(shop, tmp_path / "desk").branch("worse", EDITS[WORSE])
    (tmp_path / "runs").mkdir()
    workflow = SHOP / ".github" / "workflows" / "keepstate.yml"
    job = GitHubRunner(workflow, shop, tmp_path / "runs", comments.github("may-read")).pull_request("worse")["check"]
    assert job.status == "failure" and "rank-range-changed" in job.summary
    assert "::warning title=Keepstate::comment: the token may not write comments" in job.output
    assert "Comment on the pull request" in job.steps and not comments.all


def test_every_edit_of_the_readme_is_made() -> None:
    assert list(EDITS) == [FINE, WORSE, DECLARED]


def test_the_readme_names_what_there_is() -> None:
    text = (SHOP / "README.md").read_text("utf-8")
    table = text[text.index("| file |") : text.index("A test makes")]
    named = re.findall(r"`([\w./*-]+)`", table)
    assert named and all(list(SHOP.glob(name.rstrip("/"))) for name in named), named
    listed = {path.name for path in SHOP.iterdir()} - {"README.md"}
    assert listed <= {name.partition("/")[0] for name in named}
