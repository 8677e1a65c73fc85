"""The jobs of one repository: files, what they hold, and what is recorded of them as deployed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.embedded.pointers import file_of
from keepstate_lsp.baselines import HEAD, BaselineReader
from keepstate_lsp.baselines.baseline import Reason, inline
from keepstate_lsp.baselines.decoding import NotText, decode
from keepstate_lsp.baselines.deployments import DeployedFile, Deployment, DeploymentError, Deployments
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.index import Index
from keepstate_lsp.baselines.git.objects import ObjectHeader, Objects
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.git.revisions import Revisions
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.baselines.links import BrokenLink, StoredFiles
from keepstate_lsp.baselines.obstacles import no_repository
from keepstate_lsp.baselines.opening import open_git
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.files.line_ends import with_line_ends_of
from keepstate_lsp.jobs.marked_jobs import JobsAtCommit, JobsHere, MarkedJob
from keepstate_lsp.jobs.past.past_config import PastJobConfigs
from keepstate_lsp.jobs.past.past_projects import PastProjects, UnreadablePart
from keepstate_lsp.jobs.projects import CompositionError, sql_source
from keepstate_lsp.near_names import did_you_mean

if TYPE_CHECKING:
    from keepstate.project.composition import ComposedJob
    from keepstate.project.memory import ProjectMemory
    from keepstate_lsp.jobs.dumps.shapes import RunningText


class DeployedJobs:
    """Use it in a ``with`` block, which ends its git processes.

    ``root`` is the work tree, ``None`` in a bare clone: there is no work tree to take texts from, so a commit has to
    be named, and paths are those inside of the repository.
    """

    def __init__(self, objects: Objects, root: Path | None) -> None:
        self.records = Deployments(objects)
        self._objects = objects
        self._revisions = Revisions(objects)
        self._index = Index(objects.git)
        history = History(objects, root)
        self._past = PastJobConfigs(history)
        self._projects = PastProjects(history, self._past)
        self.root = root

    @staticmethod
    def around(folder: Path, patience: Patience | None = None) -> DeployedJobs:
        """The repository around a folder, which may itself be a bare one. ``patience`` is that of a command unless
        another one is given.

        Raises:
            DeploymentError: there is none.
            GitFailure: git cannot tell.
        """
        try:
            return DeployedJobs(*open_git(folder, patience))
        except GitFailure as failure:
            if type(failure) is not GitFailure:
                raise
            obstacle = no_repository(failure, folder, HEAD)
            raise DeploymentError(obstacle.sentence, obstacle.mend) from failure

    def __enter__(self) -> DeployedJobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._objects.close()

    def relative(self, name: str) -> str:
        """The path of a file inside of the repository.

        Raises:
            DeploymentError: it lies outside.
        """
        if self.root is None:
            return name
        path = Path(os.path.abspath(name))
        for root in (self.root, self.root.resolve()):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        raise DeploymentError(f"{name} is outside of the work tree {self.root}.")

    def deployments_of(
        self,
        names: Iterable[str],
        *,
        commit: str | None,
        engine_version: str | None,
        parameters: Mapping[str, str],
        savepoint: str | None,
        marked_at: str,
        marked_by: str | None,
    ) -> list[Deployment]:
        """Records of jobs by their files; all their texts are in the repository afterwards. A file that is a part of a
        job stands for that job.

        Raises:
            DeploymentError: a file has no text, or a job cannot be composed.
        """
        by = self.records.identity() if marked_by is None else marked_by
        paths = {self.relative(name): name for name in names}
        try:
            revision = self._jobs_at(commit)
            deployments: list[Deployment] = []
            for job in dict.fromkeys(job for path in paths for job in revision.jobs_with(path)):
                own = file_of(job.path)
                blob, at = self._text_to_mark(paths.get(job.path, own), own, commit)
                config, files = revision.composed(job, blob)
                config = config.overridden(engine_version, parameters)
                deployments.append(
                    Deployment(
                        job.path,
                        blob,
                        at,
                        config.engine_version,
                        config.parameters,
                        savepoint,
                        marked_at,
                        by,
                        files,
                        job.several.name,
                        job.path.removeprefix(own),
                    )
                )
        except (CompositionError, UnreadablePart) as error:
            raise DeploymentError(str(error)) from error
        return deployments

    def deployments_of_texts(
        self,
        running: Iterable[tuple[MarkedJob, RunningText]],
        jobs_here: JobsHere,
        *,
        savepoint: str | None,
        marked_at: str,
        marked_by: str | None,
        engine_version: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> list[Deployment]:
        """Records of jobs by the texts that a dump has for them. A parameter that the configuration names has the value
        that the deployment sets; what only the deployment names is not recorded, since no file would say it later.

        Raises:
            DeploymentError: a job cannot be composed, or its SQL is a value of another file.
        """
        by = self.records.identity() if marked_by is None else marked_by
        deployments: list[Deployment] = []
        try:
            for job, text in running:
                path = job.path
                if file_of(path) != path:
                    raise DeploymentError(
                        f"The SQL of {path} is a value of a file, and a dump has it without that file.",
                        f"keepstate deployed mark {shlex.quote(path)} --commit REV",
                    )
                blob, at = self._blob_of_text(path, text.sql)
                config, files = jobs_here.composed(job, blob, text.sql)
                own_parameters = {key: text.settings[key] for key in config.parameters if key in text.settings}
                config = config.overridden(
                    engine_version or text.engine_version, {**own_parameters, **(parameters or {})}
                )
                deployments.append(
                    Deployment(
                        path,
                        blob,
                        at,
                        config.engine_version,
                        config.parameters,
                        savepoint,
                        marked_at,
                        by,
                        files,
                        job.several.name,
                    )
                )
        except CompositionError as error:
            raise DeploymentError(str(error)) from error
        return deployments

    def _blob_of_text(self, path: str, text: str) -> tuple[str, str | None]:
        """The blob of a text that runs, and the commit if HEAD has it; line ends and blanks at the end do not count."""
        commit = self._revisions.commit("HEAD")
        git_object = None if commit is None else self._object_at(commit, path, is_named=False)
        if git_object is not None and git_object.type == "blob":
            committed = self._objects.data(git_object).decode("utf-8", "replace")
            if _lines(committed).rstrip() == _lines(text).rstrip():
                return git_object.id, commit
        return self.records.store(text.encode("utf-8", "surrogatepass")), None

    def work_tree_jobs(self) -> JobsHere:
        """The jobs of the work tree.

        Raises:
            DeploymentError: there is no work tree.
        """
        jobs = self._jobs_at(None)
        assert isinstance(jobs, JobsHere)
        return jobs

    def _jobs_at(self, revision: str | None) -> JobsAtCommit | JobsHere:
        """The jobs of a revision; of the work tree without one."""
        if revision is not None:
            commit = self._revisions.commit(revision)
            if commit is None:
                raise self._no_revision(revision)
            return JobsAtCommit(self._projects, self._past, commit)
        if self.root is None:
            raise DeploymentError("A bare repository has no work tree to take the text from.", "--commit REV")

        def text_of(path: str) -> str:
            text = self._text_here(path)
            if isinstance(text, NotText):
                raise DeploymentError(f"{path} {text.fault}", text.mend)
            return text

        return JobsHere(self.root, text_of, lambda path: self._text_to_mark(path, path, None)[0])

    def text(self, deployment: Deployment) -> bytes:
        """The deployed text, as stored.

        Raises:
            DeploymentError: it is missing.
        """
        return self._deployed_text(deployment.path, deployment.blob)

    def _deployed_text(self, path: str, blob: str) -> bytes:
        git_object = self._objects.find_blob(blob)
        if git_object is None:
            raise DeploymentError(f"The deployed text of {path} is missing.", "git fsck")
        return self._objects.data(git_object)

    def state_here(self, deployment: Deployment) -> str:
        """The difference between the file in the work tree and the deployed text, in a word."""
        if self.root is None:
            return "-"
        words = [
            self._state_of(path, blob) for path, blob in ((deployment.path, deployment.blob), *_others(deployment))
        ]
        if words[0] in ("gone", "unreadable"):
            return words[0]
        return "same" if set(words) == {"same"} else "differs"

    def _state_of(self, path: str, blob: str) -> str:
        text = self._text_here(file_of(path))
        if isinstance(text, NotText):
            return "gone" if text.reason is Reason.MISSING_FILE else "unreadable"
        deployed = self._deployed_text(path, blob).decode("utf-8", "replace")
        return "same" if _lines(text) == _lines(deployed) else "differs"

    def _text_here(self, path: str) -> str | NotText:
        """The text of a file of the work tree; of one that is left out of it, that in the index."""
        assert self.root is not None, "in a bare repository there is no work tree"
        if self._is_left_out(path):
            return decode(self._objects.data(self._objects.blob(self._index.listing().entries[path].id)))
        return read_text(self.root / path)

    def _no_revision(self, name: str) -> DeploymentError:
        suggestion = did_you_mean(self._revisions.near(name))
        fetch = "git fetch --all --tags" if self.remote() and not suggestion else None
        return DeploymentError(f"There is no revision {inline(name)}.{suggestion}", fetch)

    def _is_left_out(self, path: str) -> bool:
        assert self.root is not None
        return not os.path.lexists(self.root / path) and path in self._index.listing().left_out

    def remote(self) -> str | None:
        """The remote that records are shared through, if there is one."""
        remotes = self._objects.git.run("remote").split()
        return "origin" if "origin" in remotes else next(iter(remotes), None)

    def _text_to_mark(self, name: str, path: str, revision: str | None) -> tuple[str, str | None]:
        """The blob of the text, and the commit that holds it."""
        if revision is None and self.root is None:
            raise DeploymentError("A bare repository has no work tree to take the text from.", "--commit REV")
        commit = self._revisions.commit(revision or "HEAD")
        if revision is not None and commit is None:
            raise self._no_revision(revision)
        git_object = None if commit is None else self._object_at(commit, path, is_named=revision is not None)
        committed = git_object if git_object is not None and git_object.type == "blob" else None
        if revision is not None or self.root is None:
            if committed is None:
                raise DeploymentError(f"There is no file {path} in {revision}.")
            return committed.id, commit
        text = self._text_here(path)
        if isinstance(text, NotText):
            raise DeploymentError(f"{name} {text.fault}", text.mend)
        if committed is not None and commit is not None:
            committed_text = self._objects.data(committed).decode("utf-8", "replace")
            if _lines(committed_text) == _lines(text):
                return committed.id, commit
        if self._is_left_out(path):
            return self._index.listing().entries[path].id, None
        try:
            data = (self.root / path).read_bytes()
        except OSError as error:
            raise DeploymentError(f"{name} cannot be read: {error.strerror or error}.") from error
        return self.records.store(data), None

    def _object_at(self, commit: str, path: str, *, is_named: bool) -> ObjectHeader | None:
        """The object of a commit at a path, links followed within it.

        Raises:
            BrokenLink: they lead to no file there, and the commit was named.
        """
        files = StoredFiles(self._objects, self._index.listing, self.root or Path(os.sep))
        try:
            return files.find(commit, path)
        except BrokenLink:
            if is_named:
                raise
            return None


def _others(deployment: Deployment) -> Iterator[tuple[str, str]]:
    """The other files of a deployed job, with their blobs."""
    yield from ((file.path, file.blob) for file in deployment.files or () if file.path != deployment.path)


def with_path(deployments: Iterable[Deployment], path: str) -> list[Deployment]:
    """The deployments of a file, or of the values in it; ``path`` may have the pointer to one.

    >>> runs = [Deployment("jobs/a.sql", "0" * 40, None), Deployment("jobs/b.sql", "1" * 40, None)]
    >>> [each.path for each in with_path(runs, "jobs/b.sql")]
    ['jobs/b.sql']
    """
    return [each for each in deployments if path in (each.path, each.file)]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").removeprefix("\ufeff")


RecordedTexts = tuple[tuple[DeployedFile, str], ...]
"""The files of a record, each with its deployed text."""


def recorded_texts(reader: BaselineReader, repository: Repository, files: Iterable[DeployedFile]) -> RecordedTexts:
    """The texts of the files that a record has.

    >>> from keepstate_lsp.baselines import HEAD
    >>> with repository({"a.sql": "SELECT 1"}) as folder, BaselineReader() as reader:
    ...     git = reader.repository(folder, HEAD)
    ...     file = DeployedFile("a.sql", git.blobs(HEAD)["a.sql"], "script")
    ...     [text for _, text in recorded_texts(reader, git, [file])]
    ['SELECT 1']

    Raises:
        CompositionError: one is missing, or is no text.
        GitFailure: git cannot say.
    """
    texts = []
    for file in files:
        git_object = repository.objects.find_blob(file.blob)
        if git_object is None:
            raise CompositionError(f"The deployed text of {inline(file.path)} is missing.")
        text = reader.text(repository, git_object)
        if not isinstance(text, str):
            raise CompositionError(f"The deployed text of {inline(file.path)} {text.fault}")
        texts.append((file, text))
    return tuple(texts)


def recorded_job(texts: RecordedTexts, like: str | None, memory: ProjectMemory) -> ComposedJob:
    """The job of the files that a record has, with the line ends of ``like``.

    >>> from keepstate.project.memory import ProjectMemory
    >>> ddl = DeployedFile("ddl.sql", "0" * 40, "context"), "CREATE TABLE t (a INT);"
    >>> script = DeployedFile("jobs/a.sql", "1" * 40, "script"), "SELECT a FROM t"
    >>> print(recorded_job((script, ddl), None, ProjectMemory()).text)
    CREATE TABLE t (a INT);
    SELECT a FROM t

    Raises:
        CompositionError: a file holds no SQL where its pointer leads.
    """
    from keepstate.project.composed_text import FileRole
    from keepstate.project.files_with_roles import composed_of

    files = [
        (sql_source(file.path, text if like is None else with_line_ends_of(text, like)), FileRole(file.role))
        for file, text in texts
    ]
    return composed_of(files, memory)


def refuse_unrecorded(path: str, current: ComposedJob, baseline: ComposedJob) -> None:
    """Refuse a job of several files of which a record has one file alone, and no commit that is here.

    >>> from keepstate.project.composition import ComposedJob
    >>> from keepstate.project.source_files import SourceFile
    >>> refuse_unrecorded("a.sql", ComposedJob.plain("SELECT 1"), ComposedJob.plain("SELECT 2"))
    >>> two = ComposedJob((SourceFile("a.sql", "SET 'a' = 'b';"), SourceFile("b.sql", "SELECT 1")))
    >>> try:
    ...     refuse_unrecorded("b.sql", two, two)
    ... except CompositionError as error:
    ...     str(error)[:47]
    'The record of b.sql has no other file of the jo'

    Raises:
        CompositionError: the job has other files, whose deployed texts are unknown.
    """
    sides = (current, baseline)
    if all(side.is_plain and not side.ambiguous for side in sides):
        return
    names = sorted(
        {each.name for side in sides for each, _ in side.imports} | {*current.ambiguous, *baseline.ambiguous}
    )
    raise CompositionError(
        f"The record of {inline(path)} has no other file of the job, and its commit is not here: what "
        f"{', '.join(names) or 'the rest of its script'} was when it was deployed is unknown."
    )
