"""Joins: regular, interval, temporal, lookup and window joins of two streams."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from aggregations import Window, random_window
from clauses import Condition, conjunction, interval
from spelling import Chance, Relation, Writer, mark
from tables import DOMAINS, Domain, Feed, Table

REGULAR, INTERVAL, TEMPORAL, LOOKUP, WINDOW_JOIN = (
    "regular-join", "interval-join", "temporal-join", "lookup-join", "window-join"
)  # fmt: skip
_SIDE = re.compile(r"@([lr])__(\w+)")


class _Both(Relation):
    """Two relations at once: columns are written ``@l__name`` and ``@r__name``."""

    def __init__(self, left: Relation, right: Relation) -> None:
        super().__init__("")
        object.__setattr__(self, "sides", {"l": left, "r": right})

    def sql(self, text: str) -> str:
        return _SIDE.sub(lambda match: self.sides[match.group(1)].column(match.group(2)), text)


@dataclass(frozen=True)
class Join:
    """``on`` holds the equalities, ``filters`` conditions on one side; lower and upper are seconds."""

    kind: str
    domain: Domain
    left: Feed
    right: Feed
    type: str
    on: tuple[Condition, ...]
    shown: tuple[str, ...]
    filters: tuple[Condition, ...] = ()
    lower: int = 0
    upper: int = 0
    window: Window | None = None
    right_window: Window | None = None
    time: str = ""
    type_touched: bool = False
    interval_touched: bool = False
    time_touched: bool = False
    shown_touched: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.left.tables, *self.right.tables)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self._type(name) for name in self.shown)

    def _type(self, name: str) -> str:
        side, _, column = name.partition("__")
        feed = self.left if side == "l" else self.right
        return feed.type(column) if feed.declares(column) else self.domain.type(column)

    def needed(self, side: str) -> tuple[str, ...]:
        texts = [*(f"@{name}" for name in self.shown)]
        for condition in (*self.on, *self.filters):
            texts += [condition.left, *([condition.right] if isinstance(condition.right, str) else condition.right)]
        found = [name for text in texts for which, name in _SIDE.findall(text) if which == side]
        if self.kind == INTERVAL:
            found.append(self.left.table.rowtime if side == "l" else self.right.table.rowtime)
        if self.kind in (TEMPORAL, LOOKUP) and side == "l":
            found.append(self.time)
        window = self.window if side == "l" else self.right_window
        if window is not None:
            found += [window.time, *window.partition]
        return tuple(dict.fromkeys(found))

    def select(self, writer: Writer) -> str:
        chance = writer.chance
        left = self._side(writer, self.left, "l", self.window)
        right = self._side(writer, self.right, "r", self.right_window)
        both = _Both(left, right)
        items = [mark(both.sql(f"@{name}"), name in self.shown_touched) for name in self.shown]
        conditions = self.on + self._equal_windows()
        inner = self.type == "JOIN"
        form = chance.pick("on", "where", "comma", "cross") if inner and self.kind in (REGULAR, INTERVAL) else "on"
        keyword = self._keyword(chance)
        head = f"SELECT {', '.join(items)}\nFROM {left.text}"
        using = self._using(both) if form == "on" else ""
        if using and chance.vary("EQ-03", False, True):
            return f"{head}\n{keyword} {right.text} {using}"
        between = self._between(both, chance)
        if form == "comma":
            text = " AND ".join(filter(None, [conjunction(conditions + self.filters, both, chance), between]))
            return f"{head}, {right.text}\nWHERE {text}"
        if form == "cross":
            text = " AND ".join(filter(None, [conjunction(conditions + self.filters, both, chance), between]))
            return f"{head}\nCROSS JOIN {right.text}\nWHERE {text}"
        if form == "where" and self.filters:
            on = " AND ".join(filter(None, [conjunction(conditions, both, chance), between]))
            rest = conjunction(self.filters, both, chance)
            return f"{head}\n{keyword} {right.text} ON {on}\nWHERE {rest}"
        on = " AND ".join(filter(None, [conjunction(conditions + self.filters, both, chance), between]))
        return f"{head}\n{keyword} {right.text} ON {on}"

    def _using(self, both: Relation) -> str:
        """USING, where the condition is one equality of columns that are called alike on both sides."""
        if len(self.on) > 1 or self.filters or self.kind != REGULAR or self.on[0].operator != "=":
            return ""
        left, right = (both.sql(str(side)).rpartition(".")[2] for side in (self.on[0].left, self.on[0].right))
        return mark(f"USING ({left})", self.on[0].touched) if left == right else ""

    def _keyword(self, chance: Chance) -> str:
        longer = "INNER JOIN" if self.type == "JOIN" else self.type.replace(" JOIN", " OUTER JOIN")
        return mark(chance.vary("EQ-04", self.type, longer), self.type_touched)

    def _equal_windows(self) -> tuple[Condition, ...]:
        if self.kind != WINDOW_JOIN:
            return ()
        return tuple(Condition(f"@l__{name}", "=", f"@r__{name}") for name in ("window_start", "window_end"))

    def _between(self, both: Relation, chance: Chance) -> str:
        if self.kind != INTERVAL:
            return ""
        left = both.sql(f"@l__{self.left.table.rowtime}")
        right = both.sql(f"@r__{self.right.table.rowtime}")
        low = f"{left} - {interval(self.lower, chance)}" if self.lower else left
        high = f"{left} + {interval(self.upper, chance)}" if self.upper else left
        text = chance.vary(
            "EQ-03",
            f"{right} BETWEEN {low} AND {high}",
            f"{right} >= {low} AND {right} <= {high}",
            f"{high} >= {right} AND {low} <= {right}",
        )
        return mark(text, self.interval_touched)

    def _side(self, writer: Writer, feed: Feed, side: str, window: Window | None) -> Relation:
        relation = feed.relation(writer, (*self.needed(side), *feed.needs()))
        if window is not None:
            data = window.rows(relation, writer.chance)
            text = writer.layer("windowed", lambda: f"SELECT * FROM {data.text}", window.fits_a_view)
            relation = Relation(text, data.names)
        name = writer.name(side)
        return Relation(f"{relation.text}{writer.chance.pick(' AS ', ' ')}{name}", relation.names, name)


@dataclass(frozen=True)
class TimedJoin(Join):
    """A join with a version of the right side: the time is a column of the left side."""

    def select(self, writer: Writer) -> str:
        both, text = self.rows(writer)
        items = [mark(both.sql(f"@{name}"), name in self.shown_touched) for name in self.shown]
        return f"SELECT {', '.join(items)}\nFROM {text}"

    def rows(self, writer: Writer) -> tuple[Relation, str]:
        """The joined rows: how their columns are called, and what stands behind FROM."""
        feed = self.left.relation(writer, (*self.needed("l"), *self.left.needs()))
        chance = writer.chance
        name = writer.name("l")
        left = Relation(f"{feed.text}{chance.pick(' AS ', ' ')}{name}", feed.names, name)
        other = writer.name("r")
        time = mark(f"FOR SYSTEM_TIME AS OF {left.column(self.time)}", self.time_touched)
        right = Relation(f"{self.right.table.name} {time} AS {other}", {}, other)
        both = _Both(left, right)
        keyword = self._keyword(chance)
        on = conjunction(self.on + self.filters, both, chance)
        return both, f"{left.text}\n{keyword} {right.text} ON {on}"


# ---- random joins


def _shown(chance: Chance, left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return (*(f"l__{name}" for name in chance.some(left, 1, 3)), *(f"r__{name}" for name in chance.some(right, 1, 2)))


def _one_sided(domain: Domain, chance: Chance) -> tuple[Condition, ...]:
    return chance.some((Condition(f"@l__{domain.m2}", ">", "5"), Condition(f"@l__{domain.k2}", "<>", "'x'")), 0, 1)


def regular_join(chance: Chance) -> Join:
    domain = chance.pick(*DOMAINS)
    left, right = Feed(domain.stream(), free_order=False), Feed(domain.versions("labels"), free_order=False)
    shown = _shown(chance, (domain.id, domain.m1, domain.k2), ("label", "rate"))
    on = (Condition(f"@l__{domain.k1}", "=", f"@r__{domain.k1}"),)
    kind = chance.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
    # A time attribute must not come out of a regular join, and none of these columns is one.
    return Join(REGULAR, domain, left, right, kind, on, shown, _one_sided(domain, chance) if kind == "JOIN" else ())


def interval_join(chance: Chance) -> Join:
    domain = chance.pick(*DOMAINS)
    left, right = Feed(domain.stream(), free_order=False), Feed(domain.stream("answers"), free_order=False)
    shown = _shown(chance, (domain.id, domain.m1, domain.k2), (domain.note, domain.m2))
    on = (Condition(f"@l__{domain.id}", "=", f"@r__{domain.id}"),)
    kind = chance.pick("JOIN", "LEFT JOIN")
    lower, upper = chance.pick(0, 60, 300), chance.pick(3600, 14400, 600)
    filters = _one_sided(domain, chance) if kind == "JOIN" else ()
    return Join(INTERVAL, domain, left, right, kind, on, shown, filters, lower=lower, upper=upper)


def temporal_join(chance: Chance) -> Join:
    domain = chance.pick(*DOMAINS)
    left, right = Feed(domain.stream(), free_order=False), Feed(domain.versions("rates"))
    shown = _shown(chance, (domain.id, domain.m1, domain.k2), ("rate", "label"))
    on = (Condition(f"@l__{domain.k1}", "=", f"@r__{domain.k1}"),)
    return TimedJoin(TEMPORAL, domain, left, right, chance.pick("JOIN", "LEFT JOIN"), on, shown, time=domain.rowtime)


def lookup_join(chance: Chance) -> Join:
    domain = chance.pick(*DOMAINS)
    left, right = Feed(domain.stream()), Feed(domain.dimension("places"))
    shown = _shown(chance, (domain.id, domain.m1, domain.k2), ("label", "zone"))
    on = (Condition(f"@l__{domain.k1}", "=", f"@r__{domain.k1}"),)
    return TimedJoin(LOOKUP, domain, left, right, chance.pick("JOIN", "LEFT JOIN"), on, shown, time=domain.proctime)


def window_join(chance: Chance) -> Join:
    domain = chance.pick(*DOMAINS)
    left, right = Feed(domain.stream(), free_order=False), Feed(domain.stream("answers"), free_order=False)
    window = random_window(domain, chance, ("TUMBLE", "HOP", "CUMULATE"), ())
    shown = _shown(chance, (domain.id, domain.m1, domain.k2), (domain.note, domain.m2))
    on = (Condition(f"@l__{domain.id}", "=", f"@r__{domain.id}"),)
    kind = chance.pick("JOIN", "LEFT JOIN", "FULL JOIN")
    return Join(WINDOW_JOIN, domain, left, right, kind, on, shown, window=window, right_window=window)


def with_window(join: Join, window: Window) -> Join:
    return replace(join, window=window, right_window=window)
