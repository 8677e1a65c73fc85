"""Cases of a run of ``check``, as files before and after, for tests of all formats."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs import BROKEN, DECLARED, INCOMPATIBLE, JOB, NOTICE, OPENED, OPENED_AND_LOST, PARTIAL, REFORMATTED, UNREAD

NASTY = "`b` ```|<b>@team #1</b> ![x](y) ::error::%0A%25 ]]>&amp; 日本😀 \x07\x1b[31m\u202e --> ##[error]"
"""Markup, commands, control characters and a reversed line; quotes are doubled where it becomes a literal."""
NASTY_NAME = "jobs/we`ird|na,me:1% <b>@team 日本.sql"
COMMAND_NAME = "::add-mask::a.flink.sql"
UNKNOWN = f"SET 'table.exec.unheard-of' = '1';\n{JOB}"


def with_literal(text: str, end: str = "\n") -> str:
    """The job with an aggregate more, whose condition holds ``text``."""
    literal = text.replace("'", "''")
    added = f"SUM(amount) AS amount, MAX(CASE WHEN region = '{literal}' THEN amount END) AS largest"
    return JOB.replace("SUM(amount) AS amount", added).replace("\n", end)


@dataclass(frozen=True)
class Case:
    """``before`` is committed, ``after`` is what the work tree holds then (``None``: the file is gone)."""

    name: str
    before: dict[str, str | bytes]
    after: dict[str, str | bytes | None]
    arguments: tuple[str, ...] = ()
    status: int = 0
    verdicts: dict[str, str] = field(default_factory=dict)
    """Of the findings that JSON tells, by path the first one; a path without finding stands for none."""
    gaps: tuple[str, ...] = ()
    """Words that every format has to say about what was not compared."""
    refusals: int = 0
    """Statements that leave the verdict unknown, in a file that is compared all the same."""


PATH = "jobs/a.sql"
ONE = {PATH: JOB}
LEDGER_ACCEPTS = "-- keepstate: accept window-size-changed because it is `meant` so | really\n"

CASES = (
    Case("nothing-changed", ONE, {}),
    Case("reformatted", ONE, {PATH: REFORMATTED}),
    Case(
        "twice",
        {**ONE, "jobs/b.sql": JOB},
        {PATH: INCOMPATIBLE, "jobs/b.sql": INCOMPATIBLE},
        status=1,
        verdicts={PATH: "incompatible", "jobs/b.sql": "incompatible"},
    ),
    Case("notice", ONE, {PATH: NOTICE}, verdicts={PATH: "compatible"}),
    Case("partial", ONE, {PATH: PARTIAL}, verdicts={PATH: "partial"}),
    Case("partial-fails", ONE, {PATH: PARTIAL}, ("--fail-on", "partial"), 1, {PATH: "partial"}),
    Case("incompatible", ONE, {PATH: INCOMPATIBLE}, status=1, verdicts={PATH: "incompatible"}),
    Case("never-fails", ONE, {PATH: INCOMPATIBLE}, ("--fail-on", "never"), 0, {PATH: "incompatible"}),
    Case(
        "worse-than-its-verdict",
        {PATH: OPENED},
        {PATH: OPENED_AND_LOST},
        ("--fail-on", "incompatible"),
        1,
        {PATH: "unknown"},
    ),
    Case("unknown", ONE, {PATH: UNKNOWN}, status=1, verdicts={PATH: "unknown"}),
    Case(
        "accepted",
        ONE,
        {PATH: INCOMPATIBLE.replace("FROM TABLE", f"{LEDGER_ACCEPTS}FROM TABLE")},
        verdicts={PATH: "incompatible"},
    ),
    Case("broken", ONE, {PATH: BROKEN}, status=2, gaps=("jobs/a.sql", "Flink refuses")),
    Case("unread", ONE, {PATH: UNREAD}, status=2, verdicts={PATH: "unknown"}, gaps=("jobs/a.sql", "cannot be read")),
    Case(
        "in-doubt",
        {PATH: DECLARED},
        {PATH: DECLARED.replace("'1' MINUTE", "'1' MINUTE, INTERVAL '2' MINUTE")},
        status=1,
        refusals=1,
    ),
    Case("refused-before", {PATH: BROKEN}, ONE, status=1, refusals=1),
    Case("refused-before-and-fine", {PATH: BROKEN}, ONE, ("--fail-on", "never"), refusals=1),
    Case("no-text", ONE, {PATH: b"\0" * 9}, status=2, gaps=("jobs/a.sql",)),
    Case("no-revision", ONE, {PATH: PARTIAL}, ("--against", "v9"), 2, gaps=("no revision 'v9'",)),
    Case(
        "half-of-it",
        ONE,
        {PATH: PARTIAL},
        (PATH, "nowhere/*.sql"),
        2,
        {PATH: "partial"},
        gaps=("nowhere", "No Flink SQL file is there"),
    ),
    Case("new", ONE, {"jobs/b.sql": JOB}),
    Case("deleted", ONE, {PATH: None}),
    Case(
        "everything",
        {**ONE, "jobs/b.sql": JOB, "jobs/c.sql": JOB, "jobs/d.sql": JOB, "jobs/f.sql": JOB},
        {
            PATH: INCOMPATIBLE,
            "jobs/b.sql": PARTIAL,
            "jobs/c.sql": BROKEN,
            "jobs/d.sql": None,
            "jobs/e.sql": JOB,
            "jobs/f.sql": UNREAD,
        },
        status=2,
        verdicts={PATH: "incompatible", "jobs/b.sql": "partial", "jobs/f.sql": "unknown"},
        gaps=("jobs/c.sql", "Flink refuses", "jobs/f.sql", "cannot be read"),
    ),
    Case("hostile-text", ONE, {PATH: with_literal(NASTY)}, verdicts={PATH: "partial"}),
    Case("hostile-lines", ONE, {PATH: with_literal(NASTY, "\r\n")}, verdicts={PATH: "partial"}),
    Case(
        "hostile-name", {NASTY_NAME: JOB}, {NASTY_NAME: INCOMPATIBLE}, status=1, verdicts={NASTY_NAME: "incompatible"}
    ),
    Case(
        "name-of-a-command",
        {COMMAND_NAME: JOB},
        {COMMAND_NAME: INCOMPATIBLE},
        status=1,
        verdicts={COMMAND_NAME: "incompatible"},
    ),
    Case(
        "unreadable-name",
        {NASTY_NAME: JOB},
        {NASTY_NAME: UNREAD},
        status=2,
        verdicts={NASTY_NAME: "unknown"},
        gaps=("cannot be read",),
    ),
    Case(
        "refused-in-a-hostile-name",
        {NASTY_NAME: JOB},
        {NASTY_NAME: BROKEN},
        status=2,
        gaps=("Flink refuses",),
    ),
    Case("very-long", ONE, {PATH: with_literal("x`|" * 40_000)}, verdicts={PATH: "partial"}),
)
