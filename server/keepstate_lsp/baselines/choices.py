"""The baselines that a repository offers for a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.baseline import NoBaseline
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.reader import BaselineReader
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.baselines.spec import HEAD, BaselineSpec

_MOST_TAGS = 10


@dataclass(frozen=True, slots=True)
class Choice:
    """A baseline by its spec; ``words`` explain the spec, ``commit`` is its present commit."""

    spec: str
    words: str
    commit: str


def choices(path: Path, reader: BaselineReader) -> tuple[Choice, ...]:
    """All baselines that can be had now for the file at ``path``, the usual ones first.

    >>> with repository({"a.sql": "SELECT 1"}) as folder, BaselineReader() as reader:
    ...     [(choice.spec, choice.words) for choice in choices(folder / "a.sql", reader)]
    [('HEAD', 'the last commit')]
    """
    repository = reader.repository(path.parent, HEAD)
    if isinstance(repository, NoBaseline):
        return ()
    try:
        candidates = list(_candidates(repository))
    except GitFailure:
        candidates = [("HEAD", "the last commit")]
    result: list[Choice] = []
    for spec, words in candidates:
        baseline = reader.read(path, BaselineSpec.parse(spec))
        if not isinstance(baseline, NoBaseline):
            result.append(Choice(spec, words, baseline.words))
        elif baseline.new:
            result.append(Choice(spec, words, "the file is new there"))
    return tuple(result)


def _candidates(repository: Repository) -> list[tuple[str, str]]:
    candidates = [("HEAD", "the last commit")]
    branch = repository.default_branch()
    if branch is not None:
        candidates.append((f"merge-base:{branch}", f"where this branch left {branch}"))
    for environment in repository.deployments.environments():
        candidates.append((f"deployed:{environment}", f"what runs in {environment}"))
    candidates += [(name, "a tag") for name in repository.newest_tags(_MOST_TAGS)]
    return candidates
