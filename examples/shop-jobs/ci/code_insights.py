"""Writes the findings of a check as Code Insights of a commit on Bitbucket: a report with an annotation for each.

    python3 code_insights.py ISSUES.json

The issues are those of `keepstate check --format gitlab`. In an after-script, BITBUCKET_EXIT_CODE says whether the
check passed, and requests go through the proxy of Pipelines, which adds the credentials.

Status 0 if the report is written, 1 if Bitbucket refuses it, 2 for anything that is wrong here.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

PROXY = "http://localhost:29418"
API = "http://api.bitbucket.org/2.0"
_SEVERITIES = {"blocker": "CRITICAL", "critical": "HIGH", "major": "MEDIUM", "minor": "LOW", "info": "LOW"}
_LONGEST = 450
"""Characters of a summary."""
_MOST, _AT_ONCE = 1000, 100
"""Annotations of a report, and of a request."""
_SECONDS = 30


def report(issues: list[dict[str, Any]], passed: bool) -> dict[str, Any]:
    """The report over all annotations."""
    count = f"{len(issues)} finding{'' if len(issues) == 1 else 's'}"
    left_out = f" The first {_MOST} are shown." if len(issues) > _MOST else ""
    return {
        "title": "Keepstate",
        "details": f"State of running Flink SQL jobs after this change: {count}.{left_out}",
        "report_type": "BUG",
        "reporter": "Keepstate",
        "result": "PASSED" if passed else "FAILED",
    }


def annotation(issue: dict[str, Any]) -> dict[str, Any]:
    words = str(issue["description"])
    return {
        "external_id": issue["fingerprint"],
        "annotation_type": "BUG",
        "summary": words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…",
        "severity": _SEVERITIES[issue["severity"]],
        "path": issue["location"]["path"],
        "line": issue["location"]["lines"]["begin"],
    }


def send(method: str, address: str, body: object, environment: Mapping[str, str]) -> None:
    # The proxy of Pipelines is plain HTTP, and so is the address behind it.
    proxy = urllib.request.ProxyHandler({"http": environment.get("KEEPSTATE_BITBUCKET_PROXY", PROXY)})
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.build_opener(proxy).open(request, timeout=_SECONDS) as response:
        response.read()


def fail(sentence: str, status: int = 1) -> NoReturn:
    print(f"code_insights: {sentence}", file=sys.stderr)
    raise SystemExit(status)


def main() -> int:
    names = ("BITBUCKET_WORKSPACE", "BITBUCKET_REPO_SLUG", "BITBUCKET_COMMIT", "BITBUCKET_EXIT_CODE")
    missing = [name for name in names if not os.environ.get(name)]
    if len(sys.argv) != 2 or missing:
        fail(f"{missing[0]} is not set." if missing else "name the issues: code_insights.py ISSUES.json", status=2)
    path = Path(sys.argv[1])
    if not path.is_file():
        fail(f"there is no file {path}: the check ended before it wrote one.", status=2)
    workspace, slug, commit, status = (os.environ[name] for name in names)
    issues = json.loads(path.read_text("utf-8"))
    address = f"{API}/repositories/{workspace}/{slug}/commit/{commit}/reports/keepstate"
    try:
        send("PUT", address, report(issues, status == "0"), os.environ)
        for start in range(0, min(len(issues), _MOST), _AT_ONCE):
            page = [annotation(issue) for issue in issues[start : min(start + _AT_ONCE, _MOST)]]
            send("POST", f"{address}/annotations", page, os.environ)
    except OSError as error:
        fail(f"Bitbucket does not take the report: {error}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
