"""Aggregating queries: over window TVFs, over legacy group windows, and without windows."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial

from clauses import Aggregate, AnyOf, Condition, Key, interval, where
from spelling import PLAIN, Chance, Relation, Writer, columns_of, mark, unmarked
from tables import DOMAINS, Domain, Feed, Table

WINDOW_FIELDS = ("window_start", "window_end")
TVF, LEGACY, PLAIN_GROUPS = "window-tvf", "group-window", "group-aggregate"


@dataclass(frozen=True)
class Window:
    """Lengths in seconds; ``slide`` is the step of CUMULATE as well, ``size`` the gap of SESSION."""

    kind: str
    size: int
    time: str
    slide: int = 0
    offset: int = 0
    partition: tuple[str, ...] = ()
    touched: frozenset[str] = frozenset()

    @property
    def fits_a_view(self) -> bool:
        """A view over a session window with several keys cannot be read back by Flink."""
        return len(self.partition) < 2

    def change(self, part: str, **changes: object) -> Window:
        return replace(self, touched=self.touched | {part}, **changes)

    def call(self, data: Relation, chance: Chance) -> str:
        """The TVF call."""
        # OFFSET is a keyword that Flink does not take for the name of an argument.
        named = chance.vary("STR-03", False, True) and not self.offset
        table = data.text if data.text.startswith("(") else f"TABLE {data.text}"
        if self.partition:
            keys = ", ".join(data.column(name) for name in self.partition)
            # Several keys need parentheses: without them the second one is taken for the next argument.
            bare = len(self.partition) == 1 and not chance.flip()
            table += " " + mark(f"PARTITION BY {keys if bare else f'({keys})'}", self._is("partition"))
        time = mark(f"DESCRIPTOR({data.column(self.time)})", self._is("time"))
        lengths = []
        if self.kind == "HOP":
            lengths.append(("SLIDE", self._length("slide", self.slide, chance)))
        if self.kind == "CUMULATE":
            lengths.append(("STEP", self._length("slide", self.slide, chance)))
        name = "GAP" if self.kind == "SESSION" else "SIZE"
        lengths.append((name, self._length("size", self.size, chance)))
        if self.offset:
            lengths.append(("OFFSET", self._length("offset", self.offset, chance)))
        if not named:
            arguments = [table, time, *(length for _, length in lengths)]
        else:
            arguments = [f"DATA => {table}", f"TIMECOL => {time}", *(f"{word} => {length}" for word, length in lengths)]
        return mark(f"{self.kind}({', '.join(arguments)})", self._is("kind"))

    def rows(self, data: Relation, chance: Chance) -> Relation:
        """The rows of the windows, as something to read from."""
        call = self.call(data, chance)
        return Relation(chance.vary("STR-03", f"TABLE({call})", f"TABLE({call})", call), data.names)

    def legacy(self, relation: Relation, seed: int, suffix: str = "") -> str:
        """The group function, or with a suffix one of the functions that tell of its window.

        Flink compares the two as texts, so both are spelled by one ``seed``.
        """
        chance = Chance(random.Random(seed)) if seed else PLAIN
        lengths = [interval(self.size, chance)]
        if self.kind == "HOP":
            lengths.insert(0, interval(self.slide, chance))
        call = f"{self.kind}{suffix}({relation.column(self.time)}, {', '.join(lengths)})"
        return mark(call, bool(self.touched) and not suffix)

    def _length(self, part: str, seconds: int, chance: Chance) -> str:
        return mark(interval(seconds, chance), self._is(part))

    def _is(self, part: str) -> bool:
        return part in self.touched


@dataclass(frozen=True)
class Aggregation:
    """``keys`` holds the group keys in order, window fields among them by name (``window`` is the legacy window).

    The output is the plain keys, then ``shown`` window fields, then the aggregates; ``output`` names another form.
    """

    kind: str
    domain: Domain
    feed: Feed
    window: Window | None
    keys: tuple[Key, ...]
    aggregates: tuple[Aggregate, ...]
    shown: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    having: tuple[Condition, ...] = ()
    window_filter: tuple[Condition, ...] = ()
    window_computation: Key | None = None
    """A window field that a layer between TVF and GROUP BY computes: the name with the expression."""
    table_function: str = ""
    table_function_touched: bool = False
    grouping: str = ""
    grouping_touched: bool = False
    keys_touched: bool = False
    hidden_keys: tuple[str, ...] = ()
    aggregates_first: bool = False

    @property
    def plain_keys(self) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if not key.window_field)

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.feed.tables

    @property
    def types(self) -> tuple[str, ...]:
        shown = [key.expression for key in self.plain_keys if key.expression not in self.hidden_keys]
        keys = [self.domain.type(text[1:]) if text[1:].isidentifier() else "STRING" for text in shown]
        fields = [self.domain.type(name) for name in self.shown]
        if self.window_computation is not None:
            fields = ["STRING" if "DATE_FORMAT" in self.window_computation.expression else name for name in fields]
        calls = [aggregate.type for aggregate in self.aggregates]
        return (*calls, *keys, *fields) if self.aggregates_first else (*keys, *fields, *calls)

    def needed(self) -> tuple[str, ...]:
        parts = (*self.keys, *self.aggregates, *self.where, *self.having)
        texts = [column for part in parts for column in part.columns]
        if self.window is not None:
            texts += [self.window.time, *self.window.partition]
        if self.table_function:
            texts.append(self.domain.note)
        return (*texts, *self.feed.needs())

    def select(self, writer: Writer) -> str:
        return self.block(writer)[0]

    def block(self, writer: Writer, alias_all: bool = False) -> tuple[str, dict[str, str]]:
        """The SELECT, and the names of its columns by role: ``key0``, ``aggregate0``, the names of window fields."""
        chance = writer.chance
        # Flink plans a filter on window fields below the aggregation, wherever it is written.
        behind = bool(self.window_filter) and self._groups_by_fields and chance.vary("WTVF-24", False, True)
        relation = self._from(writer, () if behind else self.window_filter)
        names: dict[str, str] = {}
        seed = chance.number(16)

        def item(role: str, text: str, stem: str) -> str:
            if alias_all or not unmarked(text).replace(".", "").isidentifier() or chance.flip():
                names[role] = writer.name(stem)
                return f"{text} AS {names[role]}"
            names[role] = unmarked(text).rpartition(".")[2]
            return text

        keys = [
            item(f"key{index}", key.sql(relation), f"key{index}")
            for index, key in enumerate(self.plain_keys)
            if key.expression not in self.hidden_keys
        ]
        fields = [item(name, self._field(name, relation, seed), name.replace("window", "win")) for name in self.shown]
        calls = [
            item(f"aggregate{index}", aggregate.sql(relation, chance), f"agg{index}")
            for index, aggregate in enumerate(self.aggregates)
        ]
        items = [*calls, *keys, *fields] if self.aggregates_first else [*keys, *fields, *calls]
        filters = where(self.where, relation, chance)
        group = self._group_by(relation, chance, seed)
        having = where((*self.having, *(self.window_filter if behind else ())), relation, chance, "HAVING")
        text = f"SELECT {', '.join(items)}\nFROM {relation.text}{filters}\nGROUP BY {group}{having}"
        if self.kind == PLAIN_GROUPS and not (self.aggregates or self.having or self.hidden_keys) and chance.flip():
            text = f"SELECT DISTINCT {', '.join(items)}\nFROM {relation.text}{filters}"
        return text, names

    def _field(self, name: str, relation: Relation, seed: int) -> str:
        if self.kind != LEGACY:
            return relation.column(name)
        assert self.window is not None
        suffix = {"window_start": "_START", "window_end": "_END", "window_time": "_ROWTIME"}[name]
        return self.window.legacy(relation, seed, suffix)

    def _group_by(self, relation: Relation, chance: Chance, seed: int) -> str:
        keys = []
        for key in self.keys:
            if key.expression == "window":
                assert self.window is not None
                keys.append(mark(self.window.legacy(relation, seed), key.touched))
            else:
                keys.append(key.sql(relation))
        if self.grouping:
            plain = [key.sql(relation) for key in self.plain_keys]
            sets = f"({', '.join(plain)}), ()" if self.grouping == "GROUPING SETS" else ", ".join(plain)
            keys = [key.sql(relation) for key in self.keys if key.window_field]
            keys.append(mark(f"{self.grouping} ({sets})", self.grouping_touched))
        elif len(keys) > 1 and self.kind == PLAIN_GROUPS and chance.vary("EQ-05", False, False, True):
            return mark(f"({', '.join(keys)})", self.keys_touched)
        return mark(", ".join(keys), self.keys_touched)

    @property
    def _groups_by_fields(self) -> bool:
        return self.window_computation is None and {"window_start", "window_end"} <= {
            key.expression for key in self.keys
        }

    def _from(self, writer: Writer, filters: tuple[Condition, ...]) -> Relation:
        chance = writer.chance
        data = self.feed.relation(writer, self.needed())
        if self.kind != TVF:
            return writer.read(data, "t")
        assert self.window is not None
        windowed = self.window.rows(data, chance)
        if self.table_function:
            windowed = writer.read(windowed, "w")
            call = f"{self.table_function}({windowed.column(self.domain.note)})"
            lateral = mark(f"LATERAL TABLE({call}) AS piece(word)", self.table_function_touched)
            return Relation(f"{windowed.text}, {lateral}", windowed.names, windowed.qualifier)
        if self.window_computation is None and not filters:
            if chance.pick(False, False, True):
                return writer.read(self._through_a_layer(writer, windowed, filters), "w")
            return writer.read(windowed, "w")
        return writer.read(self._through_a_layer(writer, windowed, filters), "w")

    def _through_a_layer(self, writer: Writer, windowed: Relation, conditions: tuple[Condition, ...]) -> Relation:
        """A layer between TVF and GROUP BY: it passes columns on, filters on window fields, or computes one."""

        def body() -> str:
            inner = writer.read(windowed, "v")
            filters = where(conditions, inner, writer.chance)
            if self.window_computation is None and writer.chance.flip():
                return f"SELECT * FROM {inner.text}{filters}"
            columns = dict.fromkeys(columns_of(*(f"@{name}" for name in self.needed())))
            fields = [key.expression for key in self.keys if key.window_field] + list(self.shown)
            computed = self.window_computation
            items = []
            for name in columns:
                exposed = windowed.names.get(name, name)
                items.append(f"{inner.column(name)} AS {exposed}" if inner.qualifier else exposed)
            for name in dict.fromkeys([*WINDOW_FIELDS, *fields, *columns_of(*(a.argument for a in self.aggregates))]):
                if not name.startswith("window"):
                    continue
                if computed is not None and computed.expression.startswith(f"{name}:"):
                    expression = computed.expression.partition(":")[2]
                    items.append(mark(f"{inner.sql(expression)} AS {name}", computed.touched))
                elif name not in columns:
                    items.append(inner.column(name))
            return f"SELECT {', '.join(items)} FROM {inner.text}{filters}"

        views = self.window is None or self.window.fits_a_view
        return Relation(writer.layer("windowed", body, views), windowed.names)


# ---- random aggregations


def calls_of(domain: Domain) -> tuple[Aggregate, ...]:
    """Plain aggregates, all different."""
    total = "DECIMAL(38, 2)" if domain.decimal.startswith("DECIMAL") else "DOUBLE"
    mean = "DECIMAL(38, 6)" if domain.decimal.startswith("DECIMAL") else "DOUBLE"
    positive = Condition(f"@{domain.m2}", ">", "0")
    return (
        Aggregate("SUM", f"@{domain.m1}", type=total),
        Aggregate("COUNT", "*"),
        Aggregate("MAX", f"@{domain.m1}", type=domain.decimal),
        Aggregate("MIN", f"@{domain.m2}", type="INT"),
        Aggregate("COUNT", f"@{domain.note}"),
        Aggregate("AVG", f"@{domain.m1}", type=mean),
        Aggregate("SUM", f"@{domain.m1}", condition=positive, type=total),
        Aggregate("MAX", f"@{domain.m2} * 2", type="INT"),
        Aggregate("MIN", f"@{domain.m1} / 100", type=mean),
        *(
            Aggregate(function, argument, type=type_, same_arguments=same)
            for function, argument, type_, same in _written_in_several_ways(domain)
        ),
    )


def _written_in_several_ways(domain: Domain) -> tuple[tuple[str, str, str, tuple[str, ...]], ...]:
    """Aggregates whose arguments have several spellings, as Flink's plans show."""
    m2, note, time = f"@{domain.m2}", f"@{domain.note}", f"@{domain.entered}"
    return (
        ("SUM", f"CASE {m2} WHEN 1 THEN 10 ELSE 0 END", "INT",
         (f"CASE WHEN {m2} = 1 THEN 10 ELSE 0 END", f"CASE WHEN (1 = {m2}) THEN 10 ELSE 0 END")),
        ("MAX", f"CASE WHEN {m2} > 3 THEN {m2} END", "INT", (f"CASE WHEN {m2} > 3 THEN {m2} ELSE NULL END",)),
        ("MIN", f"NULLIF({m2}, 0)", "INT", (f"CASE WHEN {m2} = 0 THEN NULL ELSE {m2} END",)),
        ("MAX", f"TRIM({note})", "STRING", (f"TRIM(BOTH ' ' FROM {note})", f"TRIM(BOTH FROM {note})")),
        ("MIN", f"SUBSTRING({note}, 1, 2)", "STRING", (f"SUBSTRING({note} FROM 1 FOR 2)",)),
        ("MAX", f"HOUR({time})", "BIGINT", (f"EXTRACT(HOUR FROM {time})",)),
        ("SUM", f"{m2}", "INT", (f"CAST({m2} AS INT)", f"CAST({m2} AS INTEGER)", f"- (- {m2})")),
    )  # fmt: skip


def distinct_calls_of(domain: Domain) -> tuple[Aggregate, ...]:
    return (
        Aggregate("COUNT", f"@{domain.id}", distinct=True),
        Aggregate("COUNT", f"@{domain.note}", distinct=True),
        Aggregate("SUM", f"@{domain.m2}", distinct=True, type="INT"),
    )


def keys_of(domain: Domain) -> tuple[Key, ...]:
    return (Key(f"@{domain.k1}"), Key(f"@{domain.k2}"), Key(f"UPPER(@{domain.k3})"), Key(f"@{domain.k3}"))


def filters_of(domain: Domain) -> tuple[Condition, ...]:
    return (
        Condition(f"@{domain.m2}", ">", "3"),
        Condition(f"@{domain.k1}", "<>", "'none'"),
        Condition(f"@{domain.m2}", "BETWEEN", ("2", "90")),
        Condition(f"@{domain.k2}", "IN", ("'a'", "'b'", "'c'")),
        Condition(f"@{domain.k2}", "NOT IN", ("'x'", "'y'")),
        Condition(f"@{domain.m2}", "NOT BETWEEN", ("40", "50")),
        Condition(f"@{domain.m1}", "<=", f"@{domain.m2}"),
        AnyOf((Condition(f"@{domain.k2}", "=", "'a'"), Condition(f"@{domain.id}", ">", "7"))),
    )


def random_window(domain: Domain, chance: Chance, kinds: tuple[str, ...], keys: tuple[Key, ...]) -> Window:
    kind = chance.pick(*kinds)
    size = chance.pick(600, 3600, 86400, 120)
    if kind == "SESSION":
        plain = tuple(columns_of(key.expression)[0] for key in keys if key.expression.startswith("@"))
        return Window(kind, size, domain.rowtime, partition=plain)
    slide = {"HOP": size // 2, "CUMULATE": size // 4}.get(kind, 0)
    return Window(kind, size, domain.rowtime, slide=slide)


def random_aggregation(kind: str, chance: Chance, most: int = 3, sessions: bool = True) -> Aggregation:
    domain = chance.pick(*DOMAINS)
    others = ((domain.stream("others"), False),) if chance.pick(False, False, False, True) else ()
    feed = Feed(domain.stream(), others=others)
    keys = chance.some(keys_of(domain)[:3], 1, 3)
    aggregates = chance.some(calls_of(domain), 1, most)
    conditions = chance.some(filters_of(domain), 0, 2)
    if kind == PLAIN_GROUPS:
        return Aggregation(kind, domain, feed, None, keys, aggregates, where=conditions)
    shown = chance.pick((), ("window_end",), WINDOW_FIELDS)
    if kind == LEGACY:
        window = replace(random_window(domain, chance, ("TUMBLE", "HOP", "SESSION"), ()), partition=())
        placed = (*keys[:1], Key("window"), *keys[1:]) if chance.flip() else (*keys, Key("window"))
        return Aggregation(kind, domain, feed, window, placed, aggregates, shown, conditions)
    kinds = ("TUMBLE", "HOP", "CUMULATE", "SESSION") if sessions else ("TUMBLE", "HOP", "CUMULATE")
    window = random_window(domain, chance, kinds, keys)
    if window.kind == "SESSION":
        keys = tuple(key for key in keys if key.expression.startswith("@")) or (Key(f"@{domain.k1}"),)
        window = replace(window, partition=tuple(columns_of(*(key.expression for key in keys))))
        # A filter above a session window is no filter below it: sessions are formed before.
        conditions = ()
    fields = (Key("window_start"), Key("window_end"))
    placed = (*keys, *fields) if not chance.flip() else (*keys[:1], *fields, *keys[1:])
    return Aggregation(kind, domain, feed, window, placed, aggregates, shown, conditions)


window_aggregation = partial(random_aggregation, TVF)
legacy_aggregation = partial(random_aggregation, LEGACY)
group_aggregation = partial(random_aggregation, PLAIN_GROUPS)


Changed = tuple[Aggregation, Aggregation]
"""An aggregation before and after an edit."""
