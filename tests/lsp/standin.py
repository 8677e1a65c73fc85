"""A stand-in for the analyzer: a tiny language whose findings a test can foretell.

    INSERT INTO daily SIZE 10 KEYS a,b;

A pipeline is identified by its name. Another number behind SIZE is incompatible, another order of KEYS too, a new word
METRIC is partly compatible. ``BROKEN`` cannot be read, ``CRASH`` makes the analyzer raise, ``WAIT <path>`` makes it
wait until that pipe is opened for writing, ``PONDER <path>`` before it says what a clause keeps.

Run as a program this file is a language server with the stand-in in it.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from keepstate.draft import Draft
from keepstate.names.script_names import ScriptNames
from keepstate.plan_view.drawing import Drawing
from keepstate.report import (
    Clause,
    Effect,
    Finding,
    Fix,
    FixAction,
    PipelineVerdict,
    Problem,
    ReadTable,
    Report,
    StateHover,
    Verdict,
)
from keepstate.text import Edit, Span
from keepstate_lsp.analyzer import CheckRequest, Outline
from keepstate_lsp.config.file import JobConfig

_STATEMENT = re.compile(r"[^;]*;|[^;]+$")
_PARTS = {
    "window-size-changed": re.compile(r"(?<=SIZE )\d+"),
    "group-keys-reordered": re.compile(r"(?<=KEYS )[\w,]+"),
    "aggregate-added": re.compile(r"METRIC"),
}


class StandIn:
    def load(self) -> None:
        pass

    def looks_like_flink(self, text: str) -> bool:
        return "INSERT INTO" in text

    def workspace(self) -> None:
        return None

    def draft(self) -> Draft:
        return Draft()

    def outline(self, text: str, engine: str, config: object, workspace: object) -> Outline:
        statements = tuple(span for span, _ in _statements(text))
        broken = tuple(span for span in statements if "BROKEN" in span.of(text))
        return Outline(statements, broken, _problems(text))

    def check(self, comparison: CheckRequest) -> Report:
        if wait := re.search(r"WAIT (\S+)", comparison.current):
            Path(wait[1]).read_bytes()
        if "CRASH" in comparison.current:
            raise ZeroDivisionError("the stand-in was told to crash")
        return self._report(comparison)

    def _report(self, comparison: CheckRequest) -> Report:
        current, baseline = comparison.current, comparison.baseline
        before = {name: span for span, name in _statements(baseline)}
        findings: list[Finding] = []
        pipelines: list[PipelineVerdict] = []
        for span, name in _statements(current):
            if "BROKEN" in span.of(current) or not name:
                continue
            first = len(findings)
            if name in before and "BROKEN" not in before[name].of(baseline):
                findings += _findings(name, current, span, baseline, before[name])
            own = range(first, len(findings))
            verdict = Verdict.worst(findings[index].verdict for index in own)
            pipelines.append(PipelineVerdict(f"INSERT INTO {name}", span, verdict, Effect.EXACT, tuple(own)))
        return Report(
            engine=comparison.engine,
            verdict=Verdict.worst(finding.verdict for finding in findings),
            effect=Effect.EXACT,
            pipelines=tuple(pipelines),
            findings=tuple(findings),
            problems=_problems(current),
            baseline_problems=_problems(baseline),
            unchanged=current == baseline,
        )

    def fixes(self, comparison: CheckRequest, index: int) -> tuple[Fix, ...]:
        report = self._report(comparison)
        finding = report.findings[index]
        kind = "restore-order" if finding.rule == "group-keys-reordered" else "revert"
        text = finding.baseline.text if finding.baseline is not None else ""
        edit = Edit(finding.current.span, text)
        after = replace(report, findings=report.findings[:index] + report.findings[index + 1 :])
        verdict = Verdict.worst(finding.verdict for finding in after.findings)
        return (Fix(FixAction(f"Put back {text or 'nothing'}", restores=True), kind, verdict, (edit,)),)

    def file_fixes(self, comparison: CheckRequest) -> tuple[Fix, ...]:
        report = self._report(comparison)
        edits = tuple(
            Edit(finding.current.span, finding.baseline.text if finding.baseline else "") for finding in report.findings
        )
        return (
            (Fix(FixAction("Put everything back", restores=True), "revert-smallest", Verdict.COMPATIBLE, edits),)
            if len(edits) > 1
            else ()
        )

    def with_revert(self, comparison: CheckRequest, report: Report) -> Report:
        return replace(report, revert_to_be_compatible=tuple(range(len(report.findings))))

    def evidence(self, finding: Finding, engine: str, engine_version: str | None) -> str:
        return ""

    def state_outcome(self, comparison: CheckRequest, index: int) -> None:
        return None

    def state_hovers(
        self, text: str, config: JobConfig, engine: str, workspace: object, at: int | None
    ) -> tuple[StateHover, ...]:
        if wait := re.search(r"PONDER (\S+)", text):
            Path(wait[1]).read_bytes()
        return tuple(
            StateHover(
                Span(*match.span()),
                "WindowAggregate",
                f"A window of {match[0]}",
                ("COUNT(*) as one long",),
                ("`a`", "b"),
                "the window ends",
                ("[00:00, 00:10)",),
            )
            for match in re.finditer(r"SIZE \S+", text)
        )

    def read_tables(self, text: str, parameters: Mapping[str, str], workspace: object) -> tuple[ReadTable, ...]:
        return ()

    def names_in(self, text: str, workspace: object) -> ScriptNames:
        return ScriptNames((), ())

    def plan(self, text: str, config: JobConfig, engine: str, workspace: object) -> str:
        return "WindowAggregate\n  TableSourceScan\n"

    def plans(self, comparison: CheckRequest, titles: tuple[str, str]) -> str:
        return f"{' | '.join(titles)}\nWindowAggregate ~ WindowAggregate\n"

    def drawing(self, comparison: CheckRequest) -> Drawing:
        return Drawing("vvr", True, ())

    def drawing_alone(self, text: str, config: JobConfig, engine: str, workspace: object) -> Drawing:
        return Drawing(engine, False, ())

    def rules_edition(self) -> str:
        return "0"

    def rule_page(self, rule: str) -> str | None:
        return f"# {rule}\n\nWhy it matters.\n" if rule in _PARTS else None


def _statements(text: str) -> list[tuple[Span, str]]:
    found = []
    for match in _STATEMENT.finditer(text):
        if stripped := match[0].strip():
            start = match.start() + match[0].index(stripped)
            name = re.search(r"INSERT INTO (\S+)", stripped)
            begin = start + (name.start() if name else 0)
            found.append((Span(begin, start + len(stripped)), name[1] if name else ""))
    return found


def _problems(text: str) -> tuple[Problem, ...]:
    return tuple(Problem("this word cannot be read", Span(*match.span())) for match in re.finditer("BROKEN", text))


def _findings(name: str, current: str, span: Span, baseline: str, before: Span) -> list[Finding]:
    found = []
    for rule, part in _PARTS.items():
        here, there = part.search(current, span.start, span.end), part.search(baseline, before.start, before.end)
        old, new = there[0] if there else "", here[0] if here else ""
        if here is None or old == new:
            continue
        if rule == "group-keys-reordered" and sorted(old) != sorted(new):
            continue
        found.append(
            Finding(
                rule=rule,
                spec=("WTVF-11",),
                query_kind="window_tvf",
                verdict=Verdict.PARTIAL if rule == "aggregate-added" else Verdict.INCOMPATIBLE,
                effect=Effect.STATE_LOST,
                change=f"The {rule.split('-')[0]} changes from {old or 'nothing'} to {new}",
                consequence="all state is lost",
                recovery="a whole window has passed",
                advice="run COUNT(*) in a second job",
                current=Clause(Span(*here.span()), new),
                baseline=Clause(Span(*there.span()), old) if there else None,
                removed=False,
                pipeline=f"INSERT INTO {name}",
            )
        )
    return sorted(found, key=lambda finding: finding.current.span)


def serve(cache: str, poll_seconds: str) -> int:
    from keepstate_lsp.lsp import server

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    return server.serve(server.language_server(StandIn(), Path(cache), float(poll_seconds)))


if __name__ == "__main__":
    sys.exit(serve(*sys.argv[1:]))
