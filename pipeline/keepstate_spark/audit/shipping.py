"""The package for machines without it: the imports of readers and judges, as one archive."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

_OURS = ("keepstate", "keepstate_lsp", "keepstate_spark")
_LIBRARIES = ("sqlglot", "git", "gitdb", "smmap")
"""All of them are plain Python. PySpark and PyArrow have to be there."""
_DATA = (".py", ".md", ".properties", ".typed")
_THE_SAME_DAY = (2020, 1, 1, 0, 0, 0)


def package(path: Path) -> None:
    """Write the archive that ``SparkContext.addPyFile`` takes (a wheel it would take, and ignore)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in _files((*_OURS, *_LIBRARIES)):
            archive.writestr(zipfile.ZipInfo(name, _THE_SAME_DAY), file.read_bytes(), zipfile.ZIP_DEFLATED)


def fingerprint() -> str:
    """A digest of all that a report depends on besides its pair: the analyzer's code and the parser library's.

    >>> len(fingerprint()), fingerprint() == fingerprint()
    (16, True)
    """
    digest = hashlib.blake2b(digest_size=8)
    for name, file in _files(("keepstate", "sqlglot")):
        digest.update(name.encode() + b"\0" + hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(packages: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """The files of packages, with their names in an archive."""
    for package_name in packages:
        spec = find_spec(package_name)
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for file in sorted(folder.rglob("*")):
            if file.suffix in _DATA and file.is_file():
                yield f"{package_name}/{file.relative_to(folder).as_posix()}", file
