"""Whole jobs: settings, tables, functions, and queries with their sinks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from spelling import Chance, Relation, Script, Writer, finish, mark, mark_unrelated
from tables import Table


class Query(Protocol):
    @property
    def tables(self) -> tuple[Table, ...]: ...

    @property
    def types(self) -> tuple[str, ...]: ...

    def select(self, writer: Writer) -> str: ...


_IDLE_SETTINGS: tuple[tuple[str, ...], ...] = (
    (),
    ("SET 'pipeline.name' = 'nightly';",),
    ("SET 'table.optimizer.state-compatibility.ignore-sink' = 'true';",),
    ("-- SET 'table.exec.emit.early-fire.enabled' = 'true';",),
)
"""Settings that mean nothing for the state, or are the default, or are none."""


@dataclass(frozen=True)
class Setting:
    key: str
    value: str
    touched: bool = False

    def sql(self) -> str:
        return mark(f"SET '{self.key}' = '{self.value}'", self.touched) + ";"


@dataclass(frozen=True)
class Sink:
    """A declared sink; its columns follow the query. Without a name the query is a SELECT of its own."""

    name: str = ""
    options: tuple[tuple[str, str], ...] = (("connector", "blackhole"),)
    primary_key: tuple[str, ...] = ()
    temporary: bool = False
    touched: frozenset[str] = frozenset()
    order: tuple[int, ...] = ()
    """The declared order of the columns ``c0``, ``c1`` and so on, by their numbers; empty for this one."""

    def sql(self, types: tuple[str, ...], chance: Chance) -> str:
        columns = [f"c{index} {types[index]}" for index in self.order or range(len(types))]
        if self.primary_key:
            key = f"PRIMARY KEY ({', '.join(self.primary_key)}) NOT ENFORCED"
            columns.append(mark(key, "key" in self.touched))
        options = [mark(f"'{name}' = '{value}'", name in self.touched) for name, value in self.options]
        kind = "TEMPORARY TABLE" if self.temporary else "TABLE"
        exists = chance.vary("FMT-05", "", "IF NOT EXISTS ")
        name = mark(self.name, "name" in self.touched)
        text = f"CREATE {kind} {exists}{name} ({', '.join(columns)}) WITH ({', '.join(options)});"
        return mark(text, "statement" in self.touched)


@dataclass(frozen=True)
class Insert:
    """``listed`` are the numbers of the columns of the sink that the query fills, in its order; empty for no list."""

    query: Query
    sink: Sink = Sink()
    touched: bool = False
    listed: tuple[int, ...] = ()
    unrelated: bool = False
    """An edit of the job changes nothing here, although it may change shared parts."""

    def head(self, chance: Chance) -> str:
        """The text in front of the query."""
        if not self.sink.name:
            return ""
        numbers = self.listed
        if not numbers and not self.sink.order:
            # A list of all columns in their order says nothing new.
            numbers = chance.pick((), (), tuple(range(len(self.query.types))))
        columns = f" ({', '.join(f'c{number}' for number in numbers)})" if numbers else ""
        return f"INSERT INTO {self.sink.name}{columns}\n"

    @property
    def types(self) -> tuple[str, ...]:
        """The types of the columns ``c0``, ``c1`` and so on of the sink."""
        if not self.listed:
            return self.query.types
        return tuple(type_ for _, type_ in sorted(zip(self.listed, self.query.types, strict=True)))


@dataclass(frozen=True)
class Job:
    inserts: tuple[Insert, ...]
    settings: tuple[Setting, ...] = ()
    functions: tuple[str, ...] = ()
    extra_sinks: tuple[tuple[Sink, tuple[str, ...]], ...] = ()
    """Sinks that are declared and not written to, with the types of their columns."""
    parameters: tuple[tuple[str, str], ...] = ()
    engine: str | None = None

    @property
    def query(self) -> Query:
        return self.inserts[0].query

    def with_query(self, query: Query) -> Job:
        first, *rest = self.inserts
        return replace(self, inserts=(replace(first, query=query), *rest))

    def with_sink(self, sink: Sink) -> Job:
        first, *rest = self.inserts
        return replace(self, inserts=(replace(first, sink=sink), *rest))

    def set(self, key: str, value: str, touched: bool = False) -> Job:
        return replace(self, settings=(*self.settings, Setting(key, value, touched)))

    @property
    def tables(self) -> tuple[Table, ...]:
        found = {table.name: table for insert in self.inserts for table in insert.query.tables}
        return tuple(found.values())

    def script(self, chance: Chance) -> Script:
        settings = [setting.sql() for setting in self.settings]
        if not settings:
            settings += chance.vary("CFG-06", *_IDLE_SETTINGS)
        tables = [table.sql(chance) for table in self.tables if table.declared]
        tables += [sink.sql(types, chance) for sink, types in self.extra_sinks]
        declared = {}
        for insert in self.inserts:
            if insert.sink.name and insert.sink.name not in declared:
                declared[insert.sink.name] = insert.sink.sql(insert.types, chance)
        tables += declared.values()
        tables += [f"CREATE TEMPORARY FUNCTION {name} AS {text};" for name, text in self._functions()]
        if chance.flip():
            tables = list(chance.shuffled(tables))
        if chance.vary("STR-04", False, False, True):
            tables.append("CREATE TEMPORARY VIEW nobody AS SELECT 1 AS x;")
        if chance.vary("STR-04", False, False, True):
            tables.append("CREATE TABLE nothing (x INT) WITH ('connector' = 'datagen');")
        names: dict[str, int] = {}
        shared: dict[str, Relation] = {}
        views, queries = [], []
        for insert in self.inserts:
            writer = Writer(chance, names, shared)
            text = writer.query(lambda insert=insert, writer=writer: insert.query.select(writer))
            views.append(writer.views)
            queries.append(f"{mark_unrelated(mark(insert.head(chance) + text, insert.touched), insert.unrelated)};")
        written = all(insert.sink.name for insert in self.inserts)
        if len(queries) > 1 and chance.vary("STR-05 order", False, True):
            queries = list(chance.shuffled(queries))
        if written and (len(queries) > 1 or chance.vary("STR-05", False, True)):
            body = "\n".join(queries)
            queries = [
                chance.vary(
                    "STR-05", f"EXECUTE STATEMENT SET\nBEGIN\n{body}\nEND;", f"BEGIN STATEMENT SET;\n{body}\nEND;"
                )
            ]
        all_views = [view for of_one in views for view in of_one]
        script = "\n".join((*settings, *tables, *all_views, *queries))
        if chance.vary("FMT-06", False, True):
            script = script.removesuffix(";")
        return finish(script, chance)

    def _functions(self) -> list[tuple[str, str]]:
        return [tuple(function.split(" ", 1)) for function in self.functions]
