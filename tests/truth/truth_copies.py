#!/usr/bin/env python3
"""Brings newer measured sets into this folder: ``python tests/truth/truth_copies.py FOLDER``.

``FOLDER`` has each set in a folder of its own, by the names of ``ORIGINS``. Texts (``*.md``) are not copied: those of
this folder are written for it. The same content gives the same bytes, so what is copied twice shows no difference.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

from truth import HERE, content_of

ORIGINS = {
    "spec/cases": "spec/cases",
    "restores": "flink-truth",
    "golden": "golden",
    "queries": "queries",
    "validation": "validation",
    "equivalence": "equivalence",
}
"""The sets here, and their names in the folder that they are brought from."""
MEASURED = frozenset({".json", ".jsonl", ".sql", ".txt"})
LARGEST_PLAIN = 128 * 1024
"""Bytes. Longer files of JSON lines are kept compressed; what Spark or a person reads is plain."""


def differing(folder: Path, here: Path = HERE) -> list[str]:
    """Files whose content in ``folder`` is another than here, or that only one side has, by their names in ``folder``.

    A set that ``folder`` does not have is not compared.
    """
    found = []
    for ours, theirs in ORIGINS.items():
        if (folder / theirs).is_dir():
            names = sorted({*_names(folder / theirs), *_names(here / ours)})
            found += [f"{theirs}/{name}" for name in names if not _is_same(here / ours / name, folder / theirs / name)]
    return found


def bring(folder: Path, here: Path = HERE) -> list[str]:
    """Makes the sets of ``here`` those of ``folder``.

    Returns:
        The names that ``differing`` gave before.
    """
    changed = differing(folder, here)
    for ours, theirs in ORIGINS.items():
        for name in [name for name in changed if name.startswith(f"{theirs}/")]:
            target, origin = here / ours / name.removeprefix(f"{theirs}/"), folder / name
            packed = target.with_name(f"{target.name}.gz")
            for former in (target, packed):
                former.unlink(missing_ok=True)
            if origin.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                content = origin.read_bytes()
                if target.suffix == ".jsonl" and len(content) > LARGEST_PLAIN:
                    # Without a time, so that equal contents are equal files.
                    packed.write_bytes(gzip.compress(content, 9, mtime=0))
                else:
                    target.write_bytes(content)
    return changed


def _names(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix().removesuffix(".gz")
        if path.is_file() and Path(name).suffix in MEASURED:
            yield name


def _is_same(ours: Path, theirs: Path) -> bool:
    try:
        return content_of(ours) == theirs.read_bytes()
    except FileNotFoundError:
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where the newer sets are")
    folder = parser.parse_args().folder
    if not any((folder / origin).is_dir() for origin in ORIGINS.values()):
        print(f"{folder}: has none of the folders {', '.join(ORIGINS.values())}", file=sys.stderr)
        return 2
    for name in bring(folder):
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
