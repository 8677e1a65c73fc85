"""Next steps for all files of a run: one guide for each engine, for the worst of the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate.report import Effect, Verdict
from keepstate.reporting.accept_command import BASELINE, AcceptCommand
from keepstate.reporting.next_steps import Guide, next_steps
from keepstate_lsp.cli.paths import RepositoryPaths, is_file
from keepstate_lsp.cli.result.file_result import FileResult


def advice(
    comparisons: Sequence[FileResult], places: RepositoryPaths | None = None
) -> list[tuple[str, tuple[Guide, ...]]]:
    """For each engine and version with a job that is not compatible: its name, and the guides. With ``places`` commands
    name files by their path from the root of the repository.
    """
    groups: dict[tuple[str, str | None], list[FileResult]] = {}
    for comparison in comparisons:
        # A file that was not read in full has to be mended first.
        if comparison.report is not None and not comparison.status.failed:
            settings = comparison.settings
            groups.setdefault((settings.engine, settings.current.engine_version), []).append(comparison)
    advices = []
    for (engine, version), group in groups.items():
        verdict = Verdict.worst(comparison.verdict for comparison in group)
        path = file_name(group[0], places) if len(group) == 1 else None
        accepted = all(comparison.open_verdict is Verdict.COMPATIBLE for comparison in group)
        command = accept_command([one for one in group if one.open_verdict is not Verdict.COMPATIBLE], places)
        guides = next_steps(engine, version, verdict, _effects(group), path, accepted=accepted, command=command)
        if guides:
            advices.append((version or engine, guides))
    return advices


def file_name(comparison: FileResult, places: RepositoryPaths | None) -> str | None:
    """The file of a comparison as commands name it: at the root of the repository, if ``places`` are given."""
    return places.name(comparison.path) if places is not None and is_file(comparison.path) else comparison.path


def accept_command(comparisons: Sequence[FileResult], places: RepositoryPaths | None = None) -> AcceptCommand:
    """The command that accepts findings of these files, with what they have in common."""
    paths = {file_name(comparison, places) for comparison in comparisons}
    specs = {None if comparison.origin is None else comparison.origin.spec for comparison in comparisons}
    options = {comparison.settings.options for comparison in comparisons}
    return AcceptCommand(
        paths.pop() if len(paths) == 1 else None,
        specs.pop() if len(specs) == 1 else BASELINE,
        options.pop() if len(options) == 1 else (),
        has_ledger=any(one.origin is not None and one.origin.spec is not None for one in comparisons),
    )


def advice_in_short(comparisons: Sequence[FileResult], places: RepositoryPaths) -> Iterator[str]:
    """The next steps with one line for each guide."""
    for engine, (decision, *guides) in advice(comparisons, places):
        yield f"Next, on {engine}: {decision.brief}"
        if decision.accept:
            yield f"If it is meant so: {' '.join(decision.accept)}"
        yield from (f"{guide.title}: {guide.brief}" for guide in guides)


def guide_lines(guide: Guide) -> Iterator[str]:
    """One guide as lines of plain text."""
    yield f"{guide.title}:"
    yield from (f"  * {step}" for step in guide.steps)
    yield from (f"      {line}" for line in guide.commands.splitlines())


def _effects(group: Sequence[FileResult]) -> set[Effect]:
    reports = [comparison.report for comparison in group if comparison.report is not None]
    return {finding.effect for report in reports for finding in report.findings}
