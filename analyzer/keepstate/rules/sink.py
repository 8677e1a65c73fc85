"""Rules for sinks and the INSERTs that fill them (spec sections 15, 16)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import FROM_RESTART, NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.SINK, spec, title, Words(*words))


RULES = (
    _rule(
        K.UPSERT_KEY_CHANGED,
        ("SNK-06",),
        "Updates that reach a sink by another key",
        "{subject}: {was} -> {now}",
        "an operator that orders updates for the sink may appear, vanish or change, so " + NOT_TOLD,
        ONLY_AFTER,
        "Fill the primary key with the columns by which rows are updated, as before.",
    ),
    _rule(
        K.PIPELINE_ADDED,
        ("OL-04", "SNK-04"),
        "A query with state more in the job",
        "{subject} added, a query that keeps state",
        "the savepoint has nothing for it, and the job does not restore with it",
        "Until it is started without state.",
        "Deploy the new query as a job of its own.",
    ),
    _rule(
        K.PIPELINE_REMOVED,
        ("SNK-01", "OL-06"),
        "A query less in the job",
        "{subject} removed",
        "its state is dropped; the other queries go on",
        "All other results stay exact.",
        "Nothing to do, if it is no longer wanted.",
    ),
    _rule(
        K.SINK_CHANGED,
        ("SNK-03", "SNK-05"),
        "A sink renamed, or another connector or option of it",
        "{subject} {was} -> {now}",
        "with ignore-sink switched off a sink counts as state, and this one is another",
        FROM_RESTART,
        "Leave 'table.optimizer.state-compatibility.ignore-sink' at its default, true.",
    ),
    _rule(
        K.SINK_COLUMNS_CHANGED,
        ("SNK-05",),
        "Other columns of a sink",
        "columns of {subject}: {was} -> {now}",
        "with ignore-sink switched off a sink counts as state, and this one is another",
        FROM_RESTART,
        "Leave 'table.optimizer.state-compatibility.ignore-sink' at its default, true.",
    ),
    _rule(
        K.SINK_PRIMARY_KEY_CHANGED,
        ("SNK-06",),
        "Another primary key of a sink",
        "{subject} {was} -> {now}",
        "an operator that orders rows for the sink may appear, vanish or change, so " + NOT_TOLD,
        ONLY_AFTER,
        "Test the restart first.",
    ),
)
