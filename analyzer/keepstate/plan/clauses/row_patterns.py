"""The pattern of MATCH_RECOGNIZE in canonical form.

Grouping that changes nothing goes, and quantifiers have one spelling: ``((A B{1,}) C)`` and ``A B+ C`` are one pattern.
The order of everything counts, also of alternatives, of which the first is preferred.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUANTIFIERS = {"{0,}": "*", "{1,}": "+", "{0,1}": "?", "{1,1}": ""}
_SIGNS = {"*": "{0,}", "+": "{1,}", "?": "{0,1}"}
_NAMES = re.compile(r"`[^`]+`|[^\W\d][\w$]*")


def canonical_pattern(text: str) -> str:
    """Return the tokens of a pattern with one space between them. An unreadable pattern stays as it is."""
    tokens = [token.strip("`") for token in text.split()]
    reader = _Reader(tokens)
    pattern = reader.alternatives()
    return pattern if pattern and reader.at_end else " ".join(tokens)


def variables_of(text: str) -> frozenset[str]:
    """The variables of a pattern; the name of PERMUTE may be among them.

    >>> sorted(variables_of("a b* (c | d)"))
    ['a', 'b', 'c', 'd']
    """
    return frozenset(name.strip("`") for name in _NAMES.findall(text))


class _Reader:
    """Recursive descent over the tokens. Results are in canonical spelling, or empty if nothing matches."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def at_end(self) -> bool:
        return self._position == len(self._tokens)

    @property
    def _token(self) -> str:
        return "" if self.at_end else self._tokens[self._position]

    def _accept(self, *tokens: str) -> bool:
        if tuple(self._tokens[self._position : self._position + len(tokens)]) != tokens:
            return False
        self._position += len(tokens)
        return True

    def alternatives(self) -> str:
        branches = [self._sequence()]
        while self._accept("|"):
            branches.append(self._sequence())
        # A branch that is nothing but alternatives in parentheses gives its own.
        return " | ".join(branch[1:-1] if _is_group(branch) else branch for branch in branches) if all(branches) else ""

    def _sequence(self) -> str:
        terms = []
        while term := self._term():
            terms.append(term)
        return " ".join(terms)

    def _term(self) -> str:
        """A variable or a group, with its quantifier."""
        if self._token in ("^", "$"):
            self._position += 1
            return self._tokens[self._position - 1]
        atom, single = self._atom()
        quantifier = self._quantifier() if atom else ""
        if not quantifier:
            return atom
        return f"{atom}{quantifier}" if single else f"({atom}){quantifier}"

    def _atom(self) -> tuple[str, bool]:
        """The spelling of a variable or group, and whether a quantifier may follow it without parentheses."""
        if self._accept("{", "-"):
            inner = self.alternatives()
            return (f"{{- {inner} -}}", True) if self._accept("-", "}") else ("", True)
        if self._accept("PERMUTE", "("):
            members = [self.alternatives()]
            while self._accept(","):
                members.append(self.alternatives())
            return (f"PERMUTE({', '.join(members)})", True) if self._accept(")") else ("", True)
        if self._accept("("):
            inner = self.alternatives()
            if not self._accept(")"):
                return "", True
            return (f"({inner})", True) if _alternates(inner) else (inner, inner.isidentifier())
        if self._token.isidentifier():
            self._position += 1
            return self._tokens[self._position - 1], True
        return "", True

    def _quantifier(self) -> str:
        if self._token in _SIGNS:
            bounds = _SIGNS[self._token]
            self._position += 1
        elif self._token == "{" and self._tokens[self._position + 1 : self._position + 2] != ["-"]:
            end = next((i for i in range(self._position, len(self._tokens)) if self._tokens[i] == "}"), -1)
            if end < 0:
                return ""
            bounds = _bounds(self._tokens[self._position + 1 : end])
            self._position = end + 1
        else:
            return ""
        reluctant = "?" if self._accept("?") else ""
        quantifier = _QUANTIFIERS.get(bounds, bounds)
        return f"{quantifier}{reluctant}" if quantifier else ""


def _bounds(tokens: Sequence[str]) -> str:
    """``{2}`` is ``{2,2}``, ``{,3}`` is ``{0,3}``."""
    low, comma, high = "".join(tokens).partition(",")
    return f"{{{low or '0'},{high}}}" if comma else f"{{{low},{low}}}"


def _alternates(text: str) -> bool:
    """Return whether ``text`` has alternatives outside of all parentheses."""
    depth = 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "|" and depth == 0:
            return True
    return False


def _is_group(text: str) -> bool:
    """Return whether ``text`` consists of alternatives in one pair of parentheses."""
    closes = text.find(")")
    return text.startswith("(") and closes == len(text) - 1 and _alternates(text[1:-1])
