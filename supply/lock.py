"""Writes the locks: which version of each package to take, to the byte, on every Python and system there is.

    python supply/lock.py            # what pyproject.toml asks for by now; other versions stay as they are
    python supply/lock.py --upgrade  # the newest versions that pyproject.toml allows

build.txt makes wheels, runtime.txt is what an installed Keepstate needs, development.txt is what `make setup` takes,
site.txt what `make docs-site` takes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
UV = Path(sysconfig.get_path("scripts")) / "uv"
LOCKS = {
    "build.txt": ["--group=build"],
    "runtime.txt": ["pyproject.toml"],
    "site.txt": ["--group=site"],
    "development.txt": ["pyproject.toml", "--extra=audit", "--group=dev", "--constraints=supply/runtime.txt"],
}
"""Each lock, and what of pyproject.toml is in it. What is developed with is what is delivered."""
OLDEST_PYTHON = "3.10"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that are allowed")
    options = parser.parse_args()
    for name, asked in LOCKS.items():
        compilation = compiled(*asked, f"--output-file={HERE / name}", *(["--upgrade"] if options.upgrade else []))
        if compilation.returncode != 0:
            print(f"lock: {name} could not be made\n{compilation.stderr.rstrip()}", file=sys.stderr)
            return 1
        print(f"lock: supply/{name}")
    return 0


def compiled(*asked: str) -> subprocess.CompletedProcess[str]:
    """The requirements that uv compiles: one list for all systems and Pythons, without the address of the index."""
    command = [str(UV), "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += [f"--python-version={OLDEST_PYTHON}", "--annotation-style=line"]
    command += ["--custom-compile-command=make lock", *asked]
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
