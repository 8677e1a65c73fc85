"""The job that a deployment of a dump runs: by its name, by an equal text, or by the tables that it writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import PurePosixPath

from keepstate.embedded.pointers import file_of
from keepstate_lsp.jobs.dumps.dump_trees import DumpError
from keepstate_lsp.jobs.dumps.shapes import RunningText
from keepstate_lsp.jobs.marked_jobs import MarkedJob

_SEPARATORS = re.compile(r"[^0-9a-z]+")
_MOST_NAMED = 5


class LookupMethod(Enum):
    """The way in which a job was found."""

    OPTION = "as --job says"
    NAME = "by its name"
    TEXT = "by its text"
    TABLES = "by the tables that it writes"


@dataclass(frozen=True, eq=False)
class Candidate:
    """A job of the work tree with its SQL."""

    job: MarkedJob
    sql: str

    @cached_property
    def names(self) -> frozenset[str]:
        own = file_of(self.job.path)
        stem = PurePosixPath(own).name.partition(".")[0]
        return frozenset(map(_spelled, filter(None, (stem, self.job.several.name))))

    @cached_property
    def text(self) -> str:
        return _plain(self.sql)

    @cached_property
    def tables(self) -> frozenset[str]:
        return _tables_written(self.sql)


def owners(
    texts: Sequence[RunningText], candidates: Sequence[Candidate]
) -> list[tuple[RunningText, Candidate, LookupMethod]]:
    """The job of each text.

    >>> running = RunningText("revenue", "INSERT INTO s SELECT 1", "spec.sql")
    >>> paths = "jobs/revenue.sql", "jobs/visits.sql"
    >>> jobs = [Candidate(MarkedJob(path), "INSERT INTO s SELECT 2") for path in paths]
    >>> [(candidate.job.path, by.value) for _, candidate, by in owners([running], jobs)]
    [('jobs/revenue.sql', 'by its name')]

    Raises:
        DumpError: for one of them this cannot be decided, or two are of one job.
    """
    result = []
    for text in texts:
        candidate, by = _owner(text, candidates)
        result.append((text, candidate, by))
    owner_by_path: dict[str, str] = {}
    for text, candidate, _ in result:
        path = candidate.job.path
        if path in owner_by_path:
            raise DumpError(
                f"{owner_by_path[path]} and {text.label} are both of {path}.",
                f"--deployment {text.label} takes one alone",
            )
        owner_by_path[path] = text.label
    return result


def _owner(text: RunningText, candidates: Sequence[Candidate]) -> tuple[Candidate, LookupMethod]:
    plain = _plain(text.sql)
    alike = [each for each in candidates if each.text == plain]
    namesakes = [] if text.name is None else [each for each in candidates if _spelled(text.name) in each.names]
    both = [each for each in namesakes if each in alike]
    if len(both) == 1:
        return both[0], LookupMethod.NAME
    if len(namesakes) == 1 and not alike:
        return namesakes[0], LookupMethod.NAME
    if namesakes and alike and not both:
        sentence = f"{text.label} has the name of {_path_list(namesakes)} and the text of {_path_list(alike)}."
        raise _undecided(sentence, text)
    if namesakes:
        raise _undecided(f"{text.label} has the name of several jobs: {_path_list(namesakes)}.", text)
    if len(alike) == 1:
        return alike[0], LookupMethod.TEXT
    if alike:
        raise _undecided(f"{text.label} has the text of several jobs: {_path_list(alike)}.", text)
    tables = _tables_written(text.sql)
    writing = [each for each in candidates if tables and each.tables == tables]
    if len(writing) == 1:
        return writing[0], LookupMethod.TABLES
    if writing:
        raise _undecided(f"{text.label} writes the tables of several jobs: {_path_list(writing)}.", text)
    raise _undecided(f"No job here has the name or the text of {text.label}, or writes its tables.", text)


def _undecided(sentence: str, text: RunningText) -> DumpError:
    option = "" if text.name is None else f"--deployment {text.name} "
    return DumpError(sentence, f"{option}--job PATH names its job")


def _path_list(candidates: Iterable[Candidate]) -> str:
    paths = [each.job.path for each in candidates]
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def _spelled(name: str) -> str:
    """A name without its case and separators: platforms allow other signs than file systems."""
    return _SEPARATORS.sub("-", name.lower()).strip("-")


def _plain(sql: str) -> str:
    return sql.replace("\r\n", "\n").removeprefix("\ufeff").strip().removesuffix(";").rstrip()


def _tables_written(sql: str) -> frozenset[str]:
    # The analyzer is loaded where names and texts do not decide.
    import keepstate

    return keepstate.written_tables(sql)


def texts_named(texts: Sequence[RunningText], names: Iterable[str]) -> tuple[RunningText, ...]:
    """The texts of some deployments; all of them without a name.

    >>> texts = [RunningText("sums", "SELECT 1", "spec.sql"), RunningText("tops", "SELECT 2", "spec.sql")]
    >>> [text.label for text in texts_named(texts, ["tops"])]
    ['tops']

    Raises:
        DumpError: there is no deployment of a name.
    """
    name_list = list(names)
    if not name_list:
        return tuple(texts)
    by_name: Mapping[str, RunningText] = {text.label: text for text in texts}
    for name in name_list:
        if name not in by_name:
            raise DumpError(f"The dump has no SQL of a deployment {name}. It has {', '.join(by_name) or 'none'}.")
    return tuple(text for text in texts if text.label in name_list)
