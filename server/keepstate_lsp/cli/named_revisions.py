"""Revisions that stand where a file is named, as ``git diff REV`` has it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from keepstate_lsp.baselines import HEAD, BaselineReader, BaselineSpec, BaselineSpecError, NoBaseline, SpecKind
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.cli.source_text import near_files
from keepstate_lsp.near_names import did_you_mean


def words_for_missing(name: str, reader: BaselineReader) -> str:
    """The sentence about a name that no file has, with a blank before it: a file beside, or a revision; or nothing."""
    if near := did_you_mean(near_files(name)):
        return near
    return f" It is a revision: --against {name} compares with it." if is_revision(name, reader) else ""


def words_for_revisions(names: Iterable[str], current: str) -> str:
    """The sentence about the first of some names that no files have, which is a revision, or a path in one."""
    with BaselineReader() as reader:
        for name in names:
            revision = name.partition(":")[0]
            if is_revision(revision, reader):
                return f" {revision} is a revision: keepstate check {current} --against {revision} compares with it."
    return ""


def is_revision(name: str, reader: BaselineReader) -> bool:
    """Return whether the repository around the working directory has a revision of this name."""
    try:
        spec = BaselineSpec.parse(name)
        repository = reader.repository(Path.cwd(), HEAD)
        if spec.kind is not SpecKind.REVISION or isinstance(repository, NoBaseline):
            return False
        return not isinstance(repository.commit(spec), NoBaseline)
    except (BaselineSpecError, GitFailure):
        # The name is a file's all the same, and that is missing.
        return False
