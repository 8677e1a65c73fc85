"""UNION ALL over one table: each branch has a filter of its own, and fills the columns in its own way.

Such a union is the usual way to bring two kinds of events into one row: ``hits`` counts in one branch, ``sales`` in the
other one. A column of it is a list of expressions, branch by branch, so that two columns of one type are different
things although both come from the same table. All kinds of queries read such unions here, as a ``Feed`` of theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from aggregations import Aggregation, group_aggregation, legacy_aggregation, window_aggregation
from clauses import Aggregate, Condition, Key, Order, where
from generated_jobs import Query
from joins import Join, regular_join
from prepared_aggregations import no_session
from rankings import KEEP_BY_ROWTIME, Ranking, deduplication, top_n, window_top_n
from rows import Over, Rows, over_aggregate, projection
from spelling import Chance, Relation, Writer, mark
from tables import Domain, Feed, Table

NUMBERS, NAMES = ("hits", "sales"), ("actor", "target")
"""The columns that only the union has: two of type INT, two of type STRING."""
MADE = (*NUMBERS, *NAMES)


@dataclass(frozen=True)
class Branch:
    """``values`` are the expressions of the columns that only the union has, in the order of ``MADE``."""

    table: Table
    where: tuple[Condition, ...]
    values: tuple[str, ...]
    touched: frozenset[str] = frozenset()
    """The columns that an edit changed here; ``branch`` stands for the whole branch."""

    def value(self, column: str) -> str:
        return self.values[MADE.index(column)]

    def with_values(self, **values: str) -> Branch:
        """Other expressions for some columns, which count as touched."""
        changed = tuple(values.get(column, value) for column, value in zip(MADE, self.values, strict=True))
        return replace(self, values=changed, touched=self.touched | set(values))

    def sql(self, columns: tuple[str, ...], names: dict[str, str], chance: Chance) -> str:
        relation = Relation(self.table.called(chance))
        items = []
        for column in columns:
            text = self.value(column) if column in MADE else f"@{column}"
            exposed = names.get(column, column)
            item = relation.sql(text)
            items.append(mark(item if item == exposed else f"{item} AS {exposed}", column in self.touched))
        text = f"SELECT {', '.join(items)} FROM {relation.text}{where(self.where, relation, chance)}"
        return mark(text, "branch" in self.touched)


@dataclass(frozen=True)
class United(Feed):
    """The rows of the branches. With ``shared`` they are a view, which all queries of the job read that name it."""

    branches: tuple[Branch, ...] = ()
    shared: str = ""
    unread: tuple[str, ...] = ()
    """Columns of the table that the union has although nothing reads them."""

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table, *(branch.table for branch in self.branches))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*super().columns, *MADE)

    def declares(self, name: str) -> bool:
        return name in MADE or super().declares(name)

    def type(self, name: str) -> str:
        if name in MADE:
            return "INT" if name in NUMBERS else "STRING"
        return super().type(name)

    def needs(self) -> tuple[str, ...]:
        return ()

    def relation(self, writer: Writer, needed: tuple[str, ...]) -> Relation:
        if self.shared:
            # The other readers need other columns: the view has all of them.
            return writer.shared_view(self.shared, lambda: self._union(writer, self.columns))
        found: dict[str, str] = {}

        def body() -> str:
            text, names = self._union(writer, tuple(dict.fromkeys((*needed, *self.unread))))
            found.update(names)
            return text

        return Relation(writer.layer("united", body), found)

    def _union(self, writer: Writer, needed: tuple[str, ...]) -> tuple[str, dict[str, str]]:
        chance = writer.chance
        columns = tuple(name for name in self.columns if name in needed)
        if self.free_order and chance.vary("STR-02", False, True):
            columns = chance.shuffled(columns)
        names = {name: f"{name}_r" for name in columns if chance.vary("AL-01", False, False, True)}
        # The first branch names the columns of them all.
        branches = chance.shuffled(self.branches) if chance.vary("UA-01", False, True) else self.branches
        texts = [branch.sql(columns, names, chance) for branch in branches]
        if len(texts) > 2 and chance.vary("STR-01", False, True):
            inner = writer.layer("inner_union", lambda: "\nUNION ALL\n".join(texts[:2]))
            items = ", ".join(names.get(name, name) for name in columns)
            texts = [f"SELECT {items} FROM {inner}", *texts[2:]]
        return "\nUNION ALL\n".join(texts), names


# ---- random unions


def _kind(domain: Domain, value: str) -> Condition:
    return Condition(f"@{domain.k3}", "=", f"'{value}'")


def united_feed(domain: Domain, chance: Chance, free_order: bool = True) -> United:
    """Two branches over one table, and sometimes a third one over the same or another one."""
    m2, k1, k2, note = (f"@{name}" for name in (domain.m2, domain.k1, domain.k2, domain.note))
    table = domain.stream()
    nothing = chance.pick("0", "CAST(NULL AS INT)")
    first = Branch(table, (_kind(domain, "hit"),), (m2, nothing, k1, k2))
    second = Branch(table, (_kind(domain, "sale"),), (nothing, m2, k2, note))
    if chance.flip():
        second = replace(second, where=(*second.where, Condition(m2, ">", "2")))
    branches = [first, second]
    if chance.flip():
        third = (_kind(domain, "return"),) if chance.flip() else (_kind(domain, "return"), Condition(m2, "<", "90"))
        other = chance.pick(table, domain.stream("late"))
        branches.append(Branch(other, third, (f"{m2} + 1", f"- {m2}", note, k1)))
    return United(table, branches=tuple(branches), free_order=free_order)


def _over_union(query: Aggregation, chance: Chance) -> Aggregation:
    """Grouped by a column that all branches give alike or by one that they do not, with two aggregates."""
    query = no_session(query, chance)
    domain = query.domain
    keys = chance.pick((Key(f"@{domain.k1}"),), (Key("@actor"),), (Key("@actor"), Key(f"@{domain.k1}")))
    fields = tuple(key for key in query.keys if key.window_field)
    calls = (Aggregate(chance.pick("SUM", "MAX", "MIN"), "@hits", type="INT"), Aggregate("COUNT", "*"))
    return replace(
        query, feed=united_feed(domain, chance), keys=(*keys, *fields), aggregates=chance.shuffled(calls), where=(),
    )  # fmt: skip


def united_windows(chance: Chance) -> Aggregation:
    return _over_union(window_aggregation(chance, sessions=False), chance)


def united_legacy(chance: Chance) -> Aggregation:
    return _over_union(legacy_aggregation(chance), chance)


def united_groups(chance: Chance) -> Aggregation:
    return _over_union(group_aggregation(chance), chance)


def united_window_top_n(chance: Chance) -> Ranking:
    """Over an aggregation over a union."""
    while True:
        query = window_top_n(chance)
        if query.below is not None:
            break
    below = _over_union(query.below, chance)
    roles = tuple(f"key{index}" for index in range(len(below.plain_keys)))
    shown = (*roles, *(f"aggregate{index}" for index in range(len(below.aggregates))))
    return replace(
        query, below=below, feed=below.feed, shown=shown,
        partition=(Key("window_start"), Key("window_end"), *chance.some([Key("@key0")], 0, 1)),
    )  # fmt: skip


def _row_feed(domain: Domain, chance: Chance) -> United:
    return united_feed(domain, chance, free_order=False)


def united_top_n(chance: Chance) -> Ranking:
    query = top_n(chance)
    return replace(
        query, feed=_row_feed(query.domain, chance), partition=(Key("@actor"),),
        order=(Order("@hits", not chance.flip()),), shown=_rows(query.domain, query.domain.id, "hits", "actor"),
    )  # fmt: skip


def united_deduplication(chance: Chance) -> Ranking:
    query = deduplication(KEEP_BY_ROWTIME, chance)
    return replace(
        query, feed=_row_feed(query.domain, chance), partition=(Key("@actor"),),
        shown=_rows(query.domain, query.domain.id, "hits", "actor"),
    )  # fmt: skip


def united_over(chance: Chance) -> Over:
    query = over_aggregate(chance)
    domain = query.domain
    calls = (Aggregate("SUM", "@hits", type="INT"), Aggregate("COUNT", "*"))
    return replace(
        query, feed=_row_feed(domain, chance), partition=(Key("@actor"),), order=domain.rowtime, aggregates=calls,
        shown=(domain.id, "hits", "sales", "actor"),
    )  # fmt: skip


def united_join(chance: Chance) -> Join:
    """The union is the left input; its ``actor`` is the key of the join."""
    query = regular_join(chance)
    domain = query.domain
    on = (Condition("@l__actor", "=", f"@r__{domain.k1}"),)
    return replace(
        query, left=_row_feed(domain, chance), on=on, type=chance.pick("JOIN", "LEFT JOIN"), filters=(),
        shown=(f"l__{domain.id}", "l__hits", "l__actor", "r__label"),
    )  # fmt: skip


def united_projection(chance: Chance) -> Rows:
    query = projection(chance)
    domain = query.domain
    return replace(query, feed=united_feed(domain, chance), where=(), shown=(domain.id, "hits", "actor"))


def _rows(domain: Domain, *names: str) -> tuple[str, ...]:
    """Columns in the order in which a union gives them."""
    own = [column.name for column in domain.stream().columns]
    return tuple(name for name in (*own, *MADE) if name in names)


KINDS: dict[str, Callable[[Chance], Query]] = {
    "united-windows": united_windows,
    "united-legacy": united_legacy,
    "united-groups": united_groups,
    "united-window-top-n": united_window_top_n,
    "united-top-n": united_top_n,
    "united-dedup": united_deduplication,
    "united-over": united_over,
    "united-join": united_join,
    "united-projection": united_projection,
}
