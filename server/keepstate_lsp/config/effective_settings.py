"""Under which terms a document is checked: the client's settings, the configuration file around it, the defaults.

What the client sets explicitly wins, since it is one person's choice for their own editor; then comes the file that the
command line obeys too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from keepstate.report import Acceptance
from keepstate_lsp.config.acceptances import FILE_NAME as LEDGER_NAME
from keepstate_lsp.config.acceptances import Ledger, LedgerError, counting_for
from keepstate_lsp.config.client_settings import ENGINES, Settings
from keepstate_lsp.config.file import (
    FILE_NAMES,
    NOTHING_TOLD,
    Circumstances,
    Configuration,
    ConfigurationError,
    Fault,
)
from keepstate_lsp.config.job_names import glob_test

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
    told: Circumstances = NOTHING_TOLD
    """What the job is told outside of its SQL."""
    accepted: tuple[Acceptance, ...] = ()
    """What the ledger lets stand, of whichever file."""
    ledger: Path | None = None
    """Where the ledger lies."""
    is_named: bool = False
    """The configuration counts the document among the jobs."""
    preset: str | None = None
    severity: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    """The configuration is wrong, so nothing can be compared: a sentence."""
    fault: Fault | None = None
    """Where in which file it is wrong."""

    def accepted_in(self, file: Path, predecessor: Path | None) -> tuple[Acceptance, ...]:
        """What the ledger lets stand of ``file``, which was renamed from ``predecessor`` (``None``: it was not)."""
        return () if self.ledger is None else counting_for(self.accepted, self.ledger.parent, file, predecessor)


def terms_of(path: Path | None, settings: Settings, folder: Path | None) -> Terms:
    """The terms of the document at ``path`` (``None``: it is no file), whose workspace folder is ``folder``."""
    engine, baseline = settings.engine, settings.baseline
    if path is None:
        return Terms(engine or ENGINE, baseline or BASELINE, folder)
    try:
        found = Configuration.around(path.parent)
        ledger = Ledger.around(path.parent)
    except (ConfigurationError, LedgerError) as error:
        return Terms(engine or ENGINE, error=str(error), fault=getattr(error, "fault", None))
    accepted = ledger.acceptances if ledger is not None else ()
    if found is None:
        return Terms(
            engine or ENGINE, baseline or BASELINE, folder or path.parent, accepted=accepted, ledger=_path_of(ledger)
        )
    if found.engine is not None and found.engine not in ENGINES:
        return Terms(error=f"{found.path}: engine must be one of {', '.join(ENGINES)}, not {found.engine!r}.")
    return Terms(
        engine or found.engine or ENGINE,
        baseline or found.baseline_of(path) or BASELINE,
        (folder or path.parent) if baseline else found.folder,
        found.circumstances(path),
        accepted,
        _path_of(ledger),
        _is_named(path, found),
        found.preset,
        found.severity,
    )


def configuration_state(path: Path) -> str:
    """A text that changes when another configuration may hold for ``path``."""
    stamps = []
    for folder in path.parents:
        for name in (*FILE_NAMES, LEDGER_NAME):
            try:
                status = (folder / name).stat()
            except OSError:
                continue
            stamps.append(f"{folder / name} {status.st_mtime_ns} {status.st_size}")
    return "\n".join(stamps)


def _path_of(ledger: Ledger | None) -> Path | None:
    return None if ledger is None else ledger.path


def _is_named(path: Path, configuration: Configuration) -> bool:
    try:
        relative = path.relative_to(configuration.folder).as_posix()
    except ValueError:
        return False
    return any(glob_test(glob)(relative) for glob in configuration.files or ())
