"""Writes the report of a check on the pull or merge request of a build: one comment, edited by every later build.

    python3 comment.py REPORT.md

The report is that of `keepstate check --format markdown`. Where it has nothing to decide (compatible, or nothing to
compare), an earlier comment is edited and no new one is made. Only comments of the same account are edited.

GitHub Actions: GITHUB_TOKEN, with the permission `pull-requests: write`. GitLab: KEEPSTATE_COMMENT_TOKEN, an access
token of the project with the scope `api`. Status 0 if the comment is up to date, 1 if it could not be written, 2 for
anything that is wrong here.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

MARK = "<!-- keepstate -->"
"""The first line of each report."""
_NOTHING_TO_DECIDE = ("## Keepstate: compatible", "## Keepstate")
_NOT_COMPARED = "### Not valid, or not compared"
_SECONDS = 30
_MOST_PAGES = 100
"""Pages of comments that are read, of 100 each."""
_REFUSED = {
    401: "the token is not known or has expired",
    403: "the token may not write comments; in a build of a fork it may only read",
    404: "the token does not reach this repository, or there is no such request",
}


class Host(Protocol):
    """The comments of one pull or merge request."""

    def own_comments(self) -> Iterator[tuple[str, str]]:
        """Comments of this account: id and text, the first one first."""

    def edit(self, comment: str, text: str) -> None: ...

    def add(self, text: str) -> None: ...


class Request:
    """Requests to one API, with its headers."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = {**headers, "Content-Type": "application/json", "User-Agent": "keepstate"}

    def __call__(self, method: str, address: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, dict(self._headers), method=method)
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            return json.loads(response.read() or b"null")


class GitHub:
    """The pull request of the event that GitHub Actions, Gitea or Forgejo names."""

    def __init__(self, environment: Mapping[str, str], number: int) -> None:
        self._environment = environment
        self._owner, _, self._name = environment["GITHUB_REPOSITORY"].partition("/")
        self._number = number
        self._comments = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
        self._request = Request({"Authorization": f"Bearer {wanted(environment, 'GITHUB_TOKEN')}"})

    _QUERY = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
      repository(owner: $owner, name: $name) { pullRequest(number: $number) { comments(first: 100, after: $after) {
        nodes { databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } } }"""

    def own_comments(self) -> Iterator[tuple[str, str]]:
        # The list of the REST API does not say which comments are those of the token.
        after = None
        for _ in range(_MOST_PAGES):
            variables = {"owner": self._owner, "name": self._name, "number": self._number, "after": after}
            found = self._request(
                "POST", self._environment["GITHUB_GRAPHQL_URL"], {"query": self._QUERY, "variables": variables}
            )
            if found.get("errors"):
                fail("GitHub does not list the comments; the token needs the permission pull-requests: write.")
            page = found["data"]["repository"]["pullRequest"]["comments"]
            yield from ((str(one["databaseId"]), one["body"]) for one in page["nodes"] if one["viewerDidAuthor"])
            if not page["pageInfo"]["hasNextPage"]:
                return
            after = page["pageInfo"]["endCursor"]

    def edit(self, comment: str, text: str) -> None:
        self._request("PATCH", f"{self._comments}/comments/{comment}", {"body": text})

    def add(self, text: str) -> None:
        self._request("POST", f"{self._comments}/{self._number}/comments", {"body": text})


class GitLab:
    """The merge request that GitLab names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        # Of a fork, the request is in the project that the change is meant for.
        project = environment["CI_MERGE_REQUEST_PROJECT_ID"]
        self._api = environment["CI_API_V4_URL"]
        self._notes = f"{self._api}/projects/{project}/merge_requests/{environment['CI_MERGE_REQUEST_IID']}/notes"
        self._request = Request({"PRIVATE-TOKEN": wanted(environment, "KEEPSTATE_COMMENT_TOKEN")})

    def own_comments(self) -> Iterator[tuple[str, str]]:
        own = self._request("GET", f"{self._api}/user")["id"]
        for number in range(1, _MOST_PAGES + 1):
            page = self._request("GET", f"{self._notes}?sort=asc&per_page=100&page={number}")
            yield from ((str(note["id"]), note["body"]) for note in page if note["author"]["id"] == own)
            if len(page) < 100:
                return

    def edit(self, comment: str, text: str) -> None:
        self._request("PUT", f"{self._notes}/{comment}", {"body": text})

    def add(self, text: str) -> None:
        self._request("POST", self._notes, {"body": text})


def wanted(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        fail(f"{name} is not set.", status=2)
    return value


def fail(sentence: str, status: int = 1) -> NoReturn:
    print(f"comment: {sentence}", file=sys.stderr)
    raise SystemExit(status)


def host_of(environment: Mapping[str, str]) -> Host:
    if environment.get("GITHUB_ACTIONS"):
        event = json.loads(Path(wanted(environment, "GITHUB_EVENT_PATH")).read_text("utf-8"))
        if "pull_request" in event:
            return GitHub(environment, int(event["pull_request"]["number"]))
    elif environment.get("CI_MERGE_REQUEST_IID"):
        return GitLab(environment)
    fail("this build is of no pull or merge request.", status=2)


def has_something_to_decide(report: str) -> bool:
    lines = report.splitlines()
    return lines[1] not in _NOTHING_TO_DECIDE or _NOT_COMPARED in lines


def put(host: Host, report: str) -> str:
    """Edit the comment, or make one if there is something to decide. Return what was done."""
    former = next((comment for comment, text in host.own_comments() if text.startswith(MARK)), None)
    if former is not None:
        host.edit(former, report)
        return "edited"
    if not has_something_to_decide(report):
        return "there is nothing to decide"
    host.add(report)
    return "written"


def main() -> int:
    if len(sys.argv) != 2:
        fail("name the report: comment.py REPORT.md", status=2)
    path = Path(sys.argv[1])
    if not path.is_file():
        fail(f"there is no report {path}: keepstate check --format markdown --output {path} makes it.", status=2)
    report = path.read_text("utf-8")
    if not report.startswith(f"{MARK}\n"):
        fail(f"{path} is no report in Markdown of keepstate check.", status=2)
    try:
        print(f"comment: {put(host_of(os.environ), report)}")
    except urllib.error.HTTPError as error:
        fail(f"{_REFUSED.get(error.code, 'the API refuses it')} (HTTP {error.code}). The report is {path}.")
    except OSError as error:
        fail(f"the API does not answer ({error}). The report is {path}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
