"""Code actions: what is offered for a stretch of text, before it becomes protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from keepstate.report import Fix, IdleAcceptance
from keepstate.text import Edit, Span
from keepstate_lsp.analysis.document_analysis import Analysis, ShownFinding
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.labels import VERDICT_WORDS
from keepstate_lsp.analysis.service import HARMLESS_KINDS
from keepstate_lsp.config.acceptances import without_entry
from keepstate_lsp.features.acceptance_fix import REASON, LedgerAddition, ledger_addition
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.session import Session
from keepstate_lsp.reporting.new_files import free_path_beside

QUICKFIX = "quickfix"
FIX_ALL = "source.fixAll.keepstate"
_LOSSLESS_KINDS = HARMLESS_KINDS | {"keep-both"}


@dataclass(frozen=True)
class Errand:
    """A command of the server with its arguments."""

    command: str
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Offer:
    """One entry of the light bulb."""

    title: str
    kind: str
    edits: tuple[Edit, ...] = ()
    findings: tuple[ShownFinding, ...] = ()
    """What it mends."""
    is_preferred: bool = False
    """It undoes nothing that the user meant to do."""
    new_files: tuple[tuple[Path, str], ...] = ()
    """Files that are made beside the one that is edited, with their texts."""
    addition: LedgerAddition | None = None
    errand: Errand | None = None
    """A command that is run instead of an edit."""
    address: tuple[int | None, int] | None = None
    """Finding (``None``: the file) and number of the fix, by which a client asks for the edit."""


async def offers(session: Session, analysis: Analysis, span: Span, kinds: tuple[str, ...] | None) -> list[Offer]:
    """What is offered for ``span``, computed from the server's own findings.

    ``kinds`` are the kinds that the client asks for (``None``: quick-fixes).
    """
    found: list[Offer] = []
    if not analysis.is_flink:
        return found
    if _wants(kinds, QUICKFIX, by_default=True):
        found += await _quickfixes(session, analysis, span)
    if _wants(kinds, FIX_ALL, by_default=False):
        harmless = await session.ask(lambda checks: checks.harmless_edits(analysis))
        if harmless is not None:
            edits, verdict = harmless
            title = f"Make all edits that change no results ({VERDICT_WORDS[verdict]})"
            found.append(Offer(title, FIX_ALL, edits))
    return found


async def offer_at(session: Session, analysis: Analysis, index: int | None, number: int) -> Offer | None:
    """An offer by its address."""
    fixes = await session.fixes(analysis, index)
    return _offer(fixes[number], (), (index, number), analysis) if 0 <= number < len(fixes) else None


async def _quickfixes(session: Session, analysis: Analysis, span: Span) -> list[Offer]:
    found: list[Offer] = []
    known: set[tuple[Edit, ...] | Fix] = set()
    touching = analysis.findings_in(span)
    fresh = [shown for shown in touching if shown.index is not None]
    for shown in fresh:
        for number, fix in enumerate(await session.fixes(analysis, shown.index)):
            # Two that edit this file alike differ in what they make beside it.
            same = fix if fix.new_files else fix.edits
            if same not in known and _can_be_made(fix, analysis, session.profile):
                known.add(same)
                found.append(_offer(fix, (shown,), (shown.index, number), analysis))
    if fresh:
        for number, fix in enumerate(await session.fixes(analysis, None)):
            if fix.edits not in known:
                known.add(fix.edits)
                found.append(_offer(fix, tuple(fresh), (None, number), analysis))
    open_ones = [shown for shown in fresh if shown.finding.accepted is None]
    found += [accepting(shown, analysis) for shown in open_ones]
    entered = [await _accepting_in_ledger(session, shown, analysis) for shown in open_ones]
    found += [offer for offer in entered if offer is not None]
    found += [
        removing(idle, place, analysis)
        for idle, place in analysis.idle_acceptances
        if place.start <= span.end and span.start <= place.end
    ]
    if session.profile.shows_documents:
        rules = dict.fromkeys(shown.finding.rule for shown in touching if shown.finding.rule in analysis.pages)
        found += [
            Offer(f"Open the page of {rule}", QUICKFIX, errand=Errand("keepstate.openRule", (rule,))) for rule in rules
        ]
        if touching and not session.profile.shows_lenses and analysis.against is not None:
            # The comparison is a click on a code lens; who shows none has this one instead.
            line = analysis.document.lines.position(span.start).line
            errand = Errand("keepstate.compareText", (analysis.document.uri, line))
            found.append(Offer(f"Compare with {analysis.against.baseline.words}", QUICKFIX, errand=errand))
    return found


def accepting(shown: ShownFinding, analysis: Analysis) -> Offer:
    """A comment on a line of its own before the clause, which lets the finding stand once it has its reason."""
    document = analysis.document
    line = document.lines.line_span(document.lines.position(shown.span.start).line)
    text = line.of(document.text)
    indentation = text[: len(text) - len(text.lstrip())]
    end = "\r\n" if "\r\n" in document.text else "\n"
    comment = f"-- keepstate: accept {shown.finding.rule} because {REASON}"
    edit = Edit(Span(line.start, line.start), f"{indentation}{comment}{end}")
    return Offer(f"Accept {shown.finding.rule} here, with a reason", QUICKFIX, (edit,), (shown,))


async def _accepting_in_ledger(session: Session, shown: ShownFinding, analysis: Analysis) -> Offer | None:
    """An entry of the ledger, which holds for the change wherever in the file it stands."""
    document = analysis.document
    folder = session.settings_for(Path(document.path))[1] if document.path is not None else None
    addition = await session.ask(lambda _: ledger_addition(analysis, shown.finding, folder))
    if addition is None or (addition.before is None and not session.profile.creates_files):
        return None
    opened = session.documents.get(uri_of(addition.path))
    if opened is not None:
        addition = replace(addition, before=opened.text)
    title = f"Accept {shown.finding.rule} in {addition.path.name}, with a reason"
    return Offer(title, QUICKFIX, findings=(shown,), addition=addition)


def removing(idle: IdleAcceptance, place: Span, analysis: Analysis) -> Offer:
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
    return Offer(f"Remove the acceptance: {idle.reason}", QUICKFIX, (Edit(span, ""),), is_preferred=True)


def ledger_offers(
    document: Document, unneeded: Sequence[Span], span: Span, kinds: tuple[str, ...] | None
) -> list[Offer]:
    """What is offered in a ledger: entries that accept nothing taken out, the one at ``span`` or all of them."""
    here = [place for place in unneeded if place.start <= span.end and span.start <= place.end]
    if not here or not _wants(kinds, QUICKFIX, by_default=True):
        return []
    edits = {place: without_entry(document.text, place) for place in unneeded}
    found = [Offer("Remove this acceptance", QUICKFIX, tuple(edits[place] for place in here), is_preferred=True)]
    if len(unneeded) > len(here):
        found.append(
            Offer(f"Remove all {len(unneeded)} acceptances that accept nothing", QUICKFIX, tuple(edits.values()))
        )
    return found


def _can_be_made(fix: Fix, analysis: Analysis, profile: ClientProfile) -> bool:
    """Whether the client can make the files that a fix needs, and it is known where."""
    return not fix.new_files or (profile.creates_files and analysis.document.path is not None)


def _offer(fix: Fix, findings: tuple[ShownFinding, ...], address: tuple[int | None, int], analysis: Analysis) -> Offer:
    path = analysis.document.path
    placed = () if path is None else fix.new_files
    return Offer(
        title=fix.title,
        kind=QUICKFIX,
        edits=fix.edits,
        findings=findings,
        is_preferred=fix.kind in _LOSSLESS_KINDS,
        new_files=tuple((free_path_beside(Path(path or ""), new.suffix), new.text) for new in placed),
        address=address,
    )


def _wants(kinds: tuple[str, ...] | None, kind: str, *, by_default: bool) -> bool:
    """Whether a client that asks for ``kinds`` wants ``kind``: kinds are prefixes, by dotted parts."""
    if kinds is None:
        return by_default
    return any(wanted == "" or kind == wanted or kind.startswith(f"{wanted}.") for wanted in kinds)
