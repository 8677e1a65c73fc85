"""An entry of the configuration that names the files whose declarations a job has assumed so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from keepstate_lsp.config.file import FILE_NAME, Configuration, JobConfig
from keepstate_lsp.files.toml_places import toml_places

_KEY = "context"


@dataclass(frozen=True)
class ContextEntry:
    """The text to insert ``at`` an offset of the configuration at ``path``, which now holds ``before``; ``None``: there
    is none yet.
    """

    path: Path
    files: tuple[str, ...]
    """Relative to the folder of the configuration."""
    before: str | None
    text: str
    at: int

    @property
    def title(self) -> str:
        files = ", ".join(f'"{file}"' for file in self.files)
        return f"Write context = [{files}] into {self.path.name}"


def entry_files(root: Path, assumed: Iterable[str], config: JobConfig) -> tuple[Path, tuple[str, ...]] | None:
    """The configuration for the assumed declarations in files relative to ``root``, and these files relative to its
    folder. ``None`` where nothing is assumed, or a file lies outside of that folder.

    >>> entry_files(Path("/repository"), ["ddl/t.sql"], JobConfig())[1]
    ('ddl/t.sql',)
    """
    source = config.source
    home = root if source is None else source.folder
    files = [root / path for path in dict.fromkeys(assumed)]
    if not files or not all(file.is_relative_to(home) for file in files):
        return None
    names = tuple(file.relative_to(home).as_posix() for file in files)
    return (home / FILE_NAME if source is None else source.path), names


def context_entry(
    root: Path, assumed: Iterable[str], config: JobConfig, opened: str | None = None
) -> ContextEntry | None:
    r"""The entry for assumed declarations; ``opened`` is the text of the configuration as it stands in an editor.

    A list that is there gets the files in front of its own. A new one stands at the beginning, since behind the header
    of a table it would belong to that.

    >>> context_entry(Path("/repository"), ["ddl/t.sql"], JobConfig()).text
    'context = ["ddl/t.sql"]\n'
    """
    entry = entry_files(root, assumed, config)
    if entry is None:
        return None
    import json

    path, files = entry
    listed = ", ".join(json.dumps(file, ensure_ascii=False) for file in files)
    line = f"{_KEY} = [{listed}]\n"
    if config.source is None:
        return ContextEntry(path, files, opened, line, 0)
    text = config.source.text if opened is None else opened
    place = config.place(_KEY) if text == config.source.text else toml_places(text).get((*_prefix(path), _KEY))
    if place is not None:
        bracket = text.index("[", place.start + len(_KEY))
        return ContextEntry(path, files, text, f"{listed}, ", bracket + 1)
    return ContextEntry(path, files, text, line, _beginning(config.source, text))


def _beginning(source: Configuration, text: str) -> int:
    """The offset of the first line of the table of Keepstate."""
    header = toml_places(text).get(_prefix(source.path)) if _prefix(source.path) else None
    if header is None:
        return 0
    end = text.find("\n", header.end)
    return len(text) if end < 0 else end + 1


def _prefix(path: Path) -> tuple[str, ...]:
    return () if PurePosixPath(path.name).name == FILE_NAME else ("tool", "keepstate")
