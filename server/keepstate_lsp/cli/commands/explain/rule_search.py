"""Rules about some words: in their names, their titles or their sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.near_names import did_you_mean, near_names

if TYPE_CHECKING:
    from keepstate import RuleInfo

_WORD = re.compile(r"\w+")
_CODE = re.compile(r"^```.*?^```[^\S\n]*$", re.MULTILINE | re.DOTALL)
_NEAREST = 3
_FAR = 0.3
"""The likeness of names that are shown where no name is near: better than none."""


def rules_about(words: Sequence[str]) -> list[RuleInfo]:
    """The rules with all ``words``, or beginnings of words: those with the words in the name first, then in the title,
    then in the sentences of the page.
    """
    import keepstate

    query = [word for text in words for word in _WORD.findall(text.casefold())]
    if not query:
        return []
    ranked = [(rank, rule) for rule in keepstate.rule_catalogue() if (rank := _rank(rule, query)) is not None]
    return [rule for _, rule in sorted(ranked, key=lambda entry: entry[0])]


def rules_named_like(part: str) -> list[RuleInfo]:
    """The rules whose names have all words of ``part``, a part of a name such as ``window-size``."""
    import keepstate

    query = set(_WORD.findall(part.casefold()))
    return [rule for rule in keepstate.rule_catalogue() if query and query <= set(_WORD.findall(rule.id))]


def no_rule(words: Sequence[str]) -> CommandError:
    """The error about words that no rule has, with the nearest names."""
    import keepstate

    rules = keepstate.rule_catalogue()
    text = " ".join(words)
    names = dict.fromkeys(name for rule in rules for name in (rule.id, *rule.spec))
    slug = "-".join(_WORD.findall(text))
    near = near_names(slug, names, _NEAREST) or near_names(slug, (rule.id for rule in rules), _NEAREST, _FAR)
    about = "about " if len(words) > 1 else ""
    return CommandError(f"There is no rule {about}{text!r}.{did_you_mean(near)}", "keepstate rules")


def _rank(rule: RuleInfo, starts: Sequence[str]) -> int | None:
    texts = (rule.id, f"{rule.title} {rule.query_kind}", _CODE.sub("", rule.page))
    rule_words: set[str] = set()
    for rank, text in enumerate(texts):
        rule_words.update(_WORD.findall(text.casefold()))
        if all(any(word.startswith(start) for word in rule_words) for start in starts):
            return rank
    return None
