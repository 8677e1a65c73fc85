"""From a file and a spec to a baseline."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

from keepstate_lsp.baselines.baseline import UNKNOWN_JOB, Baseline, KnownJob, NoBaseline, Reason, inline
from keepstate_lsp.baselines.decoding import LARGEST_FILE, NotText, decode
from keepstate_lsp.baselines.deployments import ALL_REFS, Deployment, DeploymentError, mark_command
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.objects import ObjectHeader
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.head import GitFolders, WatchedPath, find_git_folders, fingerprint, watched_paths
from keepstate_lsp.baselines.links import BrokenLink, broken_on_disk, own_path
from keepstate_lsp.baselines.obstacles import git_failed
from keepstate_lsp.baselines.repository import Commit, Repository
from keepstate_lsp.baselines.snapshot import RepositorySnapshot
from keepstate_lsp.baselines.spec import BaselineSpec, SpecKind
from keepstate_lsp.baselines.target import WORK_TREE, Target
from keepstate_lsp.near_names import did_you_mean, near_names

_MOST_REPOSITORIES = 8
_MOST_PATIENCES = 64
_CACHED_CHARACTERS = 16 * 1024 * 1024


@final
class BaselineReader:
    """Reads baselines, from any thread, for files of any number of repositories.

    Keeps up to two git processes for each of the repositories used last; ``close`` (or leaving a ``with`` block, or
    the end of the process) ends them. Texts are cached by blob, so a baseline costs one short question to git while
    nothing changes. A repository that does not answer holds up no other one.
    """

    def __init__(self, steady: bool = False, patience: Callable[[], Patience] = Patience.of_command) -> None:
        """``steady``: repositories do not change while this reader lives, as in one run of the command line, so no
        question is repeated. ``patience`` makes the time limit of each repository.
        """
        self._kind = RepositorySnapshot if steady else Repository
        self._new_patience = patience
        self._patiences: OrderedDict[object, Patience] = OrderedDict()
        self._folders: dict[Path, Repository] | None = {} if steady else None
        self._lock = threading.RLock()
        self._repositories: OrderedDict[object, Repository] = OrderedDict()
        self._texts = _Texts()
        weakref.finalize(self, _close_all, self._repositories)

    def __enter__(self) -> BaselineReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all git processes. The reader stays usable and starts new ones when needed."""
        with self._lock:
            _close_all(self._repositories)
            if self._folders is not None:
                self._folders.clear()

    def reap(self) -> None:
        """Close git processes that were killed from outside, before the next question meets one."""
        with self._lock:
            repositories = list(self._repositories.values())
        for repository in repositories:
            repository.objects.reap()

    def read(
        self,
        path: Path,
        spec: BaselineSpec,
        *,
        target: Target = WORK_TREE,
        current: str | None = None,
        known_job: KnownJob = UNKNOWN_JOB,
    ) -> Baseline | NoBaseline:
        """The baseline of the file at ``path``, which may be gone from the disk.

        ``known_job`` tells of the job what its path does not. ``target`` tells where the current text comes from;
        ``current`` is that text where it is at hand (of an unsaved document, say): both matter only for recognising a
        renamed file.
        """
        if spec.kind is SpecKind.FILE:
            return self._read_file(spec)
        if spec.kind is SpecKind.PLAN:
            name = inline(spec.text.partition(":")[2])
            sentence = f"{name} is a compiled plan and has no SQL: keepstate check and keepstate verify alone take it."
            return NoBaseline(spec, Reason.NOT_TEXT, sentence)
        path = Path(os.path.abspath(path))
        baseline = self._read_under(path, spec, target, current, known_job)
        # A baseline without the name of a link may have the name of its target.
        behind = Path(os.path.realpath(path))
        if baseline is None and behind != path:
            baseline = self._read_under(behind, spec, target, current, known_job)
        if baseline is not None:
            return baseline
        return NoBaseline(spec, Reason.NO_REPOSITORY, f"{inline(path)} is a symbolic link out of its repository.")

    def _read_under(
        self, path: Path, spec: BaselineSpec, target: Target, current: str | None, known_job: KnownJob
    ) -> Baseline | NoBaseline | None:
        """The baseline of a file in the repository that its name is in; ``None``: it is a link out of that, both now
        and at the baseline, if that has it.
        """
        repository = self.repository(path.parent, spec)
        if isinstance(repository, NoBaseline):
            return None if path.is_symlink() else repository
        own = own_path(repository.folders.work_tree, path)
        if own is None:
            return _outside(path, repository, spec)
        behind: str | None = own
        with repository.lock:
            try:
                behind = self._behind(repository, own, path, spec, target)
                if spec.kind is SpecKind.DEPLOYED:
                    baseline = self._read_deployed(repository, own, behind, path, spec, target, current, known_job)
                else:
                    commit = repository.commit(spec, target)
                    if isinstance(commit, NoBaseline):
                        return commit
                    baseline = self._read_commit(
                        repository, commit, own, behind, path, spec, target, current, known_job
                    )
            except BrokenLink as failure:
                return None if behind is None else git_failed(failure, spec)
            except GitFailure as failure:
                return git_failed(failure, spec, partial=repository.partial)
        if behind is not None:
            return baseline
        if isinstance(baseline, NoBaseline):
            return None if baseline.new else baseline
        return _leads_out(own, spec)

    def _behind(self, repository: Repository, own: str, path: Path, spec: BaselineSpec, target: Target) -> str | None:
        """The path that the links of a path lead to in ``target``; ``None``: out of the repository.

        Raises:
            BrokenLink: in a commit or in the index, they lead to nothing there.
        """
        behind = repository.led_to(target, own)
        if target is not WORK_TREE or behind is None or behind == own:
            return behind
        # The target of the link may be in a submodule.
        around = self.repository(Path(os.path.realpath(path)).parent, spec)
        return behind if around is repository else None

    def repository(self, folder: Path, spec: BaselineSpec) -> Repository | NoBaseline:
        """The repository around ``folder``; ``spec`` is only carried into the answer when there is none."""
        if self._folders is not None and folder in self._folders:
            return self._folders[folder]
        repository = self._around(folder, spec)
        if self._folders is not None and isinstance(repository, Repository):
            self._folders[folder] = repository
        return repository

    def remembered(self, blob: str) -> str | NotText | None:
        """The text of a blob that was read, or looked up, not long ago."""
        with self._lock:
            return self._texts.get(blob)

    def remember(self, blobs: Mapping[str, bytes]) -> None:
        """Add contents by blob that were read elsewhere."""
        with self._lock:
            for blob, data in blobs.items():
                self._texts.put(blob, decode(data))

    def _around(self, folder: Path, spec: BaselineSpec) -> Repository | NoBaseline:
        folder = folder.resolve()
        while not folder.is_dir() and folder != folder.parent:
            folder = folder.parent
        located = find_git_folders(folder)
        key = _identity(located)
        with self._lock:
            known_repository = self._repositories.get(key)
            if known_repository is not None:
                self._repositories.move_to_end(key)
                return known_repository
        try:
            patience = self._patience_with(key)
        except GitFailure as failure:
            return git_failed(failure, spec)
        # Never remembered when it fails: a repository may appear, or be trusted, at any time.
        candidate = self._kind.around(folder, spec, located, patience)
        if isinstance(candidate, NoBaseline) or key is None:
            return candidate
        with self._lock:
            # Another thread may have found it meanwhile.
            kept_repository = self._repositories.setdefault(key, candidate)
            evicted = []
            while len(self._repositories) > _MOST_REPOSITORIES:
                evicted.append(self._repositories.popitem(last=False)[1])
        for repository in evicted:
            repository.close()
        return kept_repository

    def _patience_with(self, key: object) -> Patience:
        with self._lock:
            patience = self._patiences.get(key)
            if patience is None:
                patience = self._patiences[key] = self._new_patience()
                while len(self._patiences) > _MOST_PATIENCES:
                    self._patiences.popitem(last=False)
        return patience

    def text(self, repository: Repository, git_object: ObjectHeader) -> str | NotText:
        """The text of a blob of ``repository``.

        Raises:
            GitFailure: git cannot read it.
        """
        if git_object.type != "blob":
            kind = {"tree": "a folder", "commit": "a submodule"}.get(git_object.type, f"a {git_object.type}")
            return NotText(Reason.NOT_A_FILE, f"is {kind}, not a file.")
        if git_object.size > LARGEST_FILE:
            return NotText(Reason.TOO_LARGE, f"is too large ({git_object.size:,} bytes).")
        with self._lock:
            text = self._texts.get(git_object.id)
        if text is None:
            text = decode(repository.objects.data(git_object))
            with self._lock:
                self._texts.put(git_object.id, text)
        return text

    def state(self, path: Path, spec: BaselineSpec) -> str:
        """A fingerprint that changes when the commit of ``spec`` may have changed for ``path``; runs no git."""
        return fingerprint(find_git_folders(path.resolve().parent), spec)

    def watched(self, path: Path, spec: BaselineSpec) -> tuple[WatchedPath, ...]:
        """Paths on disk to watch: ``state`` may change with them."""
        return watched_paths(find_git_folders(path.resolve().parent), spec)

    def _read_commit(
        self,
        repository: Repository,
        commit: Commit,
        own: str,
        behind: str | None,
        path: Path,
        spec: BaselineSpec,
        target: Target,
        current: str | None,
        known_job: KnownJob,
    ) -> Baseline | NoBaseline:
        git_object = None if known_job.former is None else repository.find(commit.id, known_job.former)
        if known_job.former is not None and git_object is not None:
            return self._from_object(
                repository,
                commit,
                known_job.former,
                own,
                git_object,
                spec,
                known_job.predecessor(repository.folders.work_tree, own),
            )
        git_object = repository.find(commit.id, own)
        place = relative = own if git_object is not None or behind is None else behind
        if relative != own:
            git_object = repository.find(commit.id, relative)
        if git_object is None:
            obstacle = repository.obstacle(commit, relative, spec)
            if obstacle is not None:
                return obstacle
            source = repository.followed(commit, relative, target, _on_disk(path) if current is None else current)
            git_object = None if source is None else repository.find(commit.id, source)
            if source is None or git_object is None:
                return NoBaseline(spec, Reason.NEW_FILE, f"{inline(relative)} is not in {commit.words()}: it is new.")
            place = source
        predecessor = _predecessor(repository, place, relative, target)
        return self._from_object(repository, commit, place, relative, git_object, spec, predecessor)

    def _from_object(
        self,
        repository: Repository,
        commit: Commit,
        place: str,
        relative: str,
        git_object: ObjectHeader,
        spec: BaselineSpec,
        predecessor: Path | None,
    ) -> Baseline | NoBaseline:
        """The baseline of the file ``relative``, which was ``place`` in the commit."""
        text = self.text(repository, git_object)
        words = commit.words(None if place == relative else place)
        if isinstance(text, NotText):
            return NoBaseline(spec, text.reason, f"{inline(place)} in {commit.words()} {text.fault}", text.mend)
        return Baseline(spec, commit.id, place, text, git_object.id, words, predecessor=predecessor)

    def _read_deployed(
        self,
        repository: Repository,
        own: str,
        behind: str | None,
        path: Path,
        spec: BaselineSpec,
        target: Target,
        current: str | None,
        known_job: KnownJob,
    ) -> Baseline | NoBaseline:
        environment, relative = spec.value, own
        if repository.deployments.commit(environment) is None:
            # The record travels by itself only if the clone was configured to fetch it.
            remotes = repository.remotes()
            mend = f"git fetch {remotes[0]} {ALL_REFS}" if remotes else mark_command(environment, inline(relative))
            sentence = f"Nothing is recorded as deployed in {environment} in this clone."
            suggestion = did_you_mean(near_names(environment, repository.deployments.environments()))
            return NoBaseline(spec, Reason.NOT_DEPLOYED, f"{sentence}{suggestion}", None if suggestion else mend)
        try:
            text = _on_disk(path) if current is None else current
            if behind is not None and behind != own and not repository.is_recorded(environment, own):
                relative = behind
            deployment = repository.deployment(environment, known_job.entry or relative, target, text, known_job.name)
        except DeploymentError as error:
            return NoBaseline(spec, Reason.UNREADABLE, str(error))
        if deployment is None:
            return NoBaseline(
                spec, Reason.NEW_FILE, f"{inline(relative)} is not recorded as deployed in {environment}: it is new."
            )
        git_object = repository.objects.find_blob(deployment.blob)
        if git_object is None:
            return NoBaseline(
                spec, Reason.UNREADABLE, f"The deployed text of {inline(deployment.path)} is missing.", "git fsck"
            )
        content = self.text(repository, git_object)
        if isinstance(content, NotText):
            return NoBaseline(
                spec, content.reason, f"{inline(deployment.path)} in {environment} {content.fault}", content.mend
            )
        words = deployed_words(deployment, spec, known_job.entry or relative)
        place = deployment.file
        predecessor = _predecessor(repository, place, relative, target)
        if known_job.name is not None and deployment.name == known_job.name and place != relative:
            predecessor = Path(repository.folders.work_tree, place)
        return Baseline(spec, deployment.commit, place, content, deployment.blob, words, deployment, predecessor)

    def _read_file(self, spec: BaselineSpec) -> Baseline | NoBaseline:
        path = Path(spec.value)
        name = spec.text.partition(":")[2]
        text = read_text(path)
        if isinstance(text, NotText):
            return NoBaseline(spec, text.reason, f"{inline(name)} {text.fault}", text.mend)
        return Baseline(spec, None, name, text, None, f"file {inline(name)}")


def _predecessor(repository: Repository, source: str, path: str, target: Target) -> Path | None:
    """The file that ``path`` was renamed from, where the baseline calls it ``source``: only if that is gone."""
    is_renamed = source != path and not repository.exists(source, target)
    return Path(repository.folders.work_tree, source) if is_renamed else None


def _outside(path: Path, repository: Repository, spec: BaselineSpec) -> NoBaseline:
    sentence = f"{inline(path)} is outside of the work tree {inline(repository.folders.work_tree)}."
    return NoBaseline(spec, Reason.NO_REPOSITORY, sentence)


def _leads_out(own: str, spec: BaselineSpec) -> NoBaseline:
    sentence = f"{inline(own)} was a file, and is now a symbolic link that leads out of the repository."
    return NoBaseline(spec, Reason.BROKEN_LINK, sentence)


def deployed_words(deployment: Deployment, spec: BaselineSpec, path: str) -> str:
    """A phrase about the deployed version of the file that is now at ``path``: ``deployed in production on 2026-11-02
    (a1b2c3d)``.
    """
    facts = [deployment.commit[:7]] if deployment.commit is not None else ["never committed"]
    if deployment.path != path:
        facts.append(f"there {inline(deployment.path)}")
    return f"deployed in {spec.value} on {deployment.marked_at[:10]} ({', '.join(facts)})"


def read_text(path: Path) -> str | NotText:
    """The text of a file on disk, decoded as a blob would be.

    >>> read_text(Path("/no-such-folder/a.sql")).fault
    'does not exist.'
    """
    try:
        if path.is_dir():
            return NotText(Reason.NOT_A_FILE, "is a folder, not a file.")
        # Neither a device nor a pipe may hold up an editor without end.
        if path.exists() and not path.is_file():
            return NotText(Reason.NOT_A_FILE, "is not a regular file.")
        if path.stat().st_size > LARGEST_FILE:
            return NotText(Reason.TOO_LARGE, f"is too large ({path.stat().st_size:,} bytes).")
        data = path.read_bytes()
    except FileNotFoundError:
        broken = broken_on_disk(path)
        if broken is not None:
            return NotText(Reason.BROKEN_LINK, f"leads to nothing: {inline(broken.name)} is a broken symbolic link.")
        if os.path.exists(path):
            # An editor that saves removes a file for a moment: that is no deletion.
            return NotText(Reason.UNREADABLE, "was replaced while it was read.")
        return NotText(Reason.MISSING_FILE, "does not exist.")
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return NotText(Reason.UNREADABLE, f"cannot be read: {cause}.")
    return decode(data)


class _Texts:
    """Texts by blob, the ones used last, bounded by their length together."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str | NotText] = OrderedDict()
        self._characters = 0

    def get(self, blob: str) -> str | NotText | None:
        text = self._texts.get(blob)
        if text is not None:
            self._texts.move_to_end(blob)
        return text

    def put(self, blob: str, text: str | NotText) -> None:
        self._texts[blob] = text
        self._characters += _length(text)
        while self._characters > _CACHED_CHARACTERS and len(self._texts) > 1:
            self._characters -= _length(self._texts.popitem(last=False)[1])


def _length(text: str | NotText) -> int:
    return len(text) if isinstance(text, str) else 0


def _close_all(repositories: OrderedDict[object, Repository]) -> None:
    for repository in repositories.values():
        repository.close()
    repositories.clear()


def _identity(folders: GitFolders | None) -> object:
    """Tells a repository from another one that later stands at the same place."""
    if folders is None:
        return None
    try:
        status = folders.git.stat()
    except OSError:
        return folders
    return folders, status.st_dev, status.st_ino


def _on_disk(path: Path) -> str:
    text = read_text(path)
    return text if isinstance(text, str) else ""
