"""The history of a repository as rows of plain values, which is how it reaches Spark.

A reader travels to the machines that read, so it holds nothing but values. The columns are those of
``keepstate_spark.audit.stored_columns.HISTORY``; a missing one is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from keepstate_lsp.baselines.baseline import inline
from keepstate_lsp.jobs.changed_files import ChangedFile
from keepstate_lsp.jobs.job_parts import JobPart
from keepstate_lsp.jobs.survey import (
    Landmark,
    RepositoryProblem,
    SurveyedChange,
    SurveyedSide,
    SurveyTerms,
    survey,
)

Row = dict[str, Any]


@dataclass(frozen=True)
class HistoryReader:
    """Reads repositories on the same terms."""

    terms: SurveyTerms

    def __call__(self, folder: str, landmark: str | None) -> Iterator[Row]:
        """The rows of the repository at ``folder``, of what came after ``landmark`` (as the last row of an earlier
        reading had it) alone if that is possible. The last row is of the kind ``end``.
        """
        for row in survey(Path(folder), self.terms, _landmark(landmark)):
            if isinstance(row, SurveyedChange):
                yield _change(row)
            elif isinstance(row, RepositoryProblem):
                yield {"kind": "problem", "reason": inline(row.reason), "mend": row.mend}
            else:
                yield {"kind": "end", "landmark": _landmark_json(row.landmark), "whole": row.whole}


def _change(change: SurveyedChange) -> Row:
    commit = change.commit
    return {
        "kind": "change",
        "commit": commit.id,
        "committed_at": _instant(commit.date),
        "author": inline(commit.author),
        "subject": inline(commit.subject),
        "is_merge": commit.is_merge,
        "job": inline(change.job),
        "path": inline(change.path),
        "former_path": None if change.former_path is None else inline(change.former_path),
        "status": change.status,
        "reason": None if change.reason is None else inline(change.reason),
        "mend": change.mend,
        "pair": change.pair,
        "files": [_file(each) for each in change.files],
        "assumed": [{"name": name, "path": inline(path)} for name, path in change.assumed],
        **_side("baseline", change.before),
        **_side("current", change.after),
    }


def _side(name: str, side: SurveyedSide | None) -> Row:
    if side is None:
        return {}
    return {
        f"{name}_blob": side.blob,
        f"{name}_text": side.text,
        f"{name}_parameters": sorted(side.parameters.items()),
        f"{name}_engine_version": side.engine_version,
        f"{name}_files": None if side.parts is None else [_part(part) for part in side.parts],
    }


def _file(file: ChangedFile) -> Row:
    return {
        "path": inline(file.path),
        "blob": file.blob,
        "former_blob": file.former_blob,
        "role": file.role,
        "touched": file.touched,
    }


def _part(part: JobPart) -> Row:
    return {"path": inline(part.path), "role": part.reading, "text": part.text}


def _instant(text: str) -> datetime | None:
    """A date of git, which may be any text."""
    try:
        # Python 3.10 does not accept the Z.
        return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def _landmark(text: str | None) -> Landmark | None:
    if text is None:
        return None
    landmark = json.loads(text)
    return Landmark(landmark["head"], landmark["names"], landmark["cut"])


def _landmark_json(landmark: Landmark | None) -> str | None:
    return None if landmark is None else json.dumps(asdict(landmark), sort_keys=True)
