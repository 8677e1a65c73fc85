"""Fills ``bundled/`` of the extension with the language server and all it needs, as source for any Python >= 3.10.

    python server/bundle.py            # what requirements.txt names, to the byte
    python server/bundle.py --update   # first the newest versions that pyproject.toml allows, into requirements.txt

Only wheels without compiled parts are taken, so one package of the extension is right for all systems.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REQUIREMENTS = HERE / "requirements.txt"
BUNDLED = HERE.parent / "bundled"

OWN = ("analyzer/keepstate", "server/keepstate_lsp")
NOT_SERVED = ("rich",)
"""Packages that the command line alone imports, which are not bundled."""
OLDER_PYTHONS = ("tomli", "exceptiongroup")
"""Needed by the oldest Python alone, so that pip leaves them out when a newer one asks."""
PURE = ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none", "--python-version=3.10"]
LICENSE = re.compile(r"(?i)(licen[sc]e|copying|notice|authors)")
NOT_RUN = ("*.dist-info", "test", "tests", "bin", "__pycache__", "*.pyi", "*.pyx", "*.pxd")

HEAD = """\
# The packages that run beside the server inside of the extension; all are pure Python.
# Made by `python server/bundle.py --update`.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="look for newer versions first")
    parser.add_argument("--into", metavar="FOLDER", type=Path, default=BUNDLED, help="default: %(default)s")
    options = parser.parse_args()
    if options.update:
        REQUIREMENTS.write_text(HEAD + "".join(newest()), "utf-8")
    bundled: Path = options.into
    shutil.rmtree(bundled, ignore_errors=True)
    pip("install", "--no-deps", "--require-hashes", "--no-compile", f"--target={bundled}", *PURE, f"-r{REQUIREMENTS}")
    keep_licenses(bundled)
    for pattern in NOT_RUN:
        for path in list(bundled.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for package in map(Path, OWN):
        # The command line stays out: it needs packages that the server does not.
        shutil.copytree(ROOT / package, bundled / package.name, ignore=shutil.ignore_patterns("__pycache__", "cli"))
    shutil.copy(HERE / "launcher.py", bundled / "__main__.py")
    size = sum(path.stat().st_size for path in bundled.rglob("*") if path.is_file())
    print(f"bundle: {bundled}, {size / 1e6:.1f} MB")
    return 0


def newest() -> list[str]:
    """The lines of requirements.txt for the newest versions that pyproject.toml allows."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [entry for entry in project["dependencies"] if re.split(r"[^\w-]", entry)[0] not in NOT_SERVED]
    asked = [*PURE, "--target=.", *wanted, *OLDER_PYTHONS]
    report = pip("install", "--dry-run", "--ignore-installed", "--report=-", *asked)
    found: list[dict[str, Any]] = json.loads(report)["install"]
    lines = []
    for package in sorted(found, key=lambda one: str(one["metadata"]["name"]).lower()):
        digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{package['metadata']['name']}=={package['metadata']['version']} --hash=sha256:{digest}\n")
    return lines


def keep_licenses(bundled: Path) -> None:
    """Collect the licences of the packages; the rest of what pip writes about a package is of no use here."""
    for described in sorted(bundled.glob("*.dist-info")):
        kept = bundled / "licenses" / described.name.removesuffix(".dist-info")
        texts = [path for path in described.rglob("*") if LICENSE.match(path.name) and path.is_file()]
        if not texts:
            raise SystemExit(f"bundle: {described.name} has no licence to pass on")
        kept.mkdir(parents=True)
        for path in texts:
            shutil.copy(path, kept / path.name)


def pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"bundle: pip failed\n{run.stderr.rstrip()}")
    return run.stdout


if __name__ == "__main__":
    sys.exit(main())
