"""Python modules made from the rule pages: kinds of changes, facts for engine profiles, and rules with their words.

Each layer of the analyzer gets what is its own, so that a comparison cannot read verdicts: ``diff.change_kinds``,
``engines.table`` and ``engines.page_table``, and ``rules.table``. At run time no TOML is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import keepstate
from front_matter import CaseText, RulePage, TouchText, read_pages
from keepstate.report import Effect
from keepstate.state.stored_operators import StatePart

ANALYZER = Path(keepstate.__file__).parent
PAGES = ANALYZER / "rules" / "pages"
MARK = "# Made by docs/generate_rules.py from the rule pages. Edit those, not this.\n"


def tables(folder: Path = PAGES) -> dict[str, str]:
    """The text of each generated module, by its path below the package.

    Raises:
        BadPage: a page is not as it has to be; the message has page and key.
    """
    pages = read_pages(folder)
    return {
        "diff/change_kinds.py": "".join(_change_kinds(pages)),
        "engines/change_facts.py": "".join(_facts_of_kinds(pages)),
        "engines/page_table.py": "".join(_facts_of_pages(pages)),
        "rules/rule_pages.py": "".join(_rules(pages)),
    }


def _homes(pages: Iterable[RulePage]) -> list[RulePage]:
    """One page of each kind of change: the one that has what holds for the kind."""
    return [page for page in pages if page.kind is not None and page.is_home]


def _member(kind: str) -> str:
    return kind.upper().replace("-", "_")


def _kind(page: RulePage) -> str:
    return f"K.{_member(page.kind)}" if page.kind is not None else "None"


# ---- kinds of changes


def _change_kinds(pages: Sequence[RulePage]) -> Iterator[str]:
    yield '"""Kinds of changes. Each kind has one rule page or several."""\n\n'
    yield f"{MARK}\nfrom __future__ import annotations\n\nfrom enum import Enum\n\n\n"
    yield "class ChangeKind(Enum):\n"
    yield '    """Kinds of changes, by what changed and how. The value is the id of the rules about the kind."""\n\n'
    for page in _homes(pages):
        yield f'    {_member(str(page.kind))} = "{page.kind}"\n'


# ---- facts


def _facts_of_kinds(pages: Sequence[RulePage]) -> Iterator[str]:
    yield '"""Facts of the rule pages for engine profiles, of each kind of change."""\n\n'
    yield f"{MARK}\nfrom __future__ import annotations\n\nfrom collections.abc import Mapping\n\n"
    yield "from keepstate.diff.changes import ChangeKind as K\n"
    yield "from keepstate.diff.subjects import ItemKind\n"
    yield "from keepstate.engines.rule_facts import EffectCase, KindFacts, Touch\n"
    yield "from keepstate.report import Effect\n"
    yield "from keepstate.state.stored_operators import PartKind, StatePart\n\n"
    yield "KINDS: Mapping[K, KindFacts] = {\n"
    for page in _homes(pages):
        known = page.facts
        assert known is not None
        migrated = "".join(f"PartKind.{part.name}, " for part in known.migrated)
        facts = f"ItemKind.{known.item.name}, {known.is_name}, {known.feature!r}, ({migrated}), {_touch(known.touch)}"
        yield f"    {_kind(page)}: KindFacts({facts}, {_cases(page.cases)}, {known.advice!r}),\n"
    yield "}\n"


def _facts_of_pages(pages: Sequence[RulePage]) -> Iterator[str]:
    yield '"""Facts of the rule pages for engine profiles, of each page."""\n\n'
    yield f"{MARK}\nfrom __future__ import annotations\n\n"
    yield "from keepstate.diff.changes import ChangeKind as K\n"
    yield "from keepstate.engines.rule_facts import EffectCase, PageFacts, Touch\n"
    yield "from keepstate.report import Effect\n"
    yield "from keepstate.state.stored_operators import StatePart\n\n"
    yield "PAGES: tuple[PageFacts, ...] = (\n"
    homes = {page.kind: page for page in _homes(pages)}
    for page in pages:
        touch, cases = _own(page, homes.get(page.kind))
        head = f"{page.query!r}, {page.name!r}, {_kind(page)}, {_effect(page.vvr)}"
        yield f"    PageFacts({head}, {touch}, {cases}),\n"
    yield ")\n"


def _own(page: RulePage, home: RulePage | None) -> tuple[str, str]:
    """Touch and cases of a page, each ``None`` where they are those of the kind."""
    if home is None or home.facts is None or page.facts is None:
        return "None", _cases(page.cases)
    touch = "None" if page.facts.touch == home.facts.touch else _touch(page.facts.touch)
    return touch, "None" if page.cases == home.cases else _cases(page.cases)


def _effect(effect: Effect | None) -> str:
    return f"Effect.{effect.name}" if effect is not None else "None"


def _touch(touch: TouchText) -> str:
    return f"Touch({_parts(touch.parts)}, {_parts(touch.also)}, {_effect(touch.otherwise)})"


def _parts(parts: Sequence[StatePart]) -> str:
    if len(parts) == len(StatePart):
        return "frozenset(StatePart)"
    return f"frozenset({{{', '.join(f'StatePart.{part.name}' for part in parts)}}})" if parts else "frozenset()"


def _cases(cases: Sequence[CaseText]) -> str:
    return (
        f"({''.join(f'EffectCase(Effect.{case.effect.name}, {case.when!r}, {case.measured!r}), ' for case in cases)})"
    )


# ---- rules


def _rules(pages: Sequence[RulePage]) -> Iterator[str]:
    yield '"""The rule pages in their order, with the words of the rules."""\n\n'
    yield f"{MARK}\nfrom __future__ import annotations\n\n"
    yield "from keepstate.diff.changes import ChangeKind as K\n"
    yield "from keepstate.rules.rule import MessageTemplates, Page\n\n"
    yield "PAGES: tuple[Page, ...] = (\n"
    for page in pages:
        spec = "".join(f"{one!r}, " for one in page.spec)
        words = f"MessageTemplates({', '.join(map(repr, page.words))})" if page.words is not None else "None"
        notice = ", True" if page.says == "notice" else ""
        head = f"{page.query!r}, {page.name!r}, {page.title!r}, ({spec}), {_kind(page)}"
        yield f"    Page({head}, {words}{notice}),\n"
    yield ")\n"
