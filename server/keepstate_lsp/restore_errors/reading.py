"""From the text of an exception to its cause, operators and facts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from keepstate_lsp.restore_errors.causes import CAUSES, Cause, CausePart
from keepstate_lsp.restore_errors.operator_names import OperatorKind, operator_kinds

_OPERATOR_ID = re.compile(r"(?:operator |_)([0-9a-f]{32})(?=\W|_|$)")
_FAILURE = re.compile(r"^(.*) switched from \w+ to FAILED", re.MULTILINE)
_SUBTASK = re.compile(r" \(\d+/\d+\)")
_LOGGED = " - "
"""Between what a log puts in front of a message, and the message."""
_SAVEPOINT = re.compile(r"Failed to rollback to checkpoint/savepoint (?P<path>\S+?)\.(?=\s)")
_TRACE = re.compile(r"^[ \t]*(?:Caused by: |at [\w.$/]+\()|^[\w.$]+(?:Exception|Error)\b", re.MULTILINE)
_OUTER = re.compile(
    r"^(?:Caused by: )?(?P<class>[\w.$]+(?:Exception|Error|Throwable))(?:: (?P<message>.*))?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class RestoreError:
    """The facts in the text of an error. Empty and ``None`` stand for missing facts.

    ``kinds`` are the kinds of operator that the error can be about: with more than one the text leaves it open.
    """

    cause: Cause | None
    kinds: tuple[OperatorKind, ...] = ()
    operator_id: str | None = None
    task: str | None = None
    savepoint: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    """Facts of the message: ``was`` and ``now`` of a maximum parallelism, the ``path`` of a savepoint."""
    message: str | None = None
    """The innermost message, for a person to look at where the cause is not known."""
    is_trace: bool = True
    """The text looks like an exception."""

    def fact(self, name: str) -> str | None:
        return dict(self.facts).get(name)


def read_error(text: str) -> RestoreError:
    """The error in a text, which may be a whole log or a single line."""
    text = text.replace("\r\n", "\n")
    cause, facts = None, {}
    for candidate in CAUSES:
        match = candidate.pattern.search(text)
        if match is not None:
            cause, facts = candidate, {key: value for key, value in match.groupdict().items() if value is not None}
            break
    messages = [match for match in _OUTER.finditer(text) if match["message"]]
    operator = facts.pop("operator", None) or facts.pop("state", None)
    if operator is None and (operator_match := _OPERATOR_ID.search(text)):
        operator = operator_match[1]
    savepoint = _SAVEPOINT.search(text)
    kinds = operator_kinds(text)
    if cause is not None and cause.part is CausePart.KEY:
        kinds = tuple(kind for kind in kinds if kind.key)
    return RestoreError(
        cause,
        kinds,
        operator,
        next(_failed_tasks(text), None),
        savepoint["path"] if savepoint is not None else None,
        tuple(facts.items()),
        messages[-1]["message"] if messages else None,
        bool(messages) or _TRACE.search(text) is not None,
    )


def _failed_tasks(text: str) -> Iterator[str]:
    """The names of tasks of which a log says that they failed. A line may be as long as a whole log, so nothing here
    looks for one part of it from each place of another one.
    """
    for failure in _FAILURE.finditer(text):
        line = failure[1]
        numbers = [number.start() for number in _SUBTASK.finditer(line)]
        start = numbers[-1] if numbers else 0
        while start > 0:
            start = line.rfind(_LOGGED, 0, start + 2)
            name = start + len(_LOGGED) if start >= 0 else 0
            following = bisect_right(numbers, name)
            if following < len(numbers) and not line[name].isspace():
                yield line[name : numbers[following]]
                break
