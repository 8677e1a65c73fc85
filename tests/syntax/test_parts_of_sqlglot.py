"""sqlglot's node classes are loaded without the rest of the package, which is there for whatever else uses it."""

from __future__ import annotations

import subprocess
import sys

import pytest

REST = ("sqlglot.dialects", "sqlglot.parser", "sqlglot.generator", "sqlglot.optimizer", "importlib.metadata")
ALL_MODULES = """\
import sys
from importlib import import_module
from pathlib import Path
import keepstate
from sqlglot import exp
folder = Path(sys.modules["sqlglot"].__path__[0])
paths = [path.relative_to(folder).with_suffix("").parts for path in sorted(folder.glob("*.py"))]
paths += [("dialects", "mysql"), ("dialects",), ("parsers", "base"), ("optimizer", "scope"), ("dialects", "dialect")]
for parts in paths:
    if parts[-1] in ("__init__", "__main__"):
        continue
    for name in [name for name in sys.modules if name.split(".")[0] == "sqlglot"]:
        del sys.modules[name]
    from sqlglot import exp
    name = ".".join(("sqlglot", *parts))
    module = import_module(name)
    assert sys.modules[name] is module, name
    assert module.__spec__.name == name and module.__spec__.origin == module.__file__, module.__spec__
    import sqlglot
    assert sqlglot.parse_one("SELECT 1").sql("mysql") == "SELECT 1", name
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_a_comparison_loads_node_classes_only() -> None:
    program = (
        "import sys, keepstate\n"
        "query = 'INSERT INTO s SELECT b, {}(a) FROM t GROUP BY b'\n"
        "was, now = (keepstate.JobVersion(query.format(name)) for name in ('SUM', 'MAX'))\n"
        "print(keepstate.check(now, was).verdict.value, 'sqlglot.expressions' in sys.modules,\n"
        f"    [name for name in {REST} if name in sys.modules])"
    )
    assert run(program).stdout.split("\n")[0] == "incompatible True []"


@pytest.mark.parametrize(
    "use",
    [
        "import sqlglot; sqlglot.parse_one('SELECT a').sql()",
        "from sqlglot import parse_one",
        "from sqlglot import *; parse_one('SELECT a')",
        "import sqlglot.tokens",
        "from sqlglot.parsers.base import BaseParser",
        "import sqlglot; sqlglot.__version__",
        "from sqlglot import exp; exp.column('a').eq(1).sql('mysql')",
        "import sqlglot; assert not hasattr(sqlglot, 'nothing')",
    ],
)
def test_other_users_of_the_package_get_all_of_it(use: str) -> None:
    found = run(f"import keepstate; from sqlglot import exp; {use}")
    assert (found.returncode, found.stderr) == (0, "")


def test_any_module_may_be_the_first() -> None:
    found = run(ALL_MODULES)
    assert (found.returncode, found.stderr) == (0, "")


def test_two_threads_get_all_of_it() -> None:
    program = (
        "import threading, keepstate\n"
        "from sqlglot import exp\n"
        "import sqlglot\n"
        "together, found = threading.Barrier(2), []\n"
        "def first():\n"
        "    together.wait()\n"
        "    found.append(sqlglot.parse_one('SELECT 1').sql('mysql'))\n"
        "def second():\n"
        "    together.wait()\n"
        "    import sqlglot.parser\n"
        "    found.append(sqlglot.parser.Parser.__name__)\n"
        "threads = [threading.Thread(target=work) for work in (first, second)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(sorted(found))"
    )
    found = run(program)
    assert (found.stdout, found.stderr) == ("['Parser', 'SELECT 1']\n", "")
