"""Files that name SQL files in an order: shell scripts, Makefiles, compose and Kubernetes files, programs.

Read as text, by the paths in them. A command line of the SQL client gives an order; a program only hints at one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

LARGEST_RUNNER = 300_000
"""Characters of a file that is searched for paths."""
_SUFFIXES = (".sh", ".bash", ".yaml", ".yml", ".mk", ".py", ".java", ".scala", ".kt", ".ts", ".js")
_NAMES = ("Makefile", "makefile", "GNUmakefile", "Dockerfile")
_PROGRAMS = (".py", ".java", ".scala", ".kt", ".ts", ".js")
_CLIENT = re.compile(r"sql-client(?:\.sh)?\b(?P<rest>(?:[^\r\n\\;&|]|\\\r?\n|\\.)*)")
_OPTION = re.compile(r"(?:^|[\s\"',\[])(?P<option>-i|--init|-f|--file)(?:[\s=\"',]|\\\r?\n)+(?P<path>[^\s\"',;\]]+)")
_LITERAL = re.compile(r"[\"'](?P<path>[^\"'\r\n]{1,300}\.(?:sql|fql))[\"']", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """SQL files that a file names, in the order in which it names them."""

    path: str
    line: int
    """From 1."""
    files: tuple[str, ...]
    is_command: bool


def may_be_runner(path: str) -> bool:
    """Return whether a file of this name may run SQL files.

    >>> may_be_runner("bin/run.sh"), may_be_runner("Makefile"), may_be_runner("a.sql")
    (True, True, False)
    """
    return path.lower().endswith(_SUFFIXES) or PurePosixPath(path).name in _NAMES


def runs_in(path: str, text: str, known_paths: Collection[str]) -> Iterator[Run]:
    """The runs of ``known_paths`` SQL files that the text of a file names.

    >>> list(runs_in("run.sh", "sql-client.sh -i init.sql -f job.sql", ["sql/init.sql", "sql/job.sql"]))
    [Run(path='run.sh', line=1, files=('sql/init.sql', 'sql/job.sql'), is_command=True)]
    """
    if len(text) > LARGEST_RUNNER:
        return
    for command in _CLIENT.finditer(text):
        options = [(each["option"] in ("-i", "--init"), each["path"]) for each in _OPTION.finditer(command["rest"])]
        # The client runs the init file first, wherever it is named.
        option_names = [name for is_init, name in options if is_init] + [
            name for is_init, name in options if not is_init
        ]
        files_of_options = [file_named(name, path, known_paths) for name in option_names]
        if files_of_options and None not in files_of_options:
            files = tuple(dict.fromkeys(file for file in files_of_options if file is not None))
            yield Run(path, text.count("\n", 0, command.start()) + 1, files, is_command=True)
    if path.lower().endswith(_PROGRAMS):
        literals = [(each.start(), file_named(each["path"], path, known_paths)) for each in _LITERAL.finditer(text)]
        places = [(start, file) for start, file in literals if file is not None]
        if places:
            files = tuple(dict.fromkeys(file for _, file in places))
            yield Run(path, text.count("\n", 0, places[0][0]) + 1, files, is_command=False)


def file_named(text: str, runner: str, known_paths: Collection[str]) -> str | None:
    """The file that a path in a runner names: beside the runner, from the root, or the only one with this end, since
    the path may be that of a container; ``None`` if none or several are possible.
    """
    name = re.sub(r"^(?:\./|/+|\$\{?\w+\}?/|\$\(\w+\)/)+", "", text)
    folder = PurePosixPath(runner).parent
    for candidate in ((folder / name).as_posix(), name):
        if candidate in known_paths:
            return candidate
    parts = name.split("/")
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        matches = [path for path in known_paths if path == end or path.endswith(f"/{end}")]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None
