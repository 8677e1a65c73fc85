"""The pairs of new files and files that are gone, chosen among all of both: each has one counterpart at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath


@dataclass(frozen=True)
class FileSimilarity:
    """The part of a new file that a text that is gone has as well, from 0 to 1; above 1 for a pair that is certain."""

    new: str
    blob: str
    value: float


@dataclass(frozen=True)
class Succession:
    """``sources`` are the former names of new files. ``rivals`` are new files of which only one can be what is gone,
    and nothing tells which: with the names of that.
    """

    sources: Mapping[str, str]
    rivals: Mapping[str, Sequence[str]]

    @staticmethod
    def of(pairs: Iterable[FileSimilarity], removed_names: Mapping[str, Sequence[str]]) -> Succession:
        """The most alike pair first, as git has it. ``removed_names`` are the names of each text that is gone.

        >>> pairs = [FileSimilarity("b.sql", "1f", 0.9), FileSimilarity("c.sql", "1f", 0.8)]
        >>> Succession.of(pairs, {"1f": ["a.sql"]}).sources
        {'b.sql': 'a.sql'}
        """
        remaining = {blob: sorted(names) for blob, names in removed_names.items()}
        sources: dict[str, str] = {}
        rivals: dict[str, Sequence[str]] = {}
        for _, group in groupby(sorted(pairs, key=lambda pair: -pair.value), key=lambda pair: pair.value):
            equal = list(group)
            # What one text has no room for may be as much like another one.
            while wanting := _wanting(equal, remaining, {*sources, *rivals}):
                for blob, files in wanting.items():
                    _share_out(sorted(files), remaining[blob], sources, rivals)
        return Succession(sources, rivals)


def _wanting(
    pairs: Iterable[FileSimilarity], remaining: Mapping[str, list[str]], settled: set[str]
) -> dict[str, list[str]]:
    """The files that want each text of which a name is left; each wants one at a time."""
    wanting: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.new not in settled and remaining[pair.blob]:
            wanting.setdefault(pair.blob, []).append(pair.new)
            settled.add(pair.new)
    return wanting


def _share_out(files: list[str], names: list[str], sources: dict[str, str], rivals: dict[str, Sequence[str]]) -> None:
    """Give the ``names`` of one text to files that are equally like it: to those that are called so first."""
    for file in list(files):
        same = [name for name in names if PurePosixPath(name).name == PurePosixPath(file).name]
        namesakes = [other for other in files if PurePosixPath(other).name == PurePosixPath(file).name]
        if same and len(namesakes) <= len(same):
            sources[file] = same[0]
            names.remove(same[0])
            files.remove(file)
    if len(files) <= len(names):
        for file in files:
            sources[file] = names.pop(0)
    elif names:
        for file in files:
            rivals[file] = tuple(names)
        names.clear()
