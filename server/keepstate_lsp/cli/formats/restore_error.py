"""The explanation of an exception of Flink, as text or JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from keepstate_lsp.restore_errors import CausePart, OperatorKind, RestoreError
from keepstate_lsp.version import VERSION

_WIDTH = 100
_NOTHING = "Nothing in it says which operator it is about."
_PART_OF_NO_QUERY = {
    CausePart.OPERATOR_STATE: "It is about the state of a connector, and about no clause of a query.",
    CausePart.SETTING: "It is about a setting of the job, and about no clause of a query.",
    CausePart.SAVEPOINT: "It is about the savepoint, and about no clause of a query.",
    CausePart.LIBRARY: "It is about the libraries of the job, and about no clause of a query.",
}


@dataclass(frozen=True)
class ClauseAt:
    """A clause that makes the state of an operator that the error may be about."""

    place: str
    text: str
    operator: str
    title: str


@dataclass(frozen=True)
class FindingAt:
    """A finding of the comparison; ``there``: the finding is about an operator of the kind in question."""

    place: str
    rule: str
    verdict: str
    message: str
    there: bool


@dataclass(frozen=True)
class ErrorExplanation:
    """The explanation of an error. ``clauses`` are ``None`` without SQL, ``findings`` without a comparison."""

    error: RestoreError
    clauses: tuple[ClauseAt, ...] | None = None
    findings: tuple[FindingAt, ...] | None = None
    file: str = "FILE.sql"
    baseline: str = "deployed"

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the remedy, in order."""
        if self.error.cause is None:
            return ()
        values = {"{file}": self.file, "{baseline}": self.baseline, "{was}": self.error.fact("was") or "N"}
        return tuple(_filled(step, values) for step in self.error.cause.steps)

    def where(self) -> Iterator[str]:
        """The subject of the error, in sentences, and the questions that it leaves open."""
        error = self.error
        assert error.cause is not None
        if error.cause.part in _PART_OF_NO_QUERY:
            yield _PART_OF_NO_QUERY[error.cause.part]
        elif not error.kinds:
            yield _NOTHING
            if error.cause.part is CausePart.SHAPE:
                yield "An operator id is a digest, from which no clause can be told."
        else:
            yield from _of_kinds(error.kinds, error.cause.part)
        if error.task is not None:
            yield f"The task that failed: {error.task}"
        if error.operator_id is not None:
            yield f"Operator id: {error.operator_id}"
        if error.savepoint is not None:
            yield f"Savepoint: {error.savepoint}"

    def sentences(self) -> Iterator[str]:
        """Sentences about the clauses that the SQL and the comparison leave."""
        if self.clauses is not None and not self.clauses and self.error.kinds:
            yield f"{self.file} has no such query: the savepoint may be that of another job."
        elif self.clauses is not None and len({clause.title for clause in self.clauses if clause.operator}) > 1:
            yield "Which of these clauses it is about cannot be told from the error."
        if self.findings is None:
            return
        present = [finding for finding in self.findings if finding.there]
        if not self.findings:
            yield f"The comparison with {self.baseline} finds nothing: it may be another version than the one that ran."
        elif not present and self.error.kinds:
            yield "The comparison finds nothing at such an operator; these are its findings elsewhere:"
        elif not present:
            yield "Each finding of the comparison may be the reason:"
        elif len(present) > 1:
            yield "Each of these may be what Flink met first:"


def _of_kinds(kinds: Sequence[OperatorKind], part: CausePart) -> Iterator[str]:
    if len(kinds) > 1:
        yield "The operator is one of a kind that several queries use, and which one it is cannot be told: it may be"
        for kind in kinds:
            clause = _made_by(kind, part)
            yield f"  {kind.words}" + (f" (look at {clause})" if clause else "")
        return
    (kind,) = kinds
    yield f"The operator is {kind.words}."
    clause = _made_by(kind, part)
    if clause:
        yield f"Look at {clause}."


def _made_by(kind: OperatorKind, part: CausePart) -> str:
    """The part of the SQL that makes a part of the state."""
    return {
        CausePart.KEY: kind.key,
        CausePart.VALUE: kind.value,
        CausePart.WINDOW: "the window: its kind, size and gap",
    }.get(part, "")


def page(explanation: ErrorExplanation) -> str:
    """The explanation for a person."""
    error = explanation.error
    if error.cause is None:
        return "".join(f"{line}\n" for line in _unknown(error))
    lines = [error.cause.title, *_wrapped(error.cause.happened, "  "), "", "Where"]
    for sentence in explanation.where():
        lines += _wrapped(sentence, "  ")
    for clause in explanation.clauses or ():
        lines.append(f"  {clause.place}  {clause.text}")
        lines.append(f"      {clause.operator}: {clause.title}")
    for sentence in explanation.sentences():
        lines += _wrapped(sentence, "  ")
    for finding in explanation.findings or ():
        lines.append(f"  {finding.place}  {finding.verdict}[{finding.rule}]")
        lines += _wrapped(finding.message, "      ")
    if explanation.clauses is None and explanation.error.kinds:
        lines += _wrapped("To see the clauses: --sql FILE.sql, and --against BASELINE to see what changed there.", "  ")
    lines += ["", "What to do"]
    for number, step in enumerate(explanation.steps, 1):
        first, *rest = _wrapped(step, "     ")
        lines += [f"  {number}. {first.strip()}", *rest]
    return "".join(f"{line}\n" for line in lines)


def _unknown(error: RestoreError) -> Iterator[str]:
    if not error.is_trace:
        yield "This is no exception of Flink: paste the whole stack trace, with every 'Caused by'."
        return
    yield "This is none of the reasons for which Flink is known to refuse a savepoint."
    if error.message is not None:
        yield from _wrapped(f"Its innermost message: {error.message}", "  ")
    yield "Wrappers alone do not tell the reason: paste the whole stack trace, down to the last 'Caused by'."


def explanation_document(explanation: ErrorExplanation) -> dict[str, Any]:
    """The explanation, version 1 of its format."""
    error, cause = explanation.error, explanation.error.cause
    return {
        "version": 1,
        "tool": {"name": "keepstate", "version": VERSION},
        "cause": None if cause is None else cause.id,
        "part": None if cause is None else cause.part.value,
        "title": None if cause is None else cause.title,
        "happened": None if cause is None else cause.happened,
        "operator": {
            "kinds": [kind.id for kind in error.kinds],
            "certain": len(error.kinds) == 1,
            "id": error.operator_id,
            "task": error.task,
        },
        "savepoint": error.savepoint,
        "facts": dict(error.facts),
        "message": error.message,
        "clauses": None if explanation.clauses is None else [asdict(clause) for clause in explanation.clauses],
        "findings": None if explanation.findings is None else [asdict(finding) for finding in explanation.findings],
        "steps": list(explanation.steps),
    }


def _filled(step: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        step = step.replace(name, value)
    return step


def _wrapped(text: str, indent: str) -> list[str]:
    own = " " * (len(text) - len(text.lstrip()))
    return textwrap.wrap(
        text.strip(),
        _WIDTH,
        initial_indent=indent + own,
        subsequent_indent=indent + own,
        break_long_words=False,
        break_on_hyphens=False,
    )
