"""The jars of a Flink version, out of the package that PyPI has of them; kept in a folder of caches, once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

PACKAGE = "apache-flink-libraries"
_PLANNER = "flink-table-planner.jar"


def cache() -> Path:
    """Folder of all files that ``make conformance`` downloads or makes: about 0.3 GB for each version of Flink."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-conformance"


def jars(version: str) -> tuple[Path, ...]:
    """The jars of ``version`` with the planner as it is, not behind its own class loader; downloads them if need be.

    Raises:
        subprocess.CalledProcessError: pip could not download them.
    """
    folder = cache() / f"flink-{version}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="unfinished-") as scratch:
            print(f"Downloading Flink {version} ({PACKAGE}) to {folder}", file=sys.stderr, flush=True)
            made = _unpacked(_download(version, Path(scratch)), Path(scratch, "jars"))
            made.rename(folder)
    return tuple(sorted(folder.glob("*.jar")))


def _download(version: str, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--dest", str(folder), f"{PACKAGE}=={version}"], check=True)
    return next(folder.glob("apache_flink_libraries*"))


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
