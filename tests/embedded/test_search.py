"""Flink SQL that is found in files of another kind: what a proposal offers, and what it leaves alone."""

from __future__ import annotations

import pytest

from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import SEARCHED_PARTS
from keepstate.embedded.search import SHORTEST, flink_texts

TABLE = "CREATE TABLE o (k STRING) WITH ('connector' = 'kafka');"
QUERY = "INSERT INTO s SELECT k, COUNT(*) FROM o GROUP BY k;"
FOUND: dict[str, tuple[str, str, list[str]]] = {
    "a block": ("a.yaml", f"spec:\n  sql: |\n    {TABLE}\n    {QUERY}\n", ["/spec/sql"]),
    "a folded block": ("a.yml", f"spec:\n  sql: >-\n    {TABLE}\n    {QUERY}\n", ["/spec/sql"]),
    "an argument in quotes": ("a.yaml", f'job:\n  args: ["-s", "{TABLE} {QUERY}"]\n', ["/job/args/1"]),
    "a list of lists": ("a.yaml", f"- - name: x\n  - |-\n    {TABLE}\n", ["/0/1"]),
    "keys with a slash": ("a.yaml", f"data:\n  jobs/a~b.sql: |\n    {TABLE}\n", ["/data/jobs~1a~0b.sql"]),
    "documents": ("a.yaml", f"a: 1\n---\nsql: |\n  {TABLE}\n---\nsql: |\n  {QUERY}\n", ["2/sql", "3/sql"]),
    "a query beside its table": ("a.yaml", f"a: {{ ddl: \"{TABLE}\", dml: '{QUERY}' }}\n", ["/a/ddl", "/a/dml"]),
    "between lines of a template": ("a.yaml", f"{{{{- if .x }}}}\nsql: |\n  {TABLE}\n{{{{- end }}}}\n", ["/sql"]),
    "a query in a file of Flink's": ("a.yaml", f"kind: FlinkDeployment\nsql: |\n  {QUERY}\n", ["/sql"]),
    "a heredoc": ("a.tf", f'resource "x" "y" {{\n  sql = <<-EOT\n    {TABLE}\n  EOT\n}}\n', ["/resource/x/y/sql"]),
    "an object": (
        "a.hcl",
        f'locals {{\n  q = {{ one = "{TABLE}", two = ["{QUERY}"] }}\n}}\n',
        ["/locals/q/one", "/locals/q/two/0"],
    ),
    "a statement of Terraform": (
        "a.tf",
        f'resource "confluent_flink_statement" "s" {{\n  statement = "{QUERY}"\n  name = "insert-into-s-from-o"\n}}\n',
        ["/resource/confluent_flink_statement/s/statement"],
    ),
}
LEFT = {
    "other SQL": ("a.yaml", f"migration: |\n  CREATE TABLE t (a INT);\n  {QUERY}\n"),
    "prose": ("a.yaml", "description: Creates a table of orders and inserts the sums into s.\n"),
    "a comment": ("a.yaml", f"# {TABLE}\na: 1\n"),
    "a text of a template": ("a.yaml", "sql: {{ .Files.Get `a.sql` }}\n"),
    "an alias": ("a.yaml", "sql: *query\n"),
    "two of one key": ("a.yaml", f"sql: |\n  {TABLE}\nsql: |\n  {TABLE}\n"),
    "an open quote": ("a.yaml", f'sql: "{TABLE}\n'),
    "an expression": ("a.tf", 'resource "x" "y" {\n  statement = file("a.sql")\n}\n'),
    "an open bracket": ("a.tf", f'resource "x" "y" {{\n  sql = "{TABLE}"\n'),
    "no text": ("a.yaml", "a: \0\n"),
    "nothing": ("a.yaml", ""),
}


@pytest.mark.parametrize(("file", "text", "pointers"), FOUND.values(), ids=FOUND)
def test_a_text_is_found_where_its_pointer_leads(file: str, text: str, pointers: list[str]) -> None:
    found = list(flink_texts(text, file))
    assert [str(each).partition("#")[2] for each in found] == pointers
    for each in found:
        # What is offered is read again by its pointer.
        assert EmbeddedSql.of(text, each).masked.strip()


@pytest.mark.parametrize(("file", "text"), LEFT.values(), ids=LEFT)
def test_what_is_left_alone(file: str, text: str) -> None:
    assert list(flink_texts(text, file)) == []


@pytest.mark.parametrize("deep", [SEARCHED_PARTS - 1, SEARCHED_PARTS, SEARCHED_PARTS + 1, 5_000])
@pytest.mark.parametrize("file", ["a.yaml", "a.tf"])
def test_a_value_in_many_others(file: str, deep: int) -> None:
    if file == "a.yaml":
        keys = (f"{' ' * number}a:\n" for number in range(deep - 1))
        text = f"{''.join(keys)}{' ' * deep}a: |\n{' ' * deep}  {TABLE}\n"
    else:
        blocks = ("b {\n" if number else "a {\n" for number in range(deep - 1))
        text = "".join(blocks) + f'c = "{TABLE}"\n' + "}\n" * (deep - 1)
    assert len(list(flink_texts(text, file))) == (deep <= SEARCHED_PARTS)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_short_text(more: int) -> None:
    written = "INSERT INTO t TABLE"
    text = f"ddl: |\n  {TABLE}\ndml: |-\n  {written}{'x' * (SHORTEST + more - len(written))}\n"
    assert len(list(flink_texts(text, "a.yaml"))) == (1 if more < 0 else 2)
