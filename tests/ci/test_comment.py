"""The comment on a pull or merge request: one, edited by later builds, through the interface of each host."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hosts import Comments, host
from platforms import ROOT, Ran, run_script

SCRIPT = ROOT / "examples" / "shop-jobs" / "ci" / "comment.py"
MARK = "<!-- keepstate -->\n"
WORSE = f"{MARK}## Keepstate: incompatible\n\n1 finding (1 incompatible); 1 file: 1 compared.\n"
FINE = f"{MARK}## Keepstate: compatible\n\nno findings; 1 file: 1 unchanged.\n"
NOTHING = f"{MARK}## Keepstate\n\nNothing to compare.\n"
NOT_COMPARED = f"{NOTHING}\n### Not valid, or not compared\n\n* the clone is shallow\n"
Write = Callable[..., Ran]


@pytest.fixture
def comments() -> Iterator[Comments]:
    with host() as comments:
        yield comments


@pytest.fixture(params=["GitHub", "GitLab"])
def write(request: pytest.FixtureRequest, comments: Comments, tmp_path: Path) -> Write:
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 1}}))

    def run(report: str, token: str = "may-write", **environment: str) -> Ran:
        (tmp_path / "report.md").write_text(report, "utf-8")
        if request.param == "GitHub":
            own = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "OWNER/shop-jobs", **comments.github(token)}
            own["GITHUB_EVENT_PATH"] = str(tmp_path / "event.json")
        else:
            own = comments.gitlab(token)
        return run_script(f"python3 -I {SCRIPT} report.md", tmp_path, {**own, **environment})

    return run


def test_one_comment_that_every_later_build_edits(write: Write, comments: Comments) -> None:
    comments.add("Ada", "Please have a look.")
    for report in (WORSE, NOT_COMPARED, FINE, NOTHING):
        assert write(report).status == 0
    (comment,) = comments.of_builds
    assert (comment.body, comment.edits) == (NOTHING, 3)
    assert comments.all[0].body == "Please have a look."


@pytest.mark.parametrize(("report", "count"), [(WORSE, 1), (NOT_COMPARED, 1), (FINE, 0), (NOTHING, 0)])
def test_the_first_comment_is_about_something_to_decide(
    write: Write, comments: Comments, report: str, count: int
) -> None:
    ran = write(report)
    assert ran.status == 0, ran.errors
    assert len(comments.of_builds) == count
    assert ("nothing to decide" in ran.output) == (count == 0)


def test_the_comment_is_found_among_hundreds(write: Write, comments: Comments) -> None:
    for number in range(150):
        comments.add("Ada", f"{number}")
    assert write(WORSE).status == 0
    for number in range(150):
        comments.add("Ada", f"{number}")
    assert write(FINE).status == 0
    (comment,) = comments.of_builds
    assert (comment.body, comment.edits) == (FINE, 1)


def test_the_comment_of_another_account_is_not_edited(write: Write, comments: Comments) -> None:
    """An edited comment of another account could be edited back."""
    comments.add("Mallory", FINE)
    assert write(WORSE).status == 0
    assert [comment.body for comment in comments.all] == [FINE, WORSE]


@pytest.mark.parametrize(
    ("token", "words"), [("may-read", "in a build of a fork it may only read"), ("unknown", "is not known")]
)
def test_a_token_that_may_not_write_is_one_sentence(write: Write, comments: Comments, token: str, words: str) -> None:
    ran = write(WORSE, token)
    assert ran.status == 1 and words in ran.errors
    assert len(ran.errors.splitlines()) == 1 and not comments.all


@pytest.mark.parametrize(
    ("report", "environment", "words"),
    [
        ("# Notes\n", {}, "is no report"),
        (WORSE, {"GITHUB_TOKEN": "", "KEEPSTATE_COMMENT_TOKEN": ""}, "is not set"),
        (WORSE, {"GITHUB_ACTIONS": "", "CI_MERGE_REQUEST_IID": ""}, "of no pull or merge request"),
        (
            WORSE,
            dict.fromkeys(("GITHUB_GRAPHQL_URL", "CI_API_V4_URL"), "http://127.0.0.1:1"),
            "does not answer",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(
    write: Write, comments: Comments, report: str, environment: dict[str, str], words: str
) -> None:
    ran = write(report, **environment)
    assert ran.status in (1, 2) and words in ran.errors
    assert len(ran.errors.splitlines()) == 1 and not comments.all


def test_a_report_that_is_not_there(tmp_path: Path) -> None:
    ran = run_script(f"python3 -I {SCRIPT} report.md", tmp_path, {})
    assert ran.status == 2 and "keepstate check --format markdown --output report.md makes it" in ran.errors


def test_a_build_of_a_push_writes_no_comment(comments: Comments, tmp_path: Path) -> None:
    shutil.copy(SCRIPT, tmp_path / "comment.py")
    (tmp_path / "event.json").write_text(json.dumps({"ref": "refs/heads/main", "before": "0" * 40}))
    (tmp_path / "report.md").write_text(WORSE)
    environment = {**comments.github(), "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    ran = run_script("python3 comment.py report.md", tmp_path, environment)
    assert ran.status == 2 and not comments.all
