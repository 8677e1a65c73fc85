"""The folder of an audit: published tables, and beside them the state that later runs build on.

A run adds to the state file by file, and each file is complete when it appears. So the next run finds all finished
files of an interrupted one. Tables are written to a draft, and replace the former tables when all are complete. A run
that finds the replacement half done completes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, final

from keepstate_spark.audit.stored_columns import SCHEMA_VERSION
from keepstate_spark.errors import PipelineError

MANIFEST = "keepstate-audit.json"
_STATE = ".state"
_DRAFT = ".draft"
_COMPLETE = "COMPLETE"
_GONE = ".gone"


@final
class AuditFolder:
    """The folder of one audit, with an exclusive lock for the life of the object; see ``opened``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @staticmethod
    @contextmanager
    def opened(path: Path) -> Iterator[AuditFolder]:
        """Open the folder at ``path``, and create it if need be.

        Raises:
            PipelineError: the folder holds something else, another run is at work in it, or it cannot be written.
        """
        # Spark works in a folder of its own.
        path = path.absolute()
        with ExitStack() as stack:
            try:
                _claim(path)
                lock = stack.enter_context((path / _STATE / "lock").open("a"))
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                folder = AuditFolder(path)
                folder._tidy()
            except BlockingIOError as error:
                sentence = f"Another audit is writing to {path}."
                raise PipelineError(sentence, "Wait for it, or name another folder.") from error
            except OSError as error:
                raise PipelineError(f"{path} cannot be written: {error.strerror}.") from error
            try:
                yield folder
            except BaseException:
                # Tables that are complete are put in place by the next run, others are made anew.
                if not (folder.draft / _COMPLETE).exists():
                    shutil.rmtree(folder.draft, ignore_errors=True)
                raise

    def history(self, terms: str) -> Path:
        """Return the path of the history that was read on ``terms``, a digest."""
        return self.path / _STATE / f"history-{terms}"

    def reports(self, terms: str) -> Path:
        """Return the path of the reports that were made on ``terms``, a digest."""
        return self.path / _STATE / f"reports-{terms}"

    @property
    def draft(self) -> Path:
        """Path of the tables in the making."""
        return self.path / _DRAFT

    def publish(self, manifest: Mapping[str, Any], keep: tuple[Path, ...]) -> None:
        """Replace the published tables by the draft. Of the state, ``keep`` is kept."""
        (self.draft / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", "utf-8")
        # From here on the draft is what counts.
        (self.draft / _COMPLETE).touch()
        _sync(self.draft)
        self._carry_through()
        for path in (self.path / _STATE).iterdir():
            if path.is_dir() and path not in keep:
                shutil.rmtree(path, ignore_errors=True)

    def _tidy(self) -> None:
        if (self.draft / _COMPLETE).exists():
            self._carry_through()
        shutil.rmtree(self.draft, ignore_errors=True)
        for state in (self.path / _STATE).iterdir():
            # What tasks of an interrupted run had not finished.
            shutil.rmtree(state / "_temporary", ignore_errors=True)

    def _carry_through(self) -> None:
        leftovers = self.path / _GONE
        # Last of all the mark that says what is to be done.
        for file in sorted(self.draft.iterdir(), key=lambda path: path.name == _COMPLETE):
            if file.name == _COMPLETE:
                shutil.rmtree(leftovers, ignore_errors=True)
                file.unlink()
            elif file.is_dir():
                shutil.rmtree(leftovers, ignore_errors=True)
                if (self.path / file.name).exists():
                    (self.path / file.name).rename(leftovers)
                file.rename(self.path / file.name)
            else:
                file.replace(self.path / file.name)
        self.draft.rmdir()


def _claim(path: Path) -> None:
    """Claim the folder, unless it holds something else."""
    if path.exists() and not path.is_dir():
        raise PipelineError(f"{path} is a file, not a folder.")
    path.mkdir(parents=True, exist_ok=True)
    manifest = path / MANIFEST
    if manifest.exists():
        try:
            version = json.loads(manifest.read_text("utf-8"))["schema_version"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PipelineError(f"{manifest} is not one that an audit wrote.", "Name another folder.") from error
        if version != SCHEMA_VERSION:
            raise PipelineError(
                f"{path} was written with version {version} of the tables; this one writes {SCHEMA_VERSION}.",
                "Name another folder.",
            )
    elif any(path.iterdir()):
        raise PipelineError(f"{path} is not empty, and no audit wrote it.", "Name another folder.")
    else:
        manifest.write_text(json.dumps({"schema_version": SCHEMA_VERSION}) + "\n", "utf-8")
    (path / _STATE).mkdir(exist_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
