"""Writes the version of Keepstate wherever a file has to repeat it.

    python supply/stamp_version.py          # what version.py says, into the files that repeat it
    python supply/stamp_version.py --show   # only say it

The one place is server/keepstate_lsp/version.py: the build of the wheel reads it there.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "server/keepstate_lsp/version.py"
_VERSION = r"\d+\.\d+\.\d+"
"""The form of a version that pip, npm and VS Code all take."""
COPIES = {
    "vscode-client/package.json": [r'(?m)^(  "version": ")VERSION(")'],
    # Of the extension itself, not of what it depends on: at the top, and of the package without a name.
    "vscode-client/package-lock.json": [r'\A(\{\n  "name": "keepstate",\n  "version": ")VERSION(")',
                                        r'(\n    "": \{\n      "name": "keepstate",\n      "version": ")VERSION(")'],
    "README.md": [r"(keepstate-)VERSION(-py3-none-any\.whl)"],
    "docs/ci.md": [r"(rev: v)VERSION(\b)"],
}  # fmt: skip
"""Files that repeat the version, each with what stands around it."""


def version() -> str:
    """The version in the source. Raises ``ValueError`` if it has another form than 1.2.3."""
    found = re.search(rf'^VERSION = "({_VERSION})"$', (ROOT / SOURCE).read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{SOURCE} has no VERSION of the form 1.2.3")
    return found[1]


def stamped() -> Iterator[tuple[Path, str]]:
    """Each file that repeats the version, with the text that it should have."""
    now = version()
    for name, patterns in COPIES.items():
        text = (ROOT / name).read_text("utf-8")
        for pattern in patterns:
            text, count = re.subn(pattern.replace("VERSION", _VERSION), rf"\g<1>{now}\g<2>", text)
            if count == 0:
                raise ValueError(f"{name} does not say the version where it did: {pattern}")
        yield ROOT / name, text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print the version and write nothing")
    if parser.parse_args().show:
        print(version())
        return
    for path, text in list(stamped()):
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
