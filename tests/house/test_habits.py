"""Pages, workflows, hooks and the version agree with the code around which they stand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from commit_subjects import LONGEST, faults, main
from keepstate_lsp.version import VERSION
from repositories import GitRepository
from stamp_version import stamped, version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/releasing.md",
    *(path.relative_to(ROOT).as_posix() for path in WORKFLOWS),
)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
PINNED = re.compile(r"@[0-9a-f]{40}$")


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def steps(workflow: Any) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


# ---- workflows, forms, hooks


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_pinned_and_may_do_little(path: Path) -> None:
    workflow = loaded(path)
    assert workflow["permissions"] == {"contents": "read"}
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used and not [name for name in used if not PINNED.search(name)]
    # What a stranger writes (a title, a branch) comes as a variable, never as text of a script.
    scripts = [step["run"] for step in steps(workflow) if "run" in step]
    assert not [script for script in scripts if "${{ github." in script or "${{ inputs." in script]


def test_the_tests_run_on_each_system_and_three_pythons() -> None:
    jobs = loaded(ROOT / ".github/workflows/test.yml")["jobs"]
    unix, windows = jobs["test"]["strategy"]["matrix"], jobs["windows"]["strategy"]["matrix"]
    assert {"ubuntu-latest", "macos-latest"} <= set(unix["os"])
    assert len(unix["python"]) >= 3 and unix["python"] == windows["python"]
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    assert f">={unix['python'][0]}" == oldest


def test_a_form_asks_for_something() -> None:
    assert FORMS
    for path in FORMS:
        if path.name != "config.yml":
            form = loaded(path)
            assert {"name", "description", "body"} <= form.keys()
            ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
            assert ids and len(ids) == len(set(ids))


def test_the_hooks_are_the_tools_of_the_checks() -> None:
    (repo,) = loaded(ROOT / ".pre-commit-config.yaml")["repos"]
    programs = {hook["entry"].split()[0] for hook in repo["hooks"]}
    assert programs == {".venv/bin/ruff", ".venv/bin/mypy", ".venv/bin/python"}
    scripts = [word for hook in repo["hooks"] for word in hook["entry"].split() if word.endswith(".py")]
    assert scripts and all((ROOT / script).is_file() for script in scripts)


def test_the_dev_container_is_json() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text("utf-8"))
    assert container["postCreateCommand"].split()[-1] in TARGETS


# ---- pages


@pytest.mark.parametrize("name", PAGES)
def test_a_command_that_is_named_is_there(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    named = set(re.findall(r"(?:`|^|run: |- |&& )make ([a-z-]+)", text, re.MULTILINE))
    assert named <= TARGETS, named - TARGETS
    for path in re.findall(r"\]\(([\w./-]+\.\w+)(?:#[\w-]+)?\)", text):
        assert ((ROOT / name).parent / path).exists(), path
    for path in re.findall(r"`((?:tests|supply|server|docs|\.github|\.ci)/[\w./-]*\w)`", text):
        assert (ROOT / path).exists(), path


# ---- the version


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert version() == VERSION
    behind = [path.name for path, text in stamped() if path.read_text("utf-8") != text]
    assert not behind, "run make version"


# ---- subjects of commits


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Keep ignoring a hangup", ()),
        ("Keep ignoring a hangup\n\nUnder nohup it ended.\n# Changes to be committed:\n", ()),
        ("x" * LONGEST, ()),
        ("x" * (LONGEST + 1), ("73 characters",)),
        ("Merge branch 'a-branch-with-a-name-that-is-longer-than-a-subject-of-a-commit' into main", ()),
        ("Keep it.", ("period",)),
        ("Keep it\nwithout a blank line", ("blank line",)),
        ("", ("no subject",)),
        ("# only a comment\n\n", ("no subject",)),
    ],
)
def test_faults_of_a_message(message: str, words: tuple[str, ...]) -> None:
    found = list(faults(message))
    assert len(found) == len(words) and all(word in fault for word, fault in zip(words, found, strict=True))


def test_a_hook_and_a_range_are_checked(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({"a": "1"}, "A subject that was too long before there was a rule, and so it is none of the range")
    repository.commit({"a": "2"}, "Change a\n\nIt was 1.")
    assert main(["HEAD~1..HEAD"]) == 0
    repository.commit({"a": "3"}, "Change a.")
    assert main(["HEAD~2..HEAD"]) == 1
    assert f"{repository.git('rev-parse', '--short', 'HEAD')}: the subject ends" in capsys.readouterr().err
    message = repository.write("message", "Change a.\n")
    assert main(["--message", str(message)]) == 1
    assert main([]) == 2
    run = subprocess.run([sys.executable, str(ROOT / "tests/house/commit_subjects.py"), "HEAD~1..HEAD"], check=False)
    assert run.returncode == 1
