"""Effective settings of a document: the client's settings, over the configuration file around it, over the defaults.

The client's explicit settings win, since they are one person's choice for their own editor; then comes the file that
the command line reads too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from keepstate.report import Acceptance
from keepstate_lsp.config.acceptance_file import FILE_NAME as LEDGER_NAME
from keepstate_lsp.config.acceptance_file import AcceptanceFile, AcceptanceFileError, counting_for
from keepstate_lsp.config.client_settings import ENGINES, Settings
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.file import (
    EMPTY_CONFIG,
    ENGINE_VERSION,
    FILE_NAMES,
    Configuration,
    ConfigurationError,
    Fault,
    JobConfig,
)
from keepstate_lsp.config.job_names import glob_test

ENGINE = "vvr"
BASELINE = "HEAD"


@dataclass(frozen=True)
class EffectiveSettings:
    """The settings of one document."""

    engine: str = ENGINE
    baseline: str = BASELINE
    """A baseline spec as it was written."""
    folder: Path | None = None
    """Folder that the path of a ``file:`` baseline is relative to."""
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the job."""
    accepted: tuple[Acceptance, ...] = ()
    """Accepted findings in the ledger, of all its files."""
    ledger: Path | None = None
    """Path of the ledger."""
    is_named: bool = False
    """The configuration counts the document among the jobs."""
    preset: str | None = None
    severity: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    """The configuration is wrong, so nothing can be compared: a sentence."""
    fault: Fault | None = None
    """Place of the fault in its file."""

    def accepted_in(self, file: Path, predecessor: Path | None, name: str | None = None) -> tuple[Acceptance, ...]:
        """Accepted findings of ``file``, which was renamed from ``predecessor`` (``None``: it was not), and of its job
        with a ``name``.
        """
        if self.ledger is None:
            return ()
        return counting_for(self.accepted, self.ledger.parent, file, predecessor, name)


def resolve_settings(path: Path | None, settings: Settings, folder: Path | None) -> EffectiveSettings:
    """The terms of the document at ``path`` (``None``: it is no file), whose workspace folder is ``folder``.

    >>> resolve_settings(None, Settings(engine="flink"), None).baseline
    'HEAD'
    """
    engine, baseline = settings.engine, settings.baseline
    if path is None:
        return EffectiveSettings(engine or ENGINE, baseline or BASELINE, folder)
    try:
        configuration = Configuration.around(path.parent)
        ledger = AcceptanceFile.around(path.parent)
    except (ConfigurationError, AcceptanceFileError) as error:
        return EffectiveSettings(engine or ENGINE, error=str(error), fault=getattr(error, "fault", None))
    accepted = ledger.acceptances if ledger is not None else ()
    if configuration is None:
        return EffectiveSettings(
            engine or ENGINE, baseline or BASELINE, folder or path.parent, accepted=accepted, ledger=_path_of(ledger)
        )
    if configuration.engine is not None and configuration.engine not in ENGINES:
        return EffectiveSettings(
            error=f"{configuration.path}: engine must be one of {', '.join(ENGINES)}, not {configuration.engine!r}."
        )
    job = configuration.job_config(path)
    engine_name = engine or configuration.engine or ENGINE
    if wrong := version_fault(engine_name, job.engine_version):
        place = job.place(ENGINE_VERSION)
        fault = None if place is None else Fault(configuration.path, configuration.text, place, wrong)
        return EffectiveSettings(engine_name, error=f"{configuration.path}: {wrong}", fault=fault)
    return EffectiveSettings(
        engine_name,
        baseline or configuration.baseline_of(path) or BASELINE,
        (folder or path.parent) if baseline else configuration.folder,
        job,
        accepted,
        _path_of(ledger),
        _is_named(path, configuration),
        configuration.preset,
        configuration.severity,
    )


def configuration_state(path: Path, stamps: dict[Path, tuple[str, ...]] | None = None) -> str:
    """A text that changes when another configuration may hold for ``path``. ``stamps`` are those of folders that were
    looked at for other paths at the same moment, and get those of this path.

    >>> configuration_state(Path("/no-such-folder/a.sql"))
    ''
    """
    stamps_by_folder = {} if stamps is None else stamps
    for folder in path.parents:
        if folder not in stamps_by_folder:
            stamps_by_folder[folder] = tuple(_stamps(folder))
    return "\n".join(stamp for folder in path.parents for stamp in stamps_by_folder[folder])


def _stamps(folder: Path) -> Iterator[str]:
    for name in (*FILE_NAMES, LEDGER_NAME):
        # A server that waits looks at these every two seconds, and paths as objects take most of the time.
        path = os.path.join(folder, name)
        try:
            status = os.stat(path)
        except OSError:
            continue
        yield f"{path} {status.st_mtime_ns} {status.st_size}"


def _path_of(ledger: AcceptanceFile | None) -> Path | None:
    return None if ledger is None else ledger.path


def _is_named(path: Path, configuration: Configuration) -> bool:
    try:
        relative = path.relative_to(configuration.folder).as_posix()
    except ValueError:
        return False
    return any(glob_test(glob)(relative) for glob in configuration.files or ())
