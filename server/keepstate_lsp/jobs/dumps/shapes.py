"""The shapes of deployments in dumps, by the fields that the platforms document (docs/where-flink-sql-lives.md).

A shape that is not documented is not guessed: a path to its text is named instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import keepstate
from keepstate_lsp.jobs.dumps.dump_trees import DumpError, Tree, at_path, flat, text_at, tree_at

_OPERATOR = ("FlinkDeployment", "FlinkSessionJob")
_OPERATOR_VERSION = re.compile(r"v(\d+)_(\d+)")


@dataclass(frozen=True)
class RunningText:
    """The SQL of one deployment, with what the dump says beside it."""

    name: str | None
    sql: str
    place: str
    """The place of the SQL in the dump, for messages."""
    engine_version: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """Parameters that the deployment sets outside of its SQL."""

    @property
    def label(self) -> str:
        return self.place if self.name is None else self.name


@dataclass(frozen=True)
class DumpContent:
    """The SQL of a dump, and sentences about deployments without any."""

    texts: tuple[RunningText, ...]
    left_out: tuple[str, ...] = ()


def content_at(documents: Iterable[Tree], path: str) -> DumpContent:
    """The texts at a path, each with the name that stands beside it or above.

    >>> [text.sql for text in content_at([{"spec": {"sql": "SELECT 1"}}], "spec.sql").texts]
    ['SELECT 1']

    Raises:
        DumpError: there is none.
    """
    texts = [
        RunningText(_name_near(document, place), sql, place)
        for document in documents
        for place, sql in at_path(document, path)
    ]
    if not texts:
        raise DumpError(f"The dump has no text at {path}.")
    return DumpContent(tuple(texts))


def _name_near(tree: Tree, place: str) -> str | None:
    """The nearest name on the way to a place: ``name``, or ``metadata.name``."""
    sign = "/" if place.startswith("/") else "."
    parts = place.strip(sign).split(sign)[:-1]
    for length in range(len(parts), -1, -1):
        for keys in (("name",), ("metadata", "name")):
            if name := text_at(tree, *parts[:length], *keys):
                return name
    return None


def content_of(documents: Iterable[Tree]) -> DumpContent:
    """The deployments of a dump, by their shapes.

    >>> deployment = {"kind": "FlinkDeployment", "metadata": {"name": "revenue"}, "spec": {"flinkVersion": "v1_20"}}
    >>> content_of([deployment]).left_out
    ('revenue has no SQL in its arguments.',)

    Raises:
        DumpError: nothing in it has a shape that is known.
    """
    entries = [entry for document in documents for entry in _entries(document)]
    files = _files_of_maps(entries)
    texts: list[RunningText] = []
    left_out: list[str] = []
    for entry in entries:
        if text_at(entry, "kind") in ("ConfigMap", "Secret"):
            continue
        shape = next((shape for shape in _SHAPES if (running := shape(entry, files)) is not None), None)
        running = None if shape is None else shape(entry, files)
        if isinstance(running, RunningText):
            texts.append(running)
        elif running is not None:
            left_out.append(running)
    if not texts and not left_out:
        raise DumpError(
            "Nothing in the dump is a deployment whose fields Keepstate knows.", "--sql-field PATH, such as spec.sql"
        )
    return DumpContent(tuple(texts), tuple(left_out))


def _entries(tree: Tree) -> Iterator[Tree]:
    """The single objects of a dump: those of a list, of ``items``, and of ``data`` as interfaces answer."""
    if not isinstance(tree, Mapping):
        return
    if _is_list(tree):
        for each in tree.values():
            yield from _entries(each)
        return
    kind = text_at(tree, "kind") or ""
    for key in ("items", "data"):
        below = tree.get(key)
        if isinstance(below, Mapping) and (kind.endswith("List") or not kind) and _is_answer(tree, key):
            yield from _entries(below)
            return
    yield tree


def _is_answer(tree: Mapping[str, Tree], key: str) -> bool:
    return key == "items" or not any(name in tree for name in ("spec", "artifact", "statement"))


def _is_list(tree: Mapping[str, Tree]) -> bool:
    return bool(tree) and all(key.isdigit() for key in tree)


_Files = Mapping[str, tuple[str, ...]]
"""Files of config maps by their names; a name may be that of several."""


def _files_of_maps(entries: Iterable[Tree]) -> _Files:
    files: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        if text_at(entry, "kind") == "ConfigMap":
            for name, text in flat(tree_at(entry, "data")).items():
                files[name] = (*files.get(name, ()), text)
    return files


def _of_operator(entry: Tree, files: _Files) -> RunningText | str | None:
    """Flink Kubernetes Operator: the SQL is an argument of the job, or a file of a config map that one names."""
    if text_at(entry, "kind") not in _OPERATOR:
        return None
    name = text_at(entry, "metadata", "name")
    arguments = tree_at(entry, "spec", "job", "args")
    texts: list[tuple[str, str]] = []
    names: list[str] = []
    for index, argument in arguments.items() if isinstance(arguments, Mapping) else ():
        if not isinstance(argument, str):
            continue
        place = f"spec.job.args.{index}"
        if len(argument.split()) > 1 and keepstate.may_be_flink_job(argument):
            texts.append((place, argument))
        elif argument.lower().endswith(".sql"):
            names.append(argument)
            file = argument.rpartition("/")[2]
            texts += [(f"data.{file}", text) for text in files.get(file, ())]
    if len(texts) > 1:
        places = ", ".join(place for place, _ in texts)
        raise DumpError(f"{name} has SQL in several places ({places}).", "--sql-field PATH says which one runs")
    if not texts:
        reads = f"reads {names[0]}, which no ConfigMap of the dump holds" if names else "has no SQL in its arguments"
        return f"{name} {reads}."
    version = _OPERATOR_VERSION.fullmatch(text_at(entry, "spec", "flinkVersion") or "")
    place, sql = texts[0]
    settings = flat(tree_at(entry, "spec", "flinkConfiguration"))
    return RunningText(name, sql, place, None if version is None else f"flink-{version[1]}.{version[2]}", settings)


def _of_realtime_compute(entry: Tree, _: _Files) -> RunningText | str | None:
    """Realtime Compute for Apache Flink, and Ververica Cloud, whose interface is alike."""
    kind = text_at(entry, "artifact", "kind")
    if kind is None:
        return None
    name, sql = text_at(entry, "name"), text_at(entry, "artifact", "sqlArtifact", "sqlScript")
    if sql is None:
        return f"{name} is a deployment of kind {kind}, without SQL."
    settings = flat(tree_at(entry, "flinkConf"))
    return RunningText(name, sql, "artifact.sqlArtifact.sqlScript", text_at(entry, "engineVersion"), settings)


def _of_ververica_platform(entry: Tree, _: _Files) -> RunningText | str | None:
    """Ververica Platform 2: the artifact of a deployment's template."""
    artifact = tree_at(entry, "spec", "template", "spec", "artifact")
    if text_at(entry, "kind") != "Deployment" or artifact is None:
        return None
    name, sql = text_at(entry, "metadata", "name"), text_at(artifact, "sqlScript")
    if sql is None:
        return f"{name} is a deployment of kind {text_at(artifact, 'kind') or 'unknown'}, without SQL."
    version = text_at(artifact, "flinkVersion")
    settings = flat(tree_at(entry, "spec", "template", "spec", "flinkConfiguration"))
    place = "spec.template.spec.artifact.sqlScript"
    return RunningText(name, sql, place, None if version is None else f"flink-{version}", settings)


def _of_confluent(entry: Tree, _: _Files) -> RunningText | str | None:
    """A statement of Confluent: of its REST interface, or as its command line prints one."""
    name = text_at(entry, "name") or text_at(entry, "metadata", "name")
    if (sql := text_at(entry, "spec", "statement")) is not None:
        running = RunningText(name, sql, "spec.statement", None, flat(tree_at(entry, "spec", "properties")))
    elif text_at(entry, "compute_pool") is not None and (sql := text_at(entry, "statement")) is not None:
        running = RunningText(name, sql, "statement", None, flat(tree_at(entry, "properties")))
    else:
        return None
    return running if keepstate.may_be_flink_job(running.sql) else f"{name} runs no query."


_SHAPES: tuple[Callable[[Tree, _Files], RunningText | str | None], ...] = (
    _of_operator,
    _of_realtime_compute,
    _of_ververica_platform,
    _of_confluent,
)
