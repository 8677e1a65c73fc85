"""``*`` of tables that no script declares: a catalog knows their columns, and nothing else does.

Where ``*`` and a list of names are the row that an operator stores, they may be one row or two (STR-02). Without the
declaration that is unknown, and where nothing stores the row it does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from clauses import Order
from edits import COMPATIBLE, UNKNOWN, Edit, OnQuery, edit
from generated_jobs import Query
from spelling import Chance, Relation, Writer, mark
from tables import DOMAINS, Domain, Table


@dataclass(frozen=True)
class Everything:
    """All columns of an undeclared table, or those of ``listed``; ``operator`` is what keeps them."""

    domain: Domain
    operator: str
    listed: tuple[str, ...] = ()
    touched: bool = False

    @property
    def table(self) -> Table:
        return replace(self.domain.stream(), declared=False)

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table,)

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.domain.type(name) for name in self.listed)

    def select(self, writer: Writer) -> str:
        chance, domain = writer.chance, self.domain
        table = writer.read(Relation(self.table.called(chance)), "t")
        star = f"{table.qualifier}.*" if table.qualifier else "*"
        items = mark(", ".join(table.column(name) for name in self.listed) or star, self.touched)
        if self.operator in ("rank", "latest"):
            time = Order(f"@{domain.rowtime if self.operator == 'latest' else domain.m1}").sql(table, chance)
            number = writer.name("place")
            call = f"ROW_NUMBER() OVER (PARTITION BY {table.column(domain.k1)} ORDER BY {time})"
            ranked = writer.layer("ranked", lambda: f"SELECT {items}, {call} AS {number}\nFROM {table.text}")
            alias = "" if ranked.isidentifier() else f" AS {writer.name('q', 'AL-02')}"
            bound = 3 if self.operator == "rank" else 1
            return f"SELECT {mark('*', self.touched)}\nFROM {ranked}{alias}\nWHERE {number} <= {bound}"
        rows = f"SELECT {items}\nFROM {table.text}"
        if self.operator == "limit":
            return f"{rows}\nLIMIT 10"
        if self.operator == "distinct":
            return rows.replace("SELECT", "SELECT DISTINCT", 1)
        if self.operator == "groups":
            layer = writer.layer("listed_rows", lambda: rows)
            alias = "" if layer.isidentifier() else f" AS {writer.name('g', 'AL-02')}"
            return f"SELECT {domain.k1}, SUM({domain.m2}) AS total\nFROM {layer}{alias}\nGROUP BY {domain.k1}"
        return rows


def everything(operator: str) -> Callable[[Chance], Query]:
    return lambda chance: Everything(chance.pick(*DOMAINS), operator)


def spell_out(query: Everything, chance: Chance) -> tuple[Everything, Everything]:
    domain = query.domain
    names = (domain.k1, domain.k2, domain.k3, domain.id, domain.m1, domain.m2, domain.note, domain.rowtime)
    before = replace(query, touched=True)
    return before, replace(before, listed=names)


def write_star(query: Everything, chance: Chance) -> tuple[Everything, Everything]:
    after, before = spell_out(query, chance)
    return before, after


_STORING = ("rank", "latest", "limit", "distinct")
KINDS: dict[str, Callable[[Chance], Query]] = {
    f"undeclared-{operator}": everything(operator) for operator in (*_STORING, "groups", "rows")
}


def _one(kind: str, change: OnQuery) -> Edit:
    stored = kind.removeprefix("undeclared-") in _STORING
    made = edit("STR-02", kind, UNKNOWN if stored else COMPATIBLE, change, part="surroundings")
    return replace(made, silent=not stored)


EDITS: tuple[Edit, ...] = tuple(_one(kind, change) for kind in KINDS for change in (spell_out, write_star))
