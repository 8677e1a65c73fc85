"""Names behind USE: one table is one table however it is written, and another one is not it."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, analyse, names_in, rename, validate
from keepstate.job_version import job_of
from keepstate.plan.expressions import Column, Unresolved
from keepstate.plan.operators.traversal import expressions_of
from keepstate.report import Report
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import Namespace, ObjectName, SessionNames, bare, display_name
from keepstate.syntax.script import parse_script, placed, session_behind
from keepstate.text import apply_edits

ENGINES = ("vvr", "flink")
COLUMNS = "(k STRING, a {type}) WITH ('connector' = 'kafka')"
SUM = "SELECT k, SUM(a) FROM {table} GROUP BY k"


def report(was: str, now: str, engine: str) -> Report:
    return analyse(JobVersion(now), JobVersion(was), engine).report()


def of_types(text: str, engine: str) -> Report:
    """The report on a changed type of the column ``a``: ``{type}`` in the text."""
    return report(text.replace("{type}", "INT"), text.replace("{type}", "DOUBLE"), engine)


# The scripts were run by Flink 2.3: of each pair, the first says where the table stands, the second how it is read.
ONE_TABLE = {
    "full name": ("USE CATALOG c; USE d; CREATE TABLE o", "", "c.d.o"),
    "full name elsewhere": ("USE CATALOG c; USE d; CREATE TABLE o", "USE CATALOG e", "c.d.o"),
    "bare name": ("CREATE TABLE c.d.o", "USE CATALOG c; USE d", "o"),
    "database alone": ("USE CATALOG c; CREATE TABLE d.o", "USE d", "o"),
    "both in one USE": ("USE c.d; CREATE TABLE o", "USE c.e", "d.o"),
    "default catalog": ("CREATE TABLE o", "USE CATALOG c", "default_catalog.default_database.o"),
    "back in the default": ("CREATE TABLE o", "USE CATALOG c; USE CATALOG default_catalog", "o"),
    "database of the default catalog": ("USE d; CREATE TABLE o", "", "default_catalog.d.o"),
    "default of the catalog": ("USE CATALOG c; CREATE TABLE o", "USE d; USE CATALOG c", "o"),
    "default of a catalog in memory": (
        "CREATE CATALOG c WITH ('type' = 'generic_in_memory'); USE CATALOG c; CREATE TABLE o",
        "",
        "c.`default`.o",
    ),
    "default of a catalog by its option": (
        "CREATE CATALOG c WITH ('type' = 'jdbc', 'default-database' = 'x'); USE CATALOG c; CREATE TABLE o",
        "",
        "c.x.o",
    ),
    "USE MODULES": ("USE d; CREATE TABLE o", "USE MODULES core", "o"),
}
ANOTHER_TABLE = {
    "another database": ("USE CATALOG c; USE d; CREATE TABLE o", "USE d2", "o"),
    "another catalog": ("USE CATALOG c; CREATE TABLE o", "USE CATALOG c2", "o"),
    "the default database": ("USE d; CREATE TABLE o", "", "default_database.o"),
    "case": ("USE d; CREATE TABLE o", "", "O"),
    "case of the database": ("USE d; CREATE TABLE o", "", "D.o"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", ONE_TABLE)
def test_a_changed_type_is_found_by_any_name_of_its_table(family: str, engine: str) -> None:
    declared, between, read = ONE_TABLE[family]
    text = f"{declared} {COLUMNS}; {between}; INSERT INTO x.y.s {SUM.format(table=read)}"
    assert of_types(text, engine).verdict.value == "incompatible"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", ANOTHER_TABLE)
def test_a_changed_type_of_another_table_is_silent(family: str, engine: str) -> None:
    declared, between, read = ANOTHER_TABLE[family]
    found = of_types(f"{declared} {COLUMNS}; {between}; INSERT INTO x.y.s {SUM.format(table=read)}", engine)
    assert found.verdict.value == "compatible" and not found.findings


THROUGH = {
    "view": "CREATE VIEW v AS SELECT k, a FROM o; USE e; INSERT INTO s SELECT k, SUM(a) FROM d.v GROUP BY k",
    "view, whose names stay": (
        "CREATE VIEW v AS SELECT k, a FROM o; USE e; CREATE TABLE o (z INT); "
        "INSERT INTO s SELECT k, SUM(a) FROM d.v GROUP BY k"
    ),
    "view of a view": (
        "CREATE VIEW v AS SELECT k, a FROM o; USE e; CREATE VIEW v AS SELECT * FROM d.v; USE f; "
        "INSERT INTO s SELECT k, SUM(a) FROM e.v GROUP BY k"
    ),
    "like": "USE e; CREATE TABLE l LIKE d.o; INSERT INTO s SELECT k, SUM(a) FROM l GROUP BY k",
    "common table": "WITH o2 AS (SELECT * FROM o) SELECT k, SUM(a) FROM o2 GROUP BY k",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", THROUGH)
def test_names_of_views_and_like_stand_where_these_are_declared(family: str, engine: str) -> None:
    text = f"USE CATALOG c; USE d; CREATE TABLE o {COLUMNS}; {THROUGH[family]}"
    assert of_types(text, engine).verdict.value == "incompatible"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_common_table_hides_a_table_of_its_name(engine: str) -> None:
    text = f"USE d; CREATE TABLE o {COLUMNS}; INSERT INTO s WITH o AS (SELECT k, b AS a FROM p) {SUM.format(table='o')}"
    assert not of_types(text, engine).findings


SPELLINGS = {
    "USE and full names": (
        "USE d; INSERT INTO s SELECT k, SUM(a) FROM o GROUP BY k",
        "INSERT INTO d.s SELECT k, SUM(a) FROM d.o GROUP BY k",
    ),
    "one USE for two": (
        "USE CATALOG c; USE d; SELECT k, SUM(a) FROM o GROUP BY k",
        "USE c.d; SELECT k, SUM(a) FROM o GROUP BY k",
    ),
    "the default in words": (
        "USE default_database; SELECT k, SUM(a) FROM o GROUP BY k",
        "SELECT k, SUM(a) FROM o GROUP BY k",
    ),
    "full name behind USE": (
        "USE d; SELECT k, SUM(a) FROM o GROUP BY k",
        "USE d; SELECT k, SUM(a) FROM d.o GROUP BY k",
    ),
    "full name of a function": (
        "USE d; CREATE FUNCTION f AS 'A'; SELECT k, SUM(f(a)) FROM o GROUP BY k",
        "USE d; CREATE FUNCTION f AS 'A'; SELECT k, SUM(d.f(a)) FROM o GROUP BY k",
    ),
    "a common table behind another USE": (
        "USE d; WITH q AS (SELECT * FROM x.o) SELECT k, SUM(a) FROM q GROUP BY k",
        "USE e; WITH q AS (SELECT * FROM x.o) SELECT k, SUM(a) FROM q GROUP BY k",
    ),
    "a USE that no name stands behind": (
        "SELECT k, SUM(a) FROM o GROUP BY k",
        "SELECT k, SUM(a) FROM o GROUP BY k; USE d",
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", SPELLINGS)
def test_the_same_names_in_another_spelling_are_silent(family: str, engine: str) -> None:
    for was, now in (SPELLINGS[family], SPELLINGS[family][::-1]):
        assert report(was, now, engine).unchanged


MOVES = {
    "another catalog": ("USE CATALOG c; ", "USE CATALOG c2; "),
    "a database comes": ("", "USE d; "),
    "a database goes": ("USE d; ", ""),
}
QUERIES = {
    "undeclared tables": "INSERT INTO s SELECT o.k, SUM(p.a) FROM o JOIN p ON o.k = p.k GROUP BY o.k",
    "declared tables": f"CREATE TABLE o {COLUMNS}; CREATE TABLE p {COLUMNS}; "
    "INSERT INTO s SELECT o.k, SUM(p.a) FROM o JOIN p ON o.k = p.k GROUP BY o.k",
    "a function": "INSERT INTO x.s SELECT k, SUM(f(a)) FROM x.o GROUP BY k",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", QUERIES)
@pytest.mark.parametrize("move", MOVES)
def test_a_use_that_gives_names_another_meaning_is_the_one_finding(move: str, family: str, engine: str) -> None:
    before, behind = MOVES[move]
    query = QUERIES[family].replace("{type}", "INT")
    found = report(before + query, behind + query, engine)
    assert {finding.rule for finding in found.findings} == {"surroundings-changed"}
    assert found.verdict.value == "unknown"


def test_a_use_that_only_moved_is_a_finding_too() -> None:
    query = "INSERT INTO s SELECT k, SUM(a) FROM o GROUP BY k"
    assert [each.rule for each in report(f"{query}; USE d", f"USE d; {query}", "vvr").findings] == [
        "surroundings-changed"
    ]


TEMPORARY = "CREATE TEMPORARY TABLE o (k STRING, a {temporary}) WITH ('connector' = 'kafka')"
LASTING = "CREATE TABLE o (k STRING, a {lasting}) WITH ('connector' = 'kafka')"
HIDING = {
    "temporary first": (f"{TEMPORARY}; {LASTING}", "temporary"),
    "lasting first": (f"{LASTING}; {TEMPORARY}", "temporary"),
    "dropped": (f"{TEMPORARY}; {LASTING}; DROP TEMPORARY TABLE o", "lasting"),
    "dropped, in words": (f"{LASTING}; {TEMPORARY}; USE e; DROP TEMPORARY TABLE d.o; USE d", "lasting"),
    "another one dropped": (f"{TEMPORARY}; {LASTING}; DROP TEMPORARY TABLE e.o", "temporary"),
}


@pytest.mark.parametrize("changed", ["temporary", "lasting"])
@pytest.mark.parametrize("family", HIDING)
def test_a_temporary_table_hides_a_lasting_one_until_it_is_dropped(family: str, changed: str) -> None:
    declared, read = HIDING[family]
    text = f"USE d; {declared}; INSERT INTO s {SUM.format(table='o')}"
    was = text.format(temporary="INT", lasting="INT")
    now = text.format(**{"temporary": "INT", "lasting": "INT", changed: "DOUBLE"})
    assert (report(was, now, "vvr").verdict.value == "incompatible") is (changed == read)


FUNCTIONS = {
    "bare": ("USE d; CREATE FUNCTION f AS '{}'", "", "f", True),
    "full": ("USE d; CREATE FUNCTION f AS '{}'", "USE e", "d.f", True),
    "of another database": ("USE d; CREATE FUNCTION f AS '{}'", "USE e", "f", False),
    "system": ("USE d; CREATE TEMPORARY SYSTEM FUNCTION f AS '{}'", "USE e", "F", True),
}


@pytest.mark.parametrize("family", FUNCTIONS)
def test_functions_are_known_by_their_full_names(family: str) -> None:
    declared, between, called, is_it = FUNCTIONS[family]
    query = f"SELECT k, SUM({called}(a)) FROM x.o GROUP BY k"
    was, now = (f"{declared.format(name)}; {between}; {query}" for name in ("A", "B"))
    found = [finding.rule for finding in report(was, now, "vvr").findings]
    assert found == (["function-implementation-changed"] if is_it else [])


def test_findings_and_pipelines_have_names_as_they_are_written() -> None:
    text = f"USE CATALOG c; USE d; CREATE TABLE o {COLUMNS}; INSERT INTO s {SUM.format(table='o')}"
    found = of_types(text, "vvr")
    assert [each.name for each in found.pipelines] == ["INSERT INTO s"]
    assert not [each for each in found.findings if "c.d" in each.change + each.consequence + each.advice]
    plans = analyse(JobVersion(text.replace("{type}", "INT")), JobVersion(text.replace("{type}", "INT"))).plans_text()
    assert "TableSourceScan: o" in plans and "c.d" not in plans


def test_definitions_and_references_go_over_uses() -> None:
    text = "USE CATALOG c; USE d; CREATE TABLE o (a INT); USE e; SELECT a FROM c.d.o; SELECT a FROM o; DESCRIBE d.o"
    names = names_in(text)
    declared = text.index("o (a")
    assert [place.span.start for place in names.references(declared)] == [
        declared,
        text.index("c.d.o") + len("c.d."),
        text.index("d.o", text.index("DESCRIBE")) + len("d."),
    ]
    assert names.definitions(text.rindex("FROM o") + len("FROM ")) == ()


@pytest.mark.parametrize(("name", "new"), [("o", "orders"), ("a", "amount"), ("v", "w")])
def test_a_rename_reaches_the_names_behind_another_use(name: str, new: str) -> None:
    text = (
        "USE CATALOG c; USE d; CREATE TABLE <o> (<a> INT); USE e; "
        "CREATE VIEW <v> AS SELECT <a> FROM c.d.<o>; SELECT <o>.<a> FROM d.<o>; SELECT <a> FROM <v>"
    )
    plain, renamed = (text.replace(f"<{name}>", each) for each in (name, new))
    for other in "oav":
        plain, renamed = plain.replace(f"<{other}>", other), renamed.replace(f"<{other}>", other)
    place = plain.index({"o": "o (", "a": "a INT", "v": "v AS"}[name])
    assert apply_edits(plain, rename(JobVersion(plain), place, new).edits) == renamed


def test_fixes_find_the_declaration_behind_another_use() -> None:
    text = (
        "USE CATALOG c; USE d; CREATE TABLE o (k STRING, a INT, b INT) WITH ('connector' = 'kafka'); "
        "CREATE TABLE s (k STRING, n INT) WITH ('connector' = 'print'); "
        "USE e; INSERT INTO c.d.s SELECT k, {} FROM d.o GROUP BY k"
    )
    was, now = text.format("SUM(a)"), text.format("MAX(b)")
    fixes = analyse(JobVersion(now), JobVersion(was)).fixes(0)
    beside = next(fix for fix in fixes if "beside" in fix.title)
    assert "n INT, former INT" in apply_edits(now, beside.edits)
    declared = "USE d; CREATE TABLE o (k STRING, {0} INT); USE e; INSERT INTO s SELECT k, SUM({0}) FROM d.o GROUP BY k"
    was, now = declared.format("a"), declared.format("b")
    assert apply_edits(now, analyse(JobVersion(now), JobVersion(was)).fixes(0)[0].edits) == was


def test_the_validator_reads_names_behind_use() -> None:
    text = "USE CATALOG c; USE d; CREATE TABLE o (a INT); USE e; SELECT {column} FROM c.d.o"
    assert not validate(JobVersion(text.format(column="a"))).problems
    assert [problem.rule for problem in validate(JobVersion(text.format(column="b"))).problems] == ["unknown-column"]
    twice = "USE d; CREATE TABLE o (a INT); USE e; CREATE TABLE {name} (a INT)"
    assert not validate(JobVersion(twice.format(name="o"))).problems
    assert [problem.rule for problem in validate(JobVersion(twice.format(name="d.o"))).problems] == ["duplicate-table"]


def test_statements_of_several_files_keep_the_namespaces_of_their_files() -> None:
    memo = Memo()
    context = parse_script("USE CATALOG c; USE d; CREATE TABLE o (a INT)", memo)
    script = parse_script("CREATE TABLE o (a INT)", memo)
    one, other = context.statements[-1].parsed, script.statements[-1].parsed
    assert one is not other and one.text == other.text
    assert (one.namespace, other.namespace) == (Namespace("c", "d"), Namespace())
    behind = session_behind(context.statements)
    assert placed(script.statements, memo, behind)[0].parsed is one
    assert parse_script("CREATE TABLE o (a INT)", memo, behind).statements[0].parsed is one
    assert session_behind(script.statements, behind) == behind != SessionNames()


def test_a_name_is_equal_by_its_meaning_and_shown_as_written() -> None:
    name = Namespace("c", "d").name("o")
    assert isinstance(name, ObjectName) and name == "c.d.o" and hash(name) == hash("c.d.o")
    assert (display_name(name), f"{name}", str(name), bare(name)) == ("o", "o", "c.d.o", "o")


QUALIFIED = {
    "o.b": "SELECT o.b, SUM(o.a) AS s FROM o GROUP BY o.b",
    "the database": "SELECT default_database.o.b, SUM(default_database.o.a) AS s FROM o GROUP BY default_database.o.b",
    "the catalog": "SELECT default_catalog.default_database.o.b, SUM(o.a) AS s FROM default_database.o GROUP BY o.b",
    "of a star": "SELECT b, SUM(a) AS s FROM (SELECT default_database.o.* FROM o) GROUP BY b",
    "of a condition": "SELECT b, SUM(a) AS s FROM o WHERE default_database.o.a > 1 OR o.a IS NULL GROUP BY b",
}


@pytest.mark.parametrize("query", QUALIFIED.values(), ids=QUALIFIED)
def test_a_column_may_have_the_full_name_of_its_table(query: str) -> None:
    table = "CREATE TABLE o (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');"
    root = job_of(JobVersion(f"{table}{query};")).pipelines[0].plan.root
    assert [expr.name for each in root.walk() for expr in getattr(each, "keys", ()) if isinstance(expr, Column)] == [
        "b"
    ]
    assert not any(
        isinstance(node, Unresolved) for each in root.walk() for expr in expressions_of(each) for node in expr.walk()
    )


def test_an_alias_takes_the_place_of_the_full_name() -> None:
    table = "CREATE TABLE o (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');"
    query = "SELECT default_database.o.a FROM o AS p"
    plan = job_of(JobVersion(f"{table}{query};")).pipelines[0].plan
    assert any(isinstance(expr, Unresolved) for expr in plan.output)
