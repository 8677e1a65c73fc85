"""Queries over plain rows: OVER aggregates, patterns, sorts, limits, projections and unions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aggregations import Window, calls_of, random_window
from clauses import Aggregate, Condition, Key, Order, interval, where
from spelling import Chance, Relation, Writer, columns_of, mark
from tables import DOMAINS, Domain, Feed, Table

OVER, PATTERN, SORT, LIMIT, PROJECTION = "over-aggregate", "pattern-recognition", "temporal-sort", "limit", "projection"


def _below_a_window(aggregate: Aggregate) -> Aggregate:
    """The aggregate without spellings that compute a column: Flink stores that one beside the column that it equals."""
    same = tuple(other for other in aggregate.same_arguments if not other.startswith("- ("))
    return replace(aggregate, same_arguments=same)


@dataclass(frozen=True)
class Over:
    """Aggregates over one window; ``frame`` is text, or empty for the default."""

    domain: Domain
    feed: Feed
    partition: tuple[Key, ...]
    order: str
    frame: str
    aggregates: tuple[Aggregate, ...]
    shown: tuple[str, ...]
    partition_touched: bool = False
    order_touched: bool = False
    frame_touched: bool = False
    shown_touched: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    window: Window | None = None
    """A window table-valued function that gives the rows."""

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.feed.tables

    @property
    def types(self) -> tuple[str, ...]:
        shown = [self.feed.type(name) for name in self.shown]
        return (*shown, *(aggregate.type for aggregate in self.aggregates))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        parts = (*self.partition, *self.aggregates, *self.where)
        needed = (*(name for part in parts for name in part.columns), *self.shown, self.order, *self.feed.needs())
        if self.window is not None:
            needed += (self.window.time, *self.window.partition)
        data = self.feed.relation(writer, needed)
        if self.window is not None:
            data = self.window.rows(data, chance)
        relation = writer.read(data, "t")
        named = writer.name("w") if chance.flip() else ""
        partition = [key.sql(relation) for key in self.partition]
        if chance.flip():
            partition = list(chance.shuffled(partition))

        def window() -> str:
            keys = mark(f"PARTITION BY {', '.join(partition)}", self.partition_touched) if partition else ""
            order = mark(
                f"ORDER BY {relation.column(self.order)}{chance.vary('EQ-02', '', ' ASC', ' ASC NULLS FIRST')}",
                self.order_touched,
            )
            # A function that looks back takes no frame.
            framed = all(aggregate.function != "LAG" for aggregate in self.aggregates)
            default = chance.pick("", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW") if framed else ""
            frame = f" {mark(self.frame, self.frame_touched)}" if self.frame else default
            return f"({keys} {order}{frame})"

        items = [mark(relation.column(name), name in self.shown_touched) for name in self.shown]
        for aggregate in self.aggregates:
            call = _below_a_window(aggregate).sql(relation, chance)
            items.append(f"{call} OVER {named or window()} AS {writer.name('run')}")
        clause = f"\nWINDOW {named} AS {window()}" if named else ""
        filters = where(self.where, relation, chance)
        return f"SELECT {', '.join(items)}\nFROM {relation.text}{filters}{clause}"


@dataclass(frozen=True)
class Part:
    """A clause of MATCH_RECOGNIZE."""

    text: str
    touched: bool = False

    def sql(self, relation: Relation) -> str:
        return mark(relation.sql(self.text), self.touched)


@dataclass(frozen=True)
class Pattern:
    domain: Domain
    feed: Feed
    partition: tuple[str, ...]
    order: Part
    measures: tuple[Part, ...]
    after: Part
    pattern: Part
    within: int
    define: tuple[tuple[str, Part], ...]
    passed: tuple[str, ...]
    """The columns of its input: it stores them all, so every spelling has to have them."""
    each: Part = Part("ONE ROW PER MATCH")
    partition_touched: bool = False
    within_touched: bool = False

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.feed.tables

    @property
    def types(self) -> tuple[str, ...]:
        keys = [self.feed.table.column(name).type for name in self.partition]
        types = []
        for measure in self.measures:
            types.append(self.domain.type(columns_of(measure.text.replace(".", ""))[0]))
        return (*keys, *types)

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        feed = self.feed.relation(writer, (*self.passed, *self.feed.needs()))
        rows = Relation(feed.text, feed.names)
        keys = mark(f"PARTITION BY {', '.join(rows.column(name) for name in self.partition)}", self.partition_touched)
        names = [writer.name(f"m{index}") for index in range(len(self.measures))]
        measures = [
            mark(f"{rows.sql(measure.text)} AS {name}", measure.touched)
            for name, measure in zip(names, self.measures, strict=True)
        ]
        within = mark(f"WITHIN {interval(self.within, chance)}", self.within_touched) if self.within else ""
        define = ", ".join(mark(f"{name} AS {rows.sql(part.text)}", part.touched) for name, part in self.define)
        alias = writer.name("m")
        exposed = [*(rows.column(name) for name in self.partition), *names]
        items = [f"{alias}.{name}" for name in exposed] if chance.flip() else exposed
        clauses = (
            keys,
            f"ORDER BY {self.order.sql(rows)}",
            f"MEASURES {', '.join(measures)}",
            self.each.sql(rows),
            self.after.sql(rows),
            f"{mark(f'PATTERN ({self.pattern.text})', self.pattern.touched)} {within}",
            f"DEFINE {define}",
        )
        body = "\n  ".join(clauses)
        return f"SELECT {', '.join(items)}\nFROM {feed.text} MATCH_RECOGNIZE (\n  {body}\n) AS {alias}"


@dataclass(frozen=True)
class Rows:
    """A projection: with ORDER BY it is a sort, with a limit a limit. It may read a union (``feed.others``)."""

    kind: str
    domain: Domain
    feed: Feed
    shown: tuple[str, ...]
    order: tuple[Order, ...] = ()
    limit: int = 0
    offset: int = 0
    where: tuple[Condition, ...] = ()
    order_touched: bool = False
    limit_touched: bool = False
    offset_touched: bool = False
    shown_touched: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.feed.tables

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.feed.type(name) for name in self.shown)

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        parts = (*self.order, *self.where)
        needed = (*(name for part in parts for name in part.columns), *self.shown, *self.feed.needs())
        relation = writer.read(self.feed.relation(writer, needed), "t")
        items = [mark(relation.column(name), name in self.shown_touched) for name in self.shown]
        text = f"SELECT {', '.join(items)}\nFROM {relation.text}{where(self.where, relation, chance)}"
        if self.order:
            orders = ", ".join(order.sql(relation, chance) for order in self.order)
            text += "\n" + mark(f"ORDER BY {orders}", self.order_touched)
        if not self.limit:
            return text
        limit, offset = mark(f"LIMIT {self.limit}", self.limit_touched), ""
        if self.offset:
            offset = mark(f"OFFSET {self.offset}", self.offset_touched)
        rows = chance.pick("ROWS", "ROW")
        fetch = mark(f"FETCH {chance.pick('FIRST', 'NEXT')} {self.limit} {rows} ONLY", self.limit_touched)
        skip = mark(f"OFFSET {self.offset} {rows}", self.offset_touched) if self.offset else ""
        return text + "\n" + chance.pick(f"{limit} {offset}", f"{skip} {fetch}")


# ---- random queries


def over_aggregate(chance: Chance) -> Over:
    domain = chance.pick(*DOMAINS)
    feed = Feed(domain.stream(), free_order=False)
    partition = chance.some((Key(f"@{domain.k1}"), Key(f"@{domain.k2}")), 1, 2)
    plain = [
        call
        for call in calls_of(domain)
        if call.condition is None and call.argument in ("*", f"@{domain.m1}", f"@{domain.m2}")
    ]
    aggregates = chance.some(plain, 1, 3)
    frame = chance.pick(
        "", "ROWS BETWEEN 10 PRECEDING AND CURRENT ROW", "RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW"
    )
    order = chance.pick(domain.rowtime, domain.proctime)
    shown = tuple(name for name in (domain.k1, domain.id, domain.m1, domain.m2) if name != domain.id or chance.flip())
    return Over(domain, feed, partition, order, frame, aggregates, shown)


def windowed_over(chance: Chance) -> Over:
    """Over the rows of windows, by their time."""
    query = over_aggregate(chance)
    window = random_window(query.domain, chance, ("TUMBLE", "HOP", "CUMULATE"), ())
    return replace(query, order="window_time", window=window, frame="")


def pattern(chance: Chance) -> Pattern:
    domain = chance.pick(*DOMAINS)
    measures = chance.some((Part(f"a.@{domain.note}"), Part(f"LAST(b.@{domain.m2})"), Part(f"c.@{domain.id}")), 1, 3)
    define = (
        ("a", Part(f"a.@{domain.note} = 'home'")),
        ("b", Part(f"b.@{domain.m2} > 10")),
        ("c", Part(f"c.@{domain.k2} <> 'x' AND c.@{domain.m2} < 99")),
    )
    after = Part(chance.pick("AFTER MATCH SKIP PAST LAST ROW", "AFTER MATCH SKIP TO NEXT ROW"))
    table = domain.stream()
    passed = (*(column.name for column in table.columns), table.proctime)
    return Pattern(domain, Feed(table, free_order=False), chance.some((domain.k1, domain.k3), 1, 2),
                   Part(f"@{domain.rowtime}"), measures, after, Part(chance.pick("a b+ c", "a b* c", "a b c")),
                   chance.pick(3600, 0, 600), define, passed)  # fmt: skip


def _shown(domain: Domain, chance: Chance) -> tuple[str, ...]:
    return (domain.id, *chance.some((domain.k1, domain.m1, domain.m2), 1, 3))


def temporal_sort(by: str, chance: Chance) -> Rows:
    domain = chance.pick(*DOMAINS)
    time = domain.rowtime if by == "rowtime" else domain.proctime
    second = chance.some((Order(f"@{domain.m2}"),), 0, 1)
    return Rows(
        SORT,
        domain,
        Feed(domain.stream(), free_order=False),
        _shown(domain, chance),
        (Order(f"@{time}", False), *second),
    )


def limit(chance: Chance) -> Rows:
    domain = chance.pick(*DOMAINS)
    feed = Feed(domain.stream(), free_order=False)
    return Rows(LIMIT, domain, feed, _shown(domain, chance), limit=chance.pick(100, 20), offset=chance.pick(0, 10))


def sorted_limit(chance: Chance) -> Rows:
    """The first rows by a column that is no time."""
    query = limit(chance)
    domain = query.domain
    shown = tuple(dict.fromkeys((*query.shown, domain.m1)))
    return replace(query, shown=shown, order=(Order(f"@{domain.m1}", not chance.flip()),))


def projection(chance: Chance) -> Rows:
    domain = chance.pick(*DOMAINS)
    conditions = chance.some((Condition(f"@{domain.m2}", ">", "5"), Condition(f"@{domain.k1}", "<>", "'x'")), 0, 2)
    return Rows(PROJECTION, domain, Feed(domain.stream()), _shown(domain, chance), where=conditions)
