"""Records of deployed jobs: one git ref per environment, with the text and the configuration of every marked job.

``refs/keepstate/deployed/ENV`` names a commit whose tree holds, for each marked file,

* ``files/PATH``: the SQL text that runs, as one blob;
* ``records/PATH.json``: the rest (see :class:`Deployment`);
* ``parts/BLOB``: the texts of the other files of marked jobs, by their hashes.

A mark is a new commit on top of the ref. The ref moves only if it still has its former value (compare and swap), so a
mark is atomic; the ref travels with ``git push`` and ``git fetch`` like any other. Each file has entries of its own, so
two histories are merged file by file, and the later mark wins. Work trees and the index are never touched, so marks
work in a bare clone as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from keepstate_lsp.baselines.git.failures import DamagedObject, GitFailure
from keepstate_lsp.baselines.git.objects import Objects
from keepstate_lsp.baselines.git.revisions import Revisions
from keepstate_lsp.near_names import did_you_mean

PRODUCTION = "production"
"""The environment that ``deployed`` without a name means."""

_REFS = "refs/keepstate/deployed/"
_RECORDS = "records"
_PARTS = "parts"
ALL_REFS = f"'{_REFS}*:{_REFS}*'"
"""The refspec to fetch, quoted for a shell."""
_ENVIRONMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FORMAT = 2
"""Format 1 has no ``files``: it knows the marked file alone."""
_ATTEMPTS = 20
"""Writers that move the same ref at the same time each have to lose that often in a row before one gives up."""


class DeploymentError(Exception):
    """A record cannot be read or written; the message is for a person, ``mend`` is a command that helps."""

    def __init__(self, sentence: str, mend: str | None = None) -> None:
        super().__init__(sentence)
        self.mend = mend


def is_environment(name: str) -> bool:
    """Return whether ``name`` can be the name of an environment: letters, digits, ``.``, ``_``, ``-``.

    >>> is_environment("staging"), is_environment("a b")
    (True, False)
    """
    return _ENVIRONMENT.fullmatch(name) is not None and ".." not in name and not name.endswith((".lock", "."))


def ref_of(environment: str) -> str:
    """The ref of git that holds the records of an environment.

    >>> ref_of("staging")
    'refs/keepstate/deployed/staging'
    """
    return f"{_REFS}{environment}"


def mark_command(environment: str, files: str) -> str:
    """The shell command that records ``files`` as deployed in ``environment``.

    >>> mark_command("staging", "a.sql"), mark_command("production", "a.sql")
    ('keepstate deployed mark -e staging a.sql', 'keepstate deployed mark a.sql')
    """
    option = "" if environment == PRODUCTION else f"-e {environment} "
    return f"keepstate deployed mark {option}{files}"


@dataclass(frozen=True)
class DeployedFile:
    """A file of a deployed job. ``role`` is ``script``, ``context`` or ``assumed``: no configuration named it."""

    path: str
    blob: str
    role: str


@dataclass(frozen=True)
class Deployment:
    """One job as it runs in one environment."""

    path: str
    """Inside of the repository, with ``/``."""
    blob: str
    """Hash of the text that runs."""
    commit: str | None
    """The commit that has this text of the file; ``None`` for a text that no commit had at the time of the mark."""
    engine_version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Job parameters that are set outside of the SQL."""
    savepoint: str | None = None
    """Path or URI of the savepoint that a change would start from."""
    marked_at: str = ""
    """Time of the mark, in ISO 8601, UTC."""
    marked_by: str = ""
    files: tuple[DeployedFile, ...] | None = None
    """All files of the job, those of its script in the order of execution; ``None`` in a record of format 1."""
    name: str | None = None
    """The name of the job in the configuration, if it has one."""
    pointer: str = ""
    """The end of ``path`` that names a value of the file; empty for a file of SQL."""

    @property
    def file(self) -> str:
        """The path of the file."""
        return self.path.removesuffix(self.pointer)

    def to_json(self) -> dict[str, Any]:
        files = {} if self.files is None else {"files": [asdict(file) for file in self.files]}
        name = {} if self.name is None else {"name": self.name}
        pointer = {"pointer": self.pointer} if self.pointer else {}
        return {
            "version": 1 if self.files is None else _FORMAT,
            "path": self.path,
            **name,
            **pointer,
            "blob": self.blob,
            "commit": self.commit,
            "engine_version": self.engine_version,
            "parameters": dict(self.parameters),
            "savepoint": self.savepoint,
            "marked_at": self.marked_at,
            "marked_by": self.marked_by,
            **files,
        }

    @staticmethod
    def of_json(text: str) -> Deployment:
        """The deployment that ``text`` describes.

        Raises:
            DeploymentError: it describes none, or one of a later format.
        """
        import json

        try:
            entry = json.loads(text)
            if entry["version"] > _FORMAT:
                raise DeploymentError(f"It was recorded by a later version of Keepstate (format {entry['version']}).")
            return Deployment(
                str(entry["path"]),
                str(entry["blob"]),
                entry["commit"],
                entry["engine_version"],
                {str(key): str(value) for key, value in entry["parameters"].items()},
                entry["savepoint"],
                str(entry["marked_at"]),
                str(entry["marked_by"]),
                _files(entry["files"]) if entry["version"] > 1 else None,
                None if entry.get("name") is None else str(entry["name"]),
                str(entry.get("pointer", "")),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DeploymentError(f"It is no record of a deployment: {type(error).__name__} {error}.") from error


class Deployments:
    """The records in one repository. All methods raise ``GitFailure`` when git itself fails."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._git = objects.git
        self._revisions = Revisions(objects)

    # --------------------------------------------------------------------------------------------------- reading

    def environments(self) -> tuple[str, ...]:
        """Names of all environments that anything was ever marked for."""
        listed = self._git.run("for-each-ref", "--format=%(refname)", _REFS)
        return tuple(name.removeprefix(_REFS) for name in listed.splitlines())

    def commit(self, environment: str) -> str | None:
        """The commit that the environment's ref names; ``None``: nothing was ever marked."""
        return self._revisions.commit(ref_of(environment))

    def all(self, environment: str) -> dict[str, Deployment]:
        """All deployments of an environment by path, sorted.

        Raises:
            DeploymentError: one of them cannot be read.
        """
        commit = self.commit(environment)
        return {} if commit is None else self._records(commit, environment)

    def find(self, environment: str, path: str) -> Deployment | None:
        """The deployment of one file.

        Raises:
            DeploymentError: it cannot be read.
        """
        commit = self.commit(environment)
        if commit is None:
            return None
        if self._tree_of_records(commit, environment) is None:
            return None
        entry = self._objects.entry(commit, _record_path(path))
        if entry is None or entry.type != "blob":
            return None
        return self._read(self._objects.data(self._objects.blob(entry.id)), environment, path)

    # --------------------------------------------------------------------------------------------------- writing

    def store(self, text: bytes) -> str:
        """Put a text into the repository; its blob."""
        return self._git.run("hash-object", "-w", "--stdin", stdin=text).strip()

    def mark(self, environment: str, deployments: Iterable[Deployment]) -> str:
        """Record deployments, all or none; the ref's new commit.

        Raises:
            DeploymentError: others moved the ref again and again.
        """
        marked = tuple(deployments)

        def entries(base: str | None) -> list[tuple[str, str]]:
            former_records = {} if base is None or not names else self._records(base, environment)
            paths = {deployment.path for deployment in marked}
            former = [path for path, each in former_records.items() if each.name in names and path not in paths]
            changes = [(path, "") for name in former for path in (_file_path(name), _record_path(name))]
            for deployment in marked:
                changes += self._entries(deployment)
            return changes

        names = {deployment.name for deployment in marked} - {None}
        return self._move(environment, _subject("Mark", marked), entries)

    def unmark(self, environment: str, paths: Iterable[str]) -> str:
        """Forget files. Return the new commit of the ref."""
        removed_paths = tuple(paths)

        def entries(_: str | None) -> list[tuple[str, str]]:
            return [(path, "") for name in removed_paths for path in (_file_path(name), _record_path(name))]

        return self._move(environment, f"Unmark {', '.join(removed_paths)}", entries)

    def merge(self, environment: str, other: str) -> int:
        """Take over from the commit ``other`` (a ref that was fetched) what is newer there; how many files changed.

        A file that the other side alone has is taken over, so what was unmarked here comes back unless it was
        unmarked there as well: forgetting too little is the safe side.

        Raises:
            DeploymentError: there is no such commit, or it is no record of deployments.
        """
        other_commit = self._revisions.commit(other)
        if other_commit is None:
            suggestion = did_you_mean(self._revisions.near(other))
            raise DeploymentError(f"There is no revision {other}.{suggestion}")
        other_records = self._records(other_commit, other)
        own_commit = self.commit(environment)
        if own_commit is not None and self._revisions.is_ancestor(other_commit, own_commit):
            return 0
        merged_records: list[Deployment] = []

        def entries(base: str | None) -> list[tuple[str, str]]:
            own_records = {} if base is None else self._records(base, environment)
            merged_records[:] = [
                deployment
                for path, deployment in other_records.items()
                if path not in own_records
                or (deployment != own_records[path] and _age(deployment) > _age(own_records[path]))
            ]
            changes: list[tuple[str, str]] = []
            for deployment in merged_records:
                changes += self._entries(deployment)
            return changes

        self._move(environment, f"Merge {other}", entries, also=other_commit)
        return len(merged_records)

    def identity(self) -> str:
        """The committer's identity in git, ``Name <mail>``; empty if git has none."""
        try:
            return self._git.run("var", "GIT_COMMITTER_IDENT").rpartition(" ")[0].rpartition(" ")[0]
        except GitFailure as failure:
            if type(failure) is not GitFailure:
                # It was not asked whether it knows one.
                raise
            return ""

    # --------------------------------------------------------------------------------------------------- within

    def _records(self, commit: str, name: str) -> dict[str, Deployment]:
        tree = self._tree_of_records(commit, name)
        files = {} if tree is None else self._objects.files_of_tree(tree)
        blobs = {path.removesuffix(".json"): entry.id for path, entry in files.items() if entry.type == "blob"}
        contents = self._objects.contents(blobs.values())
        missing = next((blob for blob in blobs.values() if blob not in contents), None)
        if missing is not None:
            raise DamagedObject(f"the object {missing}, a record of what is deployed in {name}, is missing")
        return {path: self._read(contents[blob], name, path) for path, blob in sorted(blobs.items())}

    def _tree_of_records(self, commit: str, name: str) -> str | None:
        """The tree of all records; ``None``: all files were unmarked.

        Raises:
            DeploymentError: the commit holds something else.
        """
        top = self._objects.tree(self._objects.tree_of(commit))
        if not top.keys() - {_PARTS}:
            return None
        if _RECORDS not in top or top[_RECORDS].type != "tree":
            raise DeploymentError(f"What is recorded in {name} is no record of deployments.")
        return top[_RECORDS].id

    def _read(self, data: bytes, environment: str, path: str) -> Deployment:
        try:
            return Deployment.of_json(data.decode("utf-8", "replace"))
        except DeploymentError as error:
            raise DeploymentError(f"The record of {path} in {environment} cannot be read. {error}") from error

    def _entries(self, deployment: Deployment) -> list[tuple[str, str]]:
        """The entries of a deployment in the tree: path and blob."""
        parts = [(f"{_PARTS}/{file.blob}", file.blob) for file in deployment.files or ()]
        record = (_record_path(deployment.path), self._store_record(deployment))
        return [(_file_path(deployment.path), deployment.blob), record, *parts]

    def _store_record(self, deployment: Deployment) -> str:
        import json

        text = json.dumps(deployment.to_json(), indent=2, ensure_ascii=False) + "\n"
        return self.store(text.encode("utf-8", "surrogateescape"))

    def _move(
        self,
        environment: str,
        message: str,
        entries: Callable[[str | None], list[tuple[str, str]]],
        also: str | None = None,
    ) -> str:
        """Commit ``entries`` (path and blob; no blob: remove) on top of the ref. ``also`` is a second parent."""
        for _ in range(_ATTEMPTS):
            base = self.commit(environment)
            tree = self._tree(base, entries(base))
            parents = [option for parent in (base, also) if parent is not None for option in ("-p", parent)]
            new = self._git.run(
                "commit-tree", tree, *parents, stdin=f"{message}\n".encode(), environment=self._committer()
            ).strip()
            try:
                # A hash of zeros makes git refuse if the ref exists already.
                self._git.run("update-ref", ref_of(environment), new, base or "0" * len(new))
                return new
            except GitFailure:
                if self.commit(environment) == base:
                    raise
        raise DeploymentError(f"Others keep writing to {ref_of(environment)}; nothing was recorded.")

    def _tree(self, base: str | None, entries: list[tuple[str, str]]) -> str:
        import tempfile

        try:
            with tempfile.TemporaryDirectory(prefix="keepstate-", ignore_cleanup_errors=True) as folder:
                index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
                if base is not None:
                    self._git.run("read-tree", base, environment=index)
                # A removed entry has mode 0; its hash is looked at for its length alone.
                zeros = "0" * (40 if base is None else len(base))
                lines = [f"{'100644' if blob else '0'} {blob or zeros}\t{path}\0" for path, blob in entries]
                stdin = "".join(lines).encode("utf-8", "surrogateescape")
                self._git.run("update-index", "-z", "--index-info", stdin=stdin, environment=index)
                return self._git.run("write-tree", environment=index).strip()
        except OSError as error:
            # Also the error of a full disk, or of a read-only folder.
            raise DeploymentError(f"The record cannot be put together in a temporary folder: {error}.") from error

    def _committer(self) -> dict[str, str]:
        """An identity for the commit where git has none, as on a build machine."""
        if self.identity():
            return {}
        return {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", "keepstate"), ("EMAIL", "keepstate@localhost"))
        }


def _files(entries: Any) -> tuple[DeployedFile, ...]:
    return tuple(DeployedFile(str(each["path"]), str(each["blob"]), str(each["role"])) for each in entries)


def _file_path(path: str) -> str:
    return f"files/{path}"


def _record_path(path: str) -> str:
    return f"{_RECORDS}/{path}.json"


def _age(deployment: Deployment) -> tuple[str, str]:
    """Sort key by time; the hash decides between equal times, in the same way on both sides of a merge."""
    return deployment.marked_at, deployment.blob


def _subject(verb: str, deployments: tuple[Deployment, ...]) -> str:
    return f"{verb} {', '.join(deployment.path for deployment in deployments)}"
