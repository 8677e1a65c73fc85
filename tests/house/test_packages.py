"""The delivered packages: a wheel and an extension with the right contents, and the same bytes when built again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import datetime, timezone
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "vscode-client"
VSIX = CLIENT / "keepstate.vsix"
VSCE = CLIENT / "node_modules" / ".bin" / "vsce"
PACKAGES = {
    "keepstate": "analyzer",
    "keepstate_flink": "pipeline",
    "keepstate_lsp": "server",
    "keepstate_spark": "pipeline",
}
SECRET = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30}|\bnpm_\w{30}|\bpypi-\w{30}"
)
OF_TESTS = re.compile(r"(?:^|/)tests?/|(?:^|/)(?:test_\w+|conftest)\.py$")
OF_THE_EXTENSION = re.compile(
    r"package\.json|readme\.md|LICENSE\.txt|icon\.png|language-configuration\.json|media/\w+\.md|syntaxes/[\w-]+\.json"
    r"|syntaxes/[\w-]+\.tmLanguage\.json|dist/(?:extension|web|worker|plan)\.js|dist/plan\.css|dist/licenses\.txt"
    r"|dist/python/(?:memory\.bin|program\.bin|python_stdlib\.zip|pyodide-lock\.json)"
)


def sources(package: str) -> dict[str, bytes]:
    """The files of a package as they are in the checkout, by their names in an archive."""
    folder = ROOT / PACKAGES[package]
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", package]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if run.returncode != 0:
        pytest.skip("not a checkout: nobody knows which files are ours")
    names = (name for name in run.stdout.decode().split("\0") if name and (folder / name).is_file())
    return {name: (folder / name).read_bytes() for name in names}


def contents(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}


def check_nothing_private(files: Mapping[str, bytes]) -> None:
    """Neither secrets nor names of folders on the machine where it was built."""
    home = Path.home()
    places = [str(place).encode() for place in (ROOT, sys.prefix, home / ".cache", home / ".npm", home / ".local")]
    reported = [
        name for name, content in files.items() if SECRET.search(content) or any(one in content for one in places)
    ]
    assert not reported


def built(project: Path, into: Path, target: str = "wheel") -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (archive,) = into.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="run make setup")
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_the_sources_and_no_more(wheel: Path) -> None:
    files = contents(wheel)
    expected = {name: content for package in PACKAGES for name, content in sources(package).items()}
    described = {name: files.pop(name) for name in list(files) if ".dist-info/" in name}
    assert files == expected
    assert not [name for name in files if OF_TESTS.search(name)]
    assert {Path(name).suffix for name in files} <= {".py", ".java", ".md", ".json", ".typed", ".properties", ".sql"}
    names = {name.partition(".dist-info/")[2]: content for name, content in described.items()}
    assert set(names) == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert names["licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert names["entry_points.txt"] == b"[console_scripts]\nkeepstate = keepstate_lsp.cli.main:main\n"
    check_nothing_private({**files, **described})


def test_what_the_wheel_says_of_itself(wheel: Path) -> None:
    (metadata,) = (content for name, content in contents(wheel).items() if name.endswith(".dist-info/METADATA"))
    reported = message_from_bytes(metadata)
    assert (reported["License-Expression"], reported["Requires-Python"]) == ("Apache-2.0", ">=3.10")
    # Extras of development are not visible in the installed package.
    assert reported.get_all("Provides-Extra") == ["audit", "flink", "replay", "spark"]
    assert reported["Description-Content-Type"] == "text/markdown"
    # No page lies beside this one where it is shown.
    assert not re.search(r"\]\((?!https://)|<(?:img|a)\b", reported.get_payload())


def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = built(ROOT, tmp_path / "sdist", "sdist")
    with tarfile.open(archive) as opened:
        names = {entry.name.partition("/")[2] for entry in opened.getmembers()}
        opened.extractall(tmp_path / "source", filter="data")
    ours = {f"{folder}/{name}" for package, folder in PACKAGES.items() for name in sources(package)}
    assert names == ours | {"LICENSE", "PKG-INFO", "pyproject.toml", "docs/package.md", ".gitignore"}
    (source,) = (tmp_path / "source").iterdir()
    assert built(source, tmp_path / "wheel").read_bytes() == wheel.read_bytes()


def test_the_wheel_is_the_same_wherever_it_is_built(wheel: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    for package, folder in PACKAGES.items():
        for name, content in sources(package).items():
            (copy / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / folder / name).write_bytes(content)
    for name in ("LICENSE", "docs/package.md", "pyproject.toml"):
        (copy / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    assert built(copy, tmp_path / "wheel").read_bytes() == wheel.read_bytes()


@pytest.fixture(scope="module")
def vsix() -> Path:
    """The extension, as `make test-all` packaged it before the tests."""
    if not VSIX.is_file():
        pytest.skip("NO PACKAGED EXTENSION: run make package")
    packaged = VSIX.stat().st_mtime
    ours = [CLIENT / name for name in ("package.json", "server", "src", "playground")]
    parts = [*ours, ROOT / "analyzer", ROOT / "server"]
    files = [file for part in parts for file in ([part] if part.is_file() else part.rglob("*"))]
    if any(file.stat().st_mtime > packaged for file in files if file.is_file() and "__pycache__" not in file.parts):
        pytest.skip("THE PACKAGED EXTENSION IS OUT OF DATE: run make package")
    return VSIX


def test_the_extension_holds_what_it_runs_and_no_more(vsix: Path) -> None:
    files = contents(vsix)
    assert {name for name in files if not name.startswith("extension/")} == {
        "[Content_Types].xml",
        "extension.vsixmanifest",
    }
    server = {name.partition("/bundled/")[2]: content for name, content in files.items() if "/bundled/" in name}
    rest = [name for name in files if name.startswith("extension/") and "/bundled/" not in name]
    assert not [name for name in rest if not OF_THE_EXTENSION.fullmatch(name.removeprefix("extension/"))]
    assert files["extension/LICENSE.txt"] == (ROOT / "LICENSE").read_bytes()
    for package in ("keepstate", "keepstate_lsp"):
        ours = {name: content for name, content in server.items() if name.startswith(f"{package}/")}
        expected = {name: content for name, content in sources(package).items() if "/cli/" not in name}
        assert ours == expected
    strange = [
        name
        for name in server
        if not name.endswith((".py", ".md", ".json", ".typed")) and not name.startswith("licenses/")
    ]
    assert not strange
    assert not [name for name in server if OF_TESTS.search(name)]
    check_nothing_private(files)


@pytest.mark.skipif(not VSCE.exists(), reason="NO NPM PACKAGES: run make client")
def test_the_extension_is_the_same_when_it_is_packed_again(vsix: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(vsix) as opened:
        (moment,) = {entry.date_time for entry in opened.infolist()}
        # Neither do they tell who may read them where it was built.
        assert {entry.external_attr >> 16 & 0o777 for entry in opened.infolist()} <= {0o644, 0o664}
    epoch = int(datetime(*moment, tzinfo=timezone.utc).timestamp())
    # A run of the bundled server leaves byte code; packaging begins with a fresh bundle.
    for cache in sorted((CLIENT / "bundled").rglob("__pycache__")):
        shutil.rmtree(cache)
    command = [VSCE, "package", "--no-dependencies", "--allow-missing-repository", "--out", tmp_path / "again.vsix"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC"}
    run = subprocess.run(command, cwd=CLIENT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "again.vsix").read_bytes() == vsix.read_bytes()
