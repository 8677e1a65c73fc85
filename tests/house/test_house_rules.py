"""Rules that neither ruff nor mypy nor import-linter checks: size, leftovers, paths of a single machine."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_MODULE = 450
MAY_PRINT = (
    "server/keepstate_lsp/cli/",
    "bench/",
    "examples/",
    "docs/",
    "tests/editors/",
    "tests/accuracy/measure_",
    "tests/faults/run_faults.py",
    "tests/fuzz/",
    "tests/truth/truth_copies.py",
    "tests/truth/equivalence_budgets.py",
)
LEFTOVERS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
SYSTEM = ("bin", "etc", "opt", "tmp", "usr", "var")
"""Top folders that are on every machine."""
OWN_WORDS = "tests/house/test_house_rules.py"


def listed(*patterns: str) -> list[str]:
    """Our files, committed or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if run.returncode != 0:
        pytest.skip("not a checkout: nobody knows which files are ours")
    names = (name for name in run.stdout.decode().split("\0") if name)
    return sorted(name for name in names if (ROOT / name).is_file())


@functools.cache
def tree_facts(text: str) -> tuple[bool, tuple[tuple[str, int], ...]]:
    """Return whether a module has a docstring, and the functions that it calls by a name, with the lines."""
    tree = ast.parse(text)
    called = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    names = tuple((node.func.id, node.lineno) for node in called if isinstance(node.func, ast.Name))
    return bool(ast.get_docstring(tree)), names


@functools.cache
def texts(*patterns: str) -> Mapping[str, str]:
    found = {}
    for name in listed(*patterns):
        try:
            found[name] = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
    return found


def test_no_file_is_too_long_to_be_read() -> None:
    code = texts("*.py", "vscode-client/src/*.ts", "*.sh", "Makefile")
    too_long = {name: lines for name, text in code.items() if (lines := text.count("\n")) > LONGEST_MODULE}
    assert not too_long


def test_every_module_says_what_it_is() -> None:
    silent = [name for name, text in texts("*.py").items() if text.strip() and not tree_facts(text)[0]]
    assert not silent


def test_only_programs_print() -> None:
    loud = [
        f"{name}:{line}"
        for name, text in texts("analyzer/*.py", "server/*.py", "tests/*.py").items()
        if not name.startswith(MAY_PRINT)
        for function, line in tree_facts(text)[1]
        if function == "print"
    ]
    assert not loud


def test_nothing_goes_by_the_identity_of_an_object() -> None:
    """Equal operators may be one object, and a rewritten one is another: numbers and keys tell them apart."""
    by_identity = [
        f"{name}:{line}"
        for name, text in texts("analyzer/*.py").items()
        for function, line in tree_facts(text)[1]
        if function == "id"
    ]
    assert by_identity == []


def test_nobody_imports_through_the_folder_of_the_source() -> None:
    doubled = re.compile(r"^\s*(?:from|import) (?:analyzer|server)\b", re.MULTILINE)
    assert not [name for name, text in texts("*.py").items() if doubled.search(text)]


def test_nothing_is_left_to_do() -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in texts().items()
        if name != OWN_WORDS and not name.endswith("package-lock.json") and (match := LEFTOVERS.search(text))
    ]
    assert not found


def test_no_file_knows_the_machine_that_it_was_written_on() -> None:
    """Absolute paths beside this checkout or in this home folder, as far as there is something at them."""
    homes = {str(folder) for folder in (ROOT.parent, Path.home()) if (*folder.parts, "usr")[1] not in SYSTEM}
    if not homes:
        pytest.skip("this checkout is among the folders of the system")
    path = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(homes)))})/[\w.-]+")
    found = [
        f"{name}: {match.group()}"
        for name, text in texts().items()
        for match in path.finditer(text)
        if Path(match.group()).exists()
    ]
    assert not found
