"""SQL in YAML files by pointer: the masked text, and the refusals."""

from __future__ import annotations

import pytest

from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import FilePointer
from keepstate.embedded.text_scalars import EmbeddingError, NothingThereError
from keepstate.embedded.yaml_values import yaml_scalars
from keepstate.text import Edit, Span, apply_edits
from night import by_night

LESS = by_night(1, 10)
"""Divides the lengths of hostile files."""
SQL = "INSERT INTO s\nSELECT a, 'x' FROM t;"


def read(text: str, pointer: str) -> EmbeddedSql:
    parsed = FilePointer.parse(f"k8s/a.yaml#{pointer}")
    assert parsed is not None
    return EmbeddedSql.of(text, parsed)


DEPLOYMENT = """\
# A deployment
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: revenue, labels: {"team": 'x, y'}}
spec:
  "image": flink:2.0
  job:
    jarURI: local:///opt/runner.jar   # the runner
    note: "a quote: it's here
      and [goes on"
    args:
    - --sql
    - |-
      INSERT INTO s
      SELECT a, 'x' FROM t;
    - "SELECT 'a' AS b\\n  FROM t"
    - 'SELECT ''a'' FROM t'
    - SELECT a
      FROM t   # not SQL
    - >
      SELECT a
      FROM t
    env: [one, 'SELECT ''q''', {
      sql: "SELECT 2"
    }]
"""


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("/spec/job/args/1", SQL.split()),
        ("/spec/job/args/2", ["SELECT", "'a'", "AS", "b", "FROM", "t"]),
        ("/spec/job/args/3", ["SELECT", "'a'", "FROM", "t"]),
        ("/spec/job/args/4", ["SELECT", "a", "FROM", "t"]),
        ("/spec/job/args/5", ["SELECT", "a", "FROM", "t"]),
        ("/spec/job/env/1", ["SELECT", "'q'"]),
        ("/spec/job/env/2/sql", ["SELECT", "2"]),
        ("/spec/image", ["flink:2.0"]),
        ("/metadata/labels/team", ["x,", "y"]),
        ("/kind", ["FlinkDeployment"]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_only_the_value_is_left_in_its_place(pointer: str, words: list[str], end: str) -> None:
    text = DEPLOYMENT.replace("\n", end)
    masked = read(text, pointer).masked
    assert masked.split() == words
    assert len(masked) == len(text)
    assert [at for at, sign in enumerate(masked) if sign in "\r\n"] == [
        at for at, sign in enumerate(text) if sign in "\r\n"
    ]
    for word in (word for word in words if word.isalpha()):
        assert text[masked.index(word) :].startswith(word)


LAYOUTS = {
    "deeper": "a:\n      b:\n       - 1\n       - c: |\n            INSERT INTO s\n            SELECT a, 'x' FROM t;\n",
    "sequence of sequences": "a:\n  b:\n  - - c: 1\n    - 2\n  - c: |\n      INSERT INTO s\n"
    "      SELECT a, 'x' FROM t;\n",
    "anchor and tag": "a: &x\n  b: !!map\n    - ~\n    - c: &sql !!str |  # SQL\n        INSERT INTO s\n"
    "        SELECT a, 'x' FROM t;\n",
    "explicit depth": "a:\n  b:\n  - {}\n  - c: |2-\n      INSERT INTO s\n      SELECT a, 'x' FROM t;\n",
    "blank lines": "\n\na:\n\n  b:\n\n  -\n\n  -\n    c:\n      |\n\n      INSERT INTO s\n\n"
    "      SELECT a, 'x' FROM t;\n\n\nd: 1\n",
    "comments": "a: # one\n# two\n  b:\n     # three\n  - x: |\n     # SQL\n# four\n  - c: |\n"
    "      INSERT INTO s\n      SELECT a, 'x' FROM t;\n  # five\n",
    "key that looks like SQL": "SELECT:\n  - x\na:\n  b:\n    - c: |\n        SELECT 3\n    - c: |\n"
    "        INSERT INTO s\n        SELECT a, 'x' FROM t;\n",
    "without end": "a:\n  b:\n    - 1\n    - c: |\n        INSERT INTO s\n        SELECT a, 'x' FROM t;",
    "flow around": "x: [a, {b: ']'}, \"}\"]\na:\n  b: [1, {c: \"INSERT INTO s SELECT a, 'x' FROM t;\"}]\n",
    "flow that closes at the margin": "x: [\n  1,\n]\na:\n  b:\n  - x\n  - c: |\n     INSERT INTO s\n"
    "     SELECT a, 'x' FROM t;\n",
    "templates": "{{- if .Values.on }}\na:\n  b:\n  {{- range .Values.x }}\n  - {{ . | quote }}\n  {{- end }}\n"
    "  - c: |\n      INSERT INTO s\n      SELECT a, 'x' FROM t;\n{{- end }}\n",
    "Jinja": "a:\n{% if x %}\n  b:\n  - x: {{ y }}\n  - c: |\n      INSERT INTO s\n"
    "      SELECT a, 'x' FROM t;\n{% endif %}\nz: 1\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_value_is_found_in_any_layout(layout: str) -> None:
    assert read(LAYOUTS[layout], "/a/b/1/c").masked.split() == SQL.split()


def test_a_tag_inside_of_the_value_is_a_part_of_it() -> None:
    text = "sql: |\n  SELECT 1\n{{ if .Values.x }}\n  , 2\n{{ end }}\nb: 1\n"
    assert read(text, "/sql").masked.split("\n")[1:4] == ["  SELECT 1", "{{ if .Values.x }}", "  , 2"]
    assert read(text, "/sql").masked.split("\n")[4].strip() == ""


@pytest.mark.parametrize(
    ("text", "pointer", "line"),
    [("a: 1\n---\nb: SELECT 1\n", "/b", 2), ("--- {b: SELECT 1}\n", "/b", 0), ("x: a\n---\nx: b\n...\n", "2/x", 2)],
)
def test_the_document_is_found_or_named(text: str, pointer: str, line: int) -> None:
    masked = read(text, pointer).masked
    assert [number for number, each in enumerate(masked.split("\n")) if each.strip()] == [line]


@pytest.mark.parametrize(
    ("text", "pointer", "says"),
    [
        ("a: 1\n", "/b", "names nothing: the document has no b"),
        ("a:\n  - 1\n  - 2\n", "/a/2", "names nothing: /a is a list of 2"),
        ("a:\n  b: 1\n", "/a/b/c", "names nothing: /a/b has no entries"),
        ("a:\n", "/a", "names nothing: the value is empty"),
        ("", "/a", "names nothing: the file is empty"),
        ("a: 1\n", "3/a", "names nothing: the file has 1 document"),
    ],
)
def test_a_pointer_to_nothing_says_how_far_it_leads(text: str, pointer: str, says: str) -> None:
    with pytest.raises(NothingThereError) as failed:
        read(text, pointer)
    assert str(failed.value) == says


@pytest.mark.parametrize(
    ("text", "pointer", "says"),
    [
        ("a: b\n---\na: c\n", "/a", "documents 1 and 2"),
        ("a: 1\na: 2\n", "/a", "more than once"),
        ("a: {b: 1}\n", "/a", "a mapping, not a text"),
        ("a:\n  b: 1\n", "/a", "a mapping, not a text"),
        ("a:\n- 1\n", "/a", "a list, not a text"),
        ("x: &x |\n  SELECT 1\na: *x\n", "/a", "an alias"),
        ("x: &x\n  b: 1\na: *x\n", "/a/b", "through an alias"),
        ("a: {{ .Files.Get `x.sql` }}\n", "/a", "a template fills in"),
        ("a: 'x\n", "/a", "not closed"),
        ("a: [1, 2\n", "/a/0", "not closed"),
        ("a:\n\tb: 1\n", "/a/b", "tab"),
        ("a: |x\n  b\n", "/a", "no header of a block scalar"),
        ("a: |\n  SELECT 'x\n  y'\n", "/a", "line 2 goes over several lines"),
        ("a: >\n  SELECT 1 -- one\n  , 2\n", "/a", "in place"),
        ('a: "SELECT 1 -- one\\n, 2"\n', "/a", "in place"),
        ("a: 'SELECT ''it''''s'''\n", "/a", "in place"),
        ("a: \"SELECT '\\u0041'\"\n", "/a", "in place"),
        ("a: \0\n", "/a", "NUL"),
    ],
)
def test_what_cannot_be_read_in_place_is_refused(text: str, pointer: str, says: str) -> None:
    with pytest.raises(EmbeddingError) as failed:
        read(text, pointer)
    assert says in str(failed.value)
    assert not str(failed.value).endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * (200_000 // LESS),
        "a: " + "[" * (100_000 // LESS) + "]" * (100_000 // LESS),
        "".join(f"{' ' * depth}a:\n" for depth in range(1_000)),
        "- " * (200_000 // LESS),
        "a:\n" + "  - &x [*x, *x]\n" * (50_000 // LESS),
        "a: " + "'" * (400_000 // LESS + 1),
        "a: " + '"\\' * (200_000 // LESS),
        "a:\n" + "  b: 'x\n" * (50_000 // LESS),
        "? " * (100_000 // LESS),
        "a: |\n" + " \n" * (300_000 // LESS),
        "{{" * (300_000 // LESS),
        "a:\n" + " {%" * (200_000 // LESS),
        "k" * (400_000 // LESS) + ":" * (400_000 // LESS),
        "x: 1\n" * (100_000 // LESS),
        "---\n" * (100_000 // LESS) + "a: 1\n",
        "a: " + "x\n  " * (200_000 // LESS),
        "\ufeffa: 1\u2028\n\x85b: 2\n",
        "a" * 1_000_001,
    ],
    ids=range(18),
)
@pytest.mark.parametrize("pointer", ["/a", "/a/0/b", "/x"])
def test_hostile_files_are_answered_in_a_moment(text: str, pointer: str) -> None:
    try:
        found = read(text, pointer)
    except EmbeddingError as error:
        length, most = len(str(error)), 500
    else:
        length, most = len(found.masked), len(text)
    assert length <= most


# ------------------------------------------------------------------------------------------------------------ edits


@pytest.mark.parametrize("number", range(1, 6))
def test_an_edit_of_the_masked_text_is_one_of_the_file(number: int) -> None:
    found = read(DEPLOYMENT, f"/spec/job/args/{number}")
    at = found.masked.index("FROM t") + 5
    edit = Edit(Span(at, at + 1), "u")
    edits = found.edits([edit])
    assert edits == (edit,)
    after = read(apply_edits(DEPLOYMENT, edits), f"/spec/job/args/{number}")
    assert after.masked == apply_edits(found.masked, [edit])


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_new_lines_get_the_indentation_of_the_block(end: str) -> None:
    text = DEPLOYMENT.replace("\n", end)
    found = read(text, "/spec/job/args/1")
    at = found.masked.index("SELECT")
    edits = found.edits([Edit(Span(at, at + 6), "SELECT\n  DISTINCT"), Edit(Span(0, 0), "SET 'a' = 'b';\n")])
    assert edits is not None
    block = apply_edits(text, edits).split(end)[12:17]
    assert block == [
        "    - |-",
        "      SET 'a' = 'b';",
        "      INSERT INTO s",
        "      SELECT",
        "        DISTINCT a, 'x' FROM t;",
    ]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_new_text_is_escaped_as_its_scalar_wants(number: int) -> None:
    found = read(DEPLOYMENT, f"/spec/job/args/{number}")
    at = found.masked.index("FROM") - 1
    edits = found.edits([Edit(Span(at, at), ", 'new' AS n")])
    assert edits is not None
    after = read(apply_edits(DEPLOYMENT, edits), f"/spec/job/args/{number}")
    assert "'new' AS n" in " ".join(after.masked.split())


@pytest.mark.parametrize(
    "edit",
    [
        lambda at: Edit(Span(at, at), " -- a note"),
        lambda at: Edit(Span(0, at), "SELECT"),
        lambda at: Edit(Span(at, at), " 'a\nb'"),
    ],
)
def test_an_edit_that_would_mean_something_else_is_none(edit) -> None:  # type: ignore[no-untyped-def]
    found = read(DEPLOYMENT, "/spec/job/args/5")
    assert found.edits([edit(found.masked.index("FROM") - 1)]) is None


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("a:\nb: SELECT 1\n", "/a/b"),
        ("a:\n  b:\n- SELECT 1\n", "/a/b/0"),
        ("- a:\n- b: SELECT 1\n", "/0/a/0/b"),
        ("-\n- SELECT 1\n", "/0/0"),
        ("a:\n  b:\nc: SELECT 1\n", "/a/b/c"),
        ("a: &x\nb: SELECT 1\n", "/a/b"),
    ],
)
def test_an_empty_value_is_not_the_next_entry(text: str, pointer: str) -> None:
    with pytest.raises(NothingThereError):
        read(text, pointer)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a:\n- b\n-\n- c: 1\nd:\n", [("a.0", "b"), ("a.2.c", "1")]),
        ("a: true\nb: null\nc: ~\nd: ''\n", [("a", "true"), ("d", "")]),
        ("a: {b: 1.5, c: [x, null]}\n", [("a.b", "1.5"), ("a.c.0", "x")]),
        ("a: 1\n---\na: 2\n", [("a", "1"), ("a", "2")]),
        ("a: |\n  x\n  y\n", [("a", "x\ny\n")]),
    ],
)
def test_all_scalars_of_a_file(text: str, found: list[tuple[str, str]]) -> None:
    assert [(".".join(parts), value) for _, parts, value in yaml_scalars(text)] == found


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x\n", "a:\n\tb: 1\n", "a: [1,\n", "a: 'x\n"])
def test_scalars_that_cannot_be_read_are_no_silence(text: str) -> None:
    with pytest.raises(EmbeddingError):
        list(yaml_scalars(text))
