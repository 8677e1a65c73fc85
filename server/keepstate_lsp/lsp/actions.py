"""Code actions: what is offered for a stretch of text, before it becomes protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import keepstate
from keepstate.report import Fix, UnusedAcceptance
from keepstate.text import Edit, Span, apply_edits
from keepstate_lsp.analysis.cutovers.cutover_request import can_plan
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedFinding
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.labels import VERDICT_WORDS
from keepstate_lsp.analysis.service import HARMLESS_KINDS
from keepstate_lsp.config.acceptance_file import without_entry
from keepstate_lsp.features.acceptance_fix import REASON, FileAddition, OpenPoint, ledger_addition, reason_in
from keepstate_lsp.features.context_fix import context_addition, context_entry
from keepstate_lsp.features.declared_tables import found_name
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.session import ServerSession
from keepstate_lsp.reporting.cutover_outlook import costs_state
from keepstate_lsp.reporting.new_files import free_path_beside

QUICKFIX = "quickfix"
FIX_ALL = "source.fixAll.keepstate"
_NOT_READ = "statement-not-read"
_LOSSLESS_KINDS = HARMLESS_KINDS | {"keep-both"}


@dataclass(frozen=True)
class Command:
    """A command of the server with its arguments."""

    command: str
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Offer:
    """One entry of the light bulb."""

    title: str
    kind: str
    edits: tuple[Edit, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()
    """Findings that the action mends."""
    is_preferred: bool = False
    """The action undoes no intended change."""
    new_files: tuple[tuple[Path, str], ...] = ()
    """Files that are made beside the one that is edited, with their texts."""
    addition: FileAddition | None = None
    command: Command | None = None
    """A command that is run instead of an edit."""
    open_point: OpenPoint | None = None
    """Text that only the user can write: it is selected behind the edit."""
    address: tuple[int | None, int] | None = None
    """Finding (``None``: the file) and number of the fix, by which a client asks for the edit."""


async def offers(session: ServerSession, analysis: Analysis, span: Span, kinds: tuple[str, ...] | None) -> list[Offer]:
    """The actions for ``span``, computed from the server's own findings.

    ``kinds`` are the kinds that the client asks for (``None``: quick-fixes).
    """
    result: list[Offer] = []
    if not analysis.is_flink:
        return result
    if _wants(kinds, QUICKFIX, by_default=True):
        for each in analysis.every:
            offered = await _quickfixes(session, each, span)
            # Only the edits of the first job are asked for by their numbers.
            more = offered if each is analysis else [replace(offer, address=None) for offer in offered]
            result += (offer for offer in more if not any(_are_alike(offer, other) for other in result))
        result += _planning(session, analysis, span)
        result += await _fixes_of_others(session, analysis, span)
    if _wants(kinds, FIX_ALL, by_default=False):
        harmless = await session.ask(lambda checks: checks.harmless_edits(analysis))
        if harmless is not None:
            edits, verdict = harmless
            title = f"Make all edits that change no results ({VERDICT_WORDS[verdict]})"
            result.append(Offer(title, FIX_ALL, edits))
    return result


def _are_alike(offer: Offer, other: Offer) -> bool:
    """Return whether two offers do the same."""
    parts = [(each.edits, each.new_files, each.addition, each.command) for each in (offer, other)]
    return parts[0] == parts[1]


async def offer_at(session: ServerSession, analysis: Analysis, index: int | None, number: int) -> Offer | None:
    """An offer by its address."""
    fixes = await session.answers.fixes(analysis, index)
    return _offer(fixes[number], (), (index, number), analysis) if 0 <= number < len(fixes) else None


async def _quickfixes(session: ServerSession, analysis: Analysis, span: Span) -> list[Offer]:
    result: list[Offer] = []
    edits_seen: set[tuple[Edit, ...] | Fix] = set()
    touching = analysis.findings_in(span)
    fresh = [placed for placed in touching if placed.index is not None]
    for placed in fresh:
        for number, fix in enumerate(await session.answers.fixes(analysis, placed.index)):
            # Two that edit this file alike differ in what they make beside it.
            same = fix if fix.new_files else fix.edits
            if same not in edits_seen and _can_be_made(fix, analysis, session.profile):
                edits_seen.add(same)
                result.append(_offer(fix, (placed,), (placed.index, number), analysis))
    if fresh:
        for number, fix in enumerate(await session.answers.fixes(analysis, None)):
            if fix.edits not in edits_seen:
                edits_seen.add(fix.edits)
                result.append(_offer(fix, tuple(fresh), (None, number), analysis))
    open_ones = [placed for placed in fresh if placed.finding.accepted is None and not _is_invalid(placed, analysis)]
    # A comment accepts findings at the clause beside it, and in another file there is none.
    result += [
        accepting(placed, analysis)
        for placed in open_ones
        if placed.outside is None and _takes_comments(analysis, placed.span)
    ]
    entered = [await _accepting_in_ledger(session, placed, analysis) for placed in open_ones]
    result += [offer for offer in entered if offer is not None]
    result += [
        removing(unused, place, analysis)
        for unused, place in analysis.unused_acceptances
        if place.start <= span.end and span.start <= place.end
    ]
    writing = _writing_context(session, analysis, span, is_at_finding=bool(touching))
    result += [] if writing is None else [writing]
    if session.profile.shows_documents:
        rules = dict.fromkeys(placed.finding.rule for placed in touching if placed.finding.rule in analysis.pages)
        result += [
            Offer(f"Open the page of {rule}", QUICKFIX, command=Command("keepstate.openRule", (rule,)))
            for rule in rules
        ]
        if touching and not session.profile.shows_lenses and analysis.against is not None:
            # The comparison is a click on a code lens; who shows none has this one instead.
            line = analysis.document.lines.position(span.start).line
            command = Command("keepstate.compareText", (analysis.document.uri, line))
            result.append(Offer(f"Compare with {analysis.against.baseline.words}", QUICKFIX, command=command))
    return result


def _planning(session: ServerSession, analysis: Analysis, span: Span) -> list[Offer]:
    """The plan of a cutover at a finding that costs state, where the command that makes it may run."""
    profile = session.profile
    if profile.is_untrusted or analysis.document.path is None or not can_plan():
        return []
    fresh = (placed.finding for placed in analysis.findings_in(span) if placed.index is not None)
    if not any(map(costs_state, fresh)):
        return []
    command = "keepstate.planCutover" if profile.plans_cutovers else "keepstate.cutover"
    return [Offer("Plan a cutover...", QUICKFIX, command=Command(command, (analysis.document.uri,)))]


async def _fixes_of_others(session: ServerSession, analysis: Analysis, span: Span) -> list[Offer]:
    """The fixes at the clauses of ``span`` that other jobs read, each by the first job that offers it, and the
    acceptance of what they found there.
    """
    document = analysis.document
    if document.path is None:
        return []
    result: list[Offer] = []
    edits_seen: set[tuple[Edit, ...]] = set()
    for clause in session.elsewhere.of(Path(document.path), document.text):
        if clause.span.start > span.end or span.start > clause.span.end:
            continue
        for finding in clause.findings:
            # Another text than the one that the job was compared with has no fixes yet.
            fixes = await session.answers.fixes_elsewhere(finding) if finding.text == document.text else ()
            for fix in fixes:
                if fix.edits not in edits_seen:
                    edits_seen.add(fix.edits)
                    verdict = f"{finding.job}: {VERDICT_WORDS[fix.verdict_after]}"
                    title = fix.title if len(clause.jobs) == 1 else f"{fix.title} ({verdict})"
                    result.append(Offer(title, QUICKFIX, fix.edits, is_preferred=fix.kind in _LOSSLESS_KINDS))
            if fixes:
                break
        if not document.is_host:
            result.append(_accepting_at(clause.first.rule, clause.span, document))
    return result


def _writing_context(session: ServerSession, analysis: Analysis, span: Span, *, is_at_finding: bool) -> Offer | None:
    """The entry of the configuration for what a job assumes, at the name of an assumed table or at a finding."""
    part = analysis.part
    if part is None or not part.assumed:
        return None
    name = found_name(analysis.document.text, span.start, part)
    if not is_at_finding and (name is None or name.role != "assumed"):
        return None
    entry = context_entry(part, analysis.effective.config)
    if entry is None:
        return None
    opened = session.documents.get(uri_of(entry[0]))
    addition = context_addition(part, analysis.effective.config, None if opened is None else opened.text)
    if addition is None or (addition.before is None and not session.profile.creates_files):
        return None
    files = ", ".join(f'"{file}"' for file in entry[1])
    return Offer(f"Write context = [{files}] into {entry[0].name}", QUICKFIX, addition=addition)


def _is_invalid(placed: PlacedFinding, analysis: Analysis) -> bool:
    """Return whether a finding is about text that Flink refuses: there is nothing to accept, only to mend."""
    span = placed.span
    refused = (refusal.span for refusal in analysis.refusals if refusal.certain)
    return placed.finding.rule == _NOT_READ or any(one.start < span.end and span.start < one.end for one in refused)


def _takes_comments(analysis: Analysis, span: Span) -> bool:
    """Return whether a line of SQL can stand in front of the line of a span."""
    part, document = analysis.part, analysis.document
    if part is None or not part.is_embedded:
        return True
    line = document.lines.line_span(document.lines.position(span.start).line)
    masked = next(file.text for file in part.current.script if file.path == part.value_at(span.start))
    return line.of(masked).strip() == line.of(document.text).strip()


def accepting(placed: PlacedFinding, analysis: Analysis) -> Offer:
    """A comment on a line of its own before the clause, which accepts the finding once its reason is written."""
    return replace(_accepting_at(placed.finding.rule, placed.span, analysis.document), findings=(placed,))


def _accepting_at(rule: str, span: Span, document: Document) -> Offer:
    line = document.lines.line_span(document.lines.position(span.start).line)
    text = line.of(document.text)
    indentation = text[: len(text) - len(text.lstrip())]
    end = "\r\n" if "\r\n" in document.text else "\n"
    comment = f"-- keepstate: accept {rule} because {REASON}"
    edit = Edit(Span(line.start, line.start), f"{indentation}{comment}{end}")
    reason = reason_in(document.uri, apply_edits(document.text, (edit,)), line.start)
    return Offer(f"Accept {rule} here, with a reason", QUICKFIX, (edit,), open_point=reason)


async def _accepting_in_ledger(session: ServerSession, placed: PlacedFinding, analysis: Analysis) -> Offer | None:
    """An entry of the ledger, which holds for the change wherever in the file it stands."""
    document = analysis.document
    folder = session.settings_for(Path(document.path))[1] if document.path is not None else None
    addition = await session.ask(lambda _: ledger_addition(analysis, placed.finding, folder))
    if addition is None or (addition.before is None and not session.profile.creates_files):
        return None
    opened = session.documents.get(uri_of(addition.path))
    if opened is not None:
        addition = replace(addition, before=opened.text)
    job = f" of {analysis.part.title}" if analysis.part is not None and analysis.is_one_of_several else ""
    title = f"Accept {placed.finding.rule}{job} in {addition.path.name}, with a reason"
    reason = reason_in(uri_of(addition.path), addition.after, addition.place)
    return Offer(title, QUICKFIX, findings=(placed,), addition=addition, open_point=reason)


def removing(unused: UnusedAcceptance, place: Span, analysis: Analysis) -> Offer:
    """The comment taken out, and its line with it if nothing else stands there."""
    document = analysis.document
    number = document.lines.position(place.start).line
    line = document.lines.line_span(number)
    span = place
    if line.of(document.text).strip() == place.of(document.text).strip():
        last = number + 1 >= document.lines.line_count
        span = Span(line.start, line.end if last else document.lines.line_span(number + 1).start)
    else:
        before = document.text[line.start : place.start]
        span = Span(line.start + len(before.rstrip()), place.end)
    return Offer(f"Remove the acceptance: {unused.reason}", QUICKFIX, (Edit(span, ""),), is_preferred=True)


def ledger_offers(
    document: Document, unneeded: Sequence[Span], span: Span, kinds: tuple[str, ...] | None
) -> list[Offer]:
    """The actions in a ledger: remove the unused entry at ``span``, or all unused entries."""
    places = [place for place in unneeded if place.start <= span.end and span.start <= place.end]
    if not places or not _wants(kinds, QUICKFIX, by_default=True):
        return []
    edits = {place: without_entry(document.text, place) for place in unneeded}
    result = [Offer("Remove this acceptance", QUICKFIX, tuple(edits[place] for place in places), is_preferred=True)]
    if len(unneeded) > len(places):
        result.append(
            Offer(f"Remove all {len(unneeded)} acceptances that accept nothing", QUICKFIX, tuple(edits.values()))
        )
    return result


def _can_be_made(fix: Fix, analysis: Analysis, profile: ClientProfile) -> bool:
    """Return whether the client can make the files that a fix needs, and their folder is known."""
    return not fix.new_files or (profile.creates_files and analysis.document.path is not None)


def _offer(fix: Fix, findings: tuple[PlacedFinding, ...], address: tuple[int | None, int], analysis: Analysis) -> Offer:
    path = analysis.document.path
    placed = () if path is None else fix.new_files
    files = [(free_path_beside(Path(path or ""), new.suffix), new) for new in placed]
    unwritten = (OpenPoint(uri_of(file), new.text, new.open_point) for file, new in files if new.open_point is not None)
    return Offer(
        title=keepstate.restoring_from(fix, analysis.effective.baseline).title,
        kind=QUICKFIX,
        edits=fix.edits,
        findings=findings,
        is_preferred=fix.kind in _LOSSLESS_KINDS,
        new_files=tuple((file, new.text) for file, new in files),
        open_point=next(unwritten, None),
        address=address,
    )


def _wants(kinds: tuple[str, ...] | None, kind: str, *, by_default: bool) -> bool:
    """Return whether a client that asks for ``kinds`` wants ``kind``: kinds are prefixes, by dotted parts."""
    if kinds is None:
        return by_default
    return any(prefix == "" or kind == prefix or kind.startswith(f"{prefix}.") for prefix in kinds)
