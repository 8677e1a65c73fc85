"""Lists the modules that a host without a server needs, as one line of JSON: the version, and paths by their names.

python playground/needed_modules.py MODULE

Of sqlglot, whose other dialects are most of it, these are the ones that the analyzer imports.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ANALYZER = ROOT / "analyzer"
PLACES = (ANALYZER, ROOT / "server")
FACADE = "keepstate"
"""The package whose members are imported from their modules when they are first used."""
DATA = ("keepstate/rules/evidence.json", "keepstate/rules/pages/*/*.md")
"""Files that modules read, as globs."""


def main() -> int:
    sys.path[:0] = [str(place) for place in PLACES]
    own = dict(sorted(reached(sys.argv[1]).items()))
    for name in own:
        import_module(name)
    modules = {_name_in_archive(path): str(path) for path in own.values()}
    data = [path for glob in DATA for path in sorted(ANALYZER.glob(glob))]
    modules |= {path.relative_to(ANALYZER).as_posix(): str(path) for path in data}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] == "sqlglot" and file is not None:
            if not file.endswith(".py"):
                raise SystemExit(f"modules: {name} is compiled: {file}")
            ending = "/__init__.py" if Path(file).name == "__init__.py" else ".py"
            modules[name.replace(".", "/") + ending] = file
    from keepstate_lsp.version import VERSION

    print(json.dumps({"version": VERSION, "modules": modules}))
    return 0


def reached(first: str) -> dict[str, Path]:
    """The modules of Keepstate that a module imports, also within functions; types alone count for nothing."""
    found: dict[str, Path] = {}
    waiting = [first]
    homes = import_module(FACADE).__dict__["_HOMES"]
    while waiting:
        name = waiting.pop()
        facade, _, member = name.rpartition(".")
        if facade == FACADE and member in homes:
            name = homes[member]
        path = _path(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += [".".join(name.split(".")[:depth]) for depth in range(1, name.count(".") + 1)]
        waiting += _imported(ast.parse(path.read_text("utf-8")).body)
    return found


def _path(name: str) -> Path | None:
    below = [place.joinpath(*name.split(".")) for place in PLACES]
    paths = (path for one in below for path in (one / "__init__.py", one.with_suffix(".py")))
    return next((path for path in paths if path.is_file()), None)


def _name_in_archive(path: Path) -> str:
    place = next(place for place in PLACES if path.is_relative_to(place))
    return path.relative_to(place).as_posix()


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                yield node.module
                yield from (f"{node.module}.{each.name}" for each in node.names)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == FACADE:
                yield f"{FACADE}.{node.attr}"


if __name__ == "__main__":
    sys.exit(main())
