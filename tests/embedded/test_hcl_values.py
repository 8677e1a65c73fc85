"""SQL in HCL files by pointer: heredocs, quoted texts, and the refusals."""

from __future__ import annotations

import pytest

from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import FilePointer
from keepstate.embedded.text_scalars import EmbeddingError, NothingThereError
from keepstate.text import Edit, Span, apply_edits
from night import by_night

LESS = by_night(1, 10)
"""Divides the lengths of hostile files."""
MAIN = """\
# Statements { of a pool
terraform { required_version = ">= 1.0" }
resource "confluent_flink_statement" "revenue" { // the "job"
  organization { id = data.confluent_organization.main.id }
  statement = <<-EOT
    INSERT INTO `${confluent_environment.main.display_name}`.s
    SELECT a, '}' FROM t;
  EOT
  properties = {
    "sql.current-catalog" = "a${lookup(x, "b}")}", # a note
    inline                = "SELECT \\"a\\" FROM u"
  }
  statements = ["SELECT 1", "SELECT 2", <<EOF
SELECT 3,
 'a
  b'
EOF
  ]
  rest_endpoint = data.x.y[0].z
  text          = file("${path.module}/x.sql")
  joined        = "a" == "b" ? "c" : "d"
  /* depends = "on { nothing" */
  depends_on    = [
    confluent_flink_statement.orders
  ]
}
resource "confluent_flink_statement" "orders" {
  statement = "CREATE TABLE orders (a INT);"
}
resource "confluent_flink_statement" "orders" {
  statement = "CREATE TABLE twice (a INT);"
}
locals {
  first = "SELECT 4"
}
locals {
  second = { sql = "SELECT 5" }
}
"""
REVENUE = "#/resource/confluent_flink_statement/revenue"


def read(text: str, pointer: str) -> EmbeddedSql:
    parsed = FilePointer.parse(f"main.tf{pointer}")
    assert parsed is not None
    return EmbeddedSql.of(text, parsed)


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        (f"{REVENUE}/statement", "INSERT INTO `${confluent_environment.main.display_name}`.s SELECT a, '}' FROM t;"),
        (f"{REVENUE}/properties/sql.current-catalog", 'a${lookup(x, "b}")}'),
        (f"{REVENUE}/statements/1", "SELECT 2"),
        (f"{REVENUE}/statements/2", "SELECT 3, 'a b'"),
        ("#/terraform/required_version", ">= 1.0"),
        ("#/locals/first", "SELECT 4"),
        ("#/locals/second/sql", "SELECT 5"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_only_the_value_is_left_in_its_place(pointer: str, words: str, end: str) -> None:
    text = MAIN.replace("\n", end)
    masked = read(text, pointer).masked
    assert masked.split() == words.split()
    assert len(masked) == len(text)
    first = words.split()[0]
    assert text[masked.index(first) :].startswith(first)


@pytest.mark.parametrize(
    "pointer", ["#/resource/confluent_flink_statement/other/statement", f"{REVENUE}/none", "#/statement", "#/"]
)
def test_a_pointer_to_nothing(pointer: str) -> None:
    with pytest.raises(NothingThereError, match=r"^names nothing"):
        read(MAIN, pointer)


@pytest.mark.parametrize(
    ("text", "pointer", "says"),
    [
        (MAIN, "#/resource/confluent_flink_statement/orders/statement", "several values, in lines 28 and 31"),
        (MAIN, f"{REVENUE}/text", 'an expression, not a text: file("${path.module}/x.sql")'),
        (MAIN, f"{REVENUE}/joined", "an expression"),
        (MAIN, f"{REVENUE}/rest_endpoint", "an expression"),
        (MAIN, f"{REVENUE}/depends_on", "an expression"),
        (MAIN, f"{REVENUE}/properties/inline", "in place"),
        ("a = <<-X\n  SELECT 'b\n  c'\n  X\n", "#/a", "line 2 goes over several lines"),
        ("a = <<X\nSELECT 1\n", "#/a", "not closed"),
        ('a = "x\n"\n', "#/a", "not closed"),
        ('a = {\n b = "x"\n', "#/c", "not closed"),
        ('a = "\\q"\n', "#/a", "no escape"),
        ('a = "' + "${" * 60 + '"', "#/a", "closed"),
        ('a = "' + '${"' * 60 + '"', "#/a", "nested too deeply"),
        ('a = "x"\n', "#1/a", "YAML document"),
    ],
)
def test_what_cannot_be_read_in_place_is_refused(text: str, pointer: str, says: str) -> None:
    with pytest.raises(EmbeddingError) as failed:
        read(text, pointer)
    assert says in str(failed.value)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * (300_000 // LESS),
        "a {\n" * (100_000 // LESS),
        "a = <<X\n" * (100_000 // LESS),
        "".join(f"a = <<X{number}\n\nX{number}\n" for number in range(30_000 // LESS)),
        'a = "' + "$" * (500_000 // LESS),
        "/*" * (300_000 // LESS),
        "a = 1 " * (100_000 // LESS),
        'a "' * (100_000 // LESS),
        "a = \u2028 {}\n" * (50_000 // LESS),
        "a = b(\n" * (50_000 // LESS),
    ],
    ids=range(10),
)
def test_hostile_files_are_answered_in_a_moment(text: str) -> None:
    for pointer in ("#/a", "#/a/a/a", "#/b"):
        try:
            found = read(text, pointer)
        except EmbeddingError as error:
            length, most = len(str(error)), 500
        else:
            length, most = len(found.masked), len(text)
        assert length <= most


@pytest.mark.parametrize(
    ("pointer", "old", "new", "written"),
    [
        ("/statement", "SELECT a", "SELECT\n  a, 'n'", "    SELECT\n      a, 'n', '}' FROM t;"),
        ("/statements/1", "2", "2 AS `b`", '["SELECT 1", "SELECT 2 AS `b`", <<EOF'),
        ("/statements/1", "2", "2\n, 3", '"SELECT 2\\n, 3"'),
    ],
)
def test_an_edit_is_written_as_the_value_wants(pointer: str, old: str, new: str, written: str) -> None:
    found = read(MAIN, REVENUE + pointer)
    at = found.masked.index(old)
    edits = found.edits([Edit(Span(at, at + len(old)), new)])
    assert edits is not None
    assert written in apply_edits(MAIN, edits)
