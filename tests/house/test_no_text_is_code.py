"""Nothing in the pipeline hands Spark text to be parsed as SQL: an expression is built of columns, and a script's texts
are constants in it. So there is no text that a script could take part in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIPELINE = ROOT / "pipeline" / "keepstate_spark"
COMMANDS = ROOT / "server" / "keepstate_lsp"
PARSED = frozenset(
    """
    expr selectExpr sql call_udf udf udtf pandas_udf createTempView createOrReplaceTempView createGlobalTempView
    createOrReplaceGlobalTempView registerFunction registerJavaFunction registerJavaUDAF colRegex addJar
    addArtifact addArtifacts createTable createExternalTable refreshTable table writeTo saveAsTable insertInto
    jdbc xml orc avro java_method reflect try_reflect fromDDL parseDataType
    """.split()
)
"""Calls that parse a text, name code or a table, or read something else than files of our formats."""
CONDITIONS = frozenset({"where", "filter"})
TYPES = frozenset({"cast", "try_cast", "astype", "schema", "createDataFrame", "from_json", "from_csv", "mapInArrow"})
"""Calls that take a column or a type, and a text as well."""
FORMATS = frozenset({"binaryFile", "csv", "json", "parquet"})
CALLING = "lowering/spark_columns.py"
"""The one module that calls functions by name, of a table."""
SHARING = "sources/shared_frames.py"
"""The one module that names a view, by a name of its own."""
SEARCHING = "lowering/matching/match_frames.py"
"""The one module that gives Spark a function of Python, one of Keepstate's own."""
COMPUTING = "lowering/functions/java_math.py"
"""The one module that names methods of Java, which compute a number of numbers."""
JVM = re.compile(r"_j(vm|sc|df|c|sparkSession)")
"""Ways around PySpark."""
OBSERVING = "lowering/observing.py"
"""The one module that waits for the JVM's own listeners, which PySpark has no call for."""


def offences(source: str, place: str = "") -> Iterator[str]:
    """The places of a module that hand Spark a text, with their lines."""
    for node in ast.walk(ast.parse(source)):
        around = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and JVM.fullmatch(node.attr)
        if around and place != OBSERVING:
            yield f"{place}:{node.lineno}: {ast.unparse(node)}"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, arguments = node.func.attr, [*node.args, *(keyword.value for keyword in node.keywords)]
        said = f"{place}:{node.lineno}: {ast.unparse(node)[:80]}"
        if (
            (
                name in PARSED
                and not (name == "sql" and _is_name(node.func.value, "sqlglot"))
                and not _shares(name, place)
            )
            or (name == "call_function" and place != CALLING)
            or (name in CONDITIONS and any(_is_text(argument) for argument in arguments))
            or (name in TYPES and any(_is_made(argument) for argument in arguments))
            or (name == "option" and not _is_constant(arguments[0]))
            or (name == "format" and _reads(node.func.value) and not _is_format(arguments[0]))
        ):
            yield said


def _shares(name: str, place: str) -> bool:
    shared = ((SHARING, "createGlobalTempView"), (SHARING, "table"), (SEARCHING, "udf"), (COMPUTING, "reflect"))
    return (place, name) in shared


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_made(node: ast.expr) -> bool:
    """A text that is put together."""
    made = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)) and _holds_text(node)
    return isinstance(node, ast.JoinedStr) or made


def _is_text(node: ast.expr) -> bool:
    return _is_made(node) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _holds_text(node: ast.BinOp) -> bool:
    return any(_is_text(side) for side in (node.left, node.right))


def _reads(node: ast.expr) -> bool:
    """Return whether the call is to a reader of files, and formats no text."""
    return bool(re.search(r"\b(read|reader|write)\b", ast.unparse(node)))


def _is_format(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value in FORMATS) or _is_name(node, "format_")


def test_no_module_of_the_pipeline_hands_spark_a_text() -> None:
    found = [
        offence
        for path in sorted(PIPELINE.rglob("*.py"))
        for offence in offences(path.read_text("utf-8"), path.relative_to(PIPELINE).as_posix())
    ]
    assert found == []


def test_the_methods_of_java_are_constants() -> None:
    source = (PIPELINE / COMPUTING).read_text("utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    (reflected,) = (ast.unparse(call) for call in calls if getattr(call.func, "attr", "") == "reflect")
    assert reflected == "fn.reflect(text(_CLASS), text(name), *doubles)"
    assert '_CLASS = "java.lang.Math"' in source
    methods = [call.args for call in calls if getattr(call.func, "id", "") == "_method"]
    assert {ast.literal_eval(name) for (name,) in methods} == {"exp", "pow", "log", "log10"}


def test_no_command_hands_spark_a_text() -> None:
    """Commands hold frames of the pipeline, and so could ask them."""
    sources = {path: path.read_text("utf-8") for path in sorted(COMMANDS.rglob("*.py"))}
    asking = {path: source for path, source in sources.items() if "keepstate_spark" in source}
    assert len(asking) > 5
    assert [offence for path, source in asking.items() for offence in offences(source, path.name)] == []


def test_no_function_can_be_called_that_nothing_calls() -> None:
    """Each name of the table stands in a text of a module that builds columns, apart from the table itself."""
    sources = {path.relative_to(PIPELINE).as_posix(): path.read_text("utf-8") for path in PIPELINE.rglob("*.py")}
    before, _, rest = sources[CALLING].partition("FUNCTIONS = frozenset(")
    names, _, after = rest.partition(".split()\n)\n")
    sources[CALLING] = before + after.partition("\n")[2]
    table = names.strip('\n "').split()
    nodes = [node for source in sources.values() for node in ast.walk(ast.parse(source))]
    comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments
    ]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    assert len(table) > 150
    assert [name for name in table if name not in words] == []


@pytest.mark.parametrize(
    "line",
    [
        'fn.expr("1")',
        'rows.selectExpr(f"{x} as y")',
        'session.sql("select 1")',
        'rows.where("a = 1")',
        'rows.where(f"{x} = 1")',
        'rows.filter("a" + b)',
        'column.cast(f"decimal({p})")',
        'session.createDataFrame(rows, ", ".join(x) + " int")',
        "fn.call_function(name, column)",
        'reader.option(key, "1")',
        'session.read.format(found).load("x")',
        'session.read.jdbc("x", "y")',
        'rows.createOrReplaceTempView("t")',
        'StructType.fromDDL("a int")',
        "session._jvm.java.lang.Runtime",
    ],
)
def test_each_of_these_would_be_found(line: str) -> None:
    assert list(offences(line))


@pytest.mark.parametrize(
    "line",
    [
        'rows.where(fn.col("a") == 1)',
        'column.cast("int")',
        '"{} {}".format(a, b)',
        'session.read.format("binaryFile")',
        'session.createDataFrame(rows, "a int, b int")',
    ],
)
def test_constants_and_columns_are_not(line: str) -> None:
    assert not list(offences(line))
