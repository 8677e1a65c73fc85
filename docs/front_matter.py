"""Front matter of the rule pages: read, checked and resolved. What stands on a page is all that is known of its rule.

Nothing has a default. A key that does not apply says ``"none"``; a page that is like another one of its kind leaves out
what both share, and names that one in ``like``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Any

from keepstate.diff.subjects import ItemKind, QueryKind
from keepstate.report import Effect
from keepstate.rules.page_format import BadPage, front_matter
from keepstate.rules.specification import SPEC_IDS
from keepstate.state.stored_operators import PartKind, StatePart
from toml_text import read_toml

INTRODUCTION = "README.md"
WITHOUT_QUERY = "no-change"
"""The folder of changes of the text that change no query."""
NONE = "none"
ALL = "all"
BY_PARAMETER = "by-parameter"
FACTS = frozenset({"subject", "was", "now", "became", "window", "presence", "reason", "kept", "go"})
"""The facts of a change that the words of a rule can name."""
_EFFECTS = tuple(effect.value for effect in Effect)
_PARTS = {part.name.lower(): part for part in StatePart}
_OWN = ("kind", "like", "order", "spec", "says")
"""Keys that each page has for itself."""
_SECTIONS = {
    "vvr": ("effect", "feature"),
    "change": ("item", "subject", "migrated"),
    "flink": ("parts", "also", "otherwise", "advice", "cases"),
    "words": ("change", "consequence", "recovery", "advice"),
}
_OF_KIND = (("vvr", "feature"), *(("change", key) for key in _SECTIONS["change"]), ("flink", "advice"))
"""Keys that hold for a kind of change, whatever the query."""


@dataclass(frozen=True)
class CaseText:
    """An effect in the profile flink; ``when`` and ``measured`` are empty where the page says ``none``."""

    effect: Effect
    when: str
    measured: str


@dataclass(frozen=True)
class TouchText:
    """The part of the stored state that a change touches; ``otherwise`` is ``None`` where a job parameter decides."""

    parts: tuple[StatePart, ...]
    also: tuple[StatePart, ...]
    otherwise: Effect | None


@dataclass(frozen=True)
class KindText:
    """The facts of a kind of change, and its ``touch``, which may differ in other queries. ``feature`` and ``advice``
    are empty where the page says ``none``.
    """

    feature: str
    item: ItemKind
    is_name: bool
    migrated: tuple[PartKind, ...]
    touch: TouchText
    advice: str


@dataclass(frozen=True)
class RulePage:
    """The front matter of one page with what it takes from the page that it is like. ``vvr`` is ``None`` where that
    profile never speaks, ``kind`` and ``facts`` for a change that no detector reports.
    """

    query: str
    name: str
    kind: str | None
    is_home: bool
    title: str
    order: int
    spec: tuple[str, ...]
    says: str
    vvr: Effect | None
    cases: tuple[CaseText, ...]
    facts: KindText | None
    words: tuple[str, str, str, str] | None

    @property
    def path(self) -> str:
        return f"{self.query}/{self.name}.md"


@dataclass(frozen=True)
class _Source:
    """A page as it stands in its file."""

    query: str
    name: str
    data: Mapping[str, Any]
    phrases: Mapping[str, str]

    @property
    def path(self) -> str:
        return f"{self.query}/{self.name}.md"

    def fail(self, message: str) -> BadPage:
        return BadPage(f"{self.path}: {message}")

    @cached_property
    def kind(self) -> str:
        return str(self.data.get("kind"))

    def get(self, section: str, key: str) -> object:
        """The page's own value; ``None`` without one."""
        values = self.data if not section else self.data.get(section, {})
        return values.get(key)


def read_pages(folder: Path) -> tuple[RulePage, ...]:
    """All pages below a folder, by query kind and in the order of their folder.

    Raises:
        BadPage: a key is missing, unknown or contradicts another one; the message has page and key.
    """
    common = _introduction(folder / INTRODUCTION, folder, ("phrases",))["phrases"]
    queries = (*(query.value for query in QueryKind), WITHOUT_QUERY)
    strangers = sorted({path.name for path in folder.iterdir() if path.is_dir()} - set(queries))
    if strangers:
        raise BadPage(f"{strangers[0]}: no kind of query has this name (keepstate.diff.subjects.QueryKind)")
    labels: dict[str, str] = {}
    sources: list[_Source] = []
    used: set[tuple[str, str]] = set()
    for query in queries:
        if not (folder / query).is_dir():
            continue
        introduction = _introduction(folder / query / INTRODUCTION, folder, ("label", "phrases"), ("phrases",))
        labels[query] = introduction["label"]
        phrases = {**common, **introduction.get("phrases", {})}
        for path in sorted((folder / query).glob("*.md")):
            if path.name != INTRODUCTION:
                sources.append(_source(path, query, phrases))
        used |= {(query if name in introduction.get("phrases", {}) else "", name) for name in _named(sources, query)}
        for name in introduction.get("phrases", {}):
            if (query, name) not in used:
                raise BadPage(f"{query}/{INTRODUCTION}: no page names the phrase {name}")
    for name in common:
        if ("", name) not in used:
            raise BadPage(f"{INTRODUCTION}: no page names the phrase {name}")
    return _resolved(sources, labels)


def _introduction(path: Path, folder: Path, keys: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    if not path.is_file():
        raise BadPage(f"{name}: this introduction is missing")
    data = read_toml(front_matter(path.read_text("utf-8"), name)[0], name)
    _check_keys(name, "", data, keys, [key for key in keys if key not in optional])
    return data


def _source(path: Path, query: str, phrases: Mapping[str, str]) -> _Source:
    name = f"{query}/{path.name}"
    data = read_toml(front_matter(path.read_text("utf-8"), name)[0], name)
    source = _Source(query, path.stem, data, phrases)
    _check_keys(name, "", data, (*_OWN, "title", *_SECTIONS), _OWN)
    for section, keys in _SECTIONS.items():
        given = data.get(section, {})
        if not isinstance(given, dict):
            raise source.fail(f"{section} is no table")
        _check_keys(name, section, given, keys, ())
    if source.get("vvr", "effect") is None:
        raise source.fail("vvr.effect is missing")
    return source


def _named(sources: Iterable[_Source], query: str) -> set[str]:
    words = (source.data.get("words", {}) for source in sources if source.query == query)
    return {value["phrase"] for own in words for value in own.values() if isinstance(value, dict) and "phrase" in value}


def _check_keys(name: str, section: str, data: Mapping[str, Any], known: Iterable[str], needed: Iterable[str]) -> None:
    prefix = f"{section}." if section else ""
    known = tuple(known)
    for key in data:
        if key not in known:
            raise BadPage(f"{name}: unknown key {prefix}{key}; known are {', '.join(known)}")
    for key in needed:
        if key not in data:
            raise BadPage(f"{name}: {prefix}{key} is missing")


# ---- likeness


def _resolved(sources: Sequence[_Source], labels: Mapping[str, str]) -> tuple[RulePage, ...]:
    homes: dict[str, _Source] = {}
    for source in sources:
        if source.get("", "like") != NONE or source.kind == NONE:
            continue
        if source.kind in homes:
            raise source.fail(f"{homes[source.kind].path} has this kind as well: one of them is like the other one")
        homes[source.kind] = source
    pages = [_Reader(source, _home(source, homes), labels, _shared_names(sources)).page() for source in sources]
    queries = list(labels)
    pages.sort(key=lambda page: (queries.index(page.query), page.order))
    _check_all(pages)
    return tuple(pages)


def _home(source: _Source, homes: Mapping[str, _Source]) -> _Source:
    like = source.get("", "like")
    if like == NONE:
        return source
    home = homes.get(source.kind)
    if home is None or home.query != like:
        raise source.fail(f"like: there is no page of {source.kind} in {like} that is like no other one")
    return home


def _shared_names(sources: Iterable[_Source]) -> frozenset[str]:
    found: dict[str, int] = {}
    for source in sources:
        found[source.name] = found.get(source.name, 0) + 1
    return frozenset(name for name, count in found.items() if count > 1)


def _check_all(pages: Sequence[RulePage]) -> None:
    titles: dict[str, RulePage] = {}
    places: dict[tuple[str, int], RulePage] = {}
    kinds: dict[tuple[str, str], RulePage] = {}
    for page in pages:
        for key, value, known in (
            ("title", titles.setdefault(page.title, page), page.title),
            ("order", places.setdefault((page.query, page.order), page), page.order),
            ("kind", kinds.setdefault((page.query, page.kind or page.name), page), page.kind),
        ):
            if value is not page:
                raise BadPage(f"{page.path}: {key}: {value.path} has {known!r} as well")


@dataclass(frozen=True)
class _Reader:
    """Reads one page, with the one that it is like (itself if with none)."""

    source: _Source
    home: _Source
    labels: Mapping[str, str]
    shared_names: frozenset[str]

    def page(self) -> RulePage:
        source = self.source
        says = self._one_of("", "says", ("finding", "notice", "nothing"))
        has_kind = source.kind != NONE
        if says != "nothing" and source.kind != source.name:
            raise source.fail(f"kind is {source.kind!r}, but a rule has the name of its kind")
        if not has_kind:
            self._only_cases()
        order, title = source.get("", "order"), self._text("", "title")
        if not isinstance(order, int):
            raise source.fail("order is no number")
        if source.name in self.shared_names:
            title = f"{title} ({self.labels[source.query]})"
        return RulePage(
            source.query,
            source.name,
            source.kind if has_kind else None,
            source is self.home,
            title,
            order,
            self._listed("", "spec", SPEC_IDS),
            says,
            self._effect("vvr", "effect"),
            self._cases(),
            self._of_kind() if has_kind else None,
            self._words(says),
        )

    def _only_cases(self) -> None:
        """A page about no kind of change has no more than an effect and cases."""
        for section, keys in _SECTIONS.items():
            for key in keys:
                if (section, key) not in (("vvr", "effect"), ("flink", "cases")) and self.source.get(section, key):
                    raise self.source.fail(f"{section}.{key}: the page is about no kind of change")

    def _of_kind(self) -> KindText:
        for section, key in _OF_KIND:
            if self.source is not self.home and self.source.get(section, key) is not None:
                raise self.source.fail(f"{section}.{key} belongs to the kind: it stands in {self.home.path}")
        parts = self._parts("parts")
        also = tuple(part for part in self._parts("also") if part not in parts)
        by_parameter = self._value("flink", "otherwise") == BY_PARAMETER
        otherwise = None if by_parameter else Effect(self._one_of("flink", "otherwise", _EFFECTS))
        feature = self._one_of("vvr", "feature", ("sticky", "open", NONE))
        migrated = self._listed("change", "migrated", tuple(part.value for part in PartKind))
        return KindText(
            "" if feature == NONE else feature,
            ItemKind(self._one_of("change", "item", tuple(item.value for item in ItemKind))),
            self._one_of("change", "subject", ("name", "words")) == "name",
            tuple(map(PartKind, migrated)),
            TouchText(parts, also, otherwise),
            _or_empty(self._text("flink", "advice")),
        )

    def _words(self, says: str) -> tuple[str, str, str, str] | None:
        if says == "nothing":
            if "words" in self.source.data:
                raise self.source.fail("words: the page says nothing")
            return None
        change, consequence, recovery, advice = (_or_empty(self._sentence(key)) for key in _SECTIONS["words"])
        return change, consequence, recovery, advice

    # ---- values

    def _value(self, section: str, key: str) -> Any:
        own, other = self.source.get(section, key), self.home.get(section, key)
        name = f"{section}.{key}" if section else key
        if own is None:
            if other is None or key in _OWN:
                raise self.source.fail(f"{name} is missing")
            return other
        compared = key not in _OWN and section != "words" and (section, key) != ("vvr", "effect")
        if self.source is not self.home and compared and own == other:
            raise self._same(name)
        return own

    def _same(self, name: str) -> BadPage:
        return self.source.fail(f"{name} says the same as {self.home.path}, which this page is like")

    def _text(self, section: str, key: str) -> str:
        value = self._value(section, key)
        if not isinstance(value, str) or not value:
            raise self.source.fail(f"{section}.{key}".lstrip(".") + ' is no text; "none" says that there is none')
        return value

    def _one_of(self, section: str, key: str, known: Sequence[str]) -> str:
        value = self._text(section, key)
        if value not in known:
            raise self.source.fail(f"{section}.{key}".lstrip(".") + f": {value!r} is none of {', '.join(known)}")
        return value

    def _effect(self, section: str, key: str) -> Effect | None:
        value = self._one_of(section, key, (*_EFFECTS, NONE))
        return None if value == NONE else Effect(value)

    def _listed(self, section: str, key: str, known: Sequence[str]) -> tuple[str, ...]:
        value = self._value(section, key)
        if value == NONE:
            return ()
        name = f"{section}.{key}".lstrip(".")
        if not isinstance(value, list) or not value:
            raise self.source.fail(f'{name} is no list; "none" says that it is empty')
        if unknown := next((one for one in value if one not in known), None):
            raise self.source.fail(f"{name}: {unknown!r} is unknown")
        return tuple(value)

    def _parts(self, key: str) -> tuple[StatePart, ...]:
        if self._value("flink", key) == ALL:
            return tuple(StatePart)
        named = self._listed("flink", key, tuple(_PARTS))
        return tuple(part for name, part in _PARTS.items() if name in named)

    def _cases(self) -> tuple[CaseText, ...]:
        value = self._value("flink", "cases")
        if not isinstance(value, list) or not value:
            raise self.source.fail("flink.cases is no list of cases")
        cases = tuple(self._case(case) for case in value)
        if len(cases) > 1 and not all(case.when for case in cases):
            raise self.source.fail("flink.cases.when: of several cases each says when it is the one")
        return cases

    def _case(self, case: object) -> CaseText:
        keys = ("effect", "when", "measured")
        if not isinstance(case, dict):
            raise self.source.fail("flink.cases: a case is a table")
        _check_keys(self.source.path, "flink.cases", case, keys, keys)
        if case["effect"] not in _EFFECTS:
            raise self.source.fail(f"flink.cases.effect: {case['effect']!r} is no effect")
        return CaseText(Effect(case["effect"]), _or_empty(case["when"]), _or_empty(case["measured"]))

    def _sentence(self, key: str) -> str:
        self._value("words", key)
        own, other = (self._spoken(page, key) for page in (self.source, self.home))
        if self.source is not self.home and own is not None and own == other:
            raise self._same(f"words.{key}")
        return own if own is not None else other or ""

    def _spoken(self, page: _Source, key: str) -> str | None:
        """The sentence that a page itself has; a phrase is one of the folder in which it is named."""
        value = page.get("words", key)
        if value is None:
            return None
        if isinstance(value, dict):
            if set(value) != {"phrase"} or value["phrase"] not in page.phrases:
                raise page.fail(f"words.{key}: there is no phrase {value.get('phrase')!r}")
            value = page.phrases[value["phrase"]]
        elif not isinstance(value, str) or not value:
            raise page.fail(f'words.{key} is no sentence; "none" says that there is none')
        for _, name, _, _ in Formatter().parse(value):
            if name is not None and name not in FACTS:
                raise page.fail(f"words.{key}: {{{name}}} is no fact of a change")
        return str(value)


def _or_empty(text: str) -> str:
    return "" if text == NONE else text
