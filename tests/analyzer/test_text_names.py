"""Names found in texts without reading them: never one too few, beside what is read."""

from __future__ import annotations

import pytest

from keepstate.project.file_declarations import FileDeclarations
from keepstate.project.source_files import SourceFile
from keepstate.project.text_names import last_word, names_of
from keepstate.syntax.memo import Memo
from split_jobs import HOURLY, LASTING, ON_VIEWS, ORDERS, RESPELLED, REVENUE, SECOND_VIEW, SHOPS, VIEW

TEXTS = (
    *(ORDERS, HOURLY, LASTING, ON_VIEWS, RESPELLED, REVENUE, SECOND_VIEW, SHOPS, VIEW),
    "USE CATALOG c; USE d; CREATE TABLE o (a INT); INSERT INTO c.d.s SELECT a FROM o",
    "CREATE TEMPORARY TABLE IF NOT EXISTS `cat`.`db`.`my orders` (a INT);",
    "CREATE TEMPORARY SYSTEM FUNCTION house AS 'com.House' LANGUAGE JAVA; SELECT house(a) FROM t",
    "CREATE /* the */ TABLE -- of\n t /* all */ (a INT);\nSELECT a FROM t",
    "CREATE OR REPLACE VIEW v AS WITH c AS (SELECT a FROM t) SELECT a FROM c",
    "CREATE TABLE t (a STRING) WITH ('x' = 'it''s; CREATE TABLE u (');CREATE TABLE w (a INT);",
    "CREATE TABLE t LIKE u;",
    "CREATE TABLE t AS SELECT a FROM u;",
    "-- CREATE TABLE t (a INT);\nINSERT INTO s SELECT a FROM t",
    "BEGIN STATEMENT SET; INSERT INTO s SELECT a FROM t; INSERT INTO r SELECT a FROM t; END;",
    "CREATE TABLE ${table} (a INT); INSERT INTO s SELECT a FROM tbl_${project}_users",
    "CREATE TABLE broken (a INT,, ;\nINSERT INTO s SELECT a FROM broken",
    "INSERT INTO s SELECT a FROM t // the last one\n",
    "SELECT /*+ OPTIONS('a' = 'b') */ a FROM t FOR SYSTEM_TIME AS OF p",
    "CREATE TABLE täglich (a INT); SELECT a FROM `täglich`",
)


@pytest.mark.parametrize("text", [*TEXTS, *("".join(TEXTS[:9]), "\r\n".join(TEXTS))])
def test_no_name_is_missed(text: str) -> None:
    names = names_of(text)
    read = FileDeclarations.of(SourceFile("a.sql", text), Memo())
    declared = {last_word(each.name) for each in read.declarations}
    assert declared <= names.declared.keys()
    assert all(names.has(last_word(need)) for need in read.needs)
    # What it certainly declares, it does declare.
    assert names.own <= declared
    assert names.may_run or not read.runs
    assert not names.inserts or read.runs


@pytest.mark.parametrize(
    ("former", "text", "felt"),
    [
        (ORDERS, ORDERS.replace("DECIMAL", "DOUBLE"), True),
        (ORDERS, ORDERS.replace("'topic' = 'orders'", "'topic' = 'a;b'"), True),
        (ORDERS.replace("'orders'", "'a;b'"), ORDERS.replace("'orders'", "'a;c'"), True),
        (ORDERS, f"USE d;\n{ORDERS}", True),
        (ORDERS, f"{ORDERS}{REVENUE}", False),
        (ORDERS, ORDERS.replace("  shop", "    shop"), False),
    ],
)
def test_a_changed_declaration_has_other_words(former: str, text: str, felt: bool) -> None:
    was, now = names_of(former).declared, names_of(text).declared
    assert (was["ORDERS"] != now["ORDERS"]) is felt


def test_many_declarations_cost_their_length() -> None:
    text = "".join(f"CREATE TABLE t{number} (a INT);\n" for number in range(20_000))
    assert len(names_of(text).declared) == 20_000
