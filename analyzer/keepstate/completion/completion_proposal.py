"""Proposals for a place, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from keepstate.syntax.reserved import quoted
from keepstate.text import Span


class ProposalKind(Enum):
    """The kind of a proposal, in the words of the protocol where it has one."""

    COLUMN = "column"
    FIELD = "field"
    TABLE = "table"
    VIEW = "view"
    COMMON_TABLE = "common table"
    ALIAS = "alias"
    FUNCTION = "function"
    WINDOW = "window function"
    PARAMETER = "parameter"
    KEYWORD = "keyword"
    TYPE = "type"
    OPTION = "option"
    VALUE = "value"


class Group(Enum):
    """The groups of proposals in the order in which they are shown."""

    COLUMNS = 0
    RELATIONS = 1
    SNIPPETS = 2
    FUNCTIONS = 3
    KEYWORDS = 4


@dataclass(frozen=True)
class Proposal:
    """One entry of a completion.

    >>> from keepstate import Draft
    >>> proposal = Draft().complete("SELECT ROUN", 11).proposals[0]
    >>> proposal.label, proposal.detail, proposal.snippet
    ('ROUND', 'ROUND(number[, digits])', 'ROUND($1)')
    """

    label: str
    kind: ProposalKind
    insert: str
    """The text that takes the place of the word at the cursor."""
    detail: str = ""
    """A type, a signature, or the relation that a column is of: one short line."""
    meaning: str = ""
    snippet: str | None = None
    """The same with places to fill in, as editors know them: ``$1``, ``${2:name}``."""
    group: Group = Group.KEYWORDS


@dataclass(frozen=True)
class Completion:
    """The proposals for a place; each replaces the text of ``span``.

    >>> from keepstate import Draft
    >>> completion = Draft().complete("SEL", 3)
    >>> completion.span, [proposal.insert for proposal in completion.proposals]
    (Span(start=0, end=3), ['SELECT'])
    """

    span: Span
    proposals: tuple[Proposal, ...] = ()
    any_value: bool = False
    """True if any value may stand here: a list that comes unasked would be in the way."""


def written_name(name: str, flink: tuple[int, int]) -> str:
    """``name`` as a statement writes it: in backticks if it is reserved, or no identifier without them.

    >>> written_name("user", (2, 3)), written_name("user_id", (2, 3)), written_name("a b", (2, 3))
    ('`user`', 'user_id', '`a b`')
    """
    return quoted(name, flink)
