"""CI systems as they run a definition: shell commands, started as they start them, in a clone as they make it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from repositories import AUTHOR, GitRepository

ROOT = Path(__file__).parents[2]
_EXPRESSION = re.compile(r"\$\{\{\s*([^}]*?)\s*\}\}")


def definition(path: str | Path) -> Any:
    """The YAML file at ``path`` of this repository."""
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


@dataclass(frozen=True)
class Ran:
    """The result of a command: its status, and its output."""

    status: int
    output: str
    errors: str


BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")


def run_script(script: str, folder: Path, environment: Mapping[str, str], shell: tuple[str, ...] = BASH) -> Ran:
    """Run a script in a shell as a runner does, with the ``keepstate`` of this checkout first on the path."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        env={**os.environ, **AUTHOR, "PATH": tools, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(run.returncode, run.stdout, run.stderr)


def installed(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """``environment`` as it is behind ``install-keepstate.sh``: the variable KEEPSTATE names the program."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "keepstate"
    if not program.exists():
        program.symlink_to(Path(sys.executable).parent / "keepstate")
    return {**environment, "KEEPSTATE": str(program)}


def clone(source: GitRepository, folder: Path, *options: str) -> GitRepository:
    """A clone over the file protocol, which may be shallow."""
    source.git("clone", "--quiet", *options, source.folder.as_uri(), str(folder))
    return GitRepository(folder)


class GitHubAction:
    """A composite action, step by step."""

    def __init__(self, path: str) -> None:
        self.definition = definition(path)

    def step(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(step for step in self.definition["runs"]["steps"] if step["name"] == name)
        return found

    def run(self, name: str, folder: Path, inputs: Mapping[str, str], environment: Mapping[str, str]) -> Ran:
        """Run one step with the inputs of a workflow over the action's defaults."""
        step = self.step(name)
        given = {key: str(entry.get("default", "")) for key, entry in self.definition["inputs"].items()} | inputs
        unknown = set(inputs) - set(self.definition["inputs"])
        assert not unknown
        values = {f"inputs.{key}": value for key, value in given.items()} | {"github.action_path": str(ROOT)}

        def evaluated(text: str) -> str:
            return _EXPRESSION.sub(lambda match: values[match[1]], text)

        own = {key: evaluated(value) for key, value in step.get("env", {}).items()}
        where = folder / evaluated(step.get("working-directory", "."))
        return run_script(step["run"], where, {**environment, **own})
