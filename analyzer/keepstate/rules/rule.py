"""A rule: the words about one kind of change in one kind of query. Each has a page (``pages``), from which the rules
are generated (``table``).

Rules hold words and references, no verdicts: these follow from the engine profile.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.rules.clipping import arrow_of, clipped, clipped_pair

_CLIPPED = (48, 40, 34, 28, 24, 20, 16, 12)
"""Lengths that the texts of a change are clipped to, until the first words of a message are short enough."""
_SHORT_SUBJECT = 28
_OF_ANOTHER_TYPE = "Keep the former type of the column, and declare one of the new type beside it in a second job."
"""Advice where only the type of a column changed: the query cannot read it in both types."""


@dataclass(frozen=True)
class MessageTemplates:
    """Templates over the facts of a change: ``{subject}``, ``{was}``, ``{now}``, ``{became}`` (``was -> now``, or what
    was added or removed), ``{window}``, ``{presence}``, ``{reason}``, ``{kept}`` and ``{go}`` (goes or go, by the
    number of kept aggregates).

    ``change`` is the change, ``consequence`` its effect on state, ``recovery`` the end of wrong results, ``advice`` an
    alternative.
    """

    change: str
    consequence: str
    recovery: str
    advice: str

    def filled(self, change: Change) -> MessageTemplates:
        """The words about one change."""
        facts = {
            **_texts(change.subject, change.baseline_text, change.current_text, change),
            "kept": _list_words(change.kept_aggregates),
            "go": "goes" if len(change.kept_aggregates) <= 1 else "go",
            "window": change.window or "aggregation",
            "reason": change.reason,
            "presence": change.presence.value if change.presence is not None else "",
        }
        advice = _OF_ANOTHER_TYPE if change.retyped and "{was}" in self.advice else self.advice
        advice = change.advice or advice
        return MessageTemplates(
            *(part.format_map(facts) for part in (self.change, self.consequence, self.recovery, advice))
        )

    def change_within(self, length: int, change: Change) -> str:
        """The words about the change alone, in at most ``length`` characters as far as short texts can do that."""
        presence = change.presence.value if change.presence is not None else ""
        texts = change.baseline_text, change.current_text
        sentence = ""
        template = self.change
        if all(texts):
            # Long calls that differ in one place are written once, whichever way a rule says that one became the other.
            template = template.replace("{was} -> {now}", "{became}").replace("{subject} -> {now}", "{subject_became}")
        # A name at the head is worth more than the texts behind it.
        whole = [(change.subject, most) for most in _CLIPPED if len(change.subject) <= _SHORT_SUBJECT]
        for subject, most in (*whole, *((clipped(change.subject, most), most) for most in _CLIPPED)):
            facts = _texts(subject, *clipped_pair(*texts, most), change)
            if all(texts):
                facts["became"] = arrow_of(*texts, most)
                facts["subject_became"] = arrow_of(change.subject, change.current_text, most)
            sentence = template.format_map({**facts, "presence": presence, "window": change.window})
            if len(sentence) <= length:
                break
        return sentence


@dataclass(frozen=True)
class Rule:
    """``spec`` are the ids of the specification that it implements; ``title`` is its heading on the rule page."""

    kind: ChangeKind
    query: QueryKind
    spec: tuple[str, ...]
    title: str
    words: MessageTemplates
    is_notice: bool = False
    """The change is reported although it costs no state, since results may be misleading."""

    @property
    def id(self) -> str:
        return self.kind.value


@dataclass(frozen=True)
class Page:
    """An entry of the rule pages: one file.

    ``kind`` is ``None`` for a change that no detector reports. ``words`` is ``None`` without a rule: the page is about
    changes without a cost, for readers who look for them.
    """

    query_kind: str
    name: str
    title: str
    spec: tuple[str, ...]
    kind: ChangeKind | None = None
    words: MessageTemplates | None = None
    is_notice: bool = False


def _texts(subject: str, was: str, now: str, change: Change) -> dict[str, str]:
    """The facts that quote the query."""
    # A rule that speaks of any change at all speaks of one that names no part of the query: its kind does.
    subject = subject or change.kind.value.removesuffix("-changed").replace("-", " ")
    return {"subject": subject, "was": was, "now": now, "became": became(was, now)}


def _list_words(names: tuple[str, ...]) -> str:
    if not names:
        return "nothing else"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
