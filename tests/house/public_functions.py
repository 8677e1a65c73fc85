"""The functions that a package offers to others, and those of them that show an example.

A function is public if a module of another package imports it. A package is a folder below ``keepstate`` or
``keepstate_lsp``, or a module beside these folders; ``keepstate_spark`` and ``keepstate_flink`` are one each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("analyzer", "pipeline", "server")
DIVIDED = frozenset({"keepstate", "keepstate_lsp"})
_FUNCTION = re.compile(r"^(?:async )?def ([a-z]\w*)\(.*?(?=^\S(?<!\))|\Z)", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^ *from (keepstate[\w.]*) import (\([^)]*\)|[^\n]+)", re.MULTILINE)


@dataclass(frozen=True)
class PublicFunction:
    name: str
    """With its module."""
    package: str
    has_example: bool


def modules() -> dict[str, str]:
    """The texts of all modules by their names."""
    found = {}
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            parts = path.relative_to(ROOT / source).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path.read_text("utf-8")
    return found


def package_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in DIVIDED else parts[0]


def public_functions(texts: Mapping[str, str]) -> list[PublicFunction]:
    """The public functions of ``texts``, modules by their names."""
    used = {name for module, text in texts.items() for name in _used(module, text, texts)}
    return [
        PublicFunction(f"{module}.{match[1]}", package_of(module), ">>> " in match[0])
        for module, text in texts.items()
        for match in _FUNCTION.finditer(text)
        if f"{module}.{match[1]}" in used
    ]


def _used(module: str, text: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Names of other packages that a module imports, or reads from a module that it imports."""
    for source, names in _IMPORT.findall(text):
        for imported, alias in re.findall(r"(\w+)(?: as (\w+))?", names.partition("  #")[0]):
            name = f"{source}.{imported}"
            if package_of(name if name in texts else source) == package_of(module):
                continue
            if name in texts:
                yield from (f"{name}.{each}" for each in re.findall(rf"\b{alias or imported}\.(\w+)", text))
            else:
                yield name
