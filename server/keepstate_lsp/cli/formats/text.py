"""The text format: what a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from keepstate.report import Acceptance, Effect, Finding, Verdict
from keepstate.reporting.file_status import refusal_words
from keepstate.reporting.next_steps import Guide
from keepstate.text import Encoding
from keepstate_lsp.cli.formats.excerpt import Symbols, excerpt
from keepstate_lsp.cli.formats.finding_places import (
    FindingPlace,
    SharedFinding,
    baseline_place,
    current_place,
    jobs_by_finding,
    refusal_place,
    shared_finding,
)
from keepstate_lsp.cli.result.advice import advice
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.result.not_compared import run_gaps
from keepstate_lsp.cli.result.run_scope import Notice, RunScope
from keepstate_lsp.cli.result.summary import (
    STATUS_WORDS,
    before_words,
    finding_numbers,
    findings_before,
    nothing_compared,
    run_verdict,
    standing,
    summary,
    ways_back,
)
from keepstate_lsp.cli.terminal.cells import cell_len
from keepstate_lsp.cli.terminal.styled_text import StyledText
from keepstate_lsp.reporting.effects import JOB_WORDS, headline, with_effect
from keepstate_lsp.reporting.finding_groups import leaders

VERDICT_STYLES = {
    Verdict.COMPATIBLE: "green",
    Verdict.PARTIAL: "yellow",
    Verdict.UNKNOWN: "magenta",
    Verdict.INCOMPATIBLE: "red",
}
_WITH_BASELINE = {
    Verdict.COMPATIBLE: "compatible with",
    Verdict.PARTIAL: "partly compatible with",
    Verdict.UNKNOWN: "cannot tell whether compatible with",
    Verdict.INCOMPATIBLE: "incompatible with",
}
_INDENT = "  "
_MOST_SAME = 3
"""Changes that are quoted of those with one cause."""
_LABEL = len("help: ")


class TextRenderer:
    """Writes comparisons as text of ``width`` columns, with ANSI colours if asked for."""

    def __init__(self, width: int = 80, color: bool = False, encoding: str = "utf-8") -> None:
        self._width = width
        self._shared: dict[SharedFinding, list[str]] = {}
        self._symbols = Symbols.for_encoding(encoding)
        self._color = color

    def report(
        self,
        comparisons: Sequence[FileResult],
        problems: Sequence[RunProblem] = (),
        scope: RunScope | None = None,
        notices: Sequence[Notice] = (),
    ) -> str:
        """All files with a report or a problem, and the summary."""
        left_out = [line for notice in notices for line in self._notice(notice)]
        return self._render([*self._files(comparisons), *left_out, *self._summary(comparisons, problems, scope)])

    def findings(self, comparisons: Iterable[FileResult]) -> str:
        """One line for each finding, for ``--quiet``."""
        lines = []
        for comparison in comparisons:
            for finding in comparison.report.findings if comparison.report is not None else ():
                place = self._place(comparison, finding)
                state = standing(comparison, finding)
                mark = "" if state is None else f"{state}, "
                lines.append(StyledText(f"{place}: {mark}{headline(finding)}: {self._plain(finding.message)}"))
        return self._render(lines)

    def _render(self, lines: Iterable[StyledText]) -> str:
        return "".join(f"{line.render(self._color)}\n" for line in lines)

    def _plain(self, text: str) -> str:
        return self._symbols.plain(text)

    # --------------------------------------------------------------------------------------------------- files

    def _files(self, comparisons: Sequence[FileResult]) -> Iterator[StyledText]:
        self._shared = jobs_by_finding(comparisons)
        for comparison in comparisons:
            has_findings = comparison.report is not None and bool(comparison.report.findings)
            unused = comparison.report is not None and any(
                unused.acceptance.span is not None for unused in comparison.report.unused_acceptances
            )
            is_plain = not has_findings and not unused and not comparison.is_doubted
            if comparison.status is FileStatus.UNCHANGED and is_plain:
                continue
            yield from self._wrapped(self._header(comparison))
            yield StyledText()
            yield from self._assumed(comparison)
            yield from self._measured(comparison)
            yield from self._planned(comparison)
            yield from self._refusals(comparison)
            if comparison.report is not None:
                followers = _followers(comparison)
                followed = {index for indices in followers.values() for index in indices}
                for index, finding in enumerate(comparison.report.findings):
                    if not comparison.is_added(finding) or index in followed:
                        continue
                    yield from (
                        self._finding(comparison, index)
                        if finding.accepted is None
                        else self._accepted(comparison, finding, finding.accepted)
                    )
                    yield from self._same(comparison, followers.get(index, []))
                    yield StyledText()
                yield from self._new_findings(comparison)
                yield from self._unused(comparison)

    def _header(self, comparison: FileResult) -> StyledText:
        origin = self._plain(comparison.origin.words) if comparison.origin is not None else "its baseline"
        header = StyledText(self._plain(comparison.path or "a pair"), "bold")
        header.append(": ")
        style = f"{VERDICT_STYLES[comparison.verdict]}"
        match comparison.status:
            case FileStatus.NEW:
                header.append("new", style).append(f" since {origin}, no state to lose")
            case FileStatus.DELETED:
                word = "no job any more" if comparison.baseline else "deleted"
                header.append(word, style).append(f" since {origin}")
                if comparison.reason:
                    header.append(f". {self._plain(comparison.reason)}")
            case FileStatus.NOT_COMPARED | FileStatus.NOT_VALID:
                header.append(STATUS_WORDS[comparison.status], style).append(
                    f": {self._plain(comparison.reason_after_path)}"
                )
                if comparison.mend:
                    header.append(f" To mend: {self._plain(comparison.mend)}")
            case _:
                header.append(_WITH_BASELINE[comparison.verdict], style).append(f" {origin}")
                if comparison.report is not None and comparison.report.effect in JOB_WORDS:
                    header.append(f": {JOB_WORDS[comparison.report.effect]}", style)
        before = findings_before(comparison)
        if before and comparison.report is not None and len(before) == len(comparison.report.findings):
            header.append(f", but not by this change: {self._plain(before_words(comparison))}")
        return header

    def _refusals(self, comparison: FileResult) -> Iterator[StyledText]:
        """The statements that Flink refuses, or may refuse: those of the baseline in a sentence each."""
        for side, refusal in comparison.refusals:
            if side != "current":
                where = self._position(refusal_place(comparison, refusal, side))
                sentence = f"Refused in the baseline: {where}: {self._plain(refusal.message)}"
                yield from self._wrapped(StyledText(sentence, "dim"))
                yield StyledText()
                continue
            place = refusal_place(comparison, refusal)
            word, style = ("refused", "red") if refusal.certain else ("may be refused", "magenta")
            title = StyledText.of((word, f"bold {style}"), f"[{refusal.rule}] {self._position(place)}")
            yield title
            words = refusal.message if refusal.certain else refusal_words(refusal, comparison.settings.engine)
            yield from self._wrapped(StyledText(self._plain(words)), _INDENT)
            yield from self._excerpt(place, len(str(_last_line(place))), "^", style)
            yield StyledText()

    def _assumed(self, comparison: FileResult) -> Iterator[StyledText]:
        """The declarations that the job is assumed to read, in one line."""
        assumed = () if comparison.files is None else comparison.files.assumed
        if assumed and comparison.report is not None and comparison.report.findings:
            words = ", ".join(f"{name} from {path}" for name, path in assumed)
            yield from self._wrapped(StyledText(self._plain(f"Assumed: {words}."), "dim"))
            yield StyledText()

    def _measured(self, comparison: FileResult) -> Iterator[StyledText]:
        """A line for each restart on a real Flink."""
        for job in comparison.measured:
            style = "bold red" if job.agrees is False else "bold"
            yield from self._wrapped(StyledText(self._plain(job.sentence), style))
        if comparison.measured:
            yield StyledText()

    def _planned(self, comparison: FileResult) -> Iterator[StyledText]:
        """A line for each answer of Flink's planner."""
        for answer in comparison.planned:
            style = "bold red" if answer.agrees is False else "bold" if answer.flink else "dim"
            yield from self._wrapped(StyledText(self._plain(answer.sentence), style))
        if comparison.planned:
            yield StyledText()

    def _new_findings(self, comparison: FileResult) -> Iterator[StyledText]:
        """The findings that were there before the change, folded, unless the header has them already."""
        before = findings_before(comparison)
        if before and comparison.report is not None and len(before) < len(comparison.report.findings):
            yield from self._wrapped(StyledText(f"Not by this change: {self._plain(before_words(comparison))}.", "dim"))
            yield StyledText()
        if comparison.new_findings is not None and comparison.new_findings.doubt is not None:
            sentence = f"note: the change answers for all of it. {comparison.new_findings.doubt}"
            yield from self._wrapped(StyledText(self._plain(sentence), "yellow"))
            yield StyledText()

    # --------------------------------------------------------------------------------------------------- findings

    def _finding(self, comparison: FileResult, index: int) -> Iterator[StyledText]:
        assert comparison.report is not None
        report = comparison.report
        finding = report.findings[index]
        style = VERDICT_STYLES[finding.verdict]
        wrong = finding.effect is Effect.WRONG_RESULTS
        title = StyledText.of((f"{index + 1} ", "bold"))
        title.append(self._symbols.alarm + " " if wrong else "", f"bold {style}")
        title.append(with_effect(finding.verdict.value, finding.effect), f"bold {style}{' reverse' if wrong else ''}")
        title.append(f"[{finding.rule}] {self._place(comparison, finding)}")
        if len(report.pipelines) > 1 and finding.pipeline is not None:
            title.append(f" in {self._plain(finding.pipeline)}", "dim")
        yield title
        shared = shared_finding(comparison, finding)
        jobs = [] if shared is None else self._shared.get(shared, [])
        if len(jobs) > 1 and jobs[0] != comparison.path:
            yield from self._wrapped(StyledText(self._plain(f"As in {jobs[0]}: {finding.change}."), "dim"), _INDENT)
            return
        yield from self._wrapped(StyledText(self._plain(finding.message)), _INDENT)
        now, was = current_place(comparison, finding), baseline_place(comparison, finding)
        gutter = len(str(max(_last_line(now), _last_line(was))))
        yield from self._excerpt(now, gutter, "-" if finding.removed else "^", style)
        if was is not None:
            line = was.lines.position(was.span.start).line + 1
            yield from self._labelled("was:", f"in line {line} of {self._plain(was.name)}")
            yield from self._excerpt(was, gutter, "-", "dim")
        if len(jobs) > 1:
            other_jobs = "another job" if len(jobs) == 2 else f"{len(jobs) - 1} other jobs"
            yield from self._labelled("also:", f"{other_jobs} below")
        yield from self._labelled("then:", finding.recovery)
        yield from self._labelled("help:", finding.advice)
        for answer in comparison.planned:
            if answer.agrees is False and index in answer.findings:
                yield from self._labelled("plan:", f"Flink {answer.flink} disagrees: {answer.words}. {answer.note}")
        fixes = comparison.fixes[index] if comparison.fixes else ()
        # Among several findings most fixes alone change little: then one stands for all.
        better = [fix for fix in fixes if fix.verdict_after.rank < comparison.verdict.rank]
        for fix in better or fixes[:1]:
            yield from self._labelled("fix:", fix.title)

    def _same(self, comparison: FileResult, indices: Sequence[int]) -> Iterator[StyledText]:
        """The findings with the same cause as the one above, in a sentence."""
        assert comparison.report is not None
        if indices:
            changes = [self._plain(comparison.report.findings[index].change) for index in indices[:_MOST_SAME]]
            more = [f"and {len(indices) - len(changes)} more"] if len(indices) > len(changes) else []
            yield from self._labelled("same:", f"{finding_numbers(indices)}: {', '.join([*changes, *more])}")

    def _accepted(self, comparison: FileResult, finding: Finding, acceptance: Acceptance) -> Iterator[StyledText]:
        """An accepted finding, folded: its rule and the reason of its acceptance."""
        title = StyledText.of(("accepted ", "bold dim"), (f"{finding.verdict.value}[{finding.rule}]", "dim"))
        title.append(f" {self._place(comparison, finding)}", "dim")
        yield title
        until = f" (until {acceptance.until})" if acceptance.until is not None else ""
        because = f"{finding.change}, because {acceptance.because}{until}"
        yield from self._wrapped(StyledText(self._plain(because), "dim"), _INDENT)

    def _unused(self, comparison: FileResult) -> Iterator[StyledText]:
        """Acceptances in comments that accept nothing; those of the ledger may be about other files."""
        assert comparison.report is not None
        for unused in comparison.report.unused_acceptances:
            if unused.acceptance.span is None:
                continue
            place = comparison.place(unused.acceptance.span)
            line = place.lines.position(place.span.start).line + 1
            subject = f"the acceptance of {unused.acceptance.rule}" if unused.acceptance.rule else "the acceptance"
            sentence = f"note: {subject} in line {line} accepts nothing: {unused.reason}."
            yield from self._wrapped(StyledText(self._plain(sentence), "yellow"))
            yield StyledText()

    def _excerpt(self, place: FindingPlace, gutter: int, mark: str, style: str) -> Iterator[StyledText]:
        bar = self._symbols.bar
        margin = len(_INDENT) + gutter + len(f" {bar} ")
        rows = excerpt(place.lines, place.span, self._width - margin, self._symbols)
        if not any(row.text for row in rows):
            return
        for row in rows:
            number = str(row.number) if row.number else ""
            line = StyledText.of(_INDENT, (f"{number:>{gutter}} {bar} ", "blue"), row.text)
            yield line.stripped()
            if row.marks is not None:
                start, length = row.marks
                yield StyledText.of(
                    _INDENT, (f"{'':{gutter}} {bar} ", "blue"), " " * start, (mark * length, f"bold {style}")
                )

    def _labelled(self, label: str, text: str, style: str = "cyan") -> Iterator[StyledText]:
        if not text:
            return
        hanging = _INDENT + " " * _LABEL
        for number, line in enumerate(StyledText(self._plain(text)).wrapped(self._room(hanging))):
            first = StyledText.of(_INDENT, (f"{label:{_LABEL}}", style))
            yield StyledText.of(hanging if number else first, line)

    def _place(self, comparison: FileResult, finding: Finding) -> str:
        return self._position(current_place(comparison, finding))

    def _position(self, place: FindingPlace) -> str:
        """Path, line and column of a place, counted from 1."""
        position = place.lines.position(place.span.start, Encoding.UTF32)
        return f"{self._plain(place.name)}:{position.line + 1}:{position.character + 1}"

    def _command(self, words: Sequence[str]) -> Iterator[StyledText]:
        """A command to be copied: a shell takes its lines for one."""
        line = _INDENT * 2
        for word in map(self._plain, words):
            if line.strip() and cell_len(line) + cell_len(word) + len(" \\") > self._width:
                yield StyledText(f"{line}\\")
                line = _INDENT * 3
            line += f"{word} "
        yield StyledText(line.rstrip())

    def _wrapped(self, text: StyledText, indent: str = "") -> Iterator[StyledText]:
        for line in text.wrapped(self._room(indent)):
            yield StyledText.of(indent, line)

    def _room(self, indent: str) -> int:
        return max(self._width - cell_len(indent), 20)

    # --------------------------------------------------------------------------------------------------- summary

    def _notice(self, notice: Notice) -> Iterator[StyledText]:
        where = "" if notice.path is None else f"{notice.path}: "
        yield from self._wrapped(StyledText(self._plain(f"{where}{notice.words}"), "yellow"))
        yield StyledText()

    def _summary(
        self, comparisons: Sequence[FileResult], problems: Sequence[RunProblem], scope: RunScope | None
    ) -> Iterator[StyledText]:
        for gap in run_gaps(problems):
            about = "Not compared" if gap.path is None else f"{gap.path}: not compared"
            yield from self._wrapped(StyledText(self._plain(f"{about}: {gap.words}")))
        if problems:
            yield StyledText()
        if not comparisons:
            yield from self._wrapped(StyledText(self._plain(nothing_compared(problems, scope))))
            return
        verdict = run_verdict(comparisons, problems)
        # Of jobs that ended there is no restart, and so no verdict.
        ended = not problems and all(one.status is FileStatus.DELETED for one in comparisons)
        line = StyledText("Ended" if ended else verdict.value.capitalize(), f"bold {VERDICT_STYLES[verdict]}")
        yield from self._wrapped(line.append(f": {summary(comparisons)}", ""))
        if scope is not None and (other_files := scope.other_sql()):
            yield from self._wrapped(StyledText(self._plain(other_files)))
        for comparison in comparisons:
            for sentence in ways_back(comparison):
                yield from self._wrapped(StyledText(sentence.format(path=self._plain(comparison.path or "the pair"))))
        for engine, guides in advice(comparisons):
            yield from self._guides(engine, guides)

    def _guides(self, engine: str, guides: Sequence[Guide]) -> Iterator[StyledText]:
        """The next steps, in a line for each platform; the other formats have all steps and commands."""
        yield StyledText()
        for guide in guides:
            first = guide is guides[0]
            label = f"Next, on {self._plain(engine)}" if first else guide.title
            yield from self._wrapped(StyledText(f"{label}: {guide.brief}"), "" if first else _INDENT)
            if guide.accept:
                yield StyledText(f"{_INDENT}If it is meant so:")
                yield from self._command(guide.accept)


def _last_line(place: FindingPlace | None) -> int:
    return 0 if place is None else place.lines.position(place.span.end).line + 1


def _followers(comparison: FileResult) -> dict[int, list[int]]:
    """The findings that another one stands for, by the index of that one."""
    assert comparison.report is not None
    findings = comparison.report.findings
    followers: dict[int, list[int]] = {}
    for index, leader in enumerate(leaders(findings)):
        if leader != index and comparison.is_added(findings[index]) and comparison.is_added(findings[leader]):
            followers.setdefault(leader, []).append(index)
    return followers
