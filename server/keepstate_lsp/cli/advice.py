"""Next steps for all files of a run: those of one engine are told once, for the worst of their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate.report import Effect, Verdict
from keepstate_lsp.cli.comparison import FileComparison
from keepstate_lsp.next_steps import Guide, next_steps


def advice(comparisons: Sequence[FileComparison]) -> list[tuple[str, tuple[Guide, ...]]]:
    """For each engine and version that runs a job which is not compatible: its name, and the guides."""
    groups: dict[tuple[str, str | None], list[FileComparison]] = {}
    for comparison in comparisons:
        # What was not read in full is to be mended first.
        if comparison.report is not None and not comparison.status.failed:
            settings = comparison.settings
            groups.setdefault((settings.engine, settings.current.engine_version), []).append(comparison)
    found = []
    for (engine, version), group in groups.items():
        verdict = Verdict.worst(comparison.verdict for comparison in group)
        path = group[0].path if len(group) == 1 else None
        accepted = all(comparison.open_verdict is Verdict.COMPATIBLE for comparison in group)
        guides = next_steps(engine, version, verdict, _effects(group), path, accepted=accepted)
        if guides:
            found.append((version or engine, guides))
    return found


def advice_in_short(comparisons: Sequence[FileComparison]) -> Iterator[str]:
    """The same with one line for each guide."""
    for engine, (decision, *guides) in advice(comparisons):
        yield f"Next, on {engine}: {decision.brief}"
        yield from (f"{guide.title}: {guide.brief}" for guide in guides)


def guide_lines(guide: Guide) -> Iterator[str]:
    """All of one guide as lines of plain text."""
    yield f"{guide.title}:"
    yield from (f"  * {step}" for step in guide.steps)
    yield from (f"      {line}" for line in guide.commands.splitlines())


def _effects(group: Sequence[FileComparison]) -> set[Effect]:
    reports = [comparison.report for comparison in group if comparison.report is not None]
    return {finding.effect for report in reports for finding in report.findings}
