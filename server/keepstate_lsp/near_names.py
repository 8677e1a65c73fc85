"""Names that resemble a name that does not exist, to ask if one of them was meant."""

from __future__ import annotations

from collections.abc import Iterable

_LIKENESS = 0.6


def near_names(wrong: str, names: Iterable[str], most: int = 1, likeness: float = _LIKENESS) -> list[str]:
    """At most ``most`` of the ``names`` names that resemble ``wrong``, the nearest first, in any case of letters.

    >>> near_names("Chek", ["check", "diff"])
    ['check']
    """
    # Most commands have no name to ask about.
    import difflib

    spelled: dict[str, str] = {}
    for name in names:
        spelled.setdefault(name.casefold(), name)
    return [spelled[name] for name in difflib.get_close_matches(wrong.casefold(), spelled, most, likeness)]


def did_you_mean(names: Iterable[str]) -> str:
    """The question after a sentence, with a blank before it; empty without names.

    >>> did_you_mean(["check", "diff"])
    ' Did you mean check or diff?'
    """
    *rest, last = list(names) or [""]
    words = f"{', '.join(rest)} or {last}" if rest else last
    return f" Did you mean {words}?" if words else ""
