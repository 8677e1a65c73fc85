"""Makes this process use sqlglot's Python source where a compiled sqlglot is installed beside it.

``sqlglotc`` (``pip install "sqlglot[c]"``) puts extension modules next to sqlglot's ``.py`` files, and Python prefers
them. Classes compiled that way cannot be subclassed (``TypeError: interpreted classes cannot inherit from compiled``),
but Flink's constructs need node classes of their own. The ``.py`` files are all there, so a finder in front of the
usual ones picks them. It stays for as long as the process runs: sqlglot loads parts of itself late, and an extension
module among interpreted ones fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import (
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from types import ModuleType

_PREFIX = "sqlglot."


class _SourceFinder:
    """Finds ``sqlglot.x`` as ``x.py`` where the usual search gives an extension module."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is None or not isinstance(found.loader, ExtensionFileLoader):
            return found
        for folder in path or ():
            source = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(fullname)
            if source is not None:
                return source
        return found


def use_sqlglot_source() -> None:
    """Put the finder in place, if this process has not imported sqlglot yet.

    Raises:
        ImportError: a compiled sqlglot has been imported already.
    """
    core = sys.modules.get("sqlglot.expressions.core")
    if core is None:
        if _SourceFinder not in sys.meta_path:
            sys.meta_path.insert(0, _SourceFinder)
    elif not str(getattr(core, "__file__", "")).endswith(".py"):
        raise ImportError(
            "Keepstate cannot use the compiled sqlglot that this process has imported: "
            "import keepstate before sqlglot, or uninstall sqlglotc."
        )
