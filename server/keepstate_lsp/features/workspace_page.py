"""One page about all jobs of a workspace, in Markdown or as an HTML file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import chain

from keepstate.report import Effect, Verdict
from keepstate_lsp.analysis.labels import VERDICT_WORDS, count
from keepstate_lsp.analysis.overview import FindingLine, JobOverview
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.features.hover import escaped
from keepstate_lsp.reporting.effects import alarm, with_effect

FORMATS = ("markdown", "html")


def report_page(jobs: Sequence[JobOverview], style: str = "markdown") -> str:
    """The page; jobs that would lose most come first.

    >>> report_page([]).splitlines()[0]
    '# Keepstate'

    Raises:
        ValueError: ``style`` is none of ``FORMATS``.
    """
    ordered = sorted(jobs, key=lambda job: (-_weight(job), job.uri))
    if style == "markdown":
        return _markdown(ordered)
    if style == "html":
        return _html(ordered)
    raise ValueError(f"unknown format {style!r}: use {' or '.join(FORMATS)}")


def summary(jobs: Sequence[JobOverview]) -> str:
    """``3 jobs: 1 incompatible, 1 compatible, 1 not compared``.

    >>> summary([])
    'no jobs'
    """
    counted = Counter(VERDICT_WORDS[job.verdict] if job.verdict is not None else "not compared" for job in jobs)
    order = [*(VERDICT_WORDS[verdict] for verdict in sorted(Verdict, key=lambda one: -one.rank)), "not compared"]
    parts = [f"{counted[words]} {words}" for words in order if counted[words]]
    return f"{count(len(jobs), 'job')}: {', '.join(parts)}" if parts else "no jobs"


def _weight(job: JobOverview) -> float:
    if job.verdict is not None:
        return job.verdict.rank + (job.effect is Effect.WRONG_RESULTS) / 2
    # A failed comparison ranks with an unknown verdict.
    return Verdict.UNKNOWN.rank if job.failed else -1


def _words(job: JobOverview) -> str:
    return job.words if job.effect is None else with_effect(job.words, job.effect)


def _markdown(jobs: Sequence[JobOverview]) -> str:
    lines = ["# Keepstate", "", f"{summary(jobs)}.", "", "| job | verdict | findings | baseline |", "|---|---|---|---|"]
    lines += [
        f"| [{_cell(job.name)}](<{job.uri}>) | {_cell(_words(job))} | {len(job.findings) or ''} "
        f"| {_cell(job.baseline or '')} |"
        for job in jobs
    ]
    for job in jobs:
        if not job.findings:
            continue
        lines += ["", f"## {escaped(job.name)}", ""]
        lines += [
            f"* {escaped(line.name)}: {with_effect(VERDICT_WORDS[line.verdict], line.effect)}" for line in job.pipelines
        ]
        lines.append("")
        for finding in job.findings:
            lines.append(_finding_line(job, finding))
            if finding.advice:
                # On a line of its own: the message ends without a full stop.
                lines[-1] += "\\"
                lines.append(f"  *{escaped(finding.advice)}*")
    return "\n".join(lines).rstrip() + "\n"


def _finding_line(job: JobOverview, finding: FindingLine) -> str:
    link = f"[line {finding.line}](<{job.uri}#L{finding.line}>)"
    verdict = with_effect(VERDICT_WORDS[finding.verdict], finding.effect)
    return f"* {alarm(finding.effect)}**{verdict}**, {link}, `{finding.rule}`: {escaped(with_arrows(finding.message))}"


def _cell(text: str) -> str:
    return escaped(" ".join(text.split())).replace("|", "\\|")


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .6rem; }
tr + tr td { border-top: 1px solid #ddd; } code { font-family: ui-monospace, monospace; font-size: 13px; }
.v { border-radius: 3px; padding: 0 .4em; white-space: nowrap; }
.wrong-results { background: #b3261e; color: #fff !important; font-weight: 600; }
.incompatible { background: #fbd9d7; } .unknown { background: #fde9c9; } .partial { background: #fff6c9; }
.compatible { background: #d9f2dd; } .none { background: #eee; } .advice { color: #555; }
@media (prefers-color-scheme: dark) {
  body { background: #1c1c1c; color: #ddd; } a { color: #8ab4f8; } .v { color: #111; } .advice { color: #aaa; }
}
"""


def _html(jobs: Sequence[JobOverview]) -> str:
    rows = "\n".join(
        f'<tr><td><a href="{escape(job.uri)}">{escape(job.name)}</a></td><td>{_badge(job)}</td>'
        f"<td>{len(job.findings) or ''}</td><td>{escape(job.baseline or '')}</td></tr>"
        for job in jobs
    )
    details = "\n".join(chain.from_iterable(_details(job) for job in jobs if job.findings))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Keepstate</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>Keepstate</h1>\n<p>{escape(summary(jobs))}.</p>\n"
        f"<table>\n<tr><th>job</th><th>verdict</th><th>findings</th><th>baseline</th></tr>\n{rows}\n</table>\n"
        f"{details}\n</body></html>\n"
    )


def _badge(job: JobOverview) -> str:
    kind = _kind(job.verdict, job.effect) if job.verdict is not None else "none"
    return f'<span class="v {kind}">{escape(_words(job))}</span>'


def _mark(verdict: Verdict, effect: Effect) -> str:
    words = with_effect(VERDICT_WORDS[verdict], effect)
    return f"<span class='v {_kind(verdict, effect)}'>{alarm(effect)}{words}</span>"


def _kind(verdict: Verdict, effect: Effect | None) -> str:
    return effect.value if effect is Effect.WRONG_RESULTS else verdict.value


def _details(job: JobOverview) -> list[str]:
    lines = [f"<h2>{escape(job.name)}</h2>", "<ul>"]
    lines += [f"<li>{escape(line.name)}: {_mark(line.verdict, line.effect)}</li>" for line in job.pipelines]
    lines += ["</ul>", "<ol>"]
    lines += [
        f"<li>{_mark(finding.verdict, finding.effect)} line {finding.line}, "
        f"<code>{escape(finding.rule)}</code>: {escape(with_arrows(finding.message))}"
        + (f"<br><span class='advice'>{escape(finding.advice)}</span>" if finding.advice else "")
        + "</li>"
        for finding in job.findings
    ]
    return [*lines, "</ol>"]
