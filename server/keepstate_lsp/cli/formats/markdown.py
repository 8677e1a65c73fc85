"""Markdown for a comment on a pull or merge request.

One table of jobs; findings, commands to accept them and next steps are folded. No text of a job's SQL becomes markup or
mentions a user. Hosts refuse comments that are too long, so the longest part, the findings, is shortened first, and the
comment says how much is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from keepstate.report import Finding, Fix, Verdict
from keepstate.reporting.next_steps import Guide
from keepstate_lsp.cli.formats.finding_places import baseline_place, current_place
from keepstate_lsp.cli.paths import is_file
from keepstate_lsp.cli.result.advice import accept_command, advice, file_name
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus
from keepstate_lsp.cli.result.not_compared import Gap, gaps
from keepstate_lsp.cli.result.real_flink.measured_restarts import MeasuredJob
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer
from keepstate_lsp.cli.result.run_result import RunResult
from keepstate_lsp.cli.result.run_scope import Notice
from keepstate_lsp.cli.result.summary import (
    STATUS_WORDS,
    counted,
    findings_before,
    job_verdict,
    nothing_compared,
    run_verdict,
    summary,
    ways_back,
)
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened, visible
from keepstate_lsp.reporting.cutover_outlook import plan_command
from keepstate_lsp.reporting.effects import alarm, with_effect
from keepstate_lsp.reporting.finding_groups import leaders

LIMIT = 65_536
"""Characters of a comment on GitHub; GitLab takes more. Counted in UTF-16 units, so that no way of counting is less."""
MARK = "<!-- keepstate -->"
"""The first line, by which a later run finds the comment to put its own in place of."""

_SPARE = 1_000
"""Characters kept for the sentences about omissions."""
_LONGEST_CLAUSE = 600
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&$]|^[-+=]|(?<=www)\.|:(?=//)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d+)([.)])")
_CALLS = re.compile(r"[@#](?=\w)")
"""Signs that make a host mention a user, or link to an issue."""


def comment(result: RunResult) -> str:
    """The whole comment, at most ``LIMIT`` characters long."""
    head, foot = list(_head(result)), list(_foot(result))
    room = _Room(LIMIT - _SPARE - _size(head) - _size(foot))
    gap_list = gaps(result.comparisons, result.problems)
    missing = room.filled(map(_gap_line, gap_list), room.left // 3)
    ordered = sorted(result.comparisons, key=lambda one: (-_rank(one), one.path or ""))
    rows = room.filled((_row(comparison, result) for comparison in ordered), room.left // 2)
    lines = [*head]
    if missing.lines or missing.left_out:
        lines += [
            "### Not valid, or not compared" if any(gap.stops for gap in gap_list) else "### In doubt",
            "",
            *missing.lines,
            *missing.words("more could not be compared"),
            "",
        ]
    left_out = room.filled((_notice_line(notice, result) for notice in result.notices), room.left // 4)
    if left_out.lines or left_out.left_out:
        lines += ["### Left out", "", *left_out.lines, *left_out.words("more files were left out"), ""]
    if rows.lines:
        lines += ["| job | verdict | findings | compared with |", "|---|---|---|---|", *rows.lines, ""]
        lines += [*rows.words("more jobs are not in this table"), ""] if rows.left_out else []
    measured = room.filled(map(_measured_line, _measured(ordered)), room.left // 4)
    if measured.lines or measured.left_out:
        lines += ["### On a real Flink", "", *measured.lines, *measured.words("more answers"), ""]
    outlooks = (_outlook_line(comparison, result) for comparison in ordered if comparison.outlook is not None)
    plans = room.filled(outlooks, room.left // 4)
    if plans.lines or plans.left_out:
        lines += ["### Without a wrong result", "", *plans.lines, *plans.words("more plans"), ""]
    missed = 0
    for comparison in ordered:
        block = _findings(comparison, result, room)
        lines += block.lines
        missed += block.left_out
    # Findings come first where there is no room for all.
    for comparison in ordered:
        lines += _diagram(comparison, result, room)
    if missed:
        lines += [f"{counted(missed, 'finding')} did not fit in here: run `keepstate check`, or see the log.", ""]
    return "\n".join([*lines, *foot]).rstrip() + "\n"


def _measured(comparisons: Sequence[FileResult]) -> Iterator[tuple[str, MeasuredJob | PlannedAnswer]]:
    """Restarts and answers of the planner, by file."""
    for comparison in comparisons:
        path = comparison.path or ""
        yield from ((path, job) for job in comparison.measured)
        yield from ((path, answer) for answer in comparison.planned)


def _measured_line(measured: tuple[str, MeasuredJob | PlannedAnswer]) -> str:
    path, job = measured
    return f"- {code(path)}: {prose(job.sentence)}"


def _outlook_line(comparison: FileResult, result: RunResult) -> str:
    assert comparison.outlook is not None
    path = file_name(comparison, result.places)
    against = None if comparison.origin is None else comparison.origin.spec
    command = code(plan_command(path, against, comparison.settings.options))
    return f"- {code(path or '')}: {prose(comparison.outlook.sentence)} The steps: {command}"


def prose(text: str) -> str:
    """``text`` on one line, escaped so that Markdown shows it unchanged and mentions no user."""
    # Mentions first: a sign to escape may follow the @, as in @_.
    called = _CALLS.sub("\\g<0>\N{ZERO WIDTH SPACE}", one_line(text))
    return _NUMBERED.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", called))


def code(text: str) -> str:
    """``text`` as a code span, with any backticks in it."""
    line = one_line(text)
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fenced(text: str, language: str, indent: str = "") -> list[str]:
    """``text`` as a code block."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return [f"{indent}{line}".rstrip() for line in (f"{ticks}{language}", *visible(text).split("\n"), ticks)]


class _Kept:
    """The kept pieces of a part, and the number of those left out."""

    def __init__(self, lines: list[str], left_out: int) -> None:
        self.lines = lines
        self.left_out = left_out

    def words(self, noun: str) -> list[str]:
        return ["", f"{self.left_out} {noun}."] if self.left_out else []


class _Room:
    """The number of characters that are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, lines: Sequence[str]) -> bool:
        size = _size(lines)
        if size > self.left:
            return False
        self.left -= size
        return True

    def filled(self, lines: Iterator[str], most: int) -> _Kept:
        """As many lines as fit into ``most`` characters."""
        share = _Room(min(most, self.left))
        lines_kept: list[str] = []
        left_out = 0
        for line in lines:
            if left_out or not share.take([line]):
                left_out += 1
            else:
                lines_kept.append(line)
        self.left -= _size(lines_kept)
        return _Kept(lines_kept, left_out)


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-16-le", "surrogatepass")) // 2 + 1 for line in lines)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


# ---------------------------------------------------------------------------------------------------- parts


def _head(result: RunResult) -> Iterator[str]:
    yield MARK
    if not result.comparisons:
        yield from ("## Keepstate", "", prose(nothing_compared(result.problems, result.scope)), "")
        return
    verdict = run_verdict(result.comparisons, result.problems)
    yield from (f"## Keepstate: {verdict.value}", "", f"{summary(result.comparisons)}", "")


def _gap_line(gap: Gap) -> str:
    where = "" if gap.path is None else f"{code(gap.path)}: "
    mend = "" if gap.mend is None else f" To mend: {code(gap.mend)}"
    note = " (in the baseline)" if gap.side == "baseline" else ""
    line = ""
    if gap.place is not None:
        lines, span = gap.place
        line = f"line {lines.position(span.start).line + 1}: "
    return f"* {where}{line}{prose(gap.sentence)}{note}{mend}"


def _notice_line(notice: Notice, result: RunResult) -> str:
    where = "" if notice.path is None else f"{code(result.places.name(notice.path))}: "
    return f"* {where}{prose(notice.words)}"


def _row(comparison: FileResult, result: RunResult) -> str:
    findings = comparison.report.findings if comparison.report is not None else ()
    accepted = sum(finding.accepted is not None for finding in findings)
    before = len(findings_before(comparison))
    notes = [f"{count} {label}" for count, label in ((accepted, "accepted"), (before, "there before")) if count]
    number = str(len(findings) or "") + (f" ({', '.join(notes)})" if notes else "")
    origin = prose(comparison.origin.words) if comparison.origin is not None else ""
    return f"| {prose(_name(comparison, result))} | {_verdict_words(comparison)} | {number} | {origin} |"


def _findings(comparison: FileResult, result: RunResult, room: _Room) -> _Kept:
    """The findings of a file, folded; those that do not fit are counted."""
    findings = comparison.report.findings if comparison.report is not None else ()
    if not findings:
        return _Kept([], 0)
    summary = f"{_verdict_words(comparison)}, {counted(len(findings), 'finding')}"
    opening = ["<details>", f"<summary>{_html_code(_name(comparison, result))}: {summary}</summary>", ""]
    closing = [f"{prose(sentence.format(path=_name(comparison, result)))}\n" for sentence in ways_back(comparison)]
    closing += ["</details>", ""]
    if not room.take([*opening, *closing]):
        return _Kept([], len(findings))
    lines_kept: list[str] = []
    for index in range(len(findings)):
        lines = [*_finding(comparison, index, result), ""]
        if not room.take(lines):
            # The comment counts the omitted findings at its end.
            return _Kept([*opening, *lines_kept, *closing], len(findings) - index)
        lines_kept += lines
    return _Kept([*opening, *lines_kept, *closing], 0)


def _diagram(comparison: FileResult, result: RunResult, room: _Room) -> list[str]:
    """The diagram of a file, folded; empty if it does not fit: `keepstate plan` draws it as well."""
    if not comparison.diagram:
        return []
    lines = [
        "<details>",
        f"<summary>Plan of {_html_code(_name(comparison, result))}</summary>",
        "",
        *fenced(comparison.diagram.rstrip("\n"), "mermaid"),
        "",
        "</details>",
        "",
    ]
    return lines if room.take(lines) else []


def _html_code(text: str) -> str:
    return f"<code>{escape(one_line(text)).replace('@', '@&#8203;')}</code>"


def _finding(comparison: FileResult, index: int, result: RunResult) -> Iterator[str]:
    assert comparison.report is not None
    finding = comparison.report.findings[index]
    place, was = current_place(comparison, finding), baseline_place(comparison, finding)
    url = result.rule_url(finding.rule)
    rule = f"`{finding.rule}`" if url is None else f"[`{finding.rule}`]({url})"
    where = f"line {place.lines.position(place.span.start).line + 1}"
    if place.path != comparison.path and is_file(place.path):
        where += f" of {code(result.places.name(place.path))}"
    leader = leaders(comparison.report.findings)[index]
    if leader != index and comparison.is_added(comparison.report.findings[leader]):
        yield f"{index + 1}. {rule}, {where}: as finding {leader + 1}: {prose(finding.change)}."
        return
    accepted = ""
    if finding.accepted is not None:
        until = f" until {finding.accepted.until}" if finding.accepted.until is not None else ""
        accepted = f" *Accepted{until}: {prose(finding.accepted.because)}*"
    if not comparison.is_added(finding):
        accepted += " *There before this change.*"
    verdict = f"{alarm(finding.effect)}**{with_effect(finding.verdict.value, finding.effect)}**"
    yield f"{index + 1}. {verdict} {rule}, {where}: {prose(finding.message)}.{accepted}"
    yield ""
    before = [] if was is None else _marked("-", was.span.of(was.lines.text))
    after = [] if finding.removed else _marked("+", place.span.of(place.lines.text))
    if before or after:
        yield from fenced("\n".join([*before, *after]), "diff", "   ")
        yield ""
    if finding.accepted is None:
        words = [prose(sentence) for sentence in (finding.recovery, finding.advice) if sentence]
        words += [f"Fix: {prose(fix.title)}." for fix in _offered(comparison, index)]
        if words:
            yield f"   {' '.join(words)}"


def _offered(comparison: FileResult, index: int) -> list[Fix]:
    fixes = comparison.fixes[index] if comparison.fixes else ()
    better = [fix for fix in fixes if fix.verdict_after.rank < comparison.verdict.rank]
    return [*(better or fixes[:1])]


def _marked(mark: str, text: str) -> list[str]:
    return [f"{mark} {line}" for line in shortened(visible(text), _LONGEST_CLAUSE).split("\n")]


def _foot(result: RunResult) -> Iterator[str]:
    open_findings = [
        (comparison, finding)
        for comparison in result.comparisons
        if comparison.report is not None
        for finding in comparison.report.findings
        if comparison.counts(finding) and finding.verdict is not Verdict.COMPATIBLE
    ]
    if open_findings:
        yield from ("<details>", "<summary>How to accept what is meant so</summary>", "")
        yield from _accepting(*open_findings[0], result, many=len(open_findings) > 1)
        yield from ("</details>", "")
    for engine, guides in advice(result.comparisons, result.places):
        yield from ("<details>", f"<summary>What to do next, on {escape(one_line(engine))}</summary>", "")
        for guide in guides:
            yield from _guide(guide)
        yield from ("</details>", "")


def _accepting(comparison: FileResult, finding: Finding, result: RunResult, many: bool) -> Iterator[str]:
    command = accept_command([comparison], result.places)
    if command.has_ledger:
        yield "Enter it in the ledger, with a reason, and commit the ledger (from the root of the repository):"
        yield ""
        yield from fenced(command.line(finding.rule), "sh")
        yield from ("", "Or say it in the SQL, in front of the line:", "")
    else:
        yield from ("Say it in the SQL, in front of the line:", "")
    yield from fenced(command.comment(finding.rule), "sql")
    if many:
        yield from ("", "The same goes for each of the others.")
    yield ""


def _guide(guide: Guide) -> Iterator[str]:
    yield from (f"**{guide.title}**", "")
    # These sentences are ours, and their code spans are meant; the name of a file in them has none.
    yield from (f"* {one_line(step)}" for step in guide.steps)
    yield ""
    if guide.commands:
        yield from (*fenced(guide.commands, guide.language), "")


def _name(comparison: FileResult, result: RunResult) -> str:
    return result.places.name(comparison.path) if is_file(comparison.path) else "a pair"


def _verdict_words(comparison: FileResult) -> str:
    if comparison.status is FileStatus.NOT_VALID:
        return f"**{STATUS_WORDS[comparison.status]}**"
    if comparison.status is FileStatus.NOT_COMPARED:
        return (
            "**not compared**" if comparison.report is None else f"**not compared in full**, {comparison.verdict.value}"
        )
    if comparison.status is not FileStatus.COMPARED:
        return STATUS_WORDS[comparison.status]
    words = job_verdict(comparison)
    if comparison.open_verdict.rank > comparison.verdict.rank:
        words += f", with a finding that is {comparison.open_verdict.value}"
    elif comparison.open_verdict is not comparison.verdict:
        but = "what is accepted" if comparison.new_findings is None else "what is accepted or was there before"
        words += f" ({comparison.open_verdict.value} but for {but})"
    return words


def _rank(comparison: FileResult) -> int:
    return len(Verdict) if comparison.status.failed else comparison.verdict.rank
