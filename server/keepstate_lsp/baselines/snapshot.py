"""A repository that is read once: for a run over many files, during which the repository must not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from keepstate_lsp.baselines.baseline import NoBaseline
from keepstate_lsp.baselines.deployments import Deployment
from keepstate_lsp.baselines.git.objects import ObjectHeader
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.head import GitFolders
from keepstate_lsp.baselines.links import DiskFile
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.spec import BaselineSpec
from keepstate_lsp.baselines.target import WORK_TREE, Target

_MOST_BYTES = 256 * 1024 * 1024
"""Of files of the work tree that are not read again."""


@final
class RepositorySnapshot(Repository):
    """Answers like any repository, from listings that git gave whole: a file more costs a look into a table."""

    def __init__(self, folders: GitFolders, patience: Patience) -> None:
        super().__init__(folders, patience)
        self._commits: dict[tuple[BaselineSpec, Target], Commit | NoBaseline] = {}
        self._blobs: dict[Target, Mapping[str, str]] = {}
        self._links: dict[Target, frozenset[str]] = {}
        self._deployed: dict[str, Mapping[str, Deployment]] = {}
        self._gone: dict[tuple[str, Target], list[Deployment]] = {}
        self._remotes: list[str] | None = None
        self._work_tree: list[str] | None = None
        self._present: dict[str, bool] = {}
        self._disk_files: dict[str, DiskFile] = {}
        self._bytes = 0

    def commit(self, spec: BaselineSpec, target: Target = WORK_TREE) -> Commit | NoBaseline:
        key = (spec, target if isinstance(target, str) else WORK_TREE)
        if key not in self._commits:
            self._commits[key] = super().commit(spec, target)
        return self._commits[key]

    def blobs(self, target: Target) -> Mapping[str, str]:
        if target not in self._blobs:
            self._blobs[target] = super().blobs(target)
        return self._blobs[target]

    def links(self, target: Target) -> frozenset[str]:
        if target not in self._links:
            self._links[target] = super().links(target)
        return self._links[target]

    def find(self, target: Target, path: str) -> ObjectHeader | None:
        blob = self.blobs(target).get(path)
        # A folder, a submodule, a link, or a name in another spelling: the repository decides.
        if blob is None or path in self.links(target):
            return super().find(target, path)
        return self.objects.blob(blob)

    def deployed(self, environment: str) -> Mapping[str, Deployment]:
        if environment not in self._deployed:
            self._deployed[environment] = super().deployed(environment)
        return self._deployed[environment]

    def stale_deployments(self, environment: str, target: Target) -> list[Deployment]:
        key = (environment, target)
        if key not in self._gone:
            self._gone[key] = super().stale_deployments(environment, target)
        return self._gone[key]

    def remotes(self) -> list[str]:
        if self._remotes is None:
            self._remotes = super().remotes()
        return self._remotes

    def _listing(self) -> list[str]:
        if self._work_tree is None:
            self._work_tree = super()._listing()
        return self._work_tree

    def _is_file(self, path: str) -> bool:
        is_present = self._present.get(path)
        if is_present is None:
            is_present = self._present[path] = super()._is_file(path)
        return is_present

    def on_disk(self, path: str) -> DiskFile:
        file = self._disk_files.get(path)
        if file is None:
            file = super().on_disk(path)
            size = len(file.content or b"")
            if self._bytes + size <= _MOST_BYTES:
                self._disk_files[path] = file
                self._bytes += size
        return file

    def _recorded(self, environment: str, path: str) -> Deployment | None:
        return self.deployed(environment).get(path)
