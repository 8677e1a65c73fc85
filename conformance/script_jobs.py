"""The queries of a script as one job of a table environment of a real Flink."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from keepstate.syntax.splitter import split

RESULT = "keepstate_result_"
"""Prefix of the names of the sinks of bare queries."""
_COMMENTS = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*(?!\+).*?\*/)+", re.DOTALL)
_SET = re.compile(r"SET\s+'(?P<key>[^']+)'\s*=\s*'(?P<value>[^']*)'", re.IGNORECASE)
_BEGIN = re.compile(r"(?:EXECUTE\s+)?(?:BEGIN\s+)?STATEMENT\s+SET(?:\s+BEGIN)?\b\s*;?", re.IGNORECASE)
_TELLING = ("StateMigrationException", "Cannot map checkpoint/savepoint state")
_SILENT = ("SHOW", "DESCRIBE", "DESC", "EXPLAIN", "END", "RESET")


def job_of(java: Any, environment: Any, script: str) -> tuple[Any, list[str]]:
    """The queries of a script as one job that was not started, and its sinks; everything else was executed."""
    job = environment.createStatementSet()
    sinks: list[str] = []
    for span in split(script).statements:
        statement = _uncommented(_BEGIN.sub("", _uncommented(script[span.start : span.end]), count=1))
        if not statement:
            continue
        word = re.split(r"[\s(]", statement.lstrip("(") or "(", maxsplit=1)[0].upper()
        if (setting := _SET.match(statement)) is not None:
            environment.getConfig().set(setting["key"], setting["value"])
        elif word in ("SELECT", "WITH", "VALUES"):
            query = environment.sqlQuery(statement)
            sinks.append(_sink(java, environment, query, f"{RESULT}{len(sinks)}"))
            job.addInsert(sinks[-1], query)
        elif word == "INSERT":
            job.addInsertSql(statement)
            sinks.append(re.split(r"[\s(]+", statement)[2].strip("`").rpartition(".")[2].strip("`"))
        elif word not in _SILENT:
            environment.executeSql(statement)
    return job, list(dict.fromkeys(sinks))


def _sink(java: Any, environment: Any, query: Any, name: str) -> str:
    """A table that takes what a query gives."""
    types = java.org.apache.flink.table.types.utils.DataTypeUtils
    api = java.org.apache.flink.table.api
    schema = api.Schema.newBuilder()
    seen: Counter[str] = Counter()
    for column in query.getResolvedSchema().getColumns():
        label = str(column.getName())
        seen[label] += 1
        unique = label if seen[label] == 1 else f"{label}_{seen[label]}"
        schema.column(unique, types.removeTimeAttribute(column.getDataType()).nullable())
    environment.createTable(name, api.TableDescriptor.forConnector("print").schema(schema.build()).build())
    return name


def _uncommented(statement: str) -> str:
    """The statement without space around it and without comments in front of it: its first word is its kind."""
    found = _COMMENTS.match(statement)
    return statement[found.end() if found else 0 :].strip()


def line_of(error: Py4JJavaError) -> str:
    """The message of an exception that says most: why a state was refused, or the root cause."""
    chain: list[str] = []
    cause = error.java_exception
    while cause is not None and len(chain) < 30:
        chain.append(str(cause.toString()).partition("\n")[0])
        cause = cause.getCause()
    telling = [line for line in chain if any(word in line for word in _TELLING)]
    return (telling or chain)[-1][:300]
