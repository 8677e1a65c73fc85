"""Settings of a document in an editor without a server: its client passes the texts of the files, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from keepstate_lsp.config.client_settings import ENGINES, read_settings
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
    of the configuration file; ``configuration`` is its text today, ``former`` its text at the baseline.
    """

    path: str
    text: str
    name: str | None
    configuration: str | None
    former: str | None
    client: Mapping[str, Any]

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
        return Question(path, text, name, configuration, former, client)


def document_settings(asked: Question) -> Json:
    """The settings of a document, and of its baseline.

    ``error`` has a sentence if the configuration is wrong, so that nothing can be compared; ``several`` is true for a
    job of which other files are a part.

    >>> found = document_settings(Question("a.fql", "", "keepstate.toml", "engine = 'flink'", None, {}))
    >>> found["engine"], found["is_flink"], found["baseline"]
    ('flink', True, 'HEAD')
    """
    settings, wrong = read_settings(dict(asked.client))
    try:
        found = _parsed(asked, asked.configuration, is_past=False)
        former = _parsed(asked, asked.former, is_past=True)
        chosen = settings.engine or (found and found.engine) or ENGINE
        if chosen not in ENGINES:
            raise ConfigurationError(f"{asked.name}: engine must be one of {', '.join(ENGINES)}, not {chosen!r}.")
        job = EMPTY_CONFIG if found is None else found.job_config(_ROOT / asked.path)
        was = EMPTY_CONFIG if former is None else former.job_config(_ROOT / asked.path)
        if fault := version_fault(chosen, job.engine_version):
            raise ConfigurationError(f"{asked.name}: {fault}")
    except ConfigurationError as error:
        return {"is_flink": is_job(asked.path, [asked.text]), "error": str(error), "problems": list(wrong)}
    severity = {**({} if found is None else found.severity), **settings.severity}
    preset = settings.preset or (found and found.preset) or DEFAULT_PRESET
    return {
        "is_flink": is_job(asked.path, [asked.text]) or _is_named(asked.path, found),
        "error": None,
        "problems": list(wrong),
        "engine": chosen,
        "baseline": settings.baseline or (found and found.baseline_of(_ROOT / asked.path)) or BASELINE,
        "current": _side(job, job),
        "former": _side(was, job),
        "several": bool(job.composition.context) or _is_part(asked.path, found),
        "severity": {INVALID_SQL: "error", **severity},
        "preset": dict(PRESETS[preset]),
    }


def _parsed(asked: Question, text: str | None, *, is_past: bool) -> Configuration | None:
    if text is None or asked.name is None:
        return None
    name = PurePosixPath(asked.name).name
    return Configuration.parse(_ROOT / name, text, asked.name, is_past=is_past)


def _side(job: JobConfig, current: JobConfig) -> Json:
    # What the platform runs as one job is what is said today.
    return {"engine_version": job.engine_version, "parameters": dict(job.parameters), "jobs": current.jobs}


def _is_part(path: str, found: Configuration | None) -> bool:
    """Return whether a file is a part of the script of a job."""
    return found is not None and any(one.script_files([path]) for one in found.scripts)


def _is_named(path: str, found: Configuration | None) -> bool:
    return found is not None and any(glob_test(glob)(path) for glob in found.files or ())
