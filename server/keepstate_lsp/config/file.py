"""The configuration file: ``keepstate.toml``, or ``[tool.keepstate]`` in ``pyproject.toml``.

It is looked for from a file's own folder upward; the nearest one wins, and in one folder ``keepstate.toml`` does.
``docs/configuration.md`` has an example.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate.text import LineIndex, Span
from keepstate_lsp.config.composition_entries import NO_COMPOSITION, Composition, CompositionFault, composition_of
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.job_names import are_globs
from keepstate_lsp.config.job_tables import UNITS, JobTable
from keepstate_lsp.config.replay_settings import REPLAY_KEYS, ReplayFault, ReplaySettings, replay_settings
from keepstate_lsp.config.severity import LEVELS, PRESETS, unheard_of
from keepstate_lsp.files.small_files import LARGEST_FILE, read_small
from keepstate_lsp.files.toml_places import TomlPath, toml_places
from keepstate_lsp.near_names import near_names

if TYPE_CHECKING:
    from keepstate import FunctionSignature

FILE_NAME = "keepstate.toml"
SHARED_NAME = "pyproject.toml"
FILE_NAMES = (FILE_NAME, SHARED_NAME)
SHARED_PREFIX = ("tool", "keepstate")
FAIL_ON = ("incompatible", "unknown", "partial", "never")
DEFAULT_FAIL_ON = "unknown"
KEYS = tuple(
    "files baseline engine engine-version jobs fail-on preset severity parameters context job replay functions".split()
)
JOB_KEYS = ("name", "files", "script", "context", "baseline", "engine-version", "jobs", "parameters")
ENGINE_VERSION = "engine-version"
_FOR_ALL = (ENGINE_VERSION, "jobs", "parameters", "context")
_MOST_DOTS = 100
"""In front of, or between, equals signs of a line: reading a key takes the square of its dots."""
_AT_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True)
class Fault:
    """A fault in the text of a configuration file, with its place."""

    path: Path
    text: str
    span: Span
    sentence: str


class ConfigurationError(Exception):
    """An unreadable configuration file or an invalid entry, with a message for a person and the ``fault``, if known."""

    def __init__(self, sentence: str, fault: Fault | None = None) -> None:
        super().__init__(sentence)
        self.fault = fault


@dataclass(frozen=True)
class Configuration:
    """The settings of one file; ``None`` for a missing entry."""

    path: Path
    files: tuple[str, ...] | None = None
    baseline: str | None = None
    engine: str | None = None
    fail_on: str | None = None
    preset: str | None = None
    severity: Mapping[str, str] = field(default_factory=dict)
    jobs: tuple[JobTable, ...] = ()
    """The file's own table first, which is about all jobs, then those about some."""
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    display_name: str = ""
    """The name of the file for people, with the revision if that is not the file on disk."""
    text: str = field(default="", repr=False)
    functions: Mapping[str, tuple[FunctionSignature, ...]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Folder that ``files`` and the path of a ``file:`` baseline are relative to."""
        return self.path.parent

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def _places(self) -> Mapping[TomlPath, Span]:
        return toml_places(self.text)

    def place(self, path: TomlPath) -> Span | None:
        """The span of an entry or of the header of a table."""
        return self._places.get(path)

    def baseline_of(self, job: Path) -> str | None:
        """The baseline of the job in the file at ``job``; the last table with a baseline wins."""
        relative = self.relative(job)
        baselines = [table.baseline for table in self.jobs if table.baseline is not None and table.has_file(relative)]
        return baselines[-1] if baselines else self.baseline

    def relative(self, job: Path) -> str:
        """The path of a job relative to the folder of the file."""
        try:
            return job.relative_to(self.folder).as_posix()
        except ValueError:
            return job.name

    def job_config(self, job: Path, several: Composition = NO_COMPOSITION) -> JobConfig:
        """The configuration of the job in the file at ``job``; the last table with an entry wins. ``several`` is that
        of a job of several files.
        """
        relative = self.relative(job)
        version: str | None = None
        jobs: str | None = None
        parameters: dict[str, str] = {}
        places: dict[str, TomlPath] = {}
        composition = NO_COMPOSITION
        for table in self.jobs:
            if table.is_about(relative, several):
                version = table.engine_version or version
                jobs = table.jobs or jobs
                parameters.update(table.parameters)
                places.update(table.places)
                composition = composition.overridden(table.composition)
        return JobConfig(version, parameters, self, places, jobs, composition, self.functions)

    @property
    def scripts(self) -> tuple[Composition, ...]:
        """The jobs of several files."""
        return tuple(table.composition for table in self.jobs if table.composition.script)

    @staticmethod
    def parse(path: Path, text: str, display_name: str, *, is_past: bool = False) -> Configuration | None:
        """Read the text of a configuration file; ``None`` for a ``pyproject.toml`` without our table. ``is_past``: the
        text is that of a baseline, of which the configuration of jobs alone is checked.

        Raises:
            ConfigurationError: it is wrong; ``display_name`` names the file in the message.
        """
        shared = path.name == SHARED_NAME
        if shared and "keepstate" not in text:
            return None
        table = read_toml(path, display_name, text)
        prefix: TomlPath = ()
        if shared:
            tools = table.get("tool", {})
            if not isinstance(tools, dict) or "keepstate" not in tools:
                return None
            prefix, table = SHARED_PREFIX, tools["keepstate"]
        return _Reading(path, text, display_name, prefix, is_past).configuration(table)

    @staticmethod
    def around(path: Path) -> Configuration | None:
        """The configuration that holds for a file or folder, ``None`` when there is none.

        Raises:
            ConfigurationError: the nearest file is wrong; it is never passed over in silence.
        """
        path = path.absolute()
        for folder in (path, *path.parents):
            for name in FILE_NAMES:
                configuration = _load(folder / name)
                if configuration is not None:
                    return configuration
        return None

    @staticmethod
    def at(path: Path) -> Configuration:
        """The configuration in the file at ``path``, which must be there.

        Raises:
            ConfigurationError: it is not, or is wrong.
        """
        if not path.is_file():
            raise ConfigurationError(f"There is no configuration file {path}.")
        configuration = _load(path.absolute())
        if configuration is None:
            raise ConfigurationError(f"{path} has no table [tool.keepstate].")
        return configuration


@dataclass(frozen=True)
class JobConfig:
    """The configuration of a job on one side of a comparison, outside of its SQL. ``source`` is its configuration file,
    if there is one.
    """

    engine_version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: Configuration | None = None
    _places: Mapping[str, TomlPath] = field(default_factory=dict, repr=False)
    jobs: str | None = None
    """One of ``UNITS``; ``None`` for what platforms of the engine do."""
    composition: Composition = NO_COMPOSITION
    """The other files that belong to the job, relative to the folder of ``source``."""
    functions: Mapping[str, tuple[FunctionSignature, ...]] = field(default_factory=dict)
    """Declared signatures of the user's functions, by their names in upper case: today's for both sides."""

    def place(self, key: str) -> Span | None:
        """The span in ``source`` that sets a parameter or ``engine-version``; ``None`` for other sources."""
        path = self._places.get(key)
        return self.source.place(path) if self.source is not None and path is not None else None

    @property
    def home(self) -> Span:
        """The span in ``source`` at which a new parameter would stand."""
        assert self.source is not None
        places = (self.source.place((*prefix, "parameters")) for prefix in ((), ("tool", "keepstate")))
        return next((place for place in places if place), self.source.lines.line_span(0))

    def overridden(self, engine_version: str | None, parameters: Mapping[str, str]) -> JobConfig:
        """A copy with the values of the command line, which have no place in a file."""
        keys = {*parameters, *((ENGINE_VERSION,) if engine_version is not None else ())}
        return replace(
            self,
            engine_version=engine_version or self.engine_version,
            parameters={**self.parameters, **parameters},
            _places={key: path for key, path in self._places.items() if key not in keys},
        )

    def is_like(self, other: JobConfig) -> bool:
        """Return whether both configurations have the same values, wherever they come from."""
        return (self.engine_version, self.parameters) == (other.engine_version, other.parameters)


EMPTY_CONFIG = JobConfig()


def _load(path: Path) -> Configuration | None:
    try:
        text = read_small(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError) and not os.path.lexists(path):
            # A folder further up that cannot be entered is skipped.
            return None
        raise ConfigurationError(f"The configuration file {path} cannot be read: {error}.") from error
    return Configuration.parse(path, text, str(path))


def check_size(display_name: str, text: str) -> None:
    """See that a text of TOML, which may come out of a commit, can be read in a moment.

    Raises:
        ConfigurationError: it is too long, or has keys that nest too deeply.
    """
    if len(text) > LARGEST_FILE:
        raise ConfigurationError(f"{display_name} has more than {LARGEST_FILE:,} characters.")
    if any(part.count(".") > _MOST_DOTS for line in text.split("\n") for part in line.partition("#")[0].split("=")):
        raise ConfigurationError(f"{display_name} is nested too deeply: a key has more than {_MOST_DOTS} dots.")


def read_toml(path: Path, display_name: str, text: str) -> Any:
    """The tables of a text. Raises ``ConfigurationError`` unless it is TOML of a usual size.

    >>> read_toml(Path("keepstate.toml"), "keepstate.toml", "engine = 'flink'")
    {'engine': 'flink'}
    """
    # Imported late: most runs meet no configuration file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed for these versions alone
    check_size(display_name, text)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"{display_name} is not TOML: {error}.", toml_fault(path, text, error)) from error
    except RecursionError as error:
        raise ConfigurationError(f"{display_name} is nested too deeply.") from error


def toml_fault(path: Path, text: str, error: ValueError) -> Fault:
    """The line at which ``tomllib`` gave up."""
    lines = LineIndex(text)
    match = _AT_LINE.search(str(error))
    line = lines.line_span(min(int(match[1]), lines.line_count) - 1 if match else lines.line_count - 1)
    return Fault(path, text, line, f"This is not TOML: {error}.")


@dataclass(frozen=True)
class _Reading:
    """Reads the entries of a table and checks them."""

    path: Path
    text: str
    display_name: str
    prefix: TomlPath
    is_past: bool = False

    def configuration(self, table: Any) -> Configuration:
        if not isinstance(table, dict):
            raise ConfigurationError(f"{self.display_name}: tool.keepstate must be a table.")
        self._check_keys(table, KEYS, "", ())
        files = table.get("files")
        if files is not None and not are_globs(files):
            raise self._wrong('files must be a list of globs, such as ["jobs/**/*.sql"].', "files")
        fail_on = self._one_of(FAIL_ON, table, "fail-on")
        preset = self._one_of(PRESETS, table, "preset")
        tables = table.get("job", [])
        if not isinstance(tables, list):
            raise self._wrong("job must be an array of tables: [[job]].", "job")
        own = self._job({key: table[key] for key in _FOR_ALL if key in table}, (), "")
        jobs = [self._job(entry, ("job", index), "job: ") for index, entry in enumerate(tables)]
        engine = self._text(table, "engine", "")
        for path, one in (((), own), *((("job", index), one) for index, one in enumerate(jobs))):
            if not self.is_past and (fault := version_fault(engine, one.engine_version)):
                raise self._wrong(fault, *path, ENGINE_VERSION)
        return Configuration(
            self.path,
            None if files is None else tuple(files),
            self._text(table, "baseline", ""),
            engine,
            fail_on,
            preset,
            self._severity(table.get("severity", {})),
            (own, *jobs),
            self._replay(table.get("replay", {})),
            self.display_name,
            self.text,
            self._functions(table.get("functions", {})),
        )

    def _functions(self, table: Any) -> Mapping[str, tuple[FunctionSignature, ...]]:
        if not isinstance(table, dict):
            raise self._wrong("functions must be a table of signatures.", "functions")
        if not table or self.is_past:
            return {}
        # Imported late: most files declare no function.
        from keepstate import SignatureFault, read_functions

        try:
            return read_functions(table)
        except SignatureFault as fault:
            raise self._wrong(f"functions: {fault}", "functions", *fault.key) from fault

    def _severity(self, table: Any) -> Mapping[str, str]:
        if not isinstance(table, dict):
            raise self._wrong("severity must be a table of verdicts, effects or rules.", "severity")
        for key, level in table.items():
            if level not in LEVELS:
                raise self._wrong(f"severity.{key} must be one of {', '.join(LEVELS)}, not {level!r}.", "severity", key)
        if not self.is_past and (wrong := unheard_of(table)):
            raise self._wrong(f"severity: {wrong[1]}", "severity", wrong[0])
        return dict(table)

    def _replay(self, table: Any) -> ReplaySettings:
        if not isinstance(table, dict):
            raise self._wrong("replay must be a table: [replay].", "replay")
        self._check_keys(table, REPLAY_KEYS, "replay: ", ("replay",))
        try:
            return replay_settings(table, self.path.parent)
        except ReplayFault as fault:
            raise self._wrong(f"replay: {fault}", "replay", *fault.path) from fault

    def _job(self, table: Any, path: TomlPath, where: str) -> JobTable:
        if not isinstance(table, dict):
            raise self._wrong("job must be an array of tables: [[job]].", "job")
        self._check_keys(table, JOB_KEYS, where, path)
        files = table.get("files", [])
        composition = self._composition(table, where, path)
        if "files" in table and composition.script:
            raise self._wrong(f"{where}files and script: a table holds for some jobs, or makes one.", *path, "script")
        if where and not composition.script and not are_globs(files):
            sentence = f'{where}files must be a list of paths or globs, such as ["jobs/revenue.sql"].'
            raise self._wrong(sentence, *path, "files")
        assignments = table.get("parameters", {})
        if not isinstance(assignments, dict):
            raise self._wrong(f"{where}parameters must be a table.", *path, "parameters")
        own = (*self.prefix, *path)
        parameters: dict[str, str] = {}
        places: dict[str, TomlPath] = {
            key: (*own, key) for key in (ENGINE_VERSION, "context", "script") if key in table
        }
        for key, value, keys in self._flat("", assignments, (*own, "parameters")):
            parameters[key], places[key] = value, keys
        return JobTable(
            tuple(files),
            self._text(table, "baseline", where, path),
            self._version(table, where, path),
            parameters,
            self._one_of(UNITS, table, "jobs", where, path),
            places,
            composition,
        )

    def _composition(self, table: Mapping[str, Any], where: str, path: TomlPath) -> Composition:
        name = self._text(table, "name", where, path)
        try:
            return composition_of(table, name, is_past=self.is_past)
        except CompositionFault as fault:
            raise self._wrong(f"{where}{fault}", *path, fault.key) from fault

    def _check_keys(self, table: Mapping[str, Any], keys: tuple[str, ...], where: str, path: TomlPath) -> None:
        for key in table:
            if key not in keys:
                near = near_names(key, keys)
                suggestion = f"did you mean {near[0]}?" if near else f"there are {', '.join(keys)}."
                raise self._wrong(f"{where}there is no setting {key!r}; {suggestion}", *path, key)

    def _wrong(self, sentence: str, *path: str | int) -> ConfigurationError:
        places = toml_places(self.text)
        full = (*self.prefix, *path)
        # An entry without a place is shown at the table around it, or else at the first line.
        spans = (places[full[:end]] for end in range(len(full), 0, -1) if full[:end] in places)
        span = next(spans, LineIndex(self.text).line_span(0))
        return ConfigurationError(f"{self.display_name}: {sentence}", Fault(self.path, self.text, span, sentence))

    def _text(self, table: Mapping[str, Any], key: str, where: str, path: TomlPath = ()) -> str | None:
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(f"{where}{key} must be a text.", *path, key)
        return value

    def _one_of(
        self, choices: Iterable[str], table: Mapping[str, Any], key: str, where: str = "", path: TomlPath = ()
    ) -> str | None:
        value = self._text(table, key, where, path)
        if value not in (None, *choices):
            raise self._wrong(f"{where}{key} must be one of {', '.join(choices)}, not {value!r}.", *path, key)
        return value

    def _version(self, table: Mapping[str, Any], where: str, path: TomlPath) -> str | None:
        """The version of the engine. One in the past that no engine has tells nothing: it was mended since."""
        version = self._text(table, ENGINE_VERSION, where, path)
        return None if self.is_past and version_fault(None, version) else version

    def _flat(self, prefix: str, table: Mapping[str, Any], path: TomlPath) -> Iterator[tuple[str, str, TomlPath]]:
        """Parameters with dotted names: a bare ``table.exec.state.ttl = ...`` makes nested tables in TOML."""
        for key, value in table.items():
            name, keys = f"{prefix}{key}", (*path, key)
            if isinstance(value, dict):
                yield from self._flat(f"{name}.", value, keys)
            elif isinstance(value, bool):
                yield name, "true" if value else "false", keys
            elif isinstance(value, (str, int, float)):
                yield name, str(value), keys
            else:
                raise self._wrong(
                    f"the parameter {name} must be a text, a number, true or false.", *keys[len(self.prefix) :]
                )
