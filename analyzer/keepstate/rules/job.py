"""Rules about the job as a whole: filters and inputs in front of state, tables, pipelines, engine, and what cannot be
told (spec sections 13 to 17).
"""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words

_FILTERED = "the rows behind it are others than those in the state, which is not reused"
_FILTER_HEALING = "Started without state, results count from the restart."
_FILTER_ADVICE = (
    "If figures up to now may stand as they are, set 'table.optimizer.state-compatibility.ignore-filter' = 'true'."
)
_INPUT = "the state behind it was made of other inputs, and is not reused"


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.JOB, spec, title, Words(*words))


RULES = (
    _rule(
        K.FILTER_ADDED,
        ("WH-01",),
        "A filter more in front of state",
        "{subject} added in front of state",
        _FILTERED,
        _FILTER_HEALING,
        _FILTER_ADVICE,
    ),
    _rule(
        K.FILTER_REMOVED,
        ("WH-01",),
        "A filter less in front of state",
        "{subject} removed in front of state",
        _FILTERED,
        _FILTER_HEALING,
        _FILTER_ADVICE,
    ),
    _rule(
        K.FILTER_CHANGED,
        ("WH-01",),
        "Another filter in front of state",
        "filter {was} -> {now} in front of state",
        _FILTERED,
        _FILTER_HEALING,
        _FILTER_ADVICE,
    ),
    _rule(
        K.INPUT_ADDED,
        ("UA-02",),
        "An input more in front of state",
        "{subject} added in front of state",
        _INPUT,
        _FILTER_HEALING,
        "Read the new input in a second INSERT into the same sink.",
    ),
    _rule(
        K.INPUT_REMOVED,
        ("UA-02",),
        "An input less in front of state",
        "{subject} removed in front of state",
        _INPUT,
        _FILTER_HEALING,
        "Leave the input in the query and let it run dry.",
    ),
    _rule(
        K.STATE_ADDED,
        ("OL-04", "CMB-01"),
        "A stateful operator more in a query",
        "{subject} added to the query",
        "it has no state in the savepoint, and all that follows it gets other rows, so state is lost",
        _FILTER_HEALING,
        "Deploy the new computation as a job of its own.",
    ),
    _rule(
        K.STATE_REMOVED,
        (),
        "A stateful operator less in a query",
        "{subject} removed from the query",
        "its state has no place to go, and " + NOT_TOLD,
        ONLY_AFTER,
        "Test the restart first, or run the changed query as a job of its own.",
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
        K.TEMPORARY_TABLE_CHANGED,
        ("OL-05",),
        "A temporary table changed together with a removed INSERT",
        "an INSERT went while a temporary table changed or went ({subject})",
        NOT_TOLD,
        ONLY_AFTER,
        "Leave the CREATE TEMPORARY TABLE statement as it is when an INSERT goes.",
    ),
    _rule(
        K.SOURCE_RENAMED,
        ("SRC-08",),
        "A source table renamed",
        "source table {was} -> {now}",
        "the state of a source is found by its table's name, so it is lost, and with it what was read so far",
        "Until all of the input has been read again.",
        "Keep the name; a view may give the table another one inside of the query.",
    ),
    _rule(
        K.SOURCE_CONNECTOR_CHANGED,
        ("SRC-07",),
        "Another connector of a source",
        "{subject} {was} -> {now}",
        "another connector cannot read the source's stored positions, so they are lost",
        "Until all of the input has been read again.",
        "Start the job on the new source without state, from a position that you choose.",
    ),
    _rule(
        K.SOURCE_PRIMARY_KEY_CHANGED,
        ("SRC-04",),
        "Another primary key of a source",
        "{subject} {was} -> {now}",
        "operators behind it may keep their rows by another key, so " + NOT_TOLD,
        ONLY_AFTER,
        "Keep the key.",
    ),
    _rule(
        K.SOURCE_SHARDING_CHANGED,
        ("SRC-05",),
        "Another key that splits a source's snapshot",
        "{subject} {was} -> {now}",
        "positions stored during the snapshot phase may be useless, so " + NOT_TOLD,
        ONLY_AFTER,
        "Change it only after the snapshot phase has ended.",
    ),
    _rule(
        K.SOURCE_CHANGELOG_CHANGED,
        ("SRC-06",),
        "Another changelog mode of a source",
        "{subject} {was} -> {now}",
        "operators behind it may be planned differently, so " + NOT_TOLD,
        ONLY_AFTER,
        "Keep the mode, or test the restart first.",
    ),
    _rule(
        K.SINK_CHANGED,
        ("SNK-03", "SNK-05"),
        "A sink renamed, or another connector or option of it",
        "{subject} {was} -> {now}",
        "with ignore-sink switched off a sink counts as state, and this one is another",
        _FILTER_HEALING,
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
    _rule(
        K.FUNCTION_IMPLEMENTATION_CHANGED,
        ("OL-02",),
        "Another implementation of a function",
        "{subject} {was} -> {now}",
        "the check cannot look into an archive, so " + NOT_TOLD,
        ONLY_AFTER,
        "Check by hand that the function keeps its accumulator and its results.",
    ),
    _rule(
        K.SETTING_CHANGED,
        (),
        "A setting that shapes the plan",
        "{subject} {was} -> {now}",
        "the planner may choose other operators for the same query, so " + NOT_TOLD,
        ONLY_AFTER,
        "Change it in a restart of its own, and test that first.",
    ),
    _rule(
        K.SURROUNDINGS_CHANGED,
        (),
        "A statement around the queries that their names depend on",
        "{subject} ... changed",
        "names in the queries may stand for other things now, so " + NOT_TOLD,
        ONLY_AFTER,
        "Check by hand that every table and function is still the same.",
    ),
    _rule(
        K.LOOKUP_JOIN_MAY_KEEP_STATE,
        ("JL-03",),
        "A lookup join that may keep state",
        "a query with a lookup join changed while non-deterministic updates are set to {now}",
        "the lookup join may then keep state, which the platform's check does not see, so " + NOT_TOLD,
        ONLY_AFTER,
        "Start without state, or do without the option.",
    ),
    _rule(
        K.ENGINE_VERSION_CHANGED,
        ("OL-01", "CFG-04", "CFG-05"),
        "Another engine version",
        "engine {was} -> {now}",
        "another Flink version may plan the same SQL differently, so " + NOT_TOLD,
        ONLY_AFTER,
        "Upgrade and edit in separate steps.",
    ),
    _rule(
        K.KINDS_OF_CHANGE_MIXED,
        ("OL-03", "CMB-03"),
        "Several kinds of changes at once",
        "{subject} changed together with {now}",
        "the check decides on one kind of change at a time, so " + NOT_TOLD,
        ONLY_AFTER,
        "Deploy the changes one after the other.",
    ),
    _rule(
        K.NOT_JUDGED,
        (),
        "A change that no rule speaks about",
        "{subject} changed",
        "Keepstate has no rule for it yet, so " + NOT_TOLD,
        ONLY_AFTER,
        "Ask the platform's own check at the start of the job.",
    ),
    _rule(
        K.CONSTRUCT_NOT_SUPPORTED,
        (),
        "A construct that is not analysed",
        "{subject} is not analysed, and the query changed",
        "what state it keeps is not known, so " + NOT_TOLD,
        ONLY_AFTER,
        "Ask the platform's own check at the start of the job.",
    ),
    _rule(
        K.STATEMENT_NOT_READ,
        (),
        "A statement that cannot be read",
        "{subject}",
        "nothing can be said about the queries that need it",
        ONLY_AFTER,
        "Repair the statement.",
    ),
)
