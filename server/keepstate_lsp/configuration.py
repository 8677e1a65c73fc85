"""The configuration file: ``keepstate.toml``, or ``[tool.keepstate]`` in ``pyproject.toml``.

It is looked for from a file's own folder upward; the nearest one wins, and in one folder ``keepstate.toml`` does.

.. code-block:: toml

    files = ["jobs/**/*.sql"]      # what `keepstate check` compares; relative to this file
    baseline = "merge-base:origin/main"
    engine = "vvr"
    fail-on = "unknown"

    [parameters]                   # set outside of the SQL, for both sides
    "table.exec.state.ttl" = "1 d"
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE_NAME = "keepstate.toml"
FAIL_ON = ("incompatible", "unknown", "partial", "never")
_KEYS = ("files", "baseline", "engine", "fail-on", "parameters")


class ConfigurationError(Exception):
    """A configuration file cannot be read or says something that is not understood; the message is for a person."""


@dataclass(frozen=True)
class Configuration:
    """What one file says; ``None`` where it says nothing."""

    path: Path
    files: tuple[str, ...] | None = None
    baseline: str | None = None
    engine: str | None = None
    fail_on: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """What ``files`` and the path of a ``file:`` baseline are relative to."""
        return self.path.parent

    @staticmethod
    def around(path: Path) -> Configuration | None:
        """The configuration that holds for a file or folder, ``None`` when there is none.

        Raises:
            ConfigurationError: the nearest file is wrong; it is never passed over in silence.
        """
        path = path.absolute()
        for folder in (path, *path.parents):
            for name in (FILE_NAME, "pyproject.toml"):
                found = _load(folder / name)
                if found is not None:
                    return found
        return None

    @staticmethod
    def at(path: Path) -> Configuration:
        """The configuration in the file at ``path``, which must be there.

        Raises:
            ConfigurationError: it is not, or is wrong.
        """
        if not path.is_file():
            raise ConfigurationError(f"There is no configuration file {path}.")
        found = _load(path.absolute())
        if found is None:
            raise ConfigurationError(f"{path} has no table [tool.keepstate].")
        return found


def _load(path: Path) -> Configuration | None:
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except PermissionError:
        # A folder above one's own that cannot be entered has no say.
        return None
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"The configuration file {path} cannot be read: {error}.") from error
    shared = path.name == "pyproject.toml"
    if shared and "keepstate" not in text:
        return None
    table = _toml(path, text)
    if shared:
        tools = table.get("tool", {})
        if not isinstance(tools, dict) or "keepstate" not in tools:
            return None
        table = tools["keepstate"]
    return _configuration(path, table)


def _toml(path: Path, text: str) -> Any:
    # Imported late: most runs meet no configuration file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed for these versions alone
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not TOML: {error}.") from error


def _configuration(path: Path, table: Any) -> Configuration:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: tool.keepstate must be a table.")
    for key in table:
        if key not in _KEYS:
            raise ConfigurationError(f"{path}: there is no setting {key!r}; there are {', '.join(_KEYS)}.")
    files = table.get("files")
    if files is not None and not (isinstance(files, list) and files and all(isinstance(glob, str) for glob in files)):
        raise ConfigurationError(f'{path}: files must be a list of globs, such as ["jobs/**/*.sql"].')
    texts: dict[str, str | None] = {}
    for key in ("baseline", "engine", "fail-on"):
        texts[key] = table.get(key)
        if texts[key] is not None and not isinstance(texts[key], str):
            raise ConfigurationError(f"{path}: {key} must be a text.")
    if texts["fail-on"] not in (None, *FAIL_ON):
        raise ConfigurationError(f"{path}: fail-on must be one of {', '.join(FAIL_ON)}, not {texts['fail-on']!r}.")
    parameters = table.get("parameters", {})
    if not isinstance(parameters, dict):
        raise ConfigurationError(f"{path}: parameters must be a table.")
    return Configuration(
        path,
        None if files is None else tuple(files),
        texts["baseline"],
        texts["engine"],
        texts["fail-on"],
        dict(_flat(path, "", parameters)),
    )


def _flat(path: Path, prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Parameters with dotted names: a bare ``table.exec.state.ttl = ...`` makes nested tables in TOML."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(path, f"{name}.", value)
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, (str, int, float)):
            yield name, str(value)
        else:
            raise ConfigurationError(f"{path}: the parameter {name} must be a text, a number, true or false.")
