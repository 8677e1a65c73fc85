"""Whole jobs: settings, tables, functions, and queries with their sinks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from spelling import Chance, Script, Writer, finish, mark
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

    def sql(self, types: tuple[str, ...], chance: Chance) -> str:
        columns = [f"c{index} {type_}" for index, type_ in enumerate(types)]
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
    query: Query
    sink: Sink = Sink()
    touched: bool = False


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
                declared[insert.sink.name] = insert.sink.sql(insert.query.types, chance)
        tables += declared.values()
        tables += [f"CREATE TEMPORARY FUNCTION {name} AS {text};" for name, text in self._functions()]
        if chance.flip():
            tables = list(chance.shuffled(tables))
        if chance.vary("STR-04", False, False, True):
            tables.append("CREATE TEMPORARY VIEW nobody AS SELECT 1 AS x;")
        if chance.vary("STR-04", False, False, True):
            tables.append("CREATE TABLE nothing (x INT) WITH ('connector' = 'datagen');")
        names: dict[str, int] = {}
        views, queries = [], []
        for insert in self.inserts:
            writer = Writer(chance, names)
            text = writer.query(lambda insert=insert, writer=writer: insert.query.select(writer))
            listed = ", ".join(f"c{index}" for index in range(len(insert.query.types)))
            columns = chance.pick("", "", f" ({listed})")
            head = f"INSERT INTO {insert.sink.name}{columns}\n" if insert.sink.name else ""
            views.append(writer.views)
            queries.append(f"{mark(head + text, insert.touched)};")
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
