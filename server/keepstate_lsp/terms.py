"""Under which terms a document is checked: the client's settings, the configuration file around it, the defaults.

What the client sets explicitly wins, since it is one person's choice for their own editor; then comes the file that the
command line obeys too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from keepstate_lsp.configuration import FILE_NAME, Configuration, ConfigurationError
from keepstate_lsp.settings import ENGINES, Settings

ENGINE = "vvr"
BASELINE = "HEAD"


@dataclass(frozen=True)
class Terms:
    """What holds for one document."""

    engine: str = ENGINE
    baseline: str = BASELINE
    """A baseline spec as somebody wrote it."""
    folder: Path | None = None
    """What the path of a ``file:`` baseline is relative to."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_named: bool = False
    """The configuration counts the document among the jobs."""
    error: str | None = None
    """The configuration is wrong, so nothing can be compared: a sentence."""


def terms_of(path: Path | None, settings: Settings, folder: Path | None) -> Terms:
    """The terms of the document at ``path`` (``None``: it is no file), whose workspace folder is ``folder``."""
    engine, baseline = settings.engine, settings.baseline
    if path is None:
        return Terms(engine or ENGINE, baseline or BASELINE, folder)
    try:
        found = Configuration.around(path.parent)
    except ConfigurationError as error:
        return Terms(engine or ENGINE, error=str(error))
    if found is None:
        return Terms(engine or ENGINE, baseline or BASELINE, folder or path.parent)
    if found.engine is not None and found.engine not in ENGINES:
        return Terms(error=f"{found.path}: engine must be one of {', '.join(ENGINES)}, not {found.engine!r}.")
    return Terms(
        engine or found.engine or ENGINE,
        baseline or found.baseline or BASELINE,
        (folder or path.parent) if baseline else found.folder,
        found.parameters,
        _is_named(path, found),
    )


def configuration_state(path: Path) -> str:
    """A text that changes when another configuration may hold for ``path``."""
    stamps = []
    for folder in path.parents:
        for name in (FILE_NAME, "pyproject.toml"):
            try:
                status = (folder / name).stat()
            except OSError:
                continue
            stamps.append(f"{folder / name} {status.st_mtime_ns} {status.st_size}")
    return "\n".join(stamps)


def _is_named(path: Path, configuration: Configuration) -> bool:
    # The same test as on the command line; only documents below a configuration need it.
    from keepstate_lsp.cli.job_files import glob_test

    try:
        relative = path.relative_to(configuration.folder).as_posix()
    except ValueError:
        return False
    return any(glob_test(glob)(relative) for glob in configuration.files or ())
