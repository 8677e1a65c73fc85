"""Requests of a host, read from JSON: each member has its type, and a member that means nothing is refused."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeGuard

from keepstate.engines import ENGINES
from keepstate.text import Position

TOP = ("do", "id", "engine", "current", "baseline", "file", "position", "finding", "fixes", "today")
SIDE = ("files", "job", "engine_version", "parameters", "jobs")
UNITS = ("script", "each-insert")
_LONGEST = 100


class BadRequest(ValueError):
    """Error of a request that is not in the contract; the message is one sentence. ``id`` is that of the request, if
    it could be read.
    """

    def __init__(self, message: str, id_: object = None) -> None:
        super().__init__(message)
        self.id = id_


@dataclass(frozen=True)
class RequestedVersion:
    """One version of a job: its files, and its configuration outside of the SQL."""

    files: Mapping[str, str]
    job: tuple[str, ...]
    """Paths of the files of the script in the order of execution. The other files are its context."""
    engine_version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    jobs: str | None = None

    @property
    def path(self) -> str:
        """The path of the last file of the script, which gives the job its name."""
        return self.job[-1]


@dataclass(frozen=True)
class HostRequest:
    """A question with all that its answer depends on."""

    do: str
    id: object
    engine: str
    current: RequestedVersion
    baseline: RequestedVersion | None = None
    file: str | None = None
    position: Position | None = None
    finding: int | None = None
    fixes: bool = False
    today: date | None = None

    @property
    def against(self) -> RequestedVersion:
        """The baseline.

        Raises:
            BadRequest: there is none.
        """
        if self.baseline is None:
            raise BadRequest(f'{self.do} compares two versions: "baseline" is missing.')
        return self.baseline

    @property
    def place(self) -> tuple[str, Position]:
        """The file and the position that a question is about.

        Raises:
            BadRequest: there is no position.
        """
        if self.position is None:
            raise BadRequest(f'{self.do} is about a place: "position" is missing.')
        return self.file or self.current.path, self.position


def read_request(text: str, questions: Collection[str]) -> HostRequest:
    """Read a request. ``questions`` are the values of ``do``.

    >>> side = {"files": {"a.sql": "SELECT 1"}, "job": "a.sql"}
    >>> read_request(json.dumps({"do": "plan", "engine": "flink", "current": side}), ["plan"]).current.path
    'a.sql'

    Raises:
        BadRequest: it is none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The request is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise BadRequest("The request is no object.")
    id_ = value.get("id")
    try:
        return _request(value, id_, questions)
    except BadRequest as error:
        raise BadRequest(str(error), id_) from error


def _request(value: dict[str, Any], id_: object, questions: Collection[str]) -> HostRequest:
    _only(value, TOP, "the request")
    do = _choice(value.get("do"), questions, "do")
    engine = _choice(value.get("engine"), ENGINES, "engine")
    current = _side(value.get("current"), "current")
    baseline = None if value.get("baseline") is None else _side(value["baseline"], "baseline")
    file = value.get("file")
    if file is not None and file not in (current.files if isinstance(file, str) else ()):
        raise BadRequest(f'"file" is {_excerpt(file)}, which "current" does not have.')
    finding = value.get("finding")
    if finding is not None and not _is_count(finding):
        raise BadRequest(f'"finding" is {_excerpt(finding)}, and no index.')
    fixes = value.get("fixes", False)
    if not isinstance(fixes, bool):
        raise BadRequest(f'"fixes" is {_excerpt(fixes)}, and not true or false.')
    position, today = _position(value.get("position")), _day(value.get("today"))
    return HostRequest(do, id_, engine, current, baseline, file, position, finding, fixes, today)


def _side(value: object, name: str) -> RequestedVersion:
    if not isinstance(value, dict):
        raise BadRequest(f'"{name}" is missing, or no object with "files" and "job".')
    _only(value, SIDE, f'"{name}"')
    files = value.get("files")
    if not files or not _is_texts(files):
        raise BadRequest(f'"files" of "{name}" is no mapping from paths to texts.')
    assert isinstance(files, dict)
    job = value.get("job")
    script = (job,) if isinstance(job, str) else tuple(job) if isinstance(job, list) else ()
    if not script or any(not isinstance(path, str) or path not in files for path in script):
        raise BadRequest(f'"job" of "{name}" is {_excerpt(job)}, and not one of its files, or a list of some.')
    parameters = value.get("parameters") or {}
    if not _is_texts(parameters):
        raise BadRequest(f'"parameters" of "{name}" is no mapping from keys to texts.')
    version, jobs = value.get("engine_version"), value.get("jobs")
    if version is not None and not isinstance(version, str):
        raise BadRequest(f'"engine_version" of "{name}" is {_excerpt(version)}, and no text.')
    return RequestedVersion(files, script, version, parameters, None if jobs is None else _choice(jobs, UNITS, "jobs"))


def _position(value: object) -> Position | None:
    if value is None:
        return None
    line, character = (value.get("line"), value.get("character")) if isinstance(value, dict) else (None, None)
    if not _is_count(line) or not _is_count(character):
        raise BadRequest(f'"position" is {_excerpt(value)}, and no object with "line" and "character" from 0.')
    return Position(line, character)


def _day(value: object) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise BadRequest(f'"today" is {_excerpt(value)}, and no day such as 2027-01-31.') from error


def _only(value: dict[str, Any], names: Collection[str], where: str) -> None:
    for name in value:
        if name not in names:
            raise BadRequest(f"There is no member {_excerpt(name)} in {where}.")


def _choice(value: object, names: Collection[str], name: str) -> str:
    if not isinstance(value, str) or value not in names:
        raise BadRequest(f'"{name}" is {_excerpt(value)}, and not one of {", ".join(names)}.')
    return value


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _excerpt(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
