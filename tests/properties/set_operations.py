"""INTERSECT and EXCEPT of two streams, and rows that have a partner in another stream or have none (IN, EXISTS)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clauses import Condition, where
from edits import INCOMPATIBLE, edit
from spelling import Chance, Relation, Writer, mark
from tables import DOMAINS, Domain, Feed, Table

Changed = tuple["SetQuery", "SetQuery"]


@dataclass(frozen=True)
class SetQuery:
    """``operation`` is INTERSECT or EXCEPT; both inputs give the ``shown`` columns."""

    domain: Domain
    left: Feed
    right: Feed
    operation: str
    shown: tuple[str, ...]
    where: tuple[Condition, ...] = ()
    """Conditions on the left input."""
    operation_touched: bool = False
    shown_touched: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.left.tables, *self.right.tables)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.left.type(name) for name in self.shown)

    def select(self, writer: Writer) -> str:
        left = self._side(writer, self.left, "l", self.where)
        right = self._side(writer, self.right, "r", ())
        return f"{left}\n{mark(self.operation, self.operation_touched)}\n{right}"

    def _side(self, writer: Writer, feed: Feed, side: str, conditions: tuple[Condition, ...]) -> str:
        needed = (*self.shown, *(name for condition in conditions for name in condition.columns), *feed.needs())
        relation = writer.read(feed.relation(writer, needed), side)
        items = [mark(relation.column(name), name in self.shown_touched) for name in self.shown]
        return f"SELECT {', '.join(items)}\nFROM {relation.text}{where(conditions, relation, writer.chance)}"


@dataclass(frozen=True)
class Partners:
    """The rows of a stream with (or without) a row of the same ``key`` in another one."""

    domain: Domain
    feed: Feed
    other: Feed
    negated: bool
    key: str
    other_key: str
    shown: tuple[str, ...]
    kind_touched: bool = False
    key_touched: bool = False
    shown_touched: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.feed.tables, *self.other.tables)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.feed.type(name) for name in self.shown)

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        rows = self._read(writer, self.feed, (*self.shown, self.key), "t")
        other = self._read(writer, self.other, (self.other_key,), "o")
        items = [mark(rows.column(name), name in self.shown_touched) for name in self.shown]
        ours, theirs = rows.column(self.key), other.column(self.other_key)
        equal = mark(chance.vary("EQ-03", f"{theirs} = {ours}", f"{ours} = {theirs}"), self.key_touched)
        exists = f"EXISTS (SELECT {chance.pick('1', '*', theirs)} FROM {other.text} WHERE {equal})"
        # NOT IN minds NULLs, which NOT EXISTS does not.
        within = mark(f"{ours} IN (SELECT {theirs} FROM {other.text})", self.key_touched)
        condition = f"NOT {exists}" if self.negated else chance.pick(exists, within)
        return f"SELECT {', '.join(items)}\nFROM {rows.text}\nWHERE {mark(condition, self.kind_touched)}"

    def _read(self, writer: Writer, feed: Feed, needed: tuple[str, ...], side: str) -> Relation:
        relation = feed.relation(writer, (*needed, *feed.needs()))
        name = writer.name(side, "AL-02")
        return Relation(f"{relation.text}{writer.chance.pick(' AS ', ' ')}{name}", relation.names, name)


def _shown(domain: Domain, chance: Chance) -> tuple[str, ...]:
    return (domain.id, *chance.some((domain.k1, domain.m2), 1, 2))


def set_operation(chance: Chance) -> SetQuery:
    domain = chance.pick(*DOMAINS)
    feeds = (Feed(domain.stream(name), free_order=False) for name in ("", "answers"))
    conditions = chance.some((Condition(f"@{domain.m2}", ">", "5"),), 0, 1)
    return SetQuery(domain, *feeds, chance.pick("INTERSECT", "EXCEPT"), _shown(domain, chance), conditions)


def partners(chance: Chance) -> Partners:
    domain = chance.pick(*DOMAINS)
    feeds = (Feed(domain.stream(name), free_order=False) for name in ("", "answers"))
    return Partners(domain, *feeds, chance.flip(), domain.id, domain.id, _shown(domain, chance))


# ---- edits


def change_operation(query: SetQuery, chance: Chance) -> Changed:
    other = "EXCEPT" if query.operation == "INTERSECT" else "INTERSECT"
    before = replace(query, operation_touched=True)
    return before, replace(before, operation=other)


def add_shown(query: SetQuery, chance: Chance) -> Changed:
    name = query.domain.note
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


def remove_shown(query: SetQuery, chance: Chance) -> Changed:
    after, before = add_shown(query, chance)
    return before, after


def add_filter(query: SetQuery, chance: Chance) -> Changed:
    new = Condition(f"@{query.domain.id}", ">", "7", touched=True)
    return query, replace(query, where=(*query.where, new))


def negate(query: Partners, chance: Chance) -> tuple[Partners, Partners]:
    before = replace(query, kind_touched=True)
    return before, replace(before, negated=not query.negated)


def change_key(query: Partners, chance: Chance) -> tuple[Partners, Partners]:
    """Both columns have the same types as before."""
    before = replace(query, key_touched=True)
    return before, replace(before, key=query.domain.m2, other_key=query.domain.m2)


def shows_both_keys(query: Partners, chance: Chance) -> Partners:
    """So that the rows that are kept stay the same ones."""
    return replace(query, shown=(query.domain.id, query.domain.m2))


def add_column(query: Partners, chance: Chance) -> tuple[Partners, Partners]:
    name = query.domain.entered
    return query, replace(query, shown=(*query.shown, name), shown_touched=(name,))


S, P = "set-operation", "partners"
EDITS = (
    edit("NONE-01", S, INCOMPATIBLE, change_operation, part="operation"),
    edit("NONE-02", S, INCOMPATIBLE, add_shown, part="output"),
    edit("NONE-02", S, INCOMPATIBLE, remove_shown, part="output"),
    edit("WH-01", S, INCOMPATIBLE, add_filter, part="filter", item="filter"),
    edit("JR-01", P, INCOMPATIBLE, negate, part="kind"),
    edit("JR-02", P, INCOMPATIBLE, change_key, shows_both_keys, part="condition"),
    edit("JR-03", P, INCOMPATIBLE, add_column, part="output"),
)
"""Of set operations the specification has no row; NONE-01 and NONE-02 are about the operation and its rows."""
