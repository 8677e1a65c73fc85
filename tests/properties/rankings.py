"""Rankings: Top-N, Window Top-N, deduplication in its modes, window deduplication."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aggregations import WINDOW_FIELDS, Aggregation, Window, group_aggregation, random_window, window_aggregation
from clauses import Condition, Key, Order, where
from spelling import Chance, Relation, Writer, mark
from tables import DOMAINS, Domain, Feed, Table

TOP_N, WINDOW_TOP_N, WINDOW_DEDUPLICATION = "top-n", "window-top-n", "window-deduplication"
KEEP_FIRST, KEEP_LAST, KEEP_BY_ROWTIME = "proctime-asc", "proctime-desc", "rowtime"

_BESIDE_QUALIFY = 5


@dataclass(frozen=True)
class Ranking:
    """A rank over the rows of a stream, of windowed rows (``window``), or of an aggregation (``below``)."""

    kind: str
    domain: Domain
    feed: Feed
    partition: tuple[Key, ...]
    order: tuple[Order, ...]
    bound: int
    shown: tuple[str, ...]
    """Columns of the output: names of columns, or the roles of an aggregation's columns."""
    window: Window | None = None
    below: Aggregation | None = None
    number: bool = False
    bound_touched: bool = False
    order_touched: bool = False
    partition_touched: bool = False
    shown_touched: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.feed.tables if self.below is None else self.below.tables

    @property
    def types(self) -> tuple[str, ...]:
        return (*(self._type(name) for name in self.shown), *(("BIGINT",) if self.number else ()))

    def _type(self, name: str) -> str:
        if self.below is None:
            return self.domain.type(name) if name.startswith("window") else self.feed.type(name)
        if name.startswith("aggregate"):
            return self.below.aggregates[int(name.removeprefix("aggregate"))].type
        return self.domain.type(name)

    def used(self) -> tuple[str, ...]:
        """The columns that the ranking reads or hands on."""
        own = [column for part in (*self.partition, *self.order, *self.where) for column in part.columns]
        fields = [key.expression for key in self.partition if key.window_field]
        return tuple(dict.fromkeys((*own, *fields, *self.shown)))

    def needed(self) -> tuple[str, ...]:
        names = [name for name in self.used() if not name.startswith("window")]
        if self.window is not None:
            names += [self.window.time, *self.window.partition]
        return (*names, *self.feed.needs())

    def _rows(self, writer: Writer) -> tuple[Relation, tuple[str, ...]]:
        """The ranked relation, and its columns in order."""
        chance = writer.chance
        if self.below is not None:
            names: dict[str, str] = {}

            def body() -> str:
                text, roles = self.below.block(writer, alias_all=True)
                names.update(roles)
                return text

            text = writer.layer("totals", body)
            return Relation(text, names), tuple(names)
        data = self.feed.relation(writer, self.needed())
        columns = tuple(name for name in self.feed.columns if name in self.needed())
        if self.window is not None:
            windowed = self.window.rows(data, chance)
            return windowed, (*columns, *WINDOW_FIELDS)
        return data, columns

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        rows, columns = self._rows(writer)
        read = writer.read(rows, "r")
        partition = [key.sql(read) for key in self.partition]
        if chance.flip():
            partition = list(chance.shuffled(partition))
        order = mark(", ".join(order.sql(read, chance) for order in self.order), self.order_touched)
        keys = mark(f"PARTITION BY {', '.join(partition)}", self.partition_touched) if partition else ""
        call = f"ROW_NUMBER() OVER ({keys} ORDER BY {order})"
        # Without the number in the output, a condition on the call itself is planned in the same way.
        # Beside six columns Flink plans QUALIFY only if its window is one of them.
        qualify = chance.pick(False, False, True) and (self.number or len(self.shown) <= _BESIDE_QUALIFY)
        number = writer.name("place")
        used = [name for name in columns if name in self.used()]
        if qualify:
            items = [self._item(name, read) for name in self.shown] + ([f"{call} AS {number}"] if self.number else [])
            subject = number if self.number else call
            filters = where(self.where, read, chance)
            # Flink stumbles over an OVER call to the right of a comparison.
            condition = self._condition(subject, chance, turned=False)
            return f"SELECT {', '.join(items)}\nFROM {read.text}{filters}\nQUALIFY {condition}"

        def body() -> str:
            listed = chance.flip() or bool(self.where)
            items = (
                [read.column(name) for name in used] if listed else [f"{read.qualifier}.*" if read.qualifier else "*"]
            )
            filters = where(self.where, read, chance)
            return f"SELECT {', '.join(items)}, {call} AS {number}\nFROM {read.text}{filters}"

        views = self.window is None or self.window.fits_a_view
        ranked = writer.read(Relation(writer.layer("ranked", body, views), rows.names), "q")
        items = [self._item(name, ranked) for name in self.shown]
        rank = ranked.column(number)
        if self.number:
            items.append(rank)
        return f"SELECT {', '.join(items)}\nFROM {ranked.text}\nWHERE {self._condition(rank, chance)}"

    def _item(self, name: str, relation: Relation) -> str:
        return mark(relation.column(name), name in self.shown_touched)

    def _condition(self, rank: str, chance: Chance, turned: bool = True) -> str:
        forms = [f"{rank} <= {self.bound}", f"{rank} < {self.bound + 1}"]
        if turned:
            forms.append(f"{self.bound} >= {rank}")
        if self.bound == 1:
            forms.insert(0, f"{rank} = 1")
        ids = {TOP_N: "TN-08", WINDOW_TOP_N: "WTN-12"}.get(self.kind, "DD-07")
        return mark(chance.vary(f"EQ-02 {ids}", *forms), self.bound_touched)


# ---- random rankings


def _stream(domain: Domain) -> Feed:
    return Feed(domain.stream(), free_order=False)


def _shown(domain: Domain, chance: Chance, *always: str) -> tuple[str, ...]:
    """Output columns in the order of the table."""
    others = (domain.k2, domain.m2, domain.note)
    chosen = {*always, *chance.some(others, 1, 3)}
    return tuple(column.name for column in domain.stream().columns if column.name in chosen)


def top_n(chance: Chance) -> Ranking:
    domain = chance.pick(*DOMAINS)
    partition = chance.some((Key(f"@{domain.k1}"), Key(f"@{domain.k2}"), Key(f"UPPER(@{domain.k3})")), 1, 3)
    order = (Order(f"@{domain.m1}", not chance.flip()), *chance.some((Order(f"@{domain.id}", False),), 0, 1))
    bound = chance.pick(3, 10, 2)
    shown = _shown(domain, chance, domain.k1, domain.m1)
    return Ranking(TOP_N, domain, _stream(domain), partition, order, bound, shown, number=chance.flip())


def top_n_of_groups(chance: Chance) -> Ranking:
    """Over an aggregation without windows, whose rows are updated."""
    below = group_aggregation(chance)
    roles = tuple(f"key{index}" for index in range(len(below.plain_keys)))
    partition = chance.some([Key(f"@{role}") for role in roles], 0, len(roles) - 1)
    order = (Order("@aggregate0", not chance.flip()),)
    shown = (*roles, *(f"aggregate{index}" for index in range(len(below.aggregates))))
    bound = chance.pick(3, 5, 10)
    return Ranking(TOP_N, below.domain, below.feed, partition, order, bound, shown, below=below, number=chance.flip())


def deduplication(mode: str, chance: Chance) -> Ranking:
    domain = chance.pick(*DOMAINS)
    partition = chance.some((Key(f"@{domain.id}"), Key(f"@{domain.k1}"), Key(f"@{domain.k3}")), 1, 3)
    time = domain.rowtime if mode == KEEP_BY_ROWTIME else domain.proctime
    descending = chance.flip() if mode == KEEP_BY_ROWTIME else mode == KEEP_LAST
    order = (Order(f"@{time}", descending),)
    return Ranking(mode, domain, _stream(domain), partition, order, 1, _shown(domain, chance, domain.id, domain.m1))


def window_top_n(chance: Chance) -> Ranking:
    """Over an aggregation, or over the windowed rows themselves."""
    fields = (Key("window_start"), Key("window_end"))
    bound = chance.pick(3, 5, 10)
    if chance.pick(True, True, False):
        below = window_aggregation(chance, sessions=False)
        below = replace(below, shown=WINDOW_FIELDS)
        # Every key is in the output: a planner that drops one from the rows does so for one spelling only.
        roles = tuple(f"key{index}" for index in range(len(below.plain_keys)))
        partition = (*fields, *chance.some([Key(f"@{role}") for role in roles], 0, len(roles)))
        order = (Order("@aggregate0", not chance.flip()),)
        shown = (*roles, *(f"aggregate{index}" for index in range(len(below.aggregates))))
        shown += chance.pick((), ("window_end",), WINDOW_FIELDS)
        return Ranking(WINDOW_TOP_N, below.domain, below.feed, partition, order, bound, shown, below=below,
                       number=chance.flip())  # fmt: skip
    domain = chance.pick(*DOMAINS)
    window = random_window(domain, chance, ("TUMBLE", "HOP", "CUMULATE"), ())
    partition = (*fields, *chance.some((Key(f"@{domain.k1}"), Key(f"@{domain.k2}")), 0, 2))
    order = (Order(f"@{domain.m1}", not chance.flip()),)
    shown = (*_shown(domain, chance, domain.k1, domain.m1), *chance.pick((), ("window_end",)))
    return Ranking(WINDOW_TOP_N, domain, _stream(domain), partition, order, bound, shown, window, number=chance.flip())


def window_deduplication(chance: Chance) -> Ranking:
    domain = chance.pick(*DOMAINS)
    window = random_window(domain, chance, ("TUMBLE", "HOP", "CUMULATE"), ())
    keys = chance.some((Key(f"@{domain.id}"), Key(f"@{domain.k1}")), 1, 2)
    partition = (Key("window_start"), Key("window_end"), *keys)
    order = (Order(f"@{domain.rowtime}", not chance.flip()),)
    shown = (*_shown(domain, chance, domain.id), *chance.pick((), WINDOW_FIELDS))
    return Ranking(WINDOW_DEDUPLICATION, domain, _stream(domain), partition, order, 1, shown, window)
