"""The jars of a Flink version, out of the package that PyPI has of them; kept in a folder of caches, once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from keepstate_flink.errors import FlinkMissing

PACKAGE = "apache-flink-libraries"
OLDEST = (1, 18)
"""The first minor version whose planner and runtime have all that the stand-ins are written for."""
NEWEST = "2.3"
"""The version that is taken where none is named."""
MEGABYTES = 330
"""Size of the package of one version, about; the jars of it take as much again on disk."""
_PLANNER = "flink-table-planner.jar"
_FILE = re.compile(r"apache[-_]flink[-_]libraries-(\d+\.\d+\.\d+)[-.]")
"""Wheels of newer versions, source packages of older ones."""
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def cache() -> Path:
    """Folder of all files of Flink that are downloaded or compiled: about 0.3 GB for each version."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "keepstate-flink"


def installed() -> tuple[str, ...]:
    """The versions in the cache, oldest first."""
    versions = [folder.name.removeprefix("flink-") for folder in cache().glob("flink-*")]
    return tuple(sorted(filter(_VERSION.fullmatch, versions), key=_numbers))


def full_version(text: str) -> str | None:
    """The newest installed version that is ``text`` or a patch of it.

    Raises:
        FlinkMissing: ``text`` is no version, or one that is too old.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise FlinkMissing(f"'{text}' is no version of Flink.", f"Write it like {NEWEST} or {NEWEST}.0.")
    if _numbers(text) < OLDEST:
        raise FlinkMissing(f"Flink {text} is too old for a rehearsal: {OLDEST[0]}.{OLDEST[1]} is the first.")
    fitting = [version for version in installed() if version == text or version.startswith(f"{text}.")]
    return fitting[-1] if fitting else None


def install(wanted_version: str, announce: Callable[[str], None]) -> str:
    """Return the full version of ``wanted_version`` that is installed, after a download if need be; ``announce`` gets a
    sentence that says its size before it begins.

    Raises:
        FlinkMissing: there is no such version, or it cannot be downloaded.
    """
    full = full_version(wanted_version)
    if full is not None:
        return full
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache(), prefix="unfinished-") as scratch:
        announce(f"Downloading Flink {wanted_version} ({PACKAGE} from PyPI, about {MEGABYTES} MB) to {cache()}, once.")
        package = _download(wanted_version, Path(scratch))
        version = _version_of(package)
        unpacked = _unpacked(package, Path(scratch, "jars"))
        try:
            unpacked.rename(cache() / f"flink-{version}")
        except OSError:
            # Another process was faster; what it has made is the same.
            if not (cache() / f"flink-{version}").is_dir():
                raise
    return version


def jars(version: str) -> tuple[Path, ...]:
    """The jars of an installed version, with the planner as it is, not behind its own class loader."""
    return tuple(sorted((cache() / f"flink-{version}").glob("*.jar")))


def _version_of(package: Path) -> str:
    match = _FILE.match(package.name)
    assert match is not None, package.name
    return match[1]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _download(version: str, folder: Path) -> Path:
    exact = f"{PACKAGE}=={version}" if version.count(".") == 2 else f"{PACKAGE}=={version}.*"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command = [*pip, "--dest", str(folder), exact]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if run.returncode:
        lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
        reason = lines[-1] if lines else f"pip ended with {run.returncode}"
        raise FlinkMissing(f"Flink {version} could not be downloaded: {reason.rstrip('.')}.")
    return next(path for path in folder.iterdir() if _FILE.match(path.name))


def _unpacked(package: Path, folder: Path) -> Path:
    """``folder`` with the jars of the package's lib folder; the loader of the planner gives way to what it loads."""
    folder.mkdir()
    for name, stream in _members(package):
        path = PurePosixPath(name)
        if path.parent.name == "lib" and path.suffix == ".jar":
            with (folder / path.name).open("wb") as jar:
                shutil.copyfileobj(stream, jar)
    loader = next(folder.glob("flink-table-planner-loader-*.jar"))
    with zipfile.ZipFile(loader) as archive:
        archive.extract(_PLANNER, folder)
    loader.unlink()
    return folder


def _members(package: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            for name in wheel.namelist():
                with wheel.open(name) as stream:
                    yield name, stream
        return
    with tarfile.open(package) as source:
        for member in source:
            extracted = source.extractfile(member)
            if extracted is not None:
                yield member.name, extracted
