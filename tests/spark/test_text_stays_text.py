"""Nothing of a script becomes code: whatever its texts and names look like, they come back as they were written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from hostile_queries import FOLDER, NAME, TEXT, other_name, other_rows, other_sql, other_value, quoted_name, quoted_text
from keepstate.plan.operators import TableSourceScan
from keepstate.syntax.tokens import Token, TokenKind, lex
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators import plan_frames
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import ANSWERS, comparable
from test_flink_values import ANSWERS as VALUES
from test_late_rows import ANSWERS as LATE
from test_late_rows import LATEST
from test_late_rows import TABLE as READINGS

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "tables.sql").read_text("utf-8")
ZONE = "SET 'table.local-time-zone' = 'Europe/Berlin';\n"
FILES = ("disorder.json", "early.json", "goods.json", "rates.json", "readings.json", "sales.json")
TRAP = "${env:PATH}${system:user.home}${spark:spark.app.name}"
"""The beginning of each text: what Spark puts in the place of variables."""


QUERIES = ANSWERS + LATE
"""All queries of these tests of which is known what they give."""


def lowered(sql: str, folder: Path, spark: SparkSession, parameters: dict[str, str] | None = None) -> LoweredQuery:
    script = prepared(ZONE + sql, "job.sql", folder, parameters=parameters)
    return lowered_query(script, script.queries[-1], spark)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The tables of the other tests under other names, in a folder that is called like a pattern."""
    folder = tmp_path_factory.mktemp("rows")
    other_rows(folder / FOLDER, FLINK, FILES)
    sql = other_sql(TABLES + READINGS.partition("\n")[2] + LATEST)
    for name in FILES:
        sql = sql.replace(f"'{name}'", quoted_text(f"{FOLDER}/{name}"))
    return sql, folder


def test_the_texts_are_traps_that_snap(spark: SparkSession) -> None:
    """With the setting of Spark, what is in them comes out."""
    own = spark.newSession()
    found = {}
    for substitutes in ("true", "false"):
        own.conf.set("spark.sql.variable.substitute", substitutes)
        found[substitutes] = own.sql(f"SELECT '{TRAP}'").head()
    assert os.environ["PATH"] in str(found["true"]) and "keepstate" in str(found["true"])
    assert list(found["false"] or ()) == [TRAP]
    assert TEXT.startswith(NAME) and NAME.startswith(TRAP)


@pytest.mark.parametrize("answer", QUERIES, ids=[f"{one['sql']} {one.get('settings', '')}" for one in QUERIES])
def test_all_names_and_texts_of_a_query_come_back(
    answer: dict[str, Any], tables: tuple[str, Path], spark: SparkSession
) -> None:
    declared, folder = tables
    query = lowered(f"{declared}\n{other_sql(answer['sql'])};", folder, spark, answer.get("settings"))
    # A name that comes twice has a number, and that comes behind the other name.
    names = [f"{other_name('id')}0" if name == "id0" else other_name(name) for name in answer["columns"]]
    assert list(query.names) == names
    rows = [[other_value(value) for value in row] for row in answer["rows"]]
    # The longest row of a group is another one if its texts are longer, and LISTAGG joins with what it is given.
    assert comparable(list(query.values())) == comparable(rows)


TYPED = frozenset({"DATE", "TIME", "TIMESTAMP", "INTERVAL"})


def _texts(expression: str) -> list[Token]:
    """The constant texts of an expression."""
    tokens = lex(expression).tokens
    pairs = zip(("", *(token.word for token in tokens)), tokens, strict=False)
    return [token for before, token in pairs if token.kind is TokenKind.STRING and before not in TYPED]


def _expressions() -> list[str]:
    """One expression for each combination of functions and constants."""
    found: dict[tuple[str, ...], str] = {}
    for expression, _, _ in VALUES:
        # What is no such value stops a query, whatever it looks like.
        if _texts(expression) and not expression.startswith(("CAST(", "TO_DATE(", "TO_TIMESTAMP_LTZ(")):
            shape = tuple(token.word or token.kind.value for token in lex(expression).tokens)
            found.setdefault(shape, expression)
    return list(found.values())


EXPRESSIONS = _expressions()
SECRETS = (os.environ["PATH"], os.path.expanduser("~") + "/")


def with_texts(expression: str, number: int) -> tuple[str, str, dict[str, str]]:
    """``expression`` with ``TEXT`` behind each of its constant texts; the same with columns of such texts in their
    place; and the row that has these columns.
    """
    constant, of_columns, end = "", "", 0
    row: dict[str, str] = {}
    for token in _texts(expression):
        name = f"t{number}_{len(row)}"
        row[name] = token.text[1:-1].replace("''", "'") + TEXT
        constant += expression[end : token.start] + quoted_text(row[name])
        of_columns += expression[end : token.start] + name
        end = token.end
    return constant + expression[end:], of_columns + expression[end:], row


@pytest.mark.parametrize("part", range(4))
def test_a_constant_text_is_what_the_same_text_of_a_file_is(part: int, session: SparkSession, tmp_path: Path) -> None:
    """Rows are data to Spark in any case, so they tell what an expression gives for such a text."""
    written = [with_texts(expression, number) for number, expression in enumerate(EXPRESSIONS[part::4])]
    row = {name: text for _, _, texts in written for name, text in texts.items()}
    (tmp_path / "t.json").write_text(json.dumps(row) + "\n", "utf-8")
    table = f"CREATE TABLE t ({', '.join(f'{name} STRING' for name in row)}) WITH ('connector' = 'kafka');"
    rows = session.read.schema(StructType([StructField(name, StringType()) for name in row]))
    rows = rows.json(str(tmp_path / "t.json"))

    def scan(operator: TableSourceScan, _: Lowering) -> NamedFrame:
        return NamedFrame(rows, ColumnNames({column: column.name for column in operator.columns}))

    def frame(expressions: list[str]) -> DataFrame:
        items = ", ".join(f"{expression} AS c{index}" for index, expression in enumerate(expressions))
        query = prepared(f"{table} SELECT {items} FROM t;", "job.sql", tmp_path, needs_rows=False).queries[0]
        return plan_frames.lowered(query.plan, session, query.zone, scan, query.times, query.is_streaming).rows

    def runs(expression: str) -> bool:
        try:
            frame([expression])
        except NotLowerable:
            return False
        return True

    def values(expressions: list[str]) -> list[Any]:
        """The value of each expression, or that it stops the query."""
        try:
            (found,) = frame(expressions).collect()
        except (PySparkException, Py4JError):
            if len(expressions) == 1:
                return ["stops"]
            half = len(expressions) // 2
            return values(expressions[:half]) + values(expressions[half:])
        return list(found)

    constants = [one for one in written if runs(one[0])]
    alike = [one for one in constants if runs(one[1])]
    assert len(alike) > len(written) / 2
    for found in values([constant for constant, _, _ in constants]):
        assert not any(secret in str(found) for secret in SECRETS)
    found, wanted = (values([one[index] for one in alike]) for index in (0, 1))
    assert dict(zip([one[0] for one in alike], found, strict=True)) == dict(
        zip([one[0] for one in alike], wanted, strict=True)
    )


def test_a_variable_outside_of_texts_is_none_either(tables: tuple[str, Path], spark: SparkSession) -> None:
    declared, folder = tables
    for item in ("${env:PATH}", "${system:user.home}", "{{ x }}", "${spark:spark.app.name} + 1"):
        with pytest.raises(PipelineError) as refusal:
            lowered(f"{declared} SELECT {item} FROM (VALUES (1)) AS v(a);", folder, spark)
        assert not any(secret in str(refusal.value) for secret in SECRETS)


def test_options_and_folders_are_characters(spark: SparkSession, tmp_path: Path) -> None:
    """Paths and options of a script are compared with those of its files, character by character."""
    folder = tmp_path / FOLDER / "day=${env:PATH}%27`"
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text("1$plain\n2$${env:PATH}\n3$:a$b:\n4$#c\n", "utf-8")
    options = {
        "connector": "filesystem",
        "path": FOLDER,
        "format": "csv",
        "csv.field-delimiter": "$",
        "csv.quote-character": ":",
        "csv.null-literal": "{env:PATH}",
        "partition.default-name": "${env:HOME}",
        # Spark has options of these names.
        "basePath": "/",
        "header": "true",
        "mode": "FAILFAST",
        "sep": ";",
        "pathGlobFilter": "*.none",
    }
    written = ", ".join(f"{quoted_text(key)} = {quoted_text(value)}" for key, value in options.items())
    table = f"CREATE TABLE t (id INT, x STRING, `day` STRING) PARTITIONED BY (`day`) WITH ({written});"
    query = lowered(f"{table} SELECT * FROM t;", tmp_path, spark)
    day = "${env:PATH}'`"
    # The second row has a column more than the table.
    assert sorted(query.values()) == [[1, "plain", day], [3, "a$b", day], [4, "#c", day]]
    assert "rows.csv: cannot be read: 2$${env:PATH}" in query.readings()[0].example


def test_fields_keys_and_elements_are_characters(spark: SparkSession, tmp_path: Path) -> None:
    """Nested values have texts as well."""
    one, two = other_name("one"), other_name("two")
    row = {one: {"f": TEXT, "n": {"g": 1}}, "m": {TEXT: TEXT}, "l": [TEXT, NAME], TEXT: TEXT}
    (tmp_path / "t.json").write_text(json.dumps(row) + "\n", "utf-8")
    columns = {
        quoted_name(one): "ROW<f STRING, n ROW<g INT>>",
        "m": "MAP<STRING, STRING>",
        "l": "ARRAY<STRING>",
        quoted_name(two): f"STRING METADATA FROM {quoted_text(TEXT)}",
    }
    table = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    items = {
        f"t.{quoted_name(one)}.f": TEXT,
        f"t.{quoted_name(one)}.n.g": 1,
        f"m[{quoted_text(TEXT)}]": TEXT,
        "l[2]": NAME,
        quoted_name(two): TEXT,
        f"u.{quoted_name(one)}": TEXT,
        f"CASE {quoted_name(two)} WHEN {quoted_text(TEXT)} THEN {quoted_text(NAME)} END": NAME,
    }
    sql = f"""CREATE TABLE t ({table}) WITH ('connector' = 'kafka');
    SELECT {", ".join(f"{item} AS {quoted_name(f'c{number}{NAME}')}" for number, item in enumerate(items))}
    FROM t CROSS JOIN UNNEST(l) AS u({quoted_name(one)}) WHERE u.{quoted_name(one)} <> {quoted_text(NAME)};"""
    script = prepared(sql, "job.sql", tmp_path, {"t": str(tmp_path / "t.json")})
    query = lowered_query(script, script.queries[0], spark)
    assert list(query.names) == [f"c{number}{NAME}" for number in range(len(items))]
    assert list(query.values()) == [list(items.values())]


def test_names_in_a_type_are_characters(spark: SparkSession, tmp_path: Path) -> None:
    field, inner = "a" + NAME, "a b`.<c>,'"
    (tmp_path / "t.json").write_text(json.dumps({"r": {field: TEXT, "n": {inner: 5}}}) + "\n", "utf-8")
    type_ = f"ROW<{quoted_name(field)} STRING, n ROW<{quoted_name(inner)} INT>>"
    table = f"CREATE TABLE t (r {type_}) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');"
    query = f"SELECT t.r.{quoted_name(field)}, t.r.n.{quoted_name(inner)} FROM t;"
    assert list(lowered(f"{table} {query}", tmp_path, spark).values()) == [[TEXT, 5]]
