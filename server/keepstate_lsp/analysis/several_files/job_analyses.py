"""Analyses of documents as parts of jobs of several files, before anything is compared."""

from __future__ import annotations

from dataclasses import replace

from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText
from keepstate_lsp.analysis.several_files.composer import DocumentJob, ProjectDocument
from keepstate_lsp.baselines import NoBaseline, Reason


def as_part_of_job(analysis: Analysis, against: BaselineText, sides: DocumentJob, around: ProjectDocument) -> Analysis:
    """``analysis`` of a document as a part of one of its jobs: with its configurations, and the acceptances that the
    ledger has for it.
    """
    part = sides.part
    if part is None:
        return analysis
    predecessor = against.baseline.predecessor if part.is_last else None
    accepted = analysis.effective.accepted_in(part.home, predecessor, sides.config.composition.name)
    reads = {declaration.file.file_path for declaration, _ in part.imports}
    job_analysis = replace(
        analysis,
        part=part,
        effective=replace(analysis.effective, config=sides.config),
        against=replace(against, config=sides.former_config, accepted=accepted),
        awaits_others=not around.typed.isdisjoint({*reads, *part.scripts}),
    )
    if not sides.is_new:
        return job_analysis
    spec, words = against.baseline.spec, against.baseline.words
    without = NoBaseline(spec, Reason.NEW_FILE, f"{part.title} is no job in {words}.")
    return replace(job_analysis, against=None, without=without)
