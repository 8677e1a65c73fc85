"""Rules for sources (spec section 14)."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind as K
from keepstate.diff.changes import QueryKind
from keepstate.rules.phrases import NOT_TOLD, ONLY_AFTER
from keepstate.rules.rule import Rule, Words


def _rule(kind: K, spec: tuple[str, ...], title: str, *words: str) -> Rule:
    return Rule(kind, QueryKind.SOURCE, spec, title, Words(*words))


RULES = (
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
        K.SOURCE_DECLARATION_MOVED,
        (),
        "A source table that the script declares on one side only",
        "{subject} was declared {was}, and is declared {now}",
        "a catalog does not show whether both declarations agree, so " + NOT_TOLD,
        ONLY_AFTER,
        "Compare the declarations by hand: connector, columns, their types, the watermark.",
    ),
    _rule(
        K.SOURCE_COLUMNS_UNKNOWN,
        (),
        "`*` of a table that the script does not declare",
        "`*` may stand for other columns than before",
        "the script does not declare {subject}, so it cannot be known whether the stored rows still fit",
        ONLY_AFTER,
        "Declare {subject} in the script; or name the columns on both sides.",
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
        ("SRC-04", "SNK-06"),
        "Another primary key of a source",
        "{subject} {was} -> {now}",
        "operators behind it may keep their rows by another key, so " + NOT_TOLD,
        ONLY_AFTER,
        "Keep the key.",
    ),
    _rule(
        K.SOURCE_SHARDING_CHANGED,
        ("SRC-05",),
        "Another way to read a source's snapshot",
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
    Rule(
        K.SOURCE_DATA_CHANGED,
        QueryKind.SOURCE,
        ("SRC-10",),
        "Other data of a source",
        Words(
            "{subject} {was} -> {now}",
            "the state is kept and goes on with other rows",
            "Results are made of both: of what was read before the restart and of what is read now.",
            "If the rows do not belong together, start the job without state.",
        ),
        is_notice=True,
    ),
    _rule(
        K.UPSERT_SOURCE_ROW_CHANGED,
        ("SRC-09",),
        "Other columns read from a source of upserts",
        "{subject}",
        "behind a source of upserts Flink keeps the last row of every key, with the columns that the query reads, so "
        + NOT_TOLD,
        ONLY_AFTER,
        "Test the restart first. Read spare columns from the start where more may be needed later.",
    ),
)
