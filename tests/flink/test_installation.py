"""Flink's jars out of its package: versions, the announcement, and nothing half done."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from keepstate_flink import installation
from keepstate_flink.errors import FlinkMissing


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "keepstate-flink"


def package(folder: Path, version: str, whole: bool = True) -> Path:
    """A wheel as PyPI has it; one that is not whole lacks the planner."""
    planner = io.BytesIO()
    with zipfile.ZipFile(planner, "w") as jar:
        if whole:
            jar.writestr("flink-table-planner.jar", b"planner")
    path = folder / f"apache_flink_libraries-{version}-py2.py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("pyflink/lib/flink-dist.jar", b"dist")
        wheel.writestr(f"pyflink/lib/flink-table-planner-loader-{version}.jar", planner.getvalue())
        wheel.writestr("pyflink/bin/config.sh", b"")
    return path


def test_a_version_is_downloaded_once_and_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    downloads: list[str] = []

    def download(wanted: str, folder: Path) -> Path:
        downloads.append(wanted)
        return package(folder, "2.3.1")

    monkeypatch.setattr(installation, "_download", download)
    said: list[str] = []
    assert installation.install("2.3", said.append) == "2.3.1"
    assert installation.install("2.3", said.append) == "2.3.1"
    assert installation.install("2.3.1", said.append) == "2.3.1"
    assert downloads == ["2.3"]
    assert len(said) == 1
    assert "330 MB" in said[0]
    assert [jar.name for jar in installation.jars("2.3.1")] == ["flink-dist.jar", "flink-table-planner.jar"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("1.20", "1.20.10"), ("1.20.9", "1.20.9"), ("1.20.1", None), ("2.3", "2.3.0"), ("2", None), ("1.2", None)],
)
def test_the_newest_patch_is_taken(cache: Path, wanted: str, found: str | None) -> None:
    for version in ("1.20.9", "1.20.10", "2.3.0", "unfinished"):
        (cache / f"flink-{version}").mkdir(parents=True)
    if wanted in ("2", "1.2"):
        with pytest.raises(FlinkMissing):
            installation.full_version(wanted)
    else:
        assert installation.full_version(wanted) == found


@pytest.mark.parametrize(
    "name",
    [
        "apache_flink_libraries-1.18.1-py2.py3-none-any.whl",
        "apache_flink_libraries-1.18.1.tar.gz",
        "apache-flink-libraries-1.18.1.tar.gz",
    ],
)
def test_packages_are_known_by_either_name(cache: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def download(wanted: str, folder: Path) -> Path:
        made = package(folder, "1.18.1")
        if name.endswith(".tar.gz"):
            with zipfile.ZipFile(made) as wheel:
                wheel.extractall(folder / "unpacked")
            with tarfile.open(folder / name, "w:gz") as source:
                source.add(folder / "unpacked", "apache-flink-libraries-1.18.1")
        return folder / name

    monkeypatch.setattr(installation, "_download", download)
    assert installation.install("1.18", lambda sentence: None) == "1.18.1"
    assert installation.installed() == ("1.18.1",)
    assert len(installation.jars("1.18.1")) == 2


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("latest", "'latest' is no version of Flink. Write it like 2.3 or 2.3.0."),
        ("2.3; rm -rf x", "is no version of Flink"),
        ("1.17", "Flink 1.17 is too old for a rehearsal: 1.18 is the first."),
    ],
)
def test_versions_that_are_none(wanted: str, words: str) -> None:
    with pytest.raises(FlinkMissing, match=words.replace("(", r"\(")):
        installation.install(wanted, print)


def test_a_broken_package_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_download", lambda wanted, folder: package(folder, wanted, whole=False))
    with pytest.raises(KeyError):
        installation.install("2.3.0", lambda sentence: None)
    assert list(cache.iterdir()) == []


def test_a_failed_download_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(FlinkMissing, match=r"Flink 2\.9 could not be downloaded: .*apache-flink-libraries"):
        installation.install("2.9", lambda sentence: None)
