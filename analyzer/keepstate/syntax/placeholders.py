"""Placeholders of templates, which a tool fills in before Flink parses the text.

``${x}``, ``{{ x }}``, ``#{x}``, ``@{x}``, ``{x}`` and ``$(x)`` have no meaning in Flink SQL and are placeholders
everywhere, alone or within a name. ``<x>``, ``:x``, ``@x``, ``%s`` and ``%(x)s`` consist of possible operators: they
are placeholders where an operand has to begin. Of Jinja's blocks the first branch of an ``{% if %}`` is read, the other
branches are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from keepstate.syntax.keywords import RESERVED
from keepstate.text import Span

ANYWHERE = (
    r"\$\{(?:[^{}\r\n]|\{[^{}\r\n]*\})*\} | \{\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\} | [\#@]\{[^{}\r\n]*\}"
    r" | \{[A-Za-z_][\w.]*\} | \$\([A-Za-z_][\w.]*\)"
)
"""A pattern (verbose) of placeholders that can be nothing else."""

BLOCK_START = r"\{[%\#]"
"""Pattern for the begin of Jinja's tags and comments; their ends are ``%}`` and ``#}``."""

IN_QUOTES = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\}")
"""Placeholders within strings and backticks: only those that are no text of their own."""

OPERAND_SIGNS = frozenset("<:@%")
"""Characters that begin a placeholder where an operand has to begin."""

_OPERAND = re.compile(
    r"<[A-Za-z_][\w .:/-]*> | :[A-Za-z_]\w* | @[A-Za-z_]\w*(?:(?:\.\w+)*@)?"
    r" | %(?:\d+\$)?[sd](?!\w)(?:\$\w+)? | %\(\w+\)[sd]",
    re.VERBOSE,
)
_TAG = re.compile(r"\{%[-+]?\s*(\w+)(?:[^%]|%(?!\}))*%\}")
_TYPES = frozenset({"ARRAY", "MAP", "MULTISET", "ROW"})
_BEFORE_OPERANDS = RESERVED - _TYPES - {"END", "NULL", "ROWS"} | {
    "CATALOG",
    "DATABASE",
    "FUNCTION",
    "MODEL",
    "USE",
    "VIEW",
}
_REGIONS = {"else": "if", "elif": "if", "for": "for", "macro": "macro"}
"""Tags that hide the text from them to the end of their block."""


_WITHIN = re.compile(ANYWHERE, re.VERBOSE)
_WORDS = re.compile(r"""'[^']*'|"[^"]*"|\w+|\S""")
_BETWEEN_WORDS = re.compile(r"(?<=\w)\0(?=\w)")


def canonical_name(name: str) -> str:
    """A name with its placeholders in one spelling: without white space that means nothing, and with single quotes.

    >>> canonical_name("orders_${ env }"), canonical_name('{{ref( "orders" )}}'), canonical_name("my orders")
    ('orders_${env}', "{{ref('orders')}}", 'my orders')
    """
    return _WITHIN.sub(_canonical, name) if "{" in name else name


def _canonical(placeholder: re.Match[str]) -> str:
    words = _WORDS.findall(placeholder[0].replace('"', "'"))
    # A blank stays where two words would be one without it.
    return _BETWEEN_WORDS.sub(" ", "\0".join(words)).replace("\0", "")


def is_filled_in(text: str) -> bool:
    """Return whether a template fills in a part of a text between quotes, so that its value is unknown.

    >>> is_filled_in("${ttl}"), is_filled_in("{{ days }} d"), is_filled_in("1 d")
    (True, True, False)
    """
    return IN_QUOTES.search(text) is not None


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A piece of text that a template replaces before Flink parses it, so that its content is unknown."""

    span: Span
    in_string: bool
    """Inside of a string literal: only the value is unknown, not the structure of the statement."""
    loose: bool = False
    """No part of the tree: the text around it is read as if nothing stood here."""


def operand_end(text: str, start: int, word_before: str, after_operand: bool) -> int:
    """Return the end of the placeholder that begins at ``start`` with one of ``OPERAND_SIGNS``; 0 if it is an operator.

    ``word_before`` is the upper-case text of the token before, if that is a word or a symbol; ``after_operand`` is true
    if it is a literal or a name in quotes.
    """
    if after_operand or word_before in (")", "]", "}", "?"):
        return 0
    if word_before[:1].isalpha() and word_before not in _BEFORE_OPERANDS:
        return 0
    match = _OPERAND.match(text, start)
    return match.end() if match else 0


def region_end(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the text that the tag at ``start`` hides (0 if none), and whether a value stands there."""
    tag = _TAG.match(text, start)
    word = tag.group(1) if tag else ""
    if word not in _REGIONS:
        return 0, False
    assert tag is not None
    around, depth = _REGIONS[word], 1
    for other in _TAG.finditer(text, tag.end()):
        depth += (other.group(1) == around) - (other.group(1) == f"end{around}")
        if not depth:
            return other.end(), word == "for"
    return 0, False
