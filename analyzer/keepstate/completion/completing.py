"""The completion of a place in a text."""

from __future__ import annotations

from dataclasses import replace

from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Completion, Proposal, ProposalKind
from keepstate.completion.cursor_place import Cursor, cursor_at
from keepstate.completion.facts.function_forms import FORMS
from keepstate.completion.statement_places import proposals_at
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.memo import Memo
from keepstate.syntax.tokens import TokenKind
from keepstate.text import Span
from keepstate.validation.statement_context import Dialect

OPEN_SOURCE = Dialect()
_QUOTABLE = frozenset(
    {
        ProposalKind.COLUMN,
        ProposalKind.FIELD,
        ProposalKind.TABLE,
        ProposalKind.VIEW,
        ProposalKind.COMMON_TABLE,
        ProposalKind.ALIAS,
    }
)


def complete(text: str, offset: int, memo: Memo, dialect: Dialect = OPEN_SOURCE) -> Completion:
    """The proposals at ``offset``, those that fit the place best first. Never raises, for any text.

    All names that can stand there are proposed whose letters begin like those in front of the cursor, in any case.

    >>> [each.label for each in complete("SELECT a FROM (SELECT 1 AS n) AS t WHERE n", 42, Memo()).proposals][:1]
    ['n']
    """
    cursor = cursor_at(text, offset)
    if cursor is None or cursor.in_literal:
        return Completion(Span(offset, offset))
    context = Context(cursor, memo, dialect)
    prefix = cursor.prefix.lower()
    in_small_letters = _is_small(cursor)
    entries: dict[tuple[str, ProposalKind], Proposal] = {}
    any_value = False
    for proposal in proposals_at(context):
        any_value = any_value or _is_built_in(proposal)
        if cursor.quote == "`":
            if proposal.kind not in _QUOTABLE or "." in proposal.insert:
                continue
            proposal = _in_backticks(proposal)
        if _fits(proposal, prefix):
            entry = _small(proposal) if in_small_letters else proposal
            entries.setdefault((entry.label, entry.kind), entry)
    ordered = sorted(entries.values(), key=lambda each: (each.group.value, not _begins(each, prefix)))
    return Completion(cursor.span, tuple(ordered), any_value)


def _is_built_in(proposal: Proposal) -> bool:
    return proposal.kind is ProposalKind.FUNCTION and proposal.label in FORMS


def _is_small(cursor: Cursor) -> bool:
    """Return whether the statement has its keywords in small letters."""
    first = next((token for token in cursor.before if token.word in RESERVED and token.kind is TokenKind.WORD), None)
    return first is not None and first.text.islower()


def _small(proposal: Proposal) -> Proposal:
    """A keyword, type or built-in function in small letters; names have their own case."""
    if proposal.kind not in (ProposalKind.KEYWORD, ProposalKind.TYPE, ProposalKind.WINDOW) and not _is_built_in(
        proposal
    ):
        return proposal
    snippet = proposal.snippet.lower() if proposal.snippet is not None else None
    return replace(proposal, label=proposal.label.lower(), insert=proposal.insert.lower(), snippet=snippet)


def _begins(proposal: Proposal, prefix: str) -> bool:
    """Return whether a name begins with ``prefix``, be it qualified or not."""
    return proposal.label.lower().rpartition(".")[2].startswith(prefix)


def _fits(proposal: Proposal, prefix: str) -> bool:
    """Return whether the letters of ``prefix`` occur in a name in their order, or a keyword or function begins so."""
    label = proposal.label.lower()
    if proposal.kind in _QUOTABLE or proposal.kind is ProposalKind.OPTION:
        signs = iter(label)
        return all(sign in signs for sign in prefix)
    return label.startswith(prefix)


def _in_backticks(proposal: Proposal) -> Proposal:
    name = "`{}`".format(proposal.label.replace("`", "``"))
    return Proposal(proposal.label, proposal.kind, name, proposal.detail, proposal.meaning, None, proposal.group)
