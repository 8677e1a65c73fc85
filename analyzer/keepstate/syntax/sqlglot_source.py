"""The modules of sqlglot as this process loads them: from source, and its node classes alone where these suffice.

``sqlglotc`` (``pip install "sqlglot[c]"``) puts extension modules next to sqlglot's ``.py`` files, and Python prefers
them. Classes compiled that way cannot be subclassed (``TypeError: interpreted classes cannot inherit from compiled``),
but Flink's constructs need node classes of their own. The ``.py`` files are all there, so a finder in front of the
usual ones picks them. It stays for as long as the process runs: sqlglot loads parts of itself late, and an extension
module among interpreted ones fails.

Keepstate needs ``sqlglot.expressions`` only, but the package imports its parsers, generators and dialects before it,
which takes longer. So the package runs its own code at the first use of another name or module of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import (
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader
else:

    class Loader:
        """A loader as the import system asks for one: ``importlib.abc`` imports forty modules for its base class."""

        def create_module(self, spec: ModuleSpec) -> ModuleType | None:
            """Return ``None``: the import system makes the module."""
            return None


_PACKAGE = "sqlglot"
_PREFIX = f"{_PACKAGE}."
_NODES = f"{_PREFIX}expressions"
_ALONE = frozenset(
    {_NODES, *(_PREFIX + name for name in ("_typing", "_version", "errors", "helper", "tokenizer_core"))}
)
"""The modules that need no other part of the package; those below the node classes belong to them."""
_REST = f"{_PREFIX}_rest"
"""A module without a file: its import runs the code of the package once, under the locks of the import system, which
ends deadlocks of two threads.
"""


class _SourceFinder:
    """Finds ``sqlglot.x`` as ``x.py`` where the usual search gives an extension module, and ``sqlglot`` as a package
    that runs late.
    """

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname == _REST:
            return ModuleSpec(_REST, _RestLoader())
        if fullname == _PACKAGE:
            return _late(PathFinder.find_spec(fullname, path, target))
        if not fullname.startswith(_PREFIX):
            return None
        if fullname not in _ALONE and not fullname.startswith(f"{_NODES}."):
            import_module(_REST)
            if fullname in sys.modules:
                return _loaded(sys.modules[fullname])
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
            return spec
        for folder in path or ():
            source = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(fullname)
            if source is not None:
                return source
        return spec


class _LateLoader(Loader):
    """Loads a package without its code, which runs when a name is asked for that the package does not have yet."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def exec_module(self, module: ModuleType) -> None:
        def name_of(name: str) -> Any:
            if name == "exp":
                return import_module(_NODES)
            import_module(_REST)
            try:
                return vars(module)[name]
            except KeyError:
                raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}") from None

        vars(module)["__getattr__"] = name_of


class _RestLoader(Loader):
    """Runs the code of a package that was loaded without it."""

    def exec_module(self, module: ModuleType) -> None:
        package = sys.modules[_PACKAGE]
        late = package.__spec__ and package.__spec__.loader
        if isinstance(late, _LateLoader):
            late.loader.exec_module(package)


class _LoadedLoader(Loader):
    """Answers with a module that is loaded already."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def _late(spec: ModuleSpec | None) -> ModuleSpec | None:
    if spec is not None and spec.loader is not None:
        spec.loader = _LateLoader(spec.loader)
    return spec


def _loaded(module: ModuleType) -> ModuleSpec:
    """A spec with which an import that is under way does not load the module twice."""
    spec = ModuleSpec(module.__name__, _LoadedLoader(module), is_package=hasattr(module, "__path__"))
    # The import system takes the spec of the module where one has appeared meanwhile.
    module.__spec__ = spec
    return spec


def use_sqlglot_source() -> None:
    """Put the finder in place, if this process has not imported sqlglot yet.

    >>> use_sqlglot_source()

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
