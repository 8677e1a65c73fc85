"""Arrows of changes as editors show them. Messages are ASCII (``5 min -> 10 min``) until they leave for an editor."""

from __future__ import annotations

import re

_QUOTED_OR_ARROW = re.compile(r"(?<!\w)'[^'\n]*' | `[^`\n]*` | \"[^\"\n]*\" | (?<=\ )->(?=\ )", re.VERBOSE)


def with_arrows(message: str) -> str:
    """Return a message with ``→`` between what was and what is. Quoted text is the user's, and stays.

    >>> with_arrows("option 'a -> b': 'x' -> 'y'")
    "option 'a -> b': 'x' → 'y'"
    """
    return _QUOTED_OR_ARROW.sub(lambda match: "→" if match[0] == "->" else match[0], message)
