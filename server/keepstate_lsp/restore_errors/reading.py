"""From the text of an exception to what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from keepstate_lsp.restore_errors.causes import CAUSES, Cause, Part
from keepstate_lsp.restore_errors.operators import OperatorKind, operator_kinds

_OPERATOR_ID = re.compile(r"(?:operator |_)([0-9a-f]{32})(?=\W|_|$)")
_TASK_LINE = re.compile(r"^(?:.* - )?(\S.*?) \(\d+/\d+\)(?:#\d+)?.* switched from \w+ to FAILED", re.MULTILINE)
_SAVEPOINT = re.compile(r"Failed to rollback to checkpoint/savepoint (?P<path>\S+?)\.(?=\s)")
_TRACE = re.compile(r"^\s*(?:Caused by: |at [\w.$/]+\()|^[\w.$]+(?:Exception|Error)\b", re.MULTILINE)
_OUTER = re.compile(
    r"^(?:Caused by: )?(?P<class>[\w.$]+(?:Exception|Error|Throwable))(?:: (?P<message>.*))?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class RestoreError:
    """What the text of an error tells. Empty and ``None`` stand for what it does not.

    ``kinds`` are the kinds of operator that it can be about: with more than one the text leaves it open.
    """

    cause: Cause | None
    kinds: tuple[OperatorKind, ...] = ()
    operator_id: str | None = None
    task: str | None = None
    savepoint: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    """What the message itself says: ``was`` and ``now`` of a maximum parallelism, the ``path`` of a savepoint."""
    message: str | None = None
    """The innermost message, for a person to look at where the cause is not known."""
    is_trace: bool = True
    """Whether this looks like an exception at all."""

    def fact(self, name: str) -> str | None:
        return dict(self.facts).get(name)


def read_error(text: str) -> RestoreError:
    """What the text, be it a whole log or a single line, is about."""
    text = text.replace("\r\n", "\n")
    cause, facts = None, {}
    for candidate in CAUSES:
        found = candidate.pattern.search(text)
        if found is not None:
            cause, facts = candidate, {key: value for key, value in found.groupdict().items() if value is not None}
            break
    messages = [found for found in _OUTER.finditer(text) if found["message"]]
    operator = facts.pop("operator", None) or facts.pop("state", None)
    if operator is None and (named := _OPERATOR_ID.search(text)):
        operator = named[1]
    task = _TASK_LINE.search(text)
    savepoint = _SAVEPOINT.search(text)
    kinds = operator_kinds(text)
    if cause is not None and cause.part is Part.KEY:
        kinds = tuple(kind for kind in kinds if kind.key)
    return RestoreError(
        cause,
        kinds,
        operator,
        task[1] if task is not None else None,
        savepoint["path"] if savepoint is not None else None,
        tuple(facts.items()),
        messages[-1]["message"] if messages else None,
        bool(messages) or _TRACE.search(text) is not None,
    )
