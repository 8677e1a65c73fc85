"""SQL in YAML and HCL files, printed declarations and Avro schemas, through ``keepstate check``."""

from __future__ import annotations

import pytest
from tests.project.scenarios import ORDERS, SINKS, TYPE, Check, edited

JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: revenue
spec:
  job:
    jarURI: local:///opt/runner.jar   # reads the script
    args:
    - |
      INSERT INTO revenue
      SELECT shop, CAST(SUM(amount) AS DOUBLE)
      FROM orders GROUP BY shop;
"""
POINTER = "k8s/revenue.yaml#/spec/job/args/0"
CONFIG = f'context = ["ddl/*.sql"]\n[[job]]\nname = "revenue"\nscript = ["{POINTER}"]\n'
TWO = CONFIG.replace("yaml#", "yaml#1") + f'[[job]]\nname = "more"\nscript = ["{POINTER.replace("#", "#2")}"]\n'
"""Two jobs of one file."""
YAML = {
    "ddl/orders.sql": ORDERS,
    "ddl/sinks.sql": SINKS,
    "k8s/revenue.yaml": JOB,
    "k8s/service.yaml": "kind: Service\n",
    "keepstate.toml": CONFIG,
}
TERRAFORM = {
    "ddl/orders.sql": ORDERS,
    "ddl/sinks.sql": SINKS,
    "main.tf": 'resource "confluent_flink_statement" "revenue" {\n  statement = <<-EOT\n    INSERT INTO revenue\n'
    "    SELECT shop, CAST(SUM(amount) AS DOUBLE)\n    FROM orders GROUP BY shop;\n  EOT\n}\n",
    "keepstate.toml": CONFIG.replace(POINTER, "main.tf#/resource/confluent_flink_statement/revenue/statement"),
}
SUM = ("SUM(amount)", "COUNT(amount)")


@pytest.mark.parametrize("paths", [(), ("k8s",), ("k8s/revenue.yaml",)], ids=str)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_changed_aggregate_in_yaml(check: Check, paths: tuple[str, ...], end: str) -> None:
    """Scenario 22: the place is that of the YAML file, and the fix edits it there."""
    files = {**YAML, "k8s/revenue.yaml": JOB.replace("\n", end)}
    found = check(files, edited(files, "k8s/revenue.yaml", *SUM), *paths)
    assert found.status == 1
    assert found.verdicts == {"k8s/revenue.yaml": "incompatible"}
    (finding,) = found.document["files"][0]["findings"]
    assert finding["file"] == "k8s/revenue.yaml"
    assert finding["range"]["start"] == {"line": 10, "character": 24}
    files_of_fixes = {edit["file"] for fix in finding["fixes"] for edit in fix["edits"]}
    assert files_of_fixes <= {"k8s/revenue.yaml", "ddl/sinks.sql"}
    edits = [
        [(edit["file"], edit["range"]["start"]["line"], edit["new_text"]) for edit in fix["edits"]]
        for fix in finding["fixes"]
    ]
    assert [("k8s/revenue.yaml", 10, "SUM")] in edits


@pytest.mark.parametrize("paths", [(), ("main.tf",)], ids=str)
def test_a_changed_aggregate_in_a_heredoc(check: Check, paths: tuple[str, ...]) -> None:
    found = check(TERRAFORM, edited(TERRAFORM, "main.tf", *SUM), *paths)
    assert found.status == 1
    assert {(job, file, line) for job, _, file, line in found.findings} == {("main.tf", "main.tf", 4)}


@pytest.mark.parametrize("files", [YAML, TERRAFORM], ids=["yaml", "terraform"])
@pytest.mark.parametrize("paths", [(), ("ddl",), ("ddl/orders.sql",)], ids=str)
def test_a_declaration_that_an_embedded_job_reads(check: Check, files: dict[str, str], paths: tuple[str, ...]) -> None:
    found = check(files, edited(files, "ddl/orders.sql", *TYPE), *paths)
    assert found.status == 1
    assert {(file, line) for _, _, file, line in found.findings} == {("ddl/orders.sql", 3)}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("k8s/revenue.yaml", "name: revenue", "name: turnover"),
        ("k8s/revenue.yaml", "      INSERT", "      -- per shop\n      INSERT"),
        ("k8s/revenue.yaml", "- |\n", "- |-   # SQL\n"),
        ("k8s/service.yaml", "Service", "Ingress"),
    ],
)
def test_what_means_nothing_to_the_job_is_silent(check: Check, path: str, old: str, new: str) -> None:
    found = check(YAML, edited(YAML, path, old, new))
    assert found.status == 0
    assert not found.findings
    assert set(found.verdicts) <= {"k8s/revenue.yaml"}


def test_another_indentation_is_no_change(check: Check) -> None:
    lines = JOB.split("\n")
    deeper = "\n".join([*lines[:9], *(f"    {line}" for line in lines[9:12]), ""])
    found = check(YAML, {**YAML, "k8s/revenue.yaml": deeper})
    assert (found.status, found.findings) == (0, set())


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ({"keepstate.toml": CONFIG.replace("args/0", "args/1")}, "names nothing: /spec/job/args is a list of 1."),
        ({"keepstate.toml": CONFIG.replace("k8s/rev", "k8s/dev")}, "there is no text file k8s/devenue.yaml."),
        ({"k8s/revenue.yaml": JOB.replace("args:", "arguments:")}, "names nothing: /spec/job has no args."),
        ({"k8s/revenue.yaml": JOB.replace("- |", "- {{ .Values.sql }}")}, "a template fills in."),
        (
            {"k8s/revenue.yaml": JOB.replace("GROUP BY shop", "WHERE shop <> 'a\n      b' GROUP BY shop")},
            "line 12 goes",
        ),
        ({"keepstate.toml": CONFIG.replace('["ddl', '["k8s/service.yaml#/spec", "ddl')}, "the document has no spec."),
    ],
)
def test_a_pointer_that_names_no_sql_is_status_two(check: Check, after: dict[str, str], says: str) -> None:
    found = check(YAML, {**YAML, **after})
    assert found.status == 2
    assert says in found.errors


def test_a_pointer_to_nothing_is_said_where_nothing_else_changed(check: Check) -> None:
    files = {**YAML, "keepstate.toml": CONFIG.replace("args/0", "args/7")}
    found = check(files, files)
    assert found.status == 2
    assert "k8s/revenue.yaml#/spec/job/args/7 names nothing" in found.errors


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("job.py#/sql", "a pointer leads into a file with"),
        ("k8s/*.yaml#/sql", "no glob in front of #"),
        ("../k8s/a.yaml#/sql", "leads out of the folder"),
        ("k8s/a.yaml#0/sql", "a YAML document, from 1"),
    ],
)
def test_a_wrong_pointer_is_refused_in_the_configuration(check: Check, entry: str, says: str) -> None:
    files = {**YAML, "keepstate.toml": CONFIG.replace(POINTER, entry)}
    with pytest.raises(ValueError, match=r"Expecting value"):
        # There is no document: the run did not begin.
        check(files, files)


def test_a_job_that_is_new_in_its_file(check: Check) -> None:
    more = JOB.replace("name: revenue", "name: more").replace("SUM", "MAX")
    both = {
        **YAML,
        "k8s/revenue.yaml": f"{JOB}---\n{more}",
        "keepstate.toml": TWO,
    }
    found = check(YAML, both)
    assert found.status == 0
    assert sorted(file["status"] for file in found.document["files"]) == ["new", "unchanged"]


def test_two_jobs_of_one_file_are_two(check: Check) -> None:
    more = JOB.replace("name: revenue", "name: more").replace("SUM(amount)", "MAX(amount)")
    files = {
        **YAML,
        "k8s/revenue.yaml": f"{JOB}---\n{more}",
        "keepstate.toml": TWO,
    }
    found = check(files, edited(files, "k8s/revenue.yaml", "MAX(", "MIN("))
    assert found.status == 1
    assert {line for _, _, _, line in found.findings} == {24}
    assert sorted(file["status"] for file in found.document["files"]) == ["compared", "unchanged"]


# ------------------------------------------------------------------------- declarations that no file of SQL has

FRAME = """\
Flink SQL> SHOW CREATE TABLE c.db.orders;
+------------------------------------------+
|                                   result |
+------------------------------------------+
| CREATE TABLE `orders` (
  `shop` VARCHAR(2147483647),
  `amount` DECIMAL(10, 2),
  `note` VARCHAR(2147483647) COMMENT 'a | b',
  `ts` TIMESTAMP(3),
  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND
)
COMMENT 'all orders'
WITH (
  'connector' = 'kafka',
  'topic' = 'orders'
)
 |
+------------------------------------------+
1 row in set
"""
REVENUE = "INSERT INTO revenue\nSELECT shop, CAST(SUM(amount) AS DOUBLE) FROM orders GROUP BY shop;\n"
PRINTED = {
    "ddl/orders.sql": FRAME,
    "ddl/sinks.sql": SINKS,
    "jobs/revenue.sql": REVENUE,
    "keepstate.toml": 'context = ["ddl/*.sql"]\n',
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_printed_declaration_counts_as_one(check: Check, end: str) -> None:
    files = {**PRINTED, "ddl/orders.sql": FRAME.replace("\n", end)}
    found = check(files, edited(files, "ddl/orders.sql", "DECIMAL(10, 2)", "DOUBLE"))
    assert found.status == 1
    assert {(file, line) for _, _, file, line in found.findings} == {("ddl/orders.sql", 7)}
    assert found.verdicts["jobs/revenue.sql"] == "incompatible"


def test_the_same_declaration_printed_by_hand_and_by_flink(check: Check) -> None:
    written = FRAME[FRAME.index("CREATE TABLE `") : FRAME.rindex(" |\n+")] + ";\n"
    found = check({**PRINTED, "ddl/orders.sql": written}, PRINTED)
    assert (found.status, found.findings) == (0, set())


def test_an_edit_between_the_frames_is_not_lost(check: Check) -> None:
    found = check(PRINTED, {**PRINTED, "ddl/orders.sql": FRAME + "CREATE TABLE (;\n"})
    assert found.status == 2


AVRO = """\
{"type": "record", "name": "Order", "namespace": "com.example", "fields": [
  {"name": "shop", "type": ["null", "string"]},
  {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}}
]}
"""
TYPED = {
    "schemas/orders-value.avsc": AVRO,
    "ddl/sinks.sql": SINKS,
    "jobs/revenue.sql": REVENUE,
    "keepstate.toml": 'context = ["ddl/*.sql", "schemas/*.avsc"]\n',
}


@pytest.mark.parametrize("paths", [(), ("jobs",)], ids=str)
def test_a_schema_says_types_and_is_assumed(check: Check, paths: tuple[str, ...]) -> None:
    found = check(TYPED, edited(TYPED, "schemas/orders-value.avsc", '"scale": 2', '"scale": 4'), *paths)
    assert found.status == 1
    assert found.verdicts["jobs/revenue.sql"] in ("incompatible", "unknown")
    assert ("schemas/orders-value.avsc", 3) in {(file, line) for _, _, file, line in found.findings}
    assert found.assumed("jobs/revenue.sql") == {("orders", "schemas/orders-value.avsc")}


def test_a_schema_excuses_nothing(check: Check) -> None:
    """An edit that is unknown without the schema stays unknown with it."""
    alone = {name: text for name, text in TYPED.items() if not name.endswith(".avsc")}
    alone["keepstate.toml"] = 'context = ["ddl/*.sql"]\n'
    edit = ("SUM(amount)", "SUM(amount + 1)")
    without = check(alone, edited(alone, "jobs/revenue.sql", *edit))
    with_schema = check(TYPED, edited(TYPED, "jobs/revenue.sql", *edit))
    assert without.status == 1
    assert with_schema.status == 1


def test_a_declaration_comes_before_a_schema(check: Check) -> None:
    files = {**TYPED, "ddl/orders.sql": ORDERS}
    found = check(files, edited(files, "schemas/orders-value.avsc", '"scale": 2', '"scale": 4'))
    assert (found.status, found.findings) == (0, set())


def test_a_schema_that_is_none_is_status_two(check: Check) -> None:
    found = check(TYPED, {**TYPED, "schemas/orders-value.avsc": "{"})
    assert found.status == 2
    assert "schemas/orders-value.avsc is no Avro schema" in found.errors


WHOLE = JOB.replace("      INSERT", f"      {' '.join(ORDERS.split())}\n      INSERT")
"""A file that shows Flink SQL by itself."""


def test_sql_that_no_script_names_is_said(check: Check) -> None:
    """A file is no job without a word of the configuration, and is not passed over in silence either."""
    found = check({"k8s/revenue.yaml": WHOLE}, {"k8s/revenue.yaml": WHOLE.replace(*SUM)})
    assert found.verdicts == {}
    assert f"Left out, though it changed: it holds Flink SQL at {POINTER}, and no script names it." in found.errors
    named = {"k8s/revenue.yaml": WHOLE, "keepstate.toml": f'[[job]]\nscript = ["{POINTER}"]\n'}
    found = check(named, edited(named, "k8s/revenue.yaml", *SUM))
    assert found.status == 1 and "Left out" not in found.errors


@pytest.mark.parametrize("text", [JOB.replace("flink", "x").replace("Flink", "X"), "kind: Service\n", "a: [\n", ""])
def test_other_files_are_met_with_silence(check: Check, text: str) -> None:
    found = check({"k8s/revenue.yaml": "kind: Other\n"}, {"k8s/revenue.yaml": text})
    assert (found.status, found.verdicts) == (0, {}) and "Left out" not in found.errors
