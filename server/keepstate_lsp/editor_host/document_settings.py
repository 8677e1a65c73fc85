"""Settings of a document in an editor without a server: its client passes the texts of the files, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from keepstate.embedded.pointers import FilePointer
from keepstate_lsp.config.client_settings import ENGINES, read_settings
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition, table_of
from keepstate_lsp.config.effective_settings import BASELINE, ENGINE
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.file import EMPTY_CONFIG, Configuration, ConfigurationError, JobConfig
from keepstate_lsp.config.job_names import glob_test, is_job
from keepstate_lsp.config.severity import DEFAULT_PRESET, INVALID_SQL, PRESETS

Json = dict[str, Any]
_ROOT = Path("/")


class BadQuestion(ValueError):
    """Error of a question that is not in the contract; the message is one sentence."""


@dataclass(frozen=True)
class Question:
    """A document and the files that its settings come from.

    ``path`` is relative to the folder of the configuration, or the name of the document without one. ``name`` is that
    of the configuration file; ``configuration`` is its text today, ``former`` its text at the baseline. ``paths`` are
    the files below its folder today, ``former_paths`` those at the baseline; ``None`` where the client has not listed
    them.
    """

    path: str
    text: str
    name: str | None
    configuration: str | None
    former: str | None
    client: Mapping[str, Any]
    paths: tuple[str, ...] | None = None
    former_paths: tuple[str, ...] | None = None

    @staticmethod
    def of(value: Mapping[str, Any]) -> Question:
        """Read a question.

        Raises:
            BadQuestion: it is none.
        """
        path, text, client = value.get("path"), value.get("text"), value.get("client") or {}
        if not isinstance(path, str) or not path or not isinstance(text, str) or not isinstance(client, dict):
            raise BadQuestion('settings are asked of a document: "path", "text" and "client" are missing, or no texts.')
        names = ("name", "configuration", "former")
        name, configuration, former = (value.get(key) for key in names)
        if any(each is not None and not isinstance(each, str) for each in (name, configuration, former)):
            raise BadQuestion(f"{', '.join(names)} are texts or null.")
        return Question(path, text, name, configuration, former, client, *_listings(value))


@dataclass(frozen=True)
class _Job:
    """The job of a document among the files of one revision."""

    config: JobConfig
    script: tuple[str, ...]
    """In the order of execution."""
    context: tuple[str, ...]
    """Files whose declarations the job may read."""


def document_settings(question: Question) -> Json:
    """The settings of a document, and of its baseline.

    ``error`` has a sentence if the configuration is wrong, so that nothing can be compared. ``several`` is true if
    other files are a part of the job, so that the client has to list the files; with a list it is true for jobs that
    need a server.

    >>> found = document_settings(Question("a.fql", "", "keepstate.toml", "engine = 'flink'", None, {}))
    >>> found["engine"], found["is_flink"], found["baseline"]
    ('flink', True, 'HEAD')
    """
    settings, wrong = read_settings(dict(question.client))
    try:
        configuration = _parsed(question, question.configuration, is_past=False)
        former = _parsed(question, question.former, is_past=True)
        engine = settings.engine or (configuration and configuration.engine) or ENGINE
        if engine not in ENGINES:
            raise ConfigurationError(f"{question.name}: engine must be one of {', '.join(ENGINES)}, not {engine!r}.")
        table = next(iter(_tables(question.path, question.paths, configuration)), None)
        current = _job(question.path, question.paths, configuration, table)
        baseline = _former_job(question, configuration, former, table)
        job = current.config
        if fault := version_fault(engine, job.engine_version):
            raise ConfigurationError(f"{question.name}: {fault}")
    except ConfigurationError as error:
        return {"is_flink": is_job(question.path, [question.text]), "error": str(error), "problems": list(wrong)}
    severity = {**({} if configuration is None else configuration.severity), **settings.severity}
    preset = settings.preset or (configuration and configuration.preset) or DEFAULT_PRESET
    return {
        "is_flink": is_job(question.path, [question.text]) or _is_named(question.path, configuration),
        "error": None,
        "problems": list(wrong),
        "engine": engine,
        "baseline": settings.baseline
        or (configuration and configuration.baseline_of(_ROOT / question.path))
        or BASELINE,
        "current": _side(current, job),
        "former": _side(baseline, job),
        "several": _is_beyond(question, configuration, current, baseline),
        "severity": {INVALID_SQL: "error", **severity},
        "preset": dict(PRESETS[preset]),
    }


def _parsed(question: Question, text: str | None, *, is_past: bool) -> Configuration | None:
    if text is None or question.name is None:
        return None
    name = PurePosixPath(question.name).name
    return Configuration.parse(_ROOT / name, text, question.name, is_past=is_past)


def _listings(value: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, ...]:
    lists = [value.get(key) for key in ("paths", "former_paths")]
    for one in lists:
        if one is not None and not (isinstance(one, list) and all(isinstance(each, str) for each in one)):
            raise BadQuestion("paths, former_paths are lists of texts or null.")
    return tuple(None if one is None else tuple(one) for one in lists)


def _tables(path: str, paths: tuple[str, ...] | None, found: Configuration | None) -> list[Composition]:
    """The jobs of several files of whose script a file is a part."""
    known = {path, *(paths or ())}
    return [] if found is None else [one for one in found.scripts if path in one.script_files(known)]


def _job(path: str, paths: tuple[str, ...] | None, found: Configuration | None, table: Composition | None) -> _Job:
    known = {path, *(paths or ())}
    script = (path,) if table is None else table.script_files(known)
    if found is None or not script:
        return _Job(EMPTY_CONFIG, script, ())
    config = found.job_config(_ROOT / script[-1], table or NO_COMPOSITION)
    return _Job(config, script, tuple(one for one in config.composition.context_files(known) if one not in script))


def _former_job(
    asked: Question, found: Configuration | None, former: Configuration | None, table: Composition | None
) -> _Job:
    """The job at the baseline. Its files are named by the present configuration where the baseline had none."""
    paths = asked.former_paths
    if former is None:
        present = _job(asked.path, paths, found, table)
        return _Job(EMPTY_CONFIG, present.script, present.context)
    if table is None:
        return _job(asked.path, paths, former, None)
    here = () if found is None else found.scripts
    return _job(asked.path, paths, former, table_of(table, here, former.scripts, asked.path))


def _side(job: _Job, current: JobConfig) -> Json:
    config = job.config
    # What the platform runs as one job is what is said today.
    configured = {"engine_version": config.engine_version, "parameters": dict(config.parameters), "jobs": current.jobs}
    return {**configured, "script": list(job.script), "context": list(job.context)}


def _is_beyond(asked: Question, found: Configuration | None, current: _Job, baseline: _Job) -> bool:
    tables = _tables(asked.path, asked.paths, found)
    if asked.paths is None:
        configs = (current.config, baseline.config)
        return bool(tables) or any(config.composition.context for config in configs)
    # A file of several jobs, and SQL inside of other files, have places that this contract does not name.
    files = (*current.script, *current.context, *baseline.script, *baseline.context)
    return len(tables) > 1 or any(FilePointer.parse(one) is not None for one in files)


def _is_named(path: str, configuration: Configuration | None) -> bool:
    return configuration is not None and any(glob_test(glob)(path) for glob in configuration.files or ())
