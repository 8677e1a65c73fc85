"""Writes the file SHA256SUMS of a folder, in the form that ``sha256sum --check`` reads.

python supply/checksums.py dist
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def checksums(folder: Path) -> str:
    """A line for each file of the folder, by name."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != NAME)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    (folder / NAME).write_text(checksums(folder), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
