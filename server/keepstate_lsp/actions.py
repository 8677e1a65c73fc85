"""Code actions: what is offered for a stretch of text, before it becomes protocol."""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.report import Fix
from keepstate.text import Edit, Span
from keepstate_lsp.analysis import Analysis, ShownFinding
from keepstate_lsp.checks import HARMLESS_KINDS
from keepstate_lsp.session import Session
from keepstate_lsp.words import VERDICT_WORDS

QUICKFIX = "quickfix"
FIX_ALL = "source.fixAll.keepstate"
_LOSSLESS_KINDS = HARMLESS_KINDS | {"keep-both"}


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
    rule: str | None = None
    """It opens the page of this rule instead of editing."""
    address: tuple[int | None, int] | None = None
    """Finding (``None``: the file) and number of the fix, by which a client asks for the edit."""


async def offers(session: Session, analysis: Analysis, span: Span, kinds: tuple[str, ...] | None) -> list[Offer]:
    """What is offered for ``span``, computed from the server's own findings.

    ``kinds`` are the kinds that the client asks for (``None``: quick-fixes).
    """
    found: list[Offer] = []
    if _wants(kinds, QUICKFIX, by_default=True):
        found += await _quickfixes(session, analysis, span)
    if _wants(kinds, FIX_ALL, by_default=False):
        harmless = await session.ask(lambda checks: checks.harmless_edits(analysis))
        if harmless is not None:
            edits, verdict = harmless
            title = f"Make all edits that change no results ({VERDICT_WORDS[verdict]})"
            found.append(Offer(title, FIX_ALL, edits))
    return found


async def edits_of(session: Session, analysis: Analysis, index: int | None, number: int) -> tuple[Edit, ...] | None:
    """The edits of an offer by its address."""
    fixes = await session.fixes(analysis, index)
    return fixes[number].edits if 0 <= number < len(fixes) else None


async def _quickfixes(session: Session, analysis: Analysis, span: Span) -> list[Offer]:
    found: list[Offer] = []
    known: set[tuple[Edit, ...]] = set()
    touching = analysis.findings_in(span)
    fresh = [shown for shown in touching if shown.index is not None]
    for shown in fresh:
        for number, fix in enumerate(await session.fixes(analysis, shown.index)):
            if fix.edits not in known:
                known.add(fix.edits)
                found.append(_offer(fix, (shown,), (shown.index, number)))
    if fresh:
        for number, fix in enumerate(await session.fixes(analysis, None)):
            if fix.edits not in known:
                known.add(fix.edits)
                found.append(_offer(fix, tuple(fresh), (None, number)))
    if session.profile.shows_documents:
        rules = dict.fromkeys(shown.finding.rule for shown in touching if shown.finding.rule in analysis.pages)
        found += [Offer(f"Open the page of {rule}", QUICKFIX, rule=rule) for rule in rules]
    return found


def _offer(fix: Fix, findings: tuple[ShownFinding, ...], address: tuple[int | None, int]) -> Offer:
    return Offer(
        title=fix.title,
        kind=QUICKFIX,
        edits=fix.edits,
        findings=findings,
        is_preferred=fix.kind in _LOSSLESS_KINDS,
        address=address,
    )


def _wants(kinds: tuple[str, ...] | None, kind: str, *, by_default: bool) -> bool:
    """Whether a client that asks for ``kinds`` wants ``kind``: kinds are prefixes, by dotted parts."""
    if kinds is None:
        return by_default
    return any(wanted == "" or kind == wanted or kind.startswith(f"{wanted}.") for wanted in kinds)
