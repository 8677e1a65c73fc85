"""The reasons for which Flink refuses a savepoint, each with the words that it uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class CausePart(Enum):
    """The part of a job that a message is about."""

    KEY = "key"
    VALUE = "value"
    WINDOW = "window"
    SHAPE = "shape"
    """The operators of a job, and their connections."""
    OPERATOR_STATE = "operator-state"
    """The state of a source or sink, which its connector defines."""
    SETTING = "setting"
    SAVEPOINT = "savepoint"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause. ``happened`` explains it; ``steps`` are the remedy, in order."""

    id: str
    pattern: re.Pattern[str]
    part: CausePart
    title: str
    happened: str
    steps: tuple[str, ...]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


_SEE = "See which edit it is: keepstate check {file} --against {baseline}"
_BACK = "To run again at once, start the former SQL from the same savepoint: it was not touched, nothing is lost."
_EMPTY = (
    "To give the state up, start the new SQL without the savepoint; sources then begin where their options say "
    "(scan.startup.mode)."
)

CAUSES = (
    Cause(
        "key-gone",
        _pattern(
            r"Cannot map operator (?P<operator>[0-9a-f]{32}) with max parallelism (?P<was>\d+) to new program with max "
            r"parallelism (?P<now>1)(?!\d)"
        ),
        CausePart.KEY,
        "The operator has no key any more.",
        "Its state is divided by a key, and the new query keeps it as one piece (with a maximum parallelism of 1): its "
        "PARTITION BY or GROUP BY is gone. If pipeline.max-parallelism was set to 1, it is that.",
        (_SEE, "Take the edit of the key back, or let the new query run as a further one.", _BACK, _EMPTY),
    ),
    Cause(
        "max-parallelism",
        _pattern(
            r"Cannot map operator (?P<operator>[0-9a-f]{32}) with max parallelism (?P<was>\d+) to new program with max "
            r"parallelism (?P<now>\d+)"
        ),
        CausePart.SETTING,
        "The state is divided into another number of key groups.",
        "Flink divides keyed state into as many groups as the maximum parallelism and cannot divide it anew.",
        (
            "Set pipeline.max-parallelism to the number in the savepoint: SET 'pipeline.max-parallelism' = '{was}';",
            _SEE,
            _BACK,
        ),
    ),
    Cause(
        "parallelism-too-high",
        _pattern(
            r"maximum parallelism \((?P<was>\d+)\) of the restored state is lower than the configured parallelism "
            r"\((?P<now>\d+)\)"
        ),
        CausePart.SETTING,
        "The job asks for more parallelism than its state is divided for.",
        "Keyed state is divided into as many groups as the maximum parallelism was when the job first started, and no "
        "more subtasks than that can share them.",
        ("Set parallelism.default to {was} or less.", _BACK),
    ),
    Cause(
        "unmapped-operator",
        _pattern(
            r"Cannot map checkpoint/savepoint state for operator (?P<operator>[0-9a-f]{32}) to the new program|"
            r"There is no operator for the state (?P<state>[0-9a-f]{32})"
        ),
        CausePart.SHAPE,
        "The savepoint holds the state of an operator that the new job does not have.",
        "Operators are found by their ids. Unless told otherwise, Flink makes an id of the place of an operator in the "
        "job, not of what it does: besides an operator that is gone, one that came or went in front of it (a filter, a "
        "computed column, a watermark) or a further query or sink changes the ids of all behind it.",
        (
            _SEE,
            _BACK,
            "For later changes, keep ids stable: SET 'table.exec.uid.generation' = 'ALWAYS'; or run a compiled plan. "
            "Switching it on is itself such a change.",
            "To give up the state of that operator alone: "
            "SET 'execution.state-recovery.ignore-unclaimed-state' = 'true'; (before Flink 1.20: "
            "execution.savepoint.ignore-unclaimed-state; on the command line --allowNonRestoredState). The job then "
            "starts without a word about what it lost.",
        ),
    ),
    Cause(
        "key-serializer",
        _pattern(r"new key serializer .{0,400}?must be compatible with the previous key serializer"),
        CausePart.KEY,
        "The key of the state has another type, or another number of columns.",
        "Every entry in the state is found by its key, and Flink never converts keys.",
        (
            _SEE,
            "Take the edit of the key back, or let the new key run as a further query beside the old one.",
            _BACK,
            _EMPTY,
        ),
    ),
    Cause(
        "namespace-serializer",
        _pattern(
            r"new namespace serializer .{0,400}?must (?:be compatible|not be incompatible) with the (?:old|previous) "
            r"namespace serializer|Namespace must not be null"
        ),
        CausePart.WINDOW,
        "The state belongs to windows of another kind.",
        "State of windows is stored under the window, and the new query makes windows that are stored differently: a "
        "session in place of a fixed size, or the other way round.",
        (_SEE, "Take the edit of the window back, or let the new window run as a further query.", _BACK, _EMPTY),
    ),
    Cause(
        "operator-state-serializer",
        _pattern(r"new state typeSerializer for operator state must not be incompatible"),
        CausePart.OPERATOR_STATE,
        "A source or sink cannot read what it stored.",
        "What a connector stores (offsets, open transactions) has another format. That is about no query: the "
        "connector, its version, or an option that chooses another implementation of it changed.",
        ("Compare the versions of the connector's JAR on both sides.", _SEE, _BACK),
    ),
    Cause(
        "time-to-live",
        _pattern(r"(?:new|old) state serializer \([^)]{0,200}Ttl\w*Serializer"),
        CausePart.SETTING,
        "A time to live was switched on or off.",
        "With a time to live Flink stores a time stamp with every value. Before Flink 2.0 it can read neither one as "
        "the other; another length of time is no such change.",
        (
            "Set table.exec.state.ttl as it was, be it to 0; the STATE_TTL hint likewise.",
            _SEE,
            _BACK,
            _EMPTY,
        ),
    ),
    Cause(
        "state-serializer",
        _pattern(r"new state serializer .{0,600}?must not be incompatible with the old state serializer"),
        CausePart.VALUE,
        "What the operator stores has another layout.",
        "Flink compares the stored row with the one that the new query stores: the number of its fields and their "
        "types, in order, never their names. Before Flink 2.0 a time to live that was switched on or off can show as "
        "this, too.",
        (
            _SEE,
            "Take the edit back, or let what is new run as a further query that keeps its own state.",
            _BACK,
            _EMPTY,
        ),
    ),
    Cause(
        "state-backend",
        _pattern(r"Unexpected state handle type, expected(?: one of)?:? ?(?P<expected>.{0,200}?) found:? "),
        CausePart.SETTING,
        "The savepoint was written by another state backend.",
        "A checkpoint, or a savepoint in native format, can only be read by the state backend that wrote it.",
        (
            "Set state.backend.type to that of the job that wrote it.",
            "To change the backend, take a savepoint in canonical format: flink stop --type canonical ...",
        ),
    ),
    Cause(
        "missing-savepoint",
        _pattern(
            r"Cannot find (?:checkpoint or savepoint file/directory|meta data file '_metadata' in directory) "
            r"'(?P<path>[^']*)'"
        ),
        CausePart.SAVEPOINT,
        "There is no savepoint at that path.",
        "Flink looked for it before it looked at the job, so this says nothing about the SQL.",
        (
            "Look whether the path is that of a finished savepoint, with a file _metadata in it, and whether the "
            "cluster may read it.",
            "What was recorded at the deployment: keepstate deployed show {file}",
        ),
    ),
    Cause(
        "unreadable-savepoint",
        _pattern(
            r"Unexpected magic number|Unrecognized checkpoint version number|"
            r"Cannot (?:read|load) (?:the )?(?:checkpoint|savepoint) (?:meta ?data|version)"
        ),
        CausePart.SAVEPOINT,
        "The file is no savepoint, or one of a Flink version that cannot be read.",
        "Flink failed on the metadata, before it looked at the job, so this says nothing about the SQL.",
        ("Look whether the upload of the savepoint was complete, and which version of Flink wrote it.",),
    ),
    Cause(
        "missing-class",
        _pattern(
            r"(?:ClassNotFoundException: |NoClassDefFoundError: |Could not find class ')(?P<class>[\w.$/]+)|"
            r"local class incompatible: stream classdesc serialVersionUID"
        ),
        CausePart.LIBRARY,
        "A class that the state needs is missing, or is another version.",
        "The savepoint names classes of serializers; one of them comes from a JAR (of a function or a connector) that "
        "this job does not have, or has in another version.",
        ("Add the JARs that the former job ran with, in their versions.", _BACK),
    ),
)
"""In the order in which they are looked for: the more telling ones first."""
