"""The text format, on reports made by hand."""

from __future__ import annotations

import re
from dataclasses import replace

from keepstate.report import Clause, Effect, Finding, Fix, FixAction, PipelineVerdict, Problem, Report, Verdict
from keepstate.text import Span
from keepstate_lsp.cli.arguments import JobSettings
from keepstate_lsp.cli.formats.text import TextRenderer
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem, not_compared
from keepstate_lsp.cli.result.new_findings import BaselineOrigin
from keepstate_lsp.cli.terminal.styled_text import StyledText

SETTINGS = JobSettings()
HEAD = BaselineOrigin("HEAD (a1b2c3d)", "HEAD", "a1b2c3d" + "0" * 33, "jobs/orders.sql")
BASELINE = """\
INSERT INTO daily
SELECT region, window_start, window_end, COUNT(*), SUM(amount)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' MINUTE))
GROUP BY region, window_start, window_end;
"""
CURRENT = BASELINE.replace("'1' MINUTE", "'2' MINUTE").replace(", SUM(amount)", "")


def clause(text: str, part: str) -> Clause:
    start = text.index(part)
    return Clause(Span(start, start + len(part)), part)


def finding(
    current: Clause, baseline: Clause | None, verdict: Verdict, rule: str, change: str, removed: bool = False
) -> Finding:
    return Finding(
        rule,
        ("WTVF-11",),
        "window_tvf",
        verdict,
        Effect.STATE_LOST if verdict is Verdict.INCOMPATIBLE else Effect.STATE_DROPPED,
        change,
        "all state of the window is lost" if verdict is Verdict.INCOMPATIBLE else "its state is dropped",
        "Results are off until the first window that begins after the restart has closed."
        if verdict is Verdict.INCOMPATIBLE
        else "",
        "Run the new window as a second job beside this one." if verdict is Verdict.INCOMPATIBLE else "",
        current,
        baseline,
        removed,
        "INSERT INTO daily",
    )


def comparison() -> FileResult:
    window = "INTERVAL '{}' MINUTE"
    size = finding(
        clause(CURRENT, window.format(2)),
        clause(BASELINE, window.format(1)),
        Verdict.INCOMPATIBLE,
        "window-size-changed",
        "The window size changes from 1 minute to 2 minutes",
    )
    gone = finding(
        clause(CURRENT, "COUNT(*)"),
        clause(BASELINE, "SUM(amount)"),
        Verdict.COMPATIBLE,
        "aggregate-removed",
        "SUM(amount) is removed",
        removed=True,
    )
    report = Report(
        "vvr",
        Verdict.INCOMPATIBLE,
        Effect.STATE_LOST,
        (
            PipelineVerdict(
                "INSERT INTO daily", Span(0, len(CURRENT) - 2), Verdict.INCOMPATIBLE, Effect.STATE_LOST, (0, 1)
            ),
        ),
        (gone, size),
        (1,),
    )
    fix = Fix(FixAction("Put INTERVAL '1' MINUTE back", restores=True), "revert", Verdict.COMPATIBLE, ())
    return FileResult(
        "jobs/orders.sql", FileStatus.COMPARED, SETTINGS, HEAD, None, None, CURRENT, BASELINE, report, ((), (fix,))
    )


def test_findings() -> None:
    assert (
        TextRenderer(80).report([comparison()])
        == """\
jobs/orders.sql: incompatible with HEAD (a1b2c3d)

1 compatible[aggregate-removed] jobs/orders.sql:2:42
  SUM(amount) is removed: its state is dropped
  2 │ SELECT region, window_start, window_end, COUNT(*)
    │                                          --------
  was:  in line 2 of HEAD (a1b2c3d)
  2 │ SELECT region, window_start, window_end, COUNT(*), SUM(amount)
    │                                                    -----------

2 incompatible[window-size-changed] jobs/orders.sql:3:57
  The window size changes from 1 minute to 2 minutes: all state of the window is
  lost
  3 │ …TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '2' MINUTE))
    │                                                     ^^^^^^^^^^^^^^^^^^^
  was:  in line 3 of HEAD (a1b2c3d)
  3 │ …TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' MINUTE))
    │                                                     -------------------
  then: Results are off until the first window that begins after the restart has
        closed.
  help: Run the new window as a second job beside this one.
  fix:  Put INTERVAL '1' MINUTE back (compatible)

Incompatible: 2 findings (1 incompatible, 1 compatible); 1 file: 1 compared.
Revert finding 2, and jobs/orders.sql is compatible.

Next, on vvr: Take the change back, plan a cutover (keepstate cutover), or start
without state and accept it.
  If it is meant so:
    keepstate accept jobs/orders.sql --against HEAD --because '<reason>'
  Realtime Compute console: start in Initial Mode; Resume Mode would hand the
  former state to the new SQL.
  Flink SQL client or gateway: STOP JOB '<job id>' WITH SAVEPOINT; RESET
  'execution.state-recovery.path'; and the new SQL.
  Flink Kubernetes operator: after a savepoint, spec.job.upgradeMode: stateless,
  for this upgrade only.
  What makes it worse: allowNonRestoredState and
  execution.state-recovery.ignore-unclaimed-state drop state silently: only for
  a query removed on purpose.
"""
    )


def test_every_line_fits_the_terminal() -> None:
    for width in (40, 60, 80, 120):
        for line in TextRenderer(width).report([comparison()]).splitlines():
            # A place stays in one piece, so that terminals can open it.
            assert len(line) <= width or "jobs/orders.sql:" in line


def test_without_unicode() -> None:
    text = TextRenderer(50, encoding="ascii").report([comparison()])
    assert text.isascii()
    assert "  3 | ...TOR(order_time), INTERVAL '2' MINUTE))\n" in text
    assert "    |                     ^^^^^^^^^^^^^^^^^^^\n" in text


def test_colours_change_nothing_but_colours() -> None:
    plain = TextRenderer(80).report([comparison()])
    coloured = TextRenderer(80, color=True).report([comparison()])
    assert "\x1b[1;31mincompatible\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b" not in plain


def test_sql_cannot_steer_the_terminal() -> None:
    text = "SELECT '\x1b]0;title\x07', [red]b[/red] FROM t"
    report = Report("vvr", Verdict.UNKNOWN, Effect.UNDETERMINED)
    odd = finding(clause(text, "[red]b[/red]"), None, Verdict.UNKNOWN, "x", "[bold]x[/bold]\x1b[2J")
    report = Report("vvr", Verdict.UNKNOWN, Effect.UNDETERMINED, (), (odd,))
    drawn = TextRenderer(80, color=True).report(
        [FileResult("a\x1b[1m.sql", FileStatus.COMPARED, SETTINGS, HEAD, None, None, text, "", report)]
    )
    assert "[red]b[/red]" in drawn
    assert "[bold]x[/bold]" in drawn
    assert not re.search(r"\x1b(?!\[[0-9;]*m)", drawn)
    assert "\x1b[1m.sql" not in drawn


def test_the_other_states_of_a_file() -> None:
    files = [
        FileResult("a.sql", FileStatus.UNCHANGED, SETTINGS, HEAD),
        FileResult(
            "b.sql", FileStatus.NEW, SETTINGS, BaselineOrigin("HEAD", "HEAD"), "b.sql is not in HEAD: it is new."
        ),
        FileResult("c.sql", FileStatus.DELETED, SETTINGS, HEAD),
        not_compared("d.sql", SETTINGS, "d.sql is a binary file, not SQL text."),
        not_compared("e.sql", SETTINGS, "The repository has no revision 'v1'.", "git fetch --all --tags"),
    ]
    assert (
        TextRenderer(80).report(files)
        == """\
b.sql: new since HEAD, no state to lose

c.sql: deleted since HEAD (a1b2c3d)

d.sql: not compared: it is a binary file, not SQL text.

e.sql: not compared: The repository has no revision 'v1'. To mend: git fetch
--all --tags

Unknown: no findings; 5 files: 1 unchanged, 1 new, 1 deleted, 2 not compared.
"""
    )


def test_findings_beside_what_cannot_be_read_are_shown() -> None:
    whole = comparison()
    assert whole.report is not None
    report = Report(
        "vvr",
        Verdict.PARTIAL,
        Effect.STARTS_EMPTY,
        findings=whole.report.findings[:1],
        problems=(Problem("Expected a table.", Span(3, 4)),),
    )
    partly = FileResult(
        "a.sql", FileStatus.NOT_COMPARED, SETTINGS, HEAD, "1 place cannot be read.", None, CURRENT, BASELINE, report
    )
    text = TextRenderer(80).report([partly])
    assert text.startswith("a.sql: not compared: 1 place cannot be read.\n")
    assert "compatible[aggregate-removed] a.sql:2:42" in text
    assert text.endswith("Unknown: 1 finding (1 compatible); 1 file: 1 not compared.\n")


def test_pipelines_are_named_where_there_are_several() -> None:
    whole = comparison()
    assert whole.report is not None
    other = PipelineVerdict("INSERT INTO other", Span(0, 1), Verdict.COMPATIBLE, Effect.EXACT)
    report = Report(
        "vvr", Verdict.INCOMPATIBLE, Effect.STATE_LOST, (*whole.report.pipelines, other), whole.report.findings
    )
    two = FileResult("a.sql", FileStatus.COMPARED, SETTINGS, HEAD, None, None, CURRENT, BASELINE, report)
    assert "1 compatible[aggregate-removed] a.sql:2:42 in INSERT INTO daily\n" in TextRenderer(80).report([two])


def test_nothing_to_say() -> None:
    assert TextRenderer(80).report([]) == "Nothing to compare: no Flink SQL file changed.\n"
    assert TextRenderer(80).report([], [RunProblem("x", "It is gone.")]) == (
        "x: not compared: It is gone.\n\nNothing was compared.\n"
    )
    unchanged = FileResult("a.sql", FileStatus.UNCHANGED, SETTINGS, HEAD)
    assert TextRenderer(80).report([unchanged]) == "Compatible: no findings; 1 file: 1 unchanged.\n"


def test_of_fixes_that_change_little_one_is_shown() -> None:
    whole = comparison()
    fixes = tuple(
        Fix(FixAction(f"Fix {number}", restores=True), "revert", Verdict.INCOMPATIBLE, ()) for number in range(3)
    )
    some = replace(whole, fixes=((), fixes))
    assert re.findall(r"fix: .*", TextRenderer(80).report([some])) == ["fix:  Fix 0 (still incompatible)"]
    better = Fix(FixAction("Better", restores=False), "keep-both", Verdict.PARTIAL, ())
    some = replace(whole, fixes=((), (*fixes, better)))
    assert re.findall(r"fix: .*", TextRenderer(80).report([some])) == ["fix:  Better (partly compatible)"]


def test_quiet_is_one_line_a_finding() -> None:
    assert TextRenderer(80).findings([comparison()]) == (
        "jobs/orders.sql:2:42: compatible[aggregate-removed]: SUM(amount) is removed: its state is dropped\n"
        "jobs/orders.sql:3:57: incompatible[window-size-changed]: "
        "The window size changes from 1 minute to 2 minutes: all state of the window is lost\n"
    )


def test_long_words_are_cut_and_cells_are_counted() -> None:
    text = StyledText("one two ", "bold").append("三四五六七八 " + "x" * 12 + " end\n\nlast")
    assert [line.plain for line in text.wrapped(8)] == [
        "one two",
        "三四五六",
        "七八",
        "xxxxxxxx",
        "xxxx end",
        "",
        "last",
    ]
    assert [line.render(color=True) for line in text.wrapped(8)][:2] == ["\x1b[1mone two\x1b[0m", "三四五六"]
