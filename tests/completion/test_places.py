"""Proposals that are no columns: relations, functions, windows, keywords, types, options and parameters."""

from __future__ import annotations

import pytest

from half_typed import SHOP, completion, inserted, labels
from keepstate.completion.completion_proposal import Completion, ProposalKind
from keepstate.completion.facts.connector_facts import CONNECTORS, FORMATS, options_of
from keepstate.completion.facts.function_forms import FORMS, WINDOWS
from keepstate.draft import Draft
from keepstate.plan.parameters import PARAMETERS
from keepstate.plan.types.builtin_functions import AGGREGATES, SCALARS
from keepstate.syntax.script import StatementKind, parse_script
from keepstate.text import Span
from keepstate.validation.values.builtin_signatures import SIGNATURES, is_built_in

RELATIONS = (ProposalKind.TABLE, ProposalKind.VIEW, ProposalKind.COMMON_TABLE)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SELECT * FROM |", ["orders", "customers", "totals", "spending", "doubtful"]),
        ("SELECT * FROM sp|", ["spending"]),
        ("SELECT * FROM orders, cust|", ["customers"]),
        ("SELECT * FROM orders o JOIN cust|", ["customers"]),
        ("SELECT * FROM orders o LEFT JOIN cust| ON", ["customers"]),
        ("SELECT * FROM orders o JOIN customers c ON o.id = c.customer, cust|", []),
        ("SELECT * FROM (SELECT * FROM cust|", ["customers"]),
        ("SELECT * FROM TABLE(TUMBLE(TABLE cust|", ["customers"]),
        ("SELECT * FROM TABLE(TUMBLE(DATA => TABLE cust|", ["customers"]),
        ("SELECT * FROM default_catalog.default_database.cust|", ["customers"]),
        ("INSERT INTO cust|", ["customers"]),
        ("EXPLAIN INSERT INTO cust|", ["customers"]),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO cust|", ["customers"]),
        ("INSERT OVERWRITE cust|", ["customers"]),
        # A view cannot be written.
        ("INSERT INTO sp|", []),
        ("CREATE TABLE x LIKE cust|", ["customers"]),
        ("DROP TABLE cust|", ["customers"]),
        ("DESCRIBE cust|", ["customers"]),
        ("WITH big AS (SELECT 1) SELECT * FROM bi|", ["big"]),
        (
            "WITH one AS (SELECT 1), two AS (SELECT * FROM o|) SELECT 1",
            ["one", "orders", "customers", "totals", "doubtful"],
        ),
        # Only what stands above can be read.
        ("SELECT * FROM later|; CREATE TABLE later_one (a INT);", []),
    ],
)
def test_relations(marked: str, expected: list[str]) -> None:
    assert labels(marked, *RELATIONS) == expected


@pytest.mark.parametrize("name", ["FROM", "Join", "two words", "ünïcode", "9lives"])
def test_relations_that_need_backticks_get_them(name: str) -> None:
    script = f"CREATE TABLE `{name}` (a INT);\n"
    assert inserted("SELECT * FROM |", name, script) == f"SELECT * FROM `{name}`"
    assert inserted("SELECT * FROM `|", name, script) == f"SELECT * FROM `{name}`"


@pytest.mark.parametrize(
    ("marked", "offered", "left_out"),
    [
        ("|", "SELECT|INSERT INTO|CREATE TABLE|SET", "FROM"),
        ("sel|", "SELECT", "SET"),
        ("SELECT a FROM orders; |", "SELECT|INSERT INTO", "WHERE"),
        ("CREATE |", "TABLE|VIEW|TEMPORARY VIEW|FUNCTION", "SELECT"),
        ("CREATE TEMPORARY |", "TABLE|VIEW|FUNCTION", "SELECT"),
        ("CREATE VIEW v |", "AS", "SELECT"),
        ("CREATE VIEW v AS |", "SELECT|WITH", "AS"),
        ("CREATE TABLE t (a INT) |", "WITH|LIKE|PARTITIONED BY", "SELECT"),
        ("INSERT |", "INTO|OVERWRITE", "SELECT"),
        ("INSERT INTO totals |", "SELECT|VALUES", "FROM"),
        ("INSERT INTO totals (customer) |", "SELECT|VALUES", "FROM"),
        ("SELECT id |", "AS|FROM", "WHERE"),
        ("SELECT id, COUNT(*) |", "AS|OVER|FILTER|FROM", "JOIN"),
        ("SELECT id FROM orders |", "WHERE|JOIN|LEFT JOIN|GROUP BY|UNION ALL", "HAVING BY"),
        ("SELECT id FROM orders o JOIN customers c |", "ON|USING|JOIN", "BETWEEN"),
        ("SELECT id FROM orders LEFT |", "JOIN", "WHERE"),
        ("SELECT id FROM orders WHERE id |", "AND|IN|IS NULL|GROUP BY|LIMIT", "FROM"),
        ("SELECT id FROM orders WHERE id = 1 |", "AND|OR|GROUP BY", "FROM"),
        ("SELECT id FROM orders GROUP |", "BY", "WHERE"),
        ("SELECT id FROM orders GROUP BY id |", "HAVING|ORDER BY", "WHERE"),
        ("SELECT id FROM orders ORDER BY id |", "ASC|DESC|LIMIT", "WHERE"),
        ("SELECT id | FROM orders WHERE id = 1", "AS|GROUP BY", "FROM"),
        ("SELECT CASE WHEN id = 1 |", "THEN", "FROM"),
        ("SELECT CASE WHEN id = 1 THEN 2 |", "WHEN|ELSE|END", "FROM"),
        ("SELECT CASE WHEN id = 1 THEN 2 ELSE 3 |", "END", "WHEN"),
        ("SELECT CASE id WHEN 1 THEN 2 END |", "AS|FROM", "WHEN"),
        ("SELECT COUNT(|", "DISTINCT", "FROM"),
        ("SELECT INTERVAL '1' |", "HOUR|DAY", "AS"),
        ("SELECT EXTRACT(|", "YEAR|HOUR", "FROM"),
        ("SELECT TIMESTAMPDIFF(|", "DAY|MINUTE", "FROM"),
        ("SELECT SUM(id) OVER (|", "PARTITION BY|ORDER BY", "ROWS BETWEEN"),
        ("SELECT SUM(id) OVER (PARTITION BY id ORDER BY id |", "ROWS BETWEEN|RANGE BETWEEN", "PARTITION BY"),
        ("SELECT id FROM orders WHERE id IN (|", "SELECT", "FROM"),
        ("SELECT id FROM orders WHERE EXISTS (|", "SELECT", "FROM"),
        ("SELECT * FROM (|", "SELECT", "FROM"),
        ("SELECT id FROM orders UNION |", "ALL|SELECT", "FROM"),
        ("WITH c |", "AS", "SELECT"),
        ("WITH c AS (SELECT 1) |", "SELECT", "AS"),
        ("SELECT * FROM orders MATCH_RECOGNIZE (|", "PARTITION BY|MEASURES|PATTERN|DEFINE", "SELECT"),
        ("BEGIN |", "STATEMENT SET", "SELECT"),
        ("EXECUTE |", "STATEMENT SET BEGIN", "FROM"),
        ("EXECUTE STATEMENT SET BEGIN |", "INSERT INTO", "FROM"),
        ("EXPLAIN |", "SELECT|INSERT INTO", "FROM"),
        ("CREATE TABLE t (|", "PRIMARY KEY|WATERMARK FOR", "INT"),
        ("CREATE TABLE t (a INT |", "NOT NULL|METADATA", "SELECT"),
        ("CREATE TABLE t (a INT, WATERMARK |", "FOR", "INT"),
        ("CREATE TABLE t (a INT, PRIMARY |", "KEY", "INT"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) |", "NOT ENFORCED", "INT"),
    ],
)
def test_keywords_fit_their_place(marked: str, offered: str, left_out: str) -> None:
    found = labels(marked, ProposalKind.KEYWORD)
    assert set(offered.split("|")) <= set(found)
    assert left_out not in found


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT 1 AS |",
        "SELECT id FROM orders LIMIT |",
        "SELECT 12|",
        "SELECT 'te|xt' FROM orders",
        "SELECT 'te| FROM orders",
        "-- SELECT |",
        "/* SELECT | */",
        "/* SELECT |",
        "SELECT 1 -- |",
        "CREATE TABLE t (a DECIMAL(|",
        "SELECT CAST(id AS DECIMAL(|",
        "WITH c (|",
        "SELECT x.y.z.| FROM orders",
        "SELECT ${templ|",
        "CREATE TABLE |",
    ],
)
def test_nothing_where_nothing_is_known(marked: str) -> None:
    assert [each for each in labels(marked) if each != "IF NOT EXISTS"] == []


@pytest.mark.parametrize(
    "marked",
    [
        "CREATE TABLE t (a |",
        "CREATE TABLE t (a INT, b |",
        "CREATE TABLE t (a ARRAY<|",
        "SELECT CAST(id AS |",
        "SELECT TRY_CAST(id AS |) FROM orders",
    ],
)
def test_types(marked: str) -> None:
    assert {"STRING", "BIGINT", "TIMESTAMP(3)", "ROW"} <= set(labels(marked, ProposalKind.TYPE))


# ---- functions


def test_functions_have_signatures_and_meanings() -> None:
    found = {each.label: each for each in completion("SELECT rou| FROM orders").proposals}
    assert (found["ROUND"].insert, found["ROUND"].snippet) == ("ROUND(", "ROUND($1)")
    assert found["ROUND"].detail == "ROUND(number[, digits])" and found["ROUND"].meaning


def test_brackets_are_not_doubled() -> None:
    assert inserted("SELECT rou|(amount) FROM orders", "ROUND") == "SELECT ROUND(amount) FROM orders"
    assert inserted("SELECT cur| FROM orders", "CURRENT_TIMESTAMP") == "SELECT CURRENT_TIMESTAMP FROM orders"
    assert inserted("SELECT pro| FROM orders", "PROCTIME") == "SELECT PROCTIME() FROM orders"


def test_the_case_of_the_statement_is_kept() -> None:
    assert inserted("select rou| from orders", "round") == "select round( from orders"
    assert "where" in labels("select id from orders w|") and "WHERE" in labels("SELECT id FROM orders w|")
    assert "MyScore" in labels("select mys| from orders")
    assert "bigint" in labels("select cast(id as big|", ProposalKind.TYPE)


def test_any_value_is_told_from_places_of_their_own() -> None:
    assert completion("SELECT UPPER(|").any_value and completion("SELECT |").any_value
    assert not completion("SELECT * FROM TABLE(|").any_value and not completion("INSERT INTO totals (|").any_value


def test_functions_of_the_script() -> None:
    assert labels("SELECT mys| FROM orders", ProposalKind.FUNCTION) == ["MyScore"]


def test_every_function_that_is_known_has_a_form() -> None:
    without = {
        "APPROX_COUNT_DISTINCT",
        "ARRAY",
        "BIT_AND",
        "BIT_OR",
        "BIT_XOR",
        "MAP",
        "ROW",
        "SOME",
        "STRING_AGG",
        "SUM0",
    }
    without |= {f"JSON_{kind}_{how}_ON_NULL" for kind in ("ARRAYAGG", "OBJECTAGG") for how in ("ABSENT", "NULL")}
    known = {name for name in (*SIGNATURES, *AGGREGATES, *SCALARS) if is_built_in(name)}
    assert set(FORMS) == known - without


@pytest.mark.parametrize("name", sorted(set(FORMS) & set(SIGNATURES)))
def test_forms_have_as_many_parameters_as_flink_takes(name: str) -> None:
    most = max(len(signature.parameters) for signature in SIGNATURES[name])
    forms = FORMS[name]
    if name in ("CEILING", "TRIM", "TO_TIMESTAMP_LTZ"):
        return
    repeats = any(form.repeats for form in forms)
    assert repeats == any(signature.open for signature in SIGNATURES[name])
    assert repeats or max(len(form.parameters) for form in forms) == most


# ---- window table functions


def test_window_table_functions_bring_their_arguments() -> None:
    found = {each.label: each for each in completion("SELECT * FROM |").proposals}
    assert found["HOP"].snippet == (
        "TABLE(HOP(DATA => TABLE ${1:table}, TIMECOL => DESCRIPTOR(${2:time}), "
        "SLIDE => INTERVAL '${3:5}' MINUTE, SIZE => INTERVAL '${4:1}' HOUR))"
    )
    assert found["HOP"].insert == "TABLE(HOP("
    assert {"TUMBLE", "HOP", "CUMULATE", "SESSION"} <= set(labels("SELECT * FROM TABLE(|", ProposalKind.WINDOW))
    assert set(WINDOWS) == {"TUMBLE", "HOP", "CUMULATE", "SESSION"}


@pytest.mark.parametrize("name", sorted(WINDOWS))
def test_the_snippet_of_a_window_is_flink_sql(name: str) -> None:
    proposal = next(each for each in completion("SELECT * FROM |").proposals if each.label == name)
    text = (proposal.snippet or "").replace("${1:table}", "orders").replace("${2:time}", "order_time")
    for number in range(3, 6):
        head, _, tail = text.partition(f"${{{number}:")
        text = head + tail.replace("}", "", 1) if tail else text
    (statement,) = parse_script(f"SELECT * FROM {text}").statements
    assert statement.kind is StatementKind.QUERY


def test_named_arguments_come_once() -> None:
    found = labels("SELECT * FROM TABLE(HOP(DATA => TABLE orders, |", ProposalKind.PARAMETER)
    assert found == ["TIMECOL =>", "SLIDE =>", "SIZE =>", "OFFSET =>"]
    assert labels("SELECT * FROM TABLE(TUMBLE(|", ProposalKind.PARAMETER)[:2] == ["DATA =>", "TIMECOL =>"]


def test_group_windows_stand_in_group_by() -> None:
    assert "TUMBLE" in labels("SELECT id FROM orders GROUP BY |", ProposalKind.WINDOW)
    assert "TUMBLE_START" in labels("SELECT | FROM orders GROUP BY TUMBLE(order_time, INTERVAL '1' HOUR)")
    assert "TUMBLE_START" not in labels("SELECT | FROM orders GROUP BY id")


# ---- options and parameters


@pytest.mark.parametrize(
    ("marked", "label", "text"),
    [
        ("CREATE TABLE t (a INT) WITH (|", "connector", "CREATE TABLE t (a INT) WITH ('connector' = "),
        ("CREATE TABLE t (a INT) WITH ('|", "connector", "CREATE TABLE t (a INT) WITH ('connector'"),
        ("CREATE TABLE t (a INT) WITH ('con|')", "connector", "CREATE TABLE t (a INT) WITH ('connector')"),
        ("CREATE TABLE t (a INT) WITH ('connector' = |", "kafka", "CREATE TABLE t (a INT) WITH ('connector' = 'kafka'"),
        (
            "CREATE TABLE t (a INT) WITH ('connector' = 'ka|')",
            "kafka",
            "CREATE TABLE t (a INT) WITH ('connector' = 'kafka')",
        ),
        ("SET 'table.exec.mini-batch.en|", "table.exec.mini-batch.enabled", "SET 'table.exec.mini-batch.enabled'"),
        ("SET 'table.exec.mini-batch.enabled' = '|'", "true", "SET 'table.exec.mini-batch.enabled' = 'true'"),
    ],
)
def test_options_in_and_out_of_quotes(marked: str, label: str, text: str) -> None:
    assert inserted(marked, label) == text


@pytest.mark.parametrize("connector", sorted(CONNECTORS))
def test_options_of_each_connector(connector: str) -> None:
    found = labels(f"CREATE TABLE t (n INT) WITH ('connector' = '{connector}', '|')")
    assert found == [option.key for option in options_of(connector, ("n",)) if option.key != "connector"]


def test_values_of_options() -> None:
    head = "CREATE TABLE t (n INT) WITH ('connector' = 'kafka', "
    assert "latest-offset" in labels(f"{head}'scan.startup.mode' = '|')")
    assert labels(f"{head}'format' = '|')") == FORMATS
    assert labels(f"{head}'topic' = '|')") == []
    assert labels("CREATE TABLE t (n INT) WITH ('connector' = 'datagen', 'fields.n.kind' = '|')") == [
        "random",
        "sequence",
    ]


def test_options_of_a_hint() -> None:
    assert "scan.startup.mode" in labels("SELECT * FROM orders /*+ OPTIONS('scan|') */")
    assert "OPTIONS" in labels("SELECT * FROM orders /*+ |")


def test_all_parameters_that_keepstate_knows() -> None:
    assert labels("SET '|") == [parameter.key for parameter in PARAMETERS]
    assert labels("RESET '|") == [parameter.key for parameter in PARAMETERS]


def test_a_quote_that_is_open_takes_nothing_of_what_follows() -> None:
    text = "CREATE TABLE t (a INT) WITH ('connector' = '\n);\nINSERT INTO totals SELECT  FROM customers;"
    script = SHOP + text
    found = Draft().complete(script, script.index("SELECT  FROM") + len("SELECT "))
    assert [each.label for each in found.proposals][:2] == ["customer", "name"]


def test_what_an_engine_reserves_is_quoted_for_it() -> None:
    text = "CREATE TABLE t (`datetime` INT); SELECT  FROM t"
    for version, expected in (("2.1", "`datetime`"), ("1.20", "datetime")):
        found = Draft().complete(text, text.index("SELECT") + 7, "flink", version)
        assert found.proposals[0].insert == expected


def test_a_place_beyond_the_text_gets_nothing() -> None:
    assert Draft().complete("SELECT", 40) == Completion(Span(40, 40)) or Draft().complete("SELECT", 6).proposals
