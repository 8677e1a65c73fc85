"""Requests of an editor to plan a cutover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from keepstate import install_words
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.runs.run_request import (
    RunRefused,
    RunRequest,
    are_missing,
    refusal,
    run_request,
    text_option,
)
from keepstate_lsp.reporting.cutover_folder import FolderRefused, require_room

_NEEDED = ("keepstate_lsp.cli",)
_HOW = (
    "The command that plans a cutover is not installed beside this server: "
    f"{install_words()}, and let your editor start that Keepstate."
)
_ENDINGS = (".sql", ".fql", ".flink")


@dataclass(frozen=True)
class CutoverRequest:
    """A plan that can be made. ``file`` and ``output`` are paths of the job and of the plan below ``root``: the command
    lines in the plan have them, and are run there.
    """

    run: RunRequest
    root: Path
    file: str
    output: str
    at: str | None
    platform: str | None

    @property
    def folder(self) -> Path:
        """The folder of the plan."""
        return self.root / self.output


def can_plan() -> bool:
    """Return whether the command that makes plans is installed beside this server.

    >>> can_plan()
    True
    """
    return not are_missing(_NEEDED)


def request_of(analysis: Analysis, workspace_folder: Path | None, options: Mapping[str, Any]) -> CutoverRequest:
    """The plan that ``options`` (``at``, ``platform``) ask for, in a folder beside the job.

    >>> job = analysis("INSERT INTO s SELECT MAX(a) FROM t", "INSERT INTO s SELECT SUM(a) FROM t")
    >>> request = request_of(job, None, {"at": "2026-01-01 00:00"})
    >>> request.file, request.output, request.at
    ('job.sql', 'job-cutover', '2026-01-01 00:00')

    Raises:
        RunRefused: it cannot be made.
    """
    if not can_plan():
        raise RunRefused(_HOW)
    reason = refusal(analysis, "handed over")
    if reason is not None:
        raise RunRefused(reason)
    path = Path(analysis.document.path or "")
    root = workspace_folder if workspace_folder is not None and path.is_relative_to(workspace_folder) else path.parent
    file = path.relative_to(root).as_posix()
    # A name that begins with a dash is no option.
    file = f"./{file}" if file.startswith("-") else file
    at, platform = (text_option(options, key) for key in ("at", "platform"))
    output = _folder_of(path).relative_to(root).as_posix()
    return CutoverRequest(run_request(analysis, file), root, file, output, at, platform)


def _folder_of(path: Path) -> Path:
    """The folder for the plan of a file: one of its stem, or of its whole name beside the plan of a like-named file.

    Raises:
        RunRefused: another job's plan or other files take both places.
    """
    refused = None
    for name in dict.fromkeys((_stem(path.name), path.name)):
        folder = path.with_name(f"{name}-cutover")
        try:
            former = require_room(folder)
        except FolderRefused as error:
            raise RunRefused(f"{error.sentence} A plan is written there: move them, or remove them.") from error
        if former is None or PurePosixPath(former.file).name == path.name:
            return folder
        refused = RunRefused(f"{folder} holds the plan of {former.file}: move it, or remove it.")
    assert refused is not None
    raise refused


def _stem(name: str) -> str:
    """The name of a file without its endings.

    >>> _stem("revenue.flink.sql"), _stem("v1.2.sql"), _stem(".sql")
    ('revenue', 'v1.2', '.sql')
    """
    for ending in _ENDINGS:
        shorter = name.removesuffix(ending)
        name = shorter or name
    return name
