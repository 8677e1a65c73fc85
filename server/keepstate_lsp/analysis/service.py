"""The worker's side of the server: all that reads files, asks git or runs the analyzer.

Everything here is called in the one worker thread. What goes in and comes out are values.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate.report import Finding, Fix, ReadTable, Report, StateHover, StateOutcome, Verdict
from keepstate.text import Edit, LineIndex, apply_edits
from keepstate_lsp.analysis.document_analysis import Analysis, BaselineText, compare, drawing_of, failed, waiting
from keepstate_lsp.analysis.document_context import DocumentContext, DocumentContexts
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.replays.replay_request import ReplayOffer, ReplayRequest, offer_of, request_of
from keepstate_lsp.analysis.several_files.composer import Composer, FormerVersion, ProjectDocument
from keepstate_lsp.analysis.several_files.document_parts import DocumentPart, text_of
from keepstate_lsp.analysis.several_files.job_analyses import as_part_of_job
from keepstate_lsp.analysis.several_files.project_renames import ProjectRenames
from keepstate_lsp.analysis.typing_hold import hold_back
from keepstate_lsp.analysis.virtual_documents import VirtualDocuments
from keepstate_lsp.analyzer import Analyzer, CheckRequest
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, NoBaseline, Reason
from keepstate_lsp.baselines.choices import Choice, choices
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.deployments import Deployment
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import EffectiveSettings
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.files.line_ends import line_end, with_line_ends_of
from keepstate_lsp.jobs.deployed import DeployedJobs
from keepstate_lsp.jobs.listing import FileStamp, job_files
from keepstate_lsp.jobs.projects import CompositionError
from keepstate_lsp.runtime.compiled_methods import remembered_methods
from keepstate_lsp.runtime.gc_policy import permanent

if TYPE_CHECKING:
    from keepstate import ScriptNames, Workspace
    from keepstate.plan_view.drawing import Drawing

log = logging.getLogger(__name__)

HARMLESS_KINDS = frozenset({"restore-order"})
"""Fixes that change how something is written and no result of it."""


class AnalysisService:
    """Analyses of documents, and answers about them."""

    def __init__(self, analyzer: Analyzer, baselines: BaselineReader, virtual_documents: VirtualDocuments) -> None:
        self._analyzer = analyzer
        self._baselines = baselines
        self._virtual_documents = virtual_documents
        self.contexts = DocumentContexts(baselines)
        self._against: dict[str, tuple[DocumentContext, str, BaselineText]] = {}
        """The baselines of documents as they were compared last, with the line ends that they got."""
        self._pages: dict[str, str | None] = {}
        self._composer = Composer(self.contexts.files)
        self.renames = ProjectRenames(analyzer, self._composer)
        """Renames of names, in all files that read them."""

    def load(self) -> None:
        """Import the analyzer while the user still looks at the file, and clear the shelf of old files."""
        with permanent(), remembered_methods(self._virtual_documents.code, "analyzer"):
            self._analyzer.load()
        self._virtual_documents.tidy()

    def analyse(
        self,
        document: Document,
        settings: Settings,
        folder: Path | None,
        previous: Analysis | None,
        opened: Sequence[Document] = (),
    ) -> Analysis:
        """The analysis of a document in the workspace folder ``folder``. Never raises for the content of a text."""
        workspace = previous.workspace if previous is not None else None
        analysis = Analysis(document, settings, EffectiveSettings(), workspace=workspace or self._analyzer.workspace())
        try:
            analysis = self._looked_around(analysis, folder, previous, opened)
            if not analysis.is_flink:
                return analysis
            others = tuple(self._judged(each, previous and previous.of_job(each.part)) for each in analysis.others)
            analysis = replace(self._judged(analysis, previous and previous.of_job(analysis.part)), others=others)
        except Exception as error:
            log.exception("the analysis of %s, version %s, failed", document.uri, document.version)
            analysis = failed(analysis, error, previous)
        self._composer.tidy()
        others = tuple(self._completed(each) for each in analysis.others)
        return replace(self._completed(analysis), others=others)

    def _judged(self, analysis: Analysis, previous: Analysis | None) -> Analysis:
        """One job of a document with the answers of the analyzer."""
        if analysis.is_waiting:
            return waiting(analysis, self._analyzer, previous)
        return hold_back(compare(analysis, self._analyzer, previous), previous)

    def _completed(self, analysis: Analysis) -> Analysis:
        return replace(analysis, pages=self._pages_for(analysis), former_uris=self._former_uris(analysis))

    def survey(
        self,
        path: Path,
        settings: Settings,
        folder: Path | None,
        opened: Sequence[Document] = (),
        *,
        anew: bool = True,
    ) -> Analysis:
        """The analysis of a file that no client has open; what was read for it is let go, and read again each time,
        unless it came late for the last one (``anew`` is not set).
        """
        uri = uri_of(path)
        if anew:
            self.forget(uri)
        text = read_text(path)
        document = Document(uri, "", 0, text if isinstance(text, str) else "")
        if isinstance(text, NotText):
            without = NoBaseline(HEAD, text.reason, f"{path.name} {text.fault}", text.mend)
            return Analysis(
                document, settings, EffectiveSettings(), is_flink=document.is_declared_flink, without=without
            )
        analysis = self.analyse(document, settings, folder, None, opened)
        self.contexts.let_go(uri)
        self._against.pop(uri, None)
        self._composer.forget(uri)
        return analysis

    def choices(self, path: Path) -> tuple[Choice, ...]:
        """The baselines that the file at ``path`` can be compared with."""
        return choices(path, self._baselines)

    def mark_deployed(self, path: Path, environment: str) -> str:
        """Record the file on disk as deployed; a sentence about it.

        Raises:
            DeploymentError: it cannot be recorded.
        """
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        with DeployedJobs.around(path.parent, Patience.of_editor()) as jobs:
            deployments = jobs.deployments_of(
                [str(path)],
                commit=None,
                engine_version=None,
                parameters={},
                savepoint=None,
                marked_at=now,
                marked_by=None,
            )
            jobs.records.mark(environment, deployments)
        return " ".join(_marked(deployment, environment) for deployment in deployments)

    def job_files(self, folders: Sequence[Path]) -> dict[Path, FileStamp]:
        """The files below ``folders`` that may be jobs. May be called in any thread."""
        return job_files(folders, self._baselines)

    def forget(self, uri: str) -> None:
        """Look again for configuration and baseline at the next analysis of a document."""
        self.contexts.forget(uri)
        self._against.pop(uri, None)

    def fixes(self, analysis: Analysis, index: int, path: str | None = None) -> tuple[Fix, ...]:
        """Verified fixes of one finding of the analysis' report: those that edit the document alone, or the file at
        ``path`` of its job alone.
        """
        comparison, part = analysis.comparison, analysis.part
        if comparison is None or analysis.report is None:
            return ()
        fixes = self._analyzer.fixes(comparison, index)
        return fixes if part is None else part.fixes_in(fixes, path or part.path)

    def all_fixes(self, analysis: Analysis) -> tuple[tuple[Fix, ...], ...]:
        """The fixes of each finding of the report; of very many, of the first ones."""
        report = analysis.report
        if report is None:
            return ()
        every = range(len(report.findings))
        return tuple(self.fixes(analysis, index) if index in report.with_fixes else () for index in every)

    def with_revert(self, analysis: Analysis) -> Analysis:
        """``analysis`` with a report that has the reverts that make the job compatible."""
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return analysis
        return replace(analysis, report=self._analyzer.with_revert(comparison, report))

    def file_fixes(self, analysis: Analysis) -> tuple[Fix, ...]:
        comparison = analysis.comparison
        if comparison is None or analysis.report is None:
            return ()
        fixes = self._analyzer.file_fixes(comparison)
        return fixes if analysis.part is None else analysis.part.fixes_in(fixes, analysis.part.path)

    def harmless_edits(self, analysis: Analysis) -> tuple[tuple[Edit, ...], Verdict] | None:
        """All edits that change no result, made at once, and their verdict; ``None`` if there are none."""
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return None
        edits: list[Edit] = []
        for index in report.with_fixes:
            for fix in self.fixes(analysis, index):
                if fix.kind in HARMLESS_KINDS and not _overlap(fix.edits, edits):
                    edits += fix.edits
                    break
        if not edits:
            return None
        # Each was analysed alone; what they do together is only known after asking.
        if analysis.part is None:
            together = self._analyzer.check(replace(comparison, current=apply_edits(comparison.current, edits)))
        else:
            together = self._report_with(analysis, comparison, tuple(edits))
        if len(together.problems) > len(report.problems) or together.verdict.rank > report.verdict.rank:
            return None
        return tuple(edits), together.verdict

    def state_hovers(self, analysis: Analysis, at: int | None = None) -> tuple[StateHover, ...]:
        """The notes on state, with ``at`` those that a cursor there touches."""
        effective, part = analysis.effective, analysis.part
        config, engine, memory = effective.config, effective.engine, analysis.workspace
        if part is None:
            return self._analyzer.state_hovers(analysis.document.text, config, engine, memory, at)
        job_at = None if at is None else part.to_job(at)
        return part.hovers(self._analyzer.state_hovers(part.current.text, config, engine, memory, job_at))

    def state_outcome(self, analysis: Analysis, index: int) -> StateOutcome | None:
        comparison = analysis.comparison
        return None if comparison is None else self._analyzer.state_outcome(comparison, index)

    def evidence(self, analysis: Analysis, finding: Finding) -> str:
        effective = analysis.effective
        return self._analyzer.evidence(finding, effective.engine, effective.config.engine_version)

    def names(self, document: Document, workspace: Workspace | None) -> ScriptNames:
        """The declared names of a document, with their places; none of a document with SQL as values."""
        if document.is_host:
            return self._analyzer.names_in("", None)
        return self._analyzer.names_in(document.text, workspace)

    def composed_names(self, part: DocumentPart, workspace: Workspace | None) -> ScriptNames:
        """The declared names of a job of several files, with their places in its composed text."""
        return self._analyzer.names_in(part.current.text, workspace)

    def _report_with(self, analysis: Analysis, comparison: CheckRequest, edits: tuple[Edit, ...]) -> Report:
        """The report of the document after ``edits``."""
        part = analysis.part
        return self._analyzer.report_with(comparison, edits if part is None else part.composed_edits(edits))

    def replay_offer(self, analysis: Analysis) -> ReplayOffer:
        """The settings of a replay of the document."""
        return offer_of(analysis, self._read_tables(analysis))

    def replay_request(self, analysis: Analysis, options: Mapping[str, Any]) -> ReplayRequest:
        """A replay of the document that can be begun.

        Raises:
            RunRefused: it cannot.
        """
        return request_of(analysis, self._read_tables(analysis), options)

    def run_folder(self) -> Path:
        """A folder for a command beside the server, not yet made."""
        return self._virtual_documents.run_folder()

    def _read_tables(self, analysis: Analysis) -> tuple[ReadTable, ...]:
        part = analysis.part
        text = analysis.document.text if part is None else part.current.text
        return self._analyzer.read_tables(text, analysis.effective.config.parameters, analysis.workspace)

    def plan(self, analysis: Analysis) -> tuple[str, str | None]:
        """The plan as text, beside that of the baseline if there is one, and where the client can open it."""
        comparison, against = analysis.comparison, analysis.against
        if comparison is not None and against is not None:
            titles = (f"baseline: {against.baseline.words}", f"current: {analysis.document.name}")
            text = self._analyzer.plans(comparison, titles)
        else:
            effective = analysis.effective
            text = self._analyzer.plan(analysis.document.text, effective.config, effective.engine, analysis.workspace)
        return text, self._virtual_documents.plan(analysis.document.name, text)

    def drawing(self, analysis: Analysis) -> Drawing:
        """The plan as values, beside that of the baseline if there is one."""
        return drawing_of(analysis, self._analyzer)

    def rule_page(self, rule: str, settings: Settings) -> str | None:
        """The address of a rule's page: below ``docsUrl``, else a local file; ``None`` if there is none."""
        if settings.docs_url:
            return f"{settings.docs_url.rstrip('/')}/{rule}"
        if rule not in self._pages:
            # Pages are part of the distribution: a missing page stays missing.
            self._pages[rule] = None
            edition = self._analyzer.rules_edition()
            make = partial(self._analyzer.rule_page, rule)
            self._pages[rule] = self._virtual_documents.rule_page(rule, edition, make)
        return self._pages[rule]

    def close(self) -> None:
        self._baselines.close()

    def _looked_around(
        self, analysis: Analysis, folder: Path | None, previous: Analysis | None, opened: Sequence[Document]
    ) -> Analysis:
        """``analysis`` with the settings of its document and its baseline, if it is Flink SQL."""
        document = analysis.document
        may_speak = (
            document.has_known_scheme and not document.is_toml and not self._virtual_documents.holds(document.path)
        )
        is_flink = (
            may_speak
            and not document.is_host
            and (document.is_declared_flink or self._analyzer.looks_like_flink(document.text))
        )
        # Nothing shows what a file was whose queries or tables went, but what it was.
        may_have_been = may_speak and not document.is_host
        context = self.contexts.context(document, analysis.settings, folder, may_have_been)
        around = self._surroundings(context, document, opened) if may_speak else None
        if (
            around is not None
            and not is_flink
            and not isinstance(context, NoBaseline)
            and self._composer.is_flink(around, context.effective.config)
        ):
            is_flink = True
            context = self.contexts.context(document, analysis.settings, folder, True)
        if isinstance(context, NoBaseline):
            was_flink = may_speak and previous is not None and previous.is_flink
            effective = previous.effective if previous is not None else analysis.effective
            return replace(analysis, effective=effective, is_flink=is_flink or was_flink, without=context)
        analysis = replace(analysis, effective=context.effective)
        against = self._compared(context, document) if may_speak and context.baseline is not None else None
        is_flink = is_flink or (may_speak and context.effective.is_named)
        if not is_flink and may_have_been and isinstance(against, BaselineText):
            is_flink = self._analyzer.looks_like_flink(against.text) or (
                around is not None and self._composer.was_flink(around, against.baseline.path, against.baseline.commit)
            )
        if around is not None:
            declared = self._composer.declared(around, context.effective.config)
            on_disk = self._composer.declared_on_disk(around) if previous is None else {}
            analysis = replace(
                analysis,
                declared=declared,
                declared_on_disk=on_disk,
                place=(around.root, around.own),
                declares_only=self._composer.declares_only(around),
            )
        if not is_flink:
            return analysis
        if isinstance(against, NoBaseline):
            return replace(analysis, is_flink=True, without=against)
        analysis = replace(analysis, is_flink=True, against=against)
        return analysis if around is None or against is None else self._composed(analysis, against, around, previous)

    def _surroundings(
        self, context: DocumentContext | NoBaseline, document: Document, opened: Sequence[Document]
    ) -> ProjectDocument | None:
        if isinstance(context, NoBaseline):
            return None
        return self._composer.surroundings(document, context.root, context.own, opened)

    def _composed(
        self, analysis: Analysis, against: BaselineText, around: ProjectDocument, previous: Analysis | None
    ) -> Analysis:
        """``analysis`` with the jobs of several files that its document is a part of."""
        baseline = against.baseline
        former = FormerVersion(
            against.text, baseline.path, baseline.commit, against.recorded, baseline.deployment is not None
        )
        try:
            sides = self._composer.sides(around, analysis.effective.config, former, against.config)
        except CompositionError as error:
            without = NoBaseline(against.baseline.spec, Reason.UNREADABLE, str(error))
            return replace(analysis, against=None, without=without)
        analysis = replace(analysis, is_one_of_several=len(sides) > 1)
        first, *rest = (as_part_of_job(analysis, against, each, around) for each in sides)
        analyses = []
        for each in rest:
            former_analysis = None if previous is None else previous.of_job(each.part)
            # Each job has a memory of its own: one of two texts in turn would remember neither.
            memory = None if former_analysis is None or former_analysis is previous else former_analysis.workspace
            analyses.append(replace(each, workspace=memory or self._analyzer.workspace()))
        return replace(first, others=tuple(analyses))

    def _former_uris(self, analysis: Analysis) -> Mapping[str, str]:
        """URIs at which the client can open the former texts of other files that findings are about."""
        uris = dict(analysis.former_uris)
        for placed in analysis.findings:
            former = placed.former
            if former is not None and placed.index is not None and analysis.against is not None:
                path = former.file.file_path
                other = replace(analysis.against.baseline, path=path, text=text_of(former.file), blob=None)
                uri = self._virtual_documents.baseline(other)
                if uri is not None:
                    uris[path] = uri
        return uris

    def _compared(self, context: DocumentContext, document: Document) -> BaselineText | NoBaseline:
        """The baseline with the line ends of the document."""
        baseline = context.baseline
        assert baseline is not None
        if isinstance(baseline, NoBaseline):
            return baseline
        line_ending = line_end(document.text)
        entry = self._against.get(document.uri)
        if entry is None or entry[0] != context or entry[1] != line_ending:
            lines = LineIndex(with_line_ends_of(baseline.text, document.text))
            config_uri = self._config_uri(baseline, context.config, context.effective)
            accepted = () if context.path is None else context.effective.accepted_in(context.path, baseline.predecessor)
            uri = self._virtual_documents.baseline(baseline)
            against = BaselineText(baseline, lines, uri, context.config, config_uri, accepted, context.recorded)
            entry = self._against[document.uri] = (context, line_ending, against)
        return entry[2]

    def _config_uri(self, baseline: Baseline, config: JobConfig, effective: EffectiveSettings) -> str | None:
        """URI at which the client can open the baseline's configuration file, if that differs from the current one."""
        source = config.source
        if source is None or source == effective.config.source:
            return None
        return self._virtual_documents.baseline(replace(baseline, path=source.path.name, text=source.text, blob=None))

    def _pages_for(self, analysis: Analysis) -> Mapping[str, str]:
        pages = dict(analysis.pages)
        for rule in {placed.finding.rule for placed in analysis.findings} - pages.keys():
            try:
                page = self.rule_page(rule, analysis.settings)
            except Exception:
                log.exception("no page of rule %s", rule)
                page = None
            if page is not None:
                pages[rule] = page
        return pages


def _overlap(edits: tuple[Edit, ...], other_edits: list[Edit]) -> bool:
    return any(
        (edit.span.start < other.span.end and other.span.start < edit.span.end) or edit.span == other.span
        for edit in edits
        for other in other_edits
    )


def _marked(deployment: Deployment, environment: str) -> str:
    at = f"at {deployment.commit[:7]}" if deployment.commit else "with changes that were never committed"
    return f"{deployment.path} is recorded as deployed in {environment}, {at}."
