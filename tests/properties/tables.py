"""Source tables in three vocabularies, and the rows that queries read of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clauses import Condition, interval, where
from spelling import Chance, Relation, Writer, columns_of, mark


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    computed: str = ""
    touched: bool = False

    def sql(self, chance: Chance) -> str:
        if self.computed:
            return mark(f"{self.name} AS {self.computed}", self.touched)
        comment = chance.vary("FMT-05", "", "", " COMMENT 'of no meaning'")
        type_ = chance.vary("FMT-05", self.type, *_same_types(self.type))
        return mark(f"{self.name} {type_}", self.touched) + comment


def _same_types(name: str) -> tuple[str, ...]:
    """Other names of a type."""
    head, _, tail = name.partition("(")
    return {
        "STRING": ("VARCHAR(2147483647)",),
        "INT": ("INTEGER",),
        "DOUBLE": ("DOUBLE PRECISION",),
        "DECIMAL": (f"NUMERIC({tail}", f"DEC({tail}"),
        "TIMESTAMP": (f"TIMESTAMP({tail} WITHOUT TIME ZONE",),
        "TIMESTAMP_LTZ": (f"TIMESTAMP({tail} WITH LOCAL TIME ZONE",),
    }.get(head, ())


@dataclass(frozen=True)
class Table:
    """A table of a job. ``touched`` names its parts that an edit changed: name, watermark, key, an option's name."""

    name: str
    columns: tuple[Column, ...]
    options: tuple[tuple[str, str], ...]
    rowtime: str = ""
    delay: int = 5
    proctime: str = ""
    primary_key: tuple[str, ...] = ()
    touched: frozenset[str] = frozenset()
    temporary: bool = False
    declared: bool = True
    """The script declares the table; else a catalog out of sight does."""

    def called(self, chance: Chance) -> str:
        """Its name, perhaps with the path that is in force by default."""
        long = (f"default_catalog.default_database.{self.name}", f"default_database.{self.name}")
        return chance.vary("AL-02", self.name, self.name, self.name, *long)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def with_column(self, name: str, **changes: object) -> Table:
        columns = tuple(replace(c, **changes) if c.name == name else c for c in self.columns)
        return replace(self, columns=columns)

    def with_option(self, name: str, value: str) -> Table:
        rest = tuple(option for option in self.options if option[0] != name)
        return replace(self, options=(*rest, (name, value)), touched=self.touched | {name})

    def touch(self, *parts: str) -> Table:
        return replace(self, touched=self.touched | set(parts))

    def sql(self, chance: Chance) -> str:
        parts = [column.sql(chance) for column in self.columns]
        if self.proctime:
            parts.append(f"{self.proctime} AS PROCTIME()")
        if self.rowtime:
            delay = f" - {interval(self.delay, chance)}" if self.delay else ""
            watermark = f"WATERMARK FOR {self.rowtime} AS {self.rowtime}{delay}"
            parts.append(mark(watermark, "watermark" in self.touched))
        if self.primary_key:
            key = f"PRIMARY KEY ({', '.join(self.primary_key)}) NOT ENFORCED"
            parts.append(mark(key, "key" in self.touched))
        options = [mark(f"'{name}' = '{value}'", name in self.touched) for name, value in self.options]
        if chance.vary("FMT-05", False, True):
            options = list(chance.shuffled(options))
        kind = "TEMPORARY TABLE" if self.temporary else "TABLE"
        exists = chance.vary("FMT-05", "", "IF NOT EXISTS ")
        comment = chance.vary("FMT-05", "", "", "COMMENT 'said; twice'\n")
        body = ",\n  ".join(parts)
        name = mark(self.name, "name" in self.touched)
        statement = f"CREATE {kind} {exists}{name} (\n  {body}\n) {comment}WITH ({', '.join(options)});"
        return mark(statement, "statement" in self.touched)


@dataclass(frozen=True)
class Domain:
    """The names of the columns of a stream: the generators use their roles."""

    table: str
    k1: str
    k2: str
    k3: str
    id: str
    m1: str
    m2: str
    note: str
    rowtime: str
    entered: str
    proctime: str
    decimal: str = "DECIMAL(12, 2)"
    time_type: str = "TIMESTAMP(3)"

    def stream(self, name: str = "") -> Table:
        name = f"{self.table}_{name}" if name else self.table
        columns = (
            Column(self.k1, "STRING"),
            Column(self.k2, "STRING"),
            Column(self.k3, "STRING"),
            Column(self.id, "BIGINT"),
            Column(self.m1, self.decimal),
            Column(self.m2, "INT"),
            Column(self.note, "STRING"),
            Column(self.rowtime, self.time_type),
            Column(self.entered, self.time_type),
        )
        options = (("connector", "kafka"), ("topic", name), ("format", "json"))
        return Table(name, columns, options, rowtime=self.rowtime, proctime=self.proctime)

    def versions(self, name: str) -> Table:
        """A table of versions of ``k1``, for temporal and regular joins."""
        name = f"{self.table}_{name}"
        columns = (
            Column(self.k1, "STRING"),
            Column("label", "STRING"),
            Column("zone", "STRING"),
            Column("rate", "DECIMAL(10, 4)"),
            Column("valid_from", self.time_type),
        )
        options = (("connector", "upsert-kafka"), ("topic", name), ("key.format", "json"), ("value.format", "json"))
        return Table(name, columns, options, rowtime="valid_from", primary_key=(self.k1,))

    def dimension(self, name: str) -> Table:
        name = f"{self.table}_{name}"
        columns = (Column(self.k1, "STRING"), Column("label", "STRING"), Column("zone", "STRING"))
        return Table(name, columns, (("connector", "jdbc"), ("url", "jdbc:mysql://db/dim"), ("table-name", name)))

    def type(self, name: str) -> str:
        types = {self.id: "BIGINT", self.m1: self.decimal, self.m2: "INT"}
        types |= {self.rowtime: self.time_type, self.entered: self.time_type, self.proctime: "TIMESTAMP_LTZ(3)"}
        types |= {"window_start": "TIMESTAMP(3)", "window_end": "TIMESTAMP(3)", "window_time": self.time_type}
        return types.get(name, "STRING")


DOMAINS = (
    Domain(
        "bids", "channel", "region", "device", "bidder", "price", "quantity", "url", "bid_time", "seen_at", "pt"
    ),
    Domain(
        "orders", "category", "city", "shop", "order_id", "amount", "qty", "remark", "order_time", "booked_at",
        "proc_time", time_type="TIMESTAMP_LTZ(3)",
    ),
    Domain(
        "readings", "site", "metric", "firmware", "device_id", "reading", "battery", "tags", "event_time",
        "ingested", "ptime", decimal="DOUBLE",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Computed:
    """A column that a layer under the query computes under its old name."""

    name: str
    expression: str
    touched: bool = True
    type: str = ""
    """The type, if it is not the one that the column has in the table."""


@dataclass(frozen=True)
class Feed:
    """Rows of a stream, perhaps filtered, with computed columns, or united with those of other streams."""

    table: Table
    where: tuple[Condition, ...] = ()
    computed: tuple[Computed, ...] = ()
    others: tuple[tuple[Table, bool], ...] = ()
    """Streams united with this one, and whether they are touched."""
    free_order: bool = field(default=True)
    """The order of the columns of a layer has no meaning (STR-02); under a ranking it has."""

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table, *(table for table, _ in self.others))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that it can give, in order: those of the table, and what a layer computes anew."""
        own = (*(column.name for column in self.table.columns), self.table.proctime)
        return (*own, *(one.name for one in self.computed if one.name not in own))

    def declares(self, name: str) -> bool:
        """Return whether the type of the column is known: that of a processing time is the same everywhere."""
        return any(column.name == name for column in self.table.columns)

    def type(self, name: str) -> str:
        computed = next((one.type for one in self.computed if one.name == name and one.type), "")
        return computed or self.table.column(name).type

    def relation(self, writer: Writer, needed: tuple[str, ...]) -> Relation:
        """The rows with at least the ``needed`` columns, as something to read from."""
        chance = writer.chance
        columns = tuple(name for name in self.columns if name in needed)
        bare = not self.where and not self.computed and not self.others
        forms = ["list", "renamed"]
        if not self.computed and not self.others:
            # The columns of united tables need not be the same ones.
            forms.insert(0, "star")
        if bare:
            forms.insert(0, "table")
        form = chance.vary("STR-01 STR-02", *forms)
        if form == "table":
            return Relation(self.table.called(chance))
        names: dict[str, str] = {}
        if form == "renamed":
            names = {name: f"{name}_r" for name in columns if chance.flip()}
        if form != "star" and self.free_order and chance.vary("STR-02", False, True):
            columns = chance.shuffled(columns)
        inputs = [(self.table, False), *self.others]
        if len(inputs) > 1 and chance.vary("UA-01", False, True):
            inputs = list(chance.shuffled(inputs))

        # New names are given by aliases, or all at once by the list of names of a layer.
        from_outside = form == "renamed" and len(inputs) == 1 and chance.flip()

        def one(table: Table, touched: bool) -> str:
            relation = Relation(table.called(chance))
            if len(inputs) == 1:
                relation = writer.read(relation, "src")
            own = {} if from_outside else names
            items = ["*"] if form == "star" else [self._item(name, own, relation) for name in columns]
            filters = where(self.where, relation, chance)
            return mark(f"SELECT {', '.join(items)} FROM {relation.text}{filters}", touched)

        def body() -> str:
            return "\nUNION ALL\n".join(one(table, touched) for table, touched in inputs)

        outside = [names.get(name, name) for name in columns] if from_outside else ()
        return Relation(writer.layer("base", body, columns=outside), names)

    def _item(self, name: str, names: dict[str, str], relation: Relation) -> str:
        computed = next((one for one in self.computed if one.name == name), None)
        exposed = names.get(name, name)
        if computed is not None:
            return mark(f"{relation.sql(computed.expression)} AS {exposed}", computed.touched)
        return relation.column(name) if exposed == name else f"{relation.column(name)} AS {exposed}"

    def needs(self) -> tuple[str, ...]:
        return columns_of(*(one.expression for one in self.computed))
