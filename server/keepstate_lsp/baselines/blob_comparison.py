"""Many files at once: which of them still have the blob of their baseline, and the texts of the others in one go."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.baselines.baseline import Baseline, NoBaseline
from keepstate_lsp.baselines.decoding import LARGEST_FILE, decode
from keepstate_lsp.baselines.deployments import Deployment, DeploymentError
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.links import own_path
from keepstate_lsp.baselines.reader import BaselineReader, deployed_words
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.spec import BaselineSpec, SpecKind
from keepstate_lsp.baselines.target import WORK_TREE, Target


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The blob of a file at its baseline, and where that was found: a commit, or a record of what is deployed."""

    blob: str
    commit: Commit | None
    deployment: Deployment | None


class BlobComparison:
    """Compares hashes, for a run; ``reader`` is a steady one. The reader answers where hashes do not decide."""

    def __init__(self, reader: BaselineReader) -> None:
        self._reader = reader
        self._folders: dict[str, tuple[Repository, str | None]] = {}
        """For folders their repositories, and their paths inside of these."""

    def fetch(self, paths: Iterable[Path], spec: BaselineSpec, target: Target) -> None:
        """Have the reader know the texts of these files in ``target``, unless that is the work tree, and at their
        baseline. Asked for one by one they take a question to git each.
        """
        blobs_by_repository: dict[Repository, dict[str, None]] = {}
        for path in paths:
            place = self._place(path, spec)
            if place is None:
                continue
            repository, relative = place
            # A failure here is repeated for one file at a time, and reported there.
            with suppress(GitFailure):
                was = _recorded(repository, relative, spec, target)
                now = None if target is WORK_TREE else repository.blobs(target).get(relative)
                for blob in (was and was.blob, now):
                    if blob and self._reader.remembered(blob) is None:
                        blobs_by_repository.setdefault(repository, {})[blob] = None
        for repository, blobs in blobs_by_repository.items():
            with suppress(GitFailure):
                self._reader.remember(repository.objects.contents(blobs, largest=LARGEST_FILE))

    def unchanged(self, path: Path, spec: BaselineSpec, target: Target) -> Baseline | None:
        """The baseline of a file with the same text, but for line ends; ``None`` for another text, and if hashes do not
        decide.

        Raises:
            GitFailure: git cannot say.
        """
        place = self._place(path, spec)
        if place is None:
            return None
        repository, relative = place
        was = _recorded(repository, relative, spec, target)
        if was is None:
            return None
        if target is not WORK_TREE and relative in repository.links(target):
            # The reader resolves the link.
            return None
        if target is WORK_TREE:
            file = repository.on_disk(relative)
            # The reader resolves links.
            is_same = not file.is_link and file.holds(was.blob)
            text = decode(file.content) if is_same and file.content is not None else None
        else:
            text = self._reader.remembered(was.blob) if repository.blobs(target).get(relative) == was.blob else None
        if not isinstance(text, str):
            return None
        if was.deployment is not None:
            words = deployed_words(was.deployment, spec, relative)
            return Baseline(spec, was.deployment.commit, relative, text, was.blob, words, was.deployment)
        assert was.commit is not None
        return Baseline(spec, was.commit.id, relative, text, was.blob, was.commit.words())

    def is_unmarked(self, path: Path, spec: BaselineSpec, target: Target) -> bool:
        """Return whether no deployed text can be the baseline of a file, not under another name either.

        Raises:
            GitFailure: git cannot say.
        """
        place = self._place(path, spec)
        if spec.kind is not SpecKind.DEPLOYED or place is None:
            return False
        repository, relative = place
        if repository.on_disk(relative).is_link:
            # What it leads to may be recorded.
            return False
        with suppress(DeploymentError):
            return relative not in repository.deployed(spec.value) and not repository.stale_deployments(
                spec.value, target
            )
        return False

    def _place(self, path: Path, spec: BaselineSpec) -> tuple[Repository, str] | None:
        """The repository of a file and its path there; ``None`` where hashes do not decide."""
        # Names instead of paths: of ten thousand files this is most of what a file costs.
        folder, name = os.path.split(path)
        if folder not in self._folders:
            repository = self._reader.repository(path.parent, spec)
            if isinstance(repository, NoBaseline):
                return None
            resolved = repository.relative(path.parent.resolve())
            # In a folder that is a link, the reader finds the name of the file at the baseline.
            is_own = resolved is not None and resolved == own_path(repository.folders.work_tree, path.parent)
            self._folders[folder] = (repository, resolved if is_own else None)
        located, within = self._folders[folder]
        if within is None:
            return None
        return located, name if within == "." else f"{within}/{name}"


def _recorded(repository: Repository, path: str, spec: BaselineSpec, target: Target) -> _Recorded | None:
    if spec.kind.is_on_disk:
        return None
    if spec.kind is SpecKind.DEPLOYED:
        # The reader reports a record that cannot be read.
        with suppress(DeploymentError):
            deployment = repository.deployed(spec.value).get(path)
            return None if deployment is None else _Recorded(deployment.blob, None, deployment)
        return None
    commit = repository.commit(spec, target)
    if isinstance(commit, NoBaseline):
        return None
    blob = None if path in repository.links(commit.id) else repository.blobs(commit.id).get(path)
    return None if blob is None else _Recorded(blob, commit, None)
