"""Readers of the results of an aggregation: another aggregation, a ranking, OVER, a join, a union, a filter.

Flink leaves out an aggregate that nothing reads, but not below a ranking, where the projection comes too late. So an
added or removed aggregate is no change under most readers, and one under a ranking (C-30, step 0 of section 17).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from aggregations import WINDOW_FIELDS, Aggregation, group_aggregation, window_aggregation
from clauses import Aggregate, Condition, Key, Order, interval, where
from generated_jobs import Query
from prepared_aggregations import no_session
from spelling import Chance, Relation, Writer
from tables import Domain, Table


@dataclass(frozen=True)
class Totals:
    """The rows of an aggregation, whose columns are called by their roles: ``key0``, ``aggregate0``, ``window_end``.

    With ``shared`` they are a view, which all queries of the job read that name it.
    """

    below: Aggregation
    shared: str = ""

    @property
    def roles(self) -> tuple[str, ...]:
        keys = (f"key{index}" for index in range(len(self.below.plain_keys)))
        calls = (f"aggregate{index}" for index in range(len(self.below.aggregates)))
        return (*keys, *self.below.shown, *calls)

    @property
    def values(self) -> tuple[str, ...]:
        """All columns but the fields of the window."""
        return tuple(role for role in self.roles if not role.startswith("window"))

    def type(self, role: str) -> str:
        if role.startswith("aggregate"):
            return self.below.aggregates[int(role.removeprefix("aggregate"))].type
        return self.below.domain.type(role)

    def relation(self, writer: Writer) -> Relation:
        if self.shared:
            return writer.shared_view(self.shared, lambda: self.below.block(writer, alias_all=True))
        names: dict[str, str] = {}

        def body() -> str:
            text, roles = self.below.block(writer, alias_all=True)
            names.update(roles)
            return text

        return Relation(writer.layer("totals", body), names)


@dataclass(frozen=True)
class _Reader:
    totals: Totals

    @property
    def domain(self) -> Domain:
        return self.totals.below.domain

    @property
    def below(self) -> Aggregation:
        return self.totals.below

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.totals.below.tables


@dataclass(frozen=True)
class Picked(_Reader):
    """Some of the columns, of all rows or of some."""

    shown: tuple[str, ...]
    where: tuple[Condition, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(map(self.totals.type, self.shown))

    def select(self, writer: Writer) -> str:
        rows = writer.read(self.totals.relation(writer), "t")
        items = ", ".join(rows.column(name) for name in self.shown)
        return f"SELECT {items}\nFROM {rows.text}{where(self.where, rows, writer.chance)}"


@dataclass(frozen=True)
class Regrouped(_Reader):
    """Grouped again by the first key. With ``windowed`` by windows over the time of the lower ones as well."""

    aggregates: tuple[Aggregate, ...]
    windowed: int = 0
    """The seconds of the upper windows."""
    where: tuple[Condition, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        return ("STRING", *(call.type for call in self.aggregates))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        rows = self.totals.relation(writer)
        fields = ""
        if self.windowed:
            # The lower layer hands on fields of the same names: the upper ones are meant, so it may not be read bare.
            table = rows.text if rows.text.startswith("(") else f"TABLE {rows.text}"
            time = rows.column("window_time")
            call = f"TUMBLE({table}, DESCRIPTOR({time}), {interval(self.windowed, chance)})"
            rows = Relation(f"TABLE({call})", rows.names)
            fields = ", window_start, window_end"
        read = writer.read(rows, "t")
        key = read.column("key0")
        calls = [f"{call.sql(read, chance)} AS {writer.name('total')}" for call in self.aggregates]
        conditions = where(self.where, read, chance)
        return f"SELECT {', '.join([key, *calls])}\nFROM {read.text}{conditions}\nGROUP BY {key}{fields}"


@dataclass(frozen=True)
class Running(_Reader):
    """A sum over the windows of a key, in the order of their times."""

    aggregates: tuple[Aggregate, ...]
    shown: tuple[str, ...]

    @property
    def types(self) -> tuple[str, ...]:
        return (*map(self.totals.type, self.shown), *(call.type for call in self.aggregates))

    def select(self, writer: Writer) -> str:
        rows = writer.read(self.totals.relation(writer), "t")
        over = f"(PARTITION BY {rows.column('key0')} ORDER BY {rows.column('window_time')})"
        calls = [
            f"{call.sql(rows, writer.chance)} OVER {over} AS {writer.name('run')}" for call in self.aggregates
        ]  # fmt: skip
        items = [rows.column(name) for name in self.shown]
        return f"SELECT {', '.join([*items, *calls])}\nFROM {rows.text}"


@dataclass(frozen=True)
class Best(_Reader):
    """The first rows by an aggregate. ``listed`` are the ranked columns, by role; empty for all of them.

    With ``computed`` the ranked rows come out of a projection that computes, and so drops what it does not name.
    """

    shown: tuple[str, ...]
    order: Order
    bound: int = 3
    listed: tuple[str, ...] = ()
    computed: bool = False
    number: bool = False

    @property
    def types(self) -> tuple[str, ...]:
        return (*map(self.totals.type, self.shown), *(("BIGINT",) if self.number else ()))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        totals = self.totals.relation(writer)
        if self.computed:
            totals = self._computed(writer, totals)
        rows = writer.read(totals, "r")
        windowed = [rows.column(name) for name in WINDOW_FIELDS if self.below.window is not None]
        keys = [*windowed, rows.column("key0")] if windowed or self._has_two_keys else []
        partition = f"PARTITION BY {', '.join(keys)} " if keys else ""
        number = writer.name("place")
        call = f"ROW_NUMBER() OVER ({partition}ORDER BY {self.order.sql(rows, chance)})"

        def body() -> str:
            star = [f"{rows.qualifier}.*" if rows.qualifier else "*"]
            items = [rows.column(name) for name in self.listed] or star
            return f"SELECT {', '.join(items)}, {call} AS {number}\nFROM {rows.text}"

        ranked = writer.read(Relation(writer.layer("ranked", body), rows.names), "q")
        items = [*(ranked.column(name) for name in self.shown), *([ranked.column(number)] if self.number else [])]
        return f"SELECT {', '.join(items)}\nFROM {ranked.text}\nWHERE {ranked.column(number)} <= {self.bound}"

    @property
    def _has_two_keys(self) -> bool:
        return len(self.below.plain_keys) > 1

    def _computed(self, writer: Writer, totals: Relation) -> Relation:
        names = {name: writer.name(name.replace("aggregate", "value")) for name in self.shown}
        fields = [name for name in WINDOW_FIELDS if self.below.window is not None]

        def body() -> str:
            first, *rest = (name for name in self.shown if name.startswith("aggregate"))
            keys = [name for name in self.shown if name.startswith("key")]
            items = [f"{totals.column(name)} AS {names[name]}" for name in (*keys, *rest)]
            items += [totals.column(name) for name in fields]
            return f"SELECT {', '.join(items)}, {totals.column(first)} + 1 AS {names[first]} FROM {totals.text}"

        return Relation(writer.layer("computed", body), {**names, **{name: totals.column(name) for name in fields}})


@dataclass(frozen=True)
class Latest(_Reader):
    """The last window of each key."""

    shown: tuple[str, ...]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(map(self.totals.type, self.shown))

    def select(self, writer: Writer) -> str:
        rows = writer.read(self.totals.relation(writer), "r")
        number = writer.name("place")
        time = Order("@window_time").sql(rows, writer.chance)
        call = f"ROW_NUMBER() OVER (PARTITION BY {rows.column('key0')} ORDER BY {time})"

        def body() -> str:
            star = f"{rows.qualifier}.*" if rows.qualifier else "*"
            return f"SELECT {star}, {call} AS {number}\nFROM {rows.text}"

        ranked = writer.read(Relation(writer.layer("ranked", body), rows.names), "q")
        items = ", ".join(ranked.column(name) for name in self.shown)
        return f"SELECT {items}\nFROM {ranked.text}\nWHERE {ranked.column(number)} = 1"


@dataclass(frozen=True)
class Paired(_Reader):
    """Joined by the first key with the totals of another stream."""

    other: Totals
    shown: tuple[str, ...]
    other_shown: tuple[str, ...]
    type: str = "JOIN"

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.totals.below.tables, *self.other.below.tables)

    @property
    def types(self) -> tuple[str, ...]:
        return (*map(self.totals.type, self.shown), *map(self.other.type, self.other_shown))

    def select(self, writer: Writer) -> str:
        left, right = (self._side(writer, totals, side) for totals, side in ((self.totals, "l"), (self.other, "r")))
        items = [*map(left.column, self.shown), *map(right.column, self.other_shown)]
        on = writer.chance.vary(
            "EQ-03",
            f"{left.column('key0')} = {right.column('key0')}",
            f"{right.column('key0')} = {left.column('key0')}",
        )
        return f"SELECT {', '.join(items)}\nFROM {left.text}\n{self.type} {right.text} ON {on}"

    def _side(self, writer: Writer, totals: Totals, side: str) -> Relation:
        rows = totals.relation(writer)
        name = writer.name(side, "AL-02")
        return Relation(f"{rows.text} AS {name}", rows.names, name)


@dataclass(frozen=True)
class Together(_Reader):
    """The totals of two streams in one union, grouped again."""

    other: Totals
    aggregates: tuple[Aggregate, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.totals.below.tables, *self.other.below.tables)

    @property
    def types(self) -> tuple[str, ...]:
        return ("STRING", *(call.type for call in self.aggregates))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        names = {"key0": writer.name("sum_key"), "aggregate0": writer.name("sum_value")}

        def one(totals: Totals) -> str:
            rows = totals.relation(writer)
            items = ", ".join(f"{rows.column(role)} AS {name}" for role, name in names.items())
            return f"SELECT {items} FROM {rows.text}"

        union = writer.layer("sums", lambda: "\nUNION ALL\n".join([one(self.totals), one(self.other)]))
        rows = writer.read(Relation(union, names), "t")
        calls = [f"{call.sql(rows, chance)} AS {writer.name('total')}" for call in self.aggregates]
        key = rows.column("key0")
        return f"SELECT {', '.join([key, *calls])}\nFROM {rows.text}\nGROUP BY {key}"


# ---- random totals and their readers


def _calls(domain: Domain, chance: Chance) -> tuple[Aggregate, ...]:
    """An aggregate to rank or to sum by, one more that is read now and then, and none that is not read."""
    first = Aggregate(chance.pick("SUM", "MAX", "MIN"), f"@{domain.m2}", type="INT")
    second = chance.pick(Aggregate("COUNT", "*"), Aggregate("COUNT", f"@{domain.note}"))
    return first, second


def unbounded(chance: Chance) -> Totals:
    below = group_aggregation(chance)
    domain = below.domain
    keys = chance.pick((Key(f"@{domain.k1}"), Key(f"@{domain.k2}")), (Key(f"@{domain.k1}"),))
    return Totals(replace(below, keys=keys, aggregates=_calls(domain, chance)))


def windowed(chance: Chance) -> Totals:
    """Grouped by all three fields of a window, so that the time goes on to what reads them."""
    below = no_session(window_aggregation(chance, sessions=False), chance)
    domain = below.domain
    fields = (*WINDOW_FIELDS, "window_time")
    keys = (Key(f"@{domain.k1}"), *(Key(name) for name in fields))
    return Totals(replace(below, keys=keys, aggregates=_calls(domain, chance), shown=fields))


def either(chance: Chance) -> Totals:
    return chance.pick(unbounded, windowed)(chance)


_BOTH = ("key0", "aggregate0", "aggregate1")


def _sums(totals: Totals) -> tuple[Aggregate, ...]:
    return (
        Aggregate("SUM", "@aggregate0", type=totals.type("aggregate0")),
        Aggregate("MAX", "@aggregate1", type=totals.type("aggregate1")),
    )


def picked(chance: Chance) -> Picked:
    totals = either(chance)
    return Picked(totals, _BOTH, chance.some((Condition("@aggregate1", ">", "1"),), 0, 1))


def regrouped(chance: Chance) -> Regrouped:
    totals = either(chance)
    return Regrouped(totals, _sums(totals), where=chance.some((Condition("@aggregate1", ">", "1"),), 0, 1))


def cascaded(chance: Chance) -> Regrouped:
    totals = windowed(chance)
    assert totals.below.window is not None
    return Regrouped(totals, _sums(totals), windowed=totals.below.window.size * chance.pick(2, 4))


def running(chance: Chance) -> Running:
    totals = windowed(chance)
    return Running(totals, _sums(totals), _BOTH)


def best(chance: Chance) -> Best:
    totals = unbounded(chance)
    order = Order("@aggregate0", not chance.flip())
    return Best(totals, totals.values, order, chance.pick(3, 5, 1), number=chance.flip())


def best_of_windows(chance: Chance) -> Best:
    totals = windowed(chance)
    order = Order("@aggregate0", not chance.flip())
    return Best(totals, totals.values, order, chance.pick(3, 5, 1), number=chance.flip())


def latest(chance: Chance) -> Latest:
    return Latest(windowed(chance), _BOTH)


def _two(chance: Chance) -> tuple[Totals, Totals]:
    totals = unbounded(chance)
    domain = totals.below.domain
    other = replace(totals.below, feed=replace(totals.below.feed, table=domain.stream("answers"), others=()))
    calls = (Aggregate("MAX", f"@{domain.m2}", type="INT"), Aggregate("COUNT", "*"))
    return totals, Totals(replace(other, aggregates=calls, where=()))


def paired(chance: Chance) -> Paired:
    totals, other = _two(chance)
    return Paired(totals, other, _BOTH, ("aggregate0",), chance.pick("JOIN", "LEFT JOIN"))


def together(chance: Chance) -> Together:
    totals, other = _two(chance)
    return Together(totals, other, (Aggregate("SUM", "@aggregate0", type="INT"), Aggregate("COUNT", "*")))


PRUNED: dict[str, Callable[[Chance], Query]] = {
    "totals-picked": picked,
    "totals-regrouped": regrouped,
    "totals-cascaded": cascaded,
    "totals-running": running,
    "totals-joined": paired,
    "totals-united": together,
}
"""The readers below which Flink leaves out what nothing reads."""
RANKED: dict[str, Callable[[Chance], Query]] = {
    "totals-best": best,
    "totals-best-of-windows": best_of_windows,
    "totals-latest": latest,
}
"""The readers below which it does not."""
KINDS = PRUNED | RANKED
