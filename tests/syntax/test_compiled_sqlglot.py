"""A compiled sqlglot beside the source: the source is used."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import keepstate


@pytest.fixture
def compiled_sqlglot(tmp_path: Path) -> Path:
    """A folder with a package ``sqlglot`` that has an extension module (which does not load) beside its source."""
    package = tmp_path / "sqlglot" / "expressions"
    package.mkdir(parents=True)
    (tmp_path / "sqlglot" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "core.py").write_text("compiled = False\n", encoding="utf-8")
    (package / f"core{EXTENSION_SUFFIXES[0]}").write_bytes(b"not a library")
    return tmp_path


def run(program: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a new Python that finds modules in the folders first."""
    path = os.pathsep.join(map(str, folders))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=120
    )


SOURCE = Path(keepstate.__file__).parent.parent


def test_python_prefers_the_extension_module(compiled_sqlglot: Path) -> None:
    assert run("import sqlglot.expressions.core", compiled_sqlglot).returncode != 0


def test_keepstate_makes_it_prefer_the_source(compiled_sqlglot: Path) -> None:
    program = "import keepstate, sqlglot.expressions.core as core; print(core.compiled)"
    result = run(program, compiled_sqlglot, SOURCE)
    assert (result.stdout, result.stderr) == ("False\n", "")


def test_a_compiled_sqlglot_that_is_loaded_already_is_named() -> None:
    program = (
        "import sys, types\n"
        "core = types.ModuleType('sqlglot.expressions.core')\n"
        "core.__file__ = 'core.so'\n"
        "sys.modules['sqlglot.expressions.core'] = core\n"
        "import keepstate\n"
    )
    result = run(program, SOURCE)
    assert "import keepstate before sqlglot, or uninstall sqlglotc" in result.stderr


def test_parsing_loads_no_optimizer() -> None:
    program = (
        "import sys, keepstate.syntax.script\n"
        # sqlglot itself loads this one.
        "print([name for name in sys.modules if name.startswith('sqlglot.optimizer.') and name[18:] != 'scope'])"
    )
    result = run(program, SOURCE)
    assert (result.stdout, result.stderr) == ("[]\n", "")
