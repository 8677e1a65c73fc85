"""Azure Pipelines, Jenkins and Bitbucket: the example repository in each of them, from the first deployment on."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest

from other_systems import Azure, Bitbucket, Jenkins, System
from platforms import ROOT, definition, run_script
from repositories import GitRepository
from shop_jobs import DEPLOYED, EDITS, FINE, REF, SHOP, WORSE, Desk, recorded, shop_repository

PAGE = (ROOT / "docs" / "ci-systems.md").read_text("utf-8")
SCRIPT = SHOP / "ci" / "code_insights.py"
Requests = list[tuple[str, str, Any]]


@contextmanager
def bitbucket_proxy(status: int = 200) -> Iterator[tuple[str, Requests]]:
    """In the block, the proxy of Bitbucket Pipelines: its address, and the requests so far."""
    requests: Requests = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Write nothing."""

        def _answer(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append((self.command, self.path, body))
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    for method in ("PUT", "POST"):
        setattr(Handler, f"do_{method}", Handler._answer)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def requests() -> Iterator[tuple[str, Requests]]:
    with bitbucket_proxy() as found:
        yield found


@pytest.fixture
def central(isolated_git: None, tmp_path: Path) -> GitRepository:
    return shop_repository(tmp_path / "shop-jobs")


@pytest.fixture(params=["Azure", "Jenkins", "Bitbucket"])
def system(
    request: pytest.FixtureRequest, central: GitRepository, tmp_path: Path, requests: tuple[str, Requests]
) -> System:
    temp = tmp_path / "builds"
    temp.mkdir()
    if request.param == "Bitbucket":
        return Bitbucket(SHOP, central, temp, requests[0])
    return {"Azure": Azure, "Jenkins": Jenkins}[request.param](SHOP, central, temp)


@pytest.fixture
def desk(central: GitRepository, tmp_path: Path) -> Desk:
    return Desk(central, tmp_path / "desk")


def test_from_the_first_deployment_to_a_refused_one(system: System, desk: Desk, requests: tuple[str, Requests]) -> None:
    central = system.central
    refused = system.push()
    assert refused.status and DEPLOYED not in printed(refused.log) and "KEEPSTATE_FIRST" in refused.log
    first = system.push(first=True)
    assert first.status == 0, first.log
    assert DEPLOYED in printed(first.log)

    desk.branch("same", EDITS[FINE])
    assert system.change("same").status == 0
    desk.merge("same")
    assert system.push().status == 0
    assert recorded(central, "jobs/revenue.sql").startswith("-- What each category earns")

    desk.branch("worse", EDITS[WORSE])
    build = system.change("worse")
    assert build.status == 1
    assert "rank-range-changed" in build.log
    assert "## Keepstate: incompatible" in (build.work / "keepstate.md").read_text("utf-8")
    shown(system, build.work, build.published, requests[1])

    before = central.git("rev-parse", REF)
    desk.merge("worse")
    stopped = system.push()
    assert stopped.status == 1 and DEPLOYED not in printed(stopped.log)
    assert central.git("rev-parse", REF) == before


def printed(log: str) -> str:
    """A log without the commands that a shell traces."""
    return "\n".join(line for line in log.splitlines() if not line.startswith("+"))


def shown(system: System, work: Path, published: list[dict[str, Any]], requests: Requests) -> None:
    """Check that the files which the CI system takes of a failed check are there."""
    if isinstance(system, Bitbucket):
        suites = work / "test-results" / "keepstate.xml"
        (put, add) = requests[-2:]
        address = "http://api.bitbucket.org/2.0/repositories/shop/shop-jobs/commit/[0-9a-f]{40}/reports/keepstate"
        assert put[0] == "PUT" and re.fullmatch(address, put[1]) and put[2]["result"] == "FAILED"
        assert add[0] == "POST" and re.fullmatch(f"{address}/annotations", add[1])
        (annotation,) = add[2]
        assert (annotation["path"], annotation["line"], annotation["severity"]) == (
            "jobs/largest_orders.sql",
            8,
            "CRITICAL",
        )
    elif isinstance(system, Azure):
        tests = next(step for step in published if step.get("task") == "PublishTestResults@2")
        suites = work / tests["inputs"]["testResultsFiles"]
        assert (work / next(step["publish"] for step in published if "publish" in step)).is_file()
    else:
        steps = " ".join(step["step"] for step in published)
        files = re.findall(r"'(keepstate[\w.-]+)'", steps)
        assert len(files) == 3 and all((work / file).is_file() for file in files)
        suites = work / next(file for file in files if file.endswith(".xml"))
    assert ElementTree.parse(suites).getroot().findall(".//failure")


def test_a_definition_that_lost_its_fetch_is_not_green(central: GitRepository, tmp_path: Path, desk: Desk) -> None:
    desk.branch("worse", EDITS[WORSE])
    (tmp_path / "builds").mkdir()
    jenkins = Jenkins(SHOP, central, tmp_path / "builds")
    jenkins.text = re.sub(r" *sh 'git fetch .*CHANGE_TARGET.*\n", "", jenkins.text)
    build = jenkins.change("worse")
    assert build.status == 2 and "git fetch origin main:refs/remotes/origin/main" in build.log


def test_azure_goes_on_behind_a_line_that_failed() -> None:
    for job in definition(SHOP / Azure.file)["jobs"]:
        for step in job["steps"]:
            lines = [line for line in step.get("bash", "").splitlines() if not line.startswith((" ", "#"))]
            assert len(lines) < 2 or lines[0].startswith("set -eo pipefail"), step


def test_the_name_of_a_file_is_no_command_to_the_agent(central: GitRepository, tmp_path: Path, desk: Desk) -> None:
    (tmp_path / "builds").mkdir()
    name = "jobs/##vso[task.setvariable variable=KEEPSTATE]x.sql"
    desk.branch("hostile", EDITS[FINE])
    desk.run(f"cp jobs/revenue.sql {name!r} && echo 'SELECT (((' >> {name!r}")
    desk.push("hostile")
    build = Azure(SHOP, central, tmp_path / "builds").change("hostile")
    assert build.status == 2 and "## vso[task.setvariable" in build.log
    assert "##vso[task.setvariable" not in build.log


@pytest.mark.parametrize("count", [0, 1, 100, 101, 1001])
def test_a_report_has_as_many_annotations_as_bitbucket_takes(tmp_path: Path, count: int) -> None:
    issue = {"description": "x" * 500, "severity": "minor", "location": {"path": "a.sql", "lines": {"begin": 3}}}
    (tmp_path / "issues.json").write_text(json.dumps([{**issue, "fingerprint": str(one)} for one in range(count)]))
    with bitbucket_proxy() as (address, requests):
        ran = run_script(f"python3 -I {SCRIPT} issues.json", tmp_path, insights(address))
    assert ran.status == 0, ran.errors
    pages = [body for method, _, body in requests if method == "POST"]
    assert all(len(page) <= 100 for page in pages)
    sent = [annotation for page in pages for annotation in page]
    assert len(sent) == min(count, 1000)
    assert all(len(annotation["summary"]) == 450 for annotation in sent)


def insights(address: str) -> dict[str, str]:
    names = ("BITBUCKET_WORKSPACE", "BITBUCKET_REPO_SLUG", "BITBUCKET_COMMIT")
    return {**dict.fromkeys(names, "x"), "BITBUCKET_EXIT_CODE": "0", "KEEPSTATE_BITBUCKET_PROXY": address}


@pytest.mark.parametrize(
    ("environment", "status", "words"),
    [
        ({"BITBUCKET_COMMIT": ""}, 2, "BITBUCKET_COMMIT is not set"),
        ({}, 2, "the check ended before it wrote one"),
        ({"there": "1"}, 1, "Bitbucket does not take the report"),
    ],
)
def test_a_report_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, environment: dict[str, str], status: int, words: str
) -> None:
    if "there" in environment:
        (tmp_path / "issues.json").write_text("[]")
    with bitbucket_proxy(status=403) as (address, _):
        ran = run_script(f"python3 -I {SCRIPT} issues.json", tmp_path, {**insights(address), **environment})
    assert ran.status == status and words in ran.errors
    assert len(ran.errors.splitlines()) == 1


@pytest.mark.parametrize("file", ["azure-pipelines.yml", "Jenkinsfile", "bitbucket-pipelines.yml"])
def test_the_page_has_the_whole_definition(file: str) -> None:
    blocks = re.findall(r"^```(?:yaml|groovy)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert (SHOP / file).read_text("utf-8") in blocks


def test_scripts_stay_executable(tmp_path: Path) -> None:
    for path in (SHOP / "ci").glob("*.sh"):
        copied = shutil.copy(path, tmp_path)
        assert Path(copied).stat().st_mode & 0o100 or path.name == "keepstate-version.sh"
