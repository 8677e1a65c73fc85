"""The spelling of a job: choices without a meaning, and the places of the edited clauses in the text.

A generated job is a value; its text depends on a ``Chance``. ``PLAIN`` always takes the first option, so the plain
spelling is the one to read, and a failing example shrinks towards it.

Clauses that an edit touched are put between two marks while the text is composed, and unrelated statements between two
others; ``finish`` takes the marks out and remembers the spans.

By convention of this folder the composed text has keywords, functions and types in upper case and names in lower case:
so case and backticks can be varied token by token.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

OPEN, CLOSE = "\ue000", "\ue001"
OPEN_UNRELATED, CLOSE_UNRELATED = "\ue002", "\ue003"
_OPENED_BY = {CLOSE: OPEN, CLOSE_UNRELATED: OPEN_UNRELATED}
_TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|[A-Z]+ =>|[A-Za-z_]\w*|\d+(?:\.\d+)?|<>|<=|>=|=>|\|\||\s+|.", re.DOTALL)
_COLUMN = re.compile(r"@(\w+)")


class NothingToPick(Exception):
    """An edit finds nothing that it could change."""


class Chance:
    """Choices drawn from a source of chance; the first option is the simplest one."""

    def __init__(self, source: random.Random, kept: frozenset[str] = frozenset()) -> None:
        self._source = source
        self._kept = kept
        """Ids of the ways of spelling that are left alone, since they mean something to an engine."""
        self.varied: set[str] = set()
        """Ids of the specification for the ways of spelling that were taken instead of the simplest ones."""

    def pick(self, *options: T) -> T:
        if not options:
            raise NothingToPick
        return options[self._source.randrange(len(options))] if len(options) > 1 else options[0]

    def vary(self, ids: str, *options: T) -> T:
        """A choice that means nothing, by the ``ids`` that say so."""
        chosen = 0 if self._kept & set(ids.split()) else self.pick(*range(len(options)))
        if chosen:
            self.varied.update(ids.split())
        return options[chosen]

    def keeps(self, id_: str) -> bool:
        """Return whether a spelling is not to be varied."""
        return id_ in self._kept

    def flip(self) -> bool:
        return self.pick(False, True)

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        left, taken = list(items), []
        while left:
            taken.append(left.pop(self._source.randrange(len(left)) if len(left) > 1 else 0))
        return tuple(taken)

    def some(self, items: Sequence[T], least: int, most: int) -> tuple[T, ...]:
        """From ``least`` to ``most`` of the items, in their order."""
        number = least + self.pick(*range(most - least + 1))
        chosen = sorted(self.shuffled(range(len(items)))[:number])
        return tuple(items[index] for index in chosen)

    def number(self, below: int) -> int:
        return self._source.randrange(below)


class _Plain(Chance):
    def __init__(self) -> None:
        super().__init__(random.Random(0))

    def pick(self, *options: T) -> T:
        return options[0]

    def vary(self, ids: str, *options: T) -> T:
        return options[0]

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        return tuple(items)

    def number(self, below: int) -> int:
        return 0


PLAIN = _Plain()


def mark(text: str, touched: bool = True) -> str:
    return f"{OPEN}{text}{CLOSE}" if touched and text else text


def mark_unrelated(text: str, unrelated: bool = True) -> str:
    return f"{OPEN_UNRELATED}{text}{CLOSE_UNRELATED}" if unrelated and text else text


def unmarked(text: str) -> str:
    return re.sub(f"[{OPEN}{CLOSE}{OPEN_UNRELATED}{CLOSE_UNRELATED}]", "", text)


@dataclass(frozen=True)
class Script:
    """A finished text, the spans of its touched clauses, and those of statements that the edit is not about."""

    text: str
    touched: tuple[tuple[int, int], ...]
    unrelated: tuple[tuple[int, int], ...] = ()


def finish(marked: str, chance: Chance) -> Script:
    """The text without marks, with its keywords, names and gaps spelled by chance."""
    seed = chance.number(64)
    style = random.Random(seed)
    case = style.choice((str.lower, str.capitalize, str.upper)) if seed else str.upper
    quoting = style.choice((0.0, 0.0, 0.3, 1.0)) if seed else 0.0
    gaps = style.choice(((" ",), ("\n", "  ", "\t"), (" /* ; ' */ ", " -- don't; stop\n", "\r\n"))) if seed else None
    if gaps is not None:
        chance.varied |= {"FMT-01"} | ({"FMT-02"} if len(gaps[0]) > 1 else set())
        chance.varied |= ({"FMT-03"} if case is not str.upper else set()) | ({"FMT-04"} if quoting else set())
    pieces: list[str] = []
    length = 0
    opened: list[tuple[str, int]] = []
    spans: dict[str, list[tuple[int, int]]] = {OPEN: [], OPEN_UNRELATED: []}
    waiting: list[str] = []
    for token in _TOKEN.findall(marked):
        if token in spans:
            waiting.append(token)
            continue
        if token in _OPENED_BY:
            kind, start = opened.pop()
            assert kind == _OPENED_BY[token], marked
            spans[kind].append((start, length))
            continue
        if token.isspace():
            piece = style.choice(gaps) if gaps is not None and "\n" not in token else token
        elif token[0].isalpha() or token[0] == "_":
            if token.endswith("=>"):
                # The names of arguments are taken as they are written.
                piece = token
            elif token == token.upper():
                piece = case(token)
            else:
                piece = f"`{token}`" if style.random() < quoting else token
        else:
            piece = token
        if waiting and not token.isspace():
            opened += [(kind, length) for kind in waiting]
            waiting = []
        pieces.append(piece)
        length += len(piece)
    assert not opened and not waiting, marked
    return Script("".join(pieces), tuple(spans[OPEN]), tuple(spans[OPEN_UNRELATED]))


@dataclass(frozen=True)
class Relation:
    """A relation of FROM, and the names of its columns for readers."""

    text: str
    names: Mapping[str, str] = field(default_factory=dict)
    qualifier: str = ""

    def column(self, name: str) -> str:
        known = self.names.get(name, name)
        return f"{self.qualifier}.{known}" if self.qualifier else known

    def sql(self, text: str) -> str:
        """An expression with its columns (written ``@name``) as they are called here."""
        return _COLUMN.sub(lambda match: self.column(match.group(1)), text)


def columns_of(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in texts for name in _COLUMN.findall(text)))


class Writer:
    """Composes one query: layers become subqueries, common table expressions or views, names are fresh."""

    def __init__(
        self, chance: Chance, names: dict[str, int] | None = None, shared: dict[str, Relation] | None = None
    ) -> None:
        self.chance = chance
        self.views: list[str] = []
        self._ctes: list[tuple[str, str]] = []
        self._names = {} if names is None else names
        self._shared = {} if shared is None else shared

    def name(self, stem: str, ids: str = "AL-01") -> str:
        base = self.chance.vary(ids, stem, f"{stem}_x", f"the_{stem}")
        count = self._names[base] = self._names.get(base, 0) + 1
        return base if count == 1 else f"{base}{count}"

    def alias(self, stem: str) -> str:
        return self.chance.pick(" AS ", " ") + self.name(stem, "AL-02")

    def layer(self, stem: str, body: Callable[[], str], views: bool = True, columns: Sequence[str] = ()) -> str:
        """A query under another one: the text to put behind FROM (or behind TABLE, if it is a name).

        ``columns`` are names to give to its columns from outside.
        """
        listed = f" ({', '.join(columns)})" if columns else ""
        outer, self._ctes = self._ctes, []
        text = body()
        own, self._ctes = self._ctes, outer
        forms = ("subquery", "cte", "nested with", "temporary view", "view")
        form = self.chance.vary("STR-01", *forms[: None if views else 3])
        if form in ("temporary view", "view", "nested with"):
            own = [*self._taken(text, own), *own]
        if form == "subquery" or (form == "nested with" and not own):
            self._ctes += own
            return (
                f"(SELECT * FROM ({text}) AS {self.name('inner_' + stem, 'AL-02')}{listed})" if columns else f"({text})"
            )
        if form == "nested with":
            return (
                f"({_with(own)}{text})"
                if not columns
                else f"({_with([*own, ('listed' + listed, text)])}SELECT * FROM listed)"
            )
        name = self.name(stem, "AL-02")
        if form == "cte":
            self._ctes += [*own, (name + listed, text)]
            return name
        exists = self.chance.vary("FMT-05", "", "IF NOT EXISTS ")
        kind = "TEMPORARY VIEW" if form == "temporary view" else "VIEW"
        self.views.append(f"CREATE {kind} {exists}{name}{listed} AS {_with(own)}{text};")
        return name

    def shared_view(self, role: str, body: Callable[[], tuple[str, Mapping[str, str]]]) -> Relation:
        """A view of the job that several of its queries may read: the first reader declares it.

        ``body`` gives the query and the names of its columns by role. ``role`` tells the views of a job apart.
        """
        if role not in self._shared:
            outer, self._ctes = self._ctes, []
            text, names = body()
            own, self._ctes = self._ctes, outer
            name = self.name(role, "AL-02")
            kind = self.chance.vary("STR-01", "VIEW", "TEMPORARY VIEW")
            self.views.append(f"CREATE {kind} {name} AS {_with(own)}{text};")
            self._shared[role] = Relation(name, names)
        return self._shared[role]

    def _taken(self, text: str, own: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The waiting common table expressions that this text reads: it alone does, so they move to it."""
        taken: list[tuple[str, str]] = []
        texts = [text, *(body for _, body in own)]
        for name, body in reversed(self._ctes):
            if any(re.search(rf"\b{name.split()[0]}\b", reader) for reader in texts):
                taken.insert(0, (name, body))
                texts.append(body)
        self._ctes = [cte for cte in self._ctes if cte not in taken]
        return taken

    def query(self, body: Callable[[], str]) -> str:
        """A whole query, with the common table expressions that its layers became."""
        text = body()
        ctes, self._ctes = self._ctes, []
        return _with(ctes) + text

    def read(self, relation: Relation, stem: str) -> Relation:
        """The relation as an item of FROM: with an alias, and its columns qualified, or not."""
        form = self.chance.vary("AL-02", "bare", "alias", "qualified")
        if form == "bare":
            return relation
        name = self.name(stem, "AL-02")
        text = f"{relation.text}{self.chance.pick(' AS ', ' ')}{name}"
        return Relation(text, relation.names, name if form == "qualified" else "")


def _with(ctes: list[tuple[str, str]]) -> str:
    return f"WITH {', '.join(f'{name} AS ({text})' for name, text in ctes)} " if ctes else ""
