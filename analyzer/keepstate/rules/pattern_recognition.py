"""Rules for MATCH_RECOGNIZE (spec section 12)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words

_HEALING = (
    "Without its state the job knows nothing of rows before the restart: matches that had begun by then are not found, "
    "those that begin later are right."
)
_SECOND_JOB = "Leave this job as it is, and run the new one as a second job beside it."
_AUTOMATON = "started matches are stored as states of the automaton of the old {}, so all of them are lost"
_PARTITION = "matches are kept by partition, and no stored partition fits the new ones, so all of them are lost"


def _rule(
    kind: K,
    spec: tuple[str, ...],
    title: str,
    change: str,
    consequence: str,
    advice: str = _SECOND_JOB,
    healing: str = _HEALING,
) -> Rule:
    return Rule(kind, QueryKind.PATTERN, spec, title, Words(change, consequence, healing, advice))


RULES = (
    _rule(K.PATTERN_CHANGED, ("PR-01",), "Another pattern", "{subject} {was} -> {now}", _AUTOMATON.format("pattern")),
    _rule(
        K.MEASURES_CHANGED,
        ("PR-02",),
        "Other measures",
        "{subject}",
        "the operator is compared with all of its measures, so its state is lost",
        "Compute it in an outer SELECT, from measures that are there; the names of measures are free.",
    ),
    _rule(
        K.AFTER_MATCH_CHANGED,
        ("PR-03",),
        "Another AFTER MATCH",
        "{was} -> {now}",
        "started matches are those that the old strategy left over, so all of them are lost",
    ),
    _rule(K.PARTITION_KEY_ADDED, ("PR-04",), "A partition key more", "{subject} added", _PARTITION),
    _rule(K.PARTITION_KEY_REMOVED, ("PR-04",), "A partition key less", "{subject} removed", _PARTITION),
    _rule(
        K.PARTITION_KEY_CHANGED,
        ("PR-04",),
        "Another partition key, or the same one computed differently",
        "partition key {was} -> {now}",
        _PARTITION,
    ),
    _rule(
        K.PATTERN_ORDER_CHANGED,
        ("PR-05",),
        "Another order of the rows",
        "order of the rows {was} -> {now}",
        "waiting rows and started matches are stored by the time that they are sorted by, so all of them are lost",
    ),
    _rule(
        K.DEFINE_CHANGED,
        ("PR-06",),
        "Another condition of a pattern variable",
        "{subject}",
        _AUTOMATON.format("conditions"),
    ),
    _rule(
        K.WITHIN_CHANGED,
        ("PR-06",),
        "Another WITHIN",
        "WITHIN {was} -> {now}",
        "started matches time out by the old limit, so all of them are lost",
    ),
    _rule(
        K.ROWS_PER_MATCH_CHANGED,
        ("PR-06",),
        "Other rows per match",
        "{was} -> {now}",
        "the operator gives other rows, so its state is lost",
    ),
    _rule(
        K.PATTERN_INPUT_CHANGED,
        ("SRC-09",),
        "Other columns in the rows that are searched",
        "{subject} in the rows that are searched",
        "the rows of started matches are stored with all of their columns, and the stored ones do not fit the new "
        "ones, so all of them are lost",
        "Leave the input as it is, and join the new column in behind the matches.",
    ),
    _rule(
        K.PATTERN_INPUT_TYPE_UNKNOWN,
        ("SRC-09",),
        "Columns of unknown type in the rows that are searched",
        "{subject} in the rows that are searched",
        "rows of started matches are stored whole, and the script does not tell whether their columns keep their "
        "types, so " + NOT_TOLD,
        "Declare the table with its columns, or cast the column to a type.",
        ONLY_AFTER,
    ),
)
