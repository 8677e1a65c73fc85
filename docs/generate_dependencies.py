"""Writes docs/DEPENDENCIES.md; with --check, says whether it is fresh."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(__file__).with_name("DEPENDENCIES.md")
SUPPLY = ROOT / "supply"
CLIENT = ROOT / "vscode-client"

INTRODUCTION = """\
# What Keepstate depends on

`make docs` makes this page from `pyproject.toml`, the locks and `supply/packages.toml`. A test compares the licences
with the metadata of the packages.

* **Ranges**: `pyproject.toml` has the versions that Keepstate works with. `make ranges` tries both ends.
* **Locks**: `supply/*.txt` has one version of each package, with the hashes of its files, for every system and for
  Python 3.10 and newer. `make setup` installs exactly these, `make lock` writes them anew (`make lock UPGRADE=1` with
  the newest versions). They name no registry: packages come from the index of your pip, and a file with another hash
  is refused.
* **npm**: `vscode-client/package-lock.json` locks its packages. They run nothing during installation
  (`vscode-client/.npmrc`).
* **Pythons**: `make test-all` runs with 3.11. `make setup PYTHON=... VENV=...` with these locks, `make lint` and
  parts of the tests were also tried with CPython 3.10, 3.12 and 3.13 on Linux (x86-64). Newer ones were not at hand.
* **Built packages**: `make package` builds the same bytes from the same commit: times come from the commit (or from
  `SOURCE_DATE_EPOCH`), tools from the locks, and neither the folder nor the rights of files matter. Tests check the
  contents of both: the sources, the licence, and nothing else. `make package` ends with their hashes, to compare.
* **Size**: Keepstate and 14 packages, 25 MB without byte code ([sizes and times](installing.md#sizes-and-times)).

Two packages stay for a reason. GitPython (with gitdb and smmap 3 of the 14 and 2.4 MB) starts git and handles the
exchange with it. shtab (60 kB) is imported by `keepstate completion` only. It makes completions on demand, so they
fit the installed version; completions made at build time would put text of a library under the Mozilla licence into
the wheel.
"""


def main(arguments: list[str]) -> int:
    text = page()
    if "--check" in arguments:
        if not TARGET.is_file() or TARGET.read_text("utf-8") != text:
            print(f"{TARGET.name} is not fresh: run make docs")
            return 1
        return 0
    TARGET.write_text(text, "utf-8")
    return 0


def page() -> str:
    packages = tomllib.loads((SUPPLY / "packages.toml").read_text("utf-8"))
    why, licences = packages["why"], packages["licences"]
    file = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = file["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    groups: dict[str, list[str]] = file["dependency-groups"]

    def direct(asked: Iterable[str]) -> str:
        rows = []
        for one in map(Requirement, asked):
            name = canonicalize_name(one.name)
            if name != project["name"]:
                where = f" ({one.marker})" if one.marker else ""
                rows.append((f"{one.name}{where}", f"`{one.specifier}`", why[name], licences[name]))
        return table(("package", "versions", "why", "licence"), rows)

    def locked(lock: str, *others: Iterable[str]) -> str:
        named = {canonicalize_name(Requirement(one).name) for other in others for one in other}
        rows = [(name, of, licences[name]) for name, of in sorted(pins(lock).items()) if name not in named]
        return table(("package", "needed by", "licence"), rows)

    runtime = project["dependencies"]
    others = [*extras["spark"], *extras["replay"], *extras["audit"], *groups["dev"], *pins("runtime.txt")]
    bundled = re.findall(r"^([\w.-]+)==", (CLIENT / "server" / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    inside = [f"{name} ({licences[canonicalize_name(name)]})" for name in bundled]
    parts = [
        INTRODUCTION,
        "## The package\n\nThe language server and the command line.\n",
        direct(runtime),
        "Needed by these:\n",
        locked("runtime.txt", runtime),
        "## The extras `spark`, `replay` and `audit`\n\n"
        "They run jobs on files, replay restarts, and judge many repositories.\n",
        direct([*extras["spark"], *extras["replay"], *extras["audit"]]),
        "## The extension for VS Code\n",
        "From npm:\n",
        of_npm(why),
        "pyodide is in the extension, for windows without Python, and in the playground of the documentation site, "
        "with the CPython that it holds (PSF-2.0). The editor is in the playground alone. The licences are beside "
        "them.\n",
        f"From PyPI, as source, beside the server: {', '.join(inside)}. All texts of licences are in the package.\n",
        "## To build, to develop and to measure\n",
        direct([*groups["build"], *groups["dev"], *groups["bench"]]),
        "Needed by these and the extras:\n",
        locked("development.txt", others),
        "## The documentation site\n\n"
        "`make docs-site` installs it into an environment of its own, `.venv-docs`; nothing of it is delivered.\n",
        direct(groups["site"]),
        "Needed by it:\n",
        locked("site.txt", groups["site"]),
        "## Both ends of the ranges\n",
        ranges(),
    ]
    return "\n".join(parts)


def pins(lock: str) -> dict[str, str]:
    """The packages of a lock, each with those that need it."""
    text = (SUPPLY / lock).read_text("utf-8")
    entries = re.findall(r"^([\w.-]+)==(?:.*\\\n)(?:    --hash.*\n)+    # via (.*)$", text, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for name, needed in entries:
        found.setdefault(name, set()).update(one for one in needed.split(", ") if not one.startswith("-c "))
    return {name: ", ".join(sorted(needed)) for name, needed in found.items()}


def of_npm(why: dict[str, str]) -> str:
    """The packages in the extension and in its build, from its lock."""
    lock: dict[str, dict[str, Any]] = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))["packages"]
    asked = {**lock[""]["dependencies"], **lock[""]["devDependencies"]}
    rows = []
    for path, package in sorted(lock.items()):
        name = path.rpartition("node_modules/")[2]
        if name in asked or (name and not package.get("dev")):
            reason = why[name] if name in asked else "needed by it"
            kept = "no" if package.get("dev") else "yes"
            rows.append((name, package["version"], kept, reason, package["license"]))
    return table(("package", "version", "inside", "why", "licence"), rows)


def ranges() -> str:
    file = SUPPLY / "ranges.json"
    tried: list[dict[str, str]] = json.loads(file.read_text("utf-8"))
    if not tried:
        return "Not tried since they were changed: `make ranges` does, and writes here what came of it.\n"
    return table(
        ("versions", "Python", "tried with", "tests"),
        [(one["end"], one["python"], one["versions"], one["summary"]) for one in tried],
    )


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
