"""One cause is one squiggle in an editor, where it was typed; the rest is related information."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from editor import editing, minimal, vscode
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import SERVER

pytestmark = pytest.mark.asyncio

TABLES = """\
CREATE TEMPORARY TABLE o (k BIGINT, v BIGINT, c STRING, d DECIMAL(12, 2)) WITH ('connector' = 'kafka');
CREATE TEMPORARY TABLE b (c STRING, n BIGINT, PRIMARY KEY (c) NOT ENFORCED) WITH ('connector' = 'jdbc');
"""
COUNTS = "INSERT INTO b SELECT c, COUNT(*) FROM o GROUP BY c;\n"
SUMS = "INSERT INTO sums\nSELECT k, {}\nFROM o\nGROUP BY k;\n"
FIVE = ("SUM({0})", "MAX({0})", "MIN({0})", "COUNT({0})", "AVG({0})")


def five(column: str) -> str:
    return SUMS.format(",\n  ".join(FIVE).format(column))


@pytest.mark.parametrize("client", [vscode, minimal])
async def test_replaced_aggregates_are_one_squiggle(
    client: Callable[[], types.ClientCapabilities], repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.flink.sql": TABLES + five("v")})
    path = repository.write("a.flink.sql", TABLES + five("d"))
    async with editing(client(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        pushes = client is minimal
        (found,) = await editor.pushed(uri, 1) if pushes else await editor.pulled(uri)
        assert editor.text_at(uri, found.range) == "SUM(d)"
        assert found.message.endswith("(and 4 aggregates more)")
        related = [
            editor.text_at(uri, one.location.range)
            for one in found.related_information or ()
            if one.location.uri == uri
        ]
        assert related == ([one.format("d") for one in FIVE[1:]] if client is vscode else [])
        (lens,) = await editor.lenses(uri)
        assert lens.command is not None
        assert lens.command.title.endswith("1 finding")


async def test_added_insert_is_underlined_at_its_head(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": TABLES + COUNTS})
    path = repository.write("a.flink.sql", TABLES + COUNTS + five("v"))
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        (found,) = await editor.pulled(uri)
        assert (found.code, editor.text_at(uri, found.range)) == ("pipeline-added", "INSERT INTO sums")


async def test_emptied_text_is_one_message(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a.flink.sql": TABLES + COUNTS + five("v")})
    path = repository.write("a.flink.sql", "")
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        (found,) = await editor.pulled(uri)
        assert found.message.startswith("all statements removed")
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), found.range, types.CodeActionContext([found])
        )
        actions = await editor.client.text_document_code_action_async(params)
        assert "Restore all statements from HEAD (compatible)" in {action.title for action in actions or ()}


TO_A = "INSERT INTO a SELECT k, COUNT(*) FROM o GROUP BY k;\n"
LENSES = {
    "a statement that is none": (COUNTS, COUNTS + "SELCT 1;\n", "Not valid: Flink refuses line 4", "not valid"),
    "a source that is another one": (
        COUNTS,
        COUNTS,
        "Incompatible with HEAD",
        "incompatible",
    ),
    "a set that is none any more": (
        f"EXECUTE STATEMENT SET BEGIN\n{COUNTS}{TO_A}END;\n",
        COUNTS + TO_A,
        "Incompatible with HEAD",
        "incompatible",
    ),
}


@pytest.mark.parametrize(("was", "now", "lens", "status"), LENSES.values(), ids=LENSES.keys())
async def test_no_line_above_a_query_is_better_than_its_job(
    was: str, now: str, lens: str, status: str, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.flink.sql": TABLES + was, "keepstate.toml": 'engine = "flink"\n'})
    tables = TABLES.replace("'kafka'", "'filesystem', 'path' = '/x', 'format' = 'json'") if was == now else TABLES
    path = repository.write("a.flink.sql", tables + now)
    async with editing(vscode(), repository.folder, tmp_path / "cache", command=SERVER) as editor:
        uri = editor.open(path)
        found = await editor.pulled(uri)
        assert [one.severity for one in found] == [types.DiagnosticSeverity.Error]
        titles = [one.command.title for one in await editor.lenses(uri) if one.command is not None]
        assert titles and all(title.startswith(lens) for title in titles)
        report = await editor.command("keepstate.reportDocument", uri)
        (file,) = plain(report)["files"]
        assert (file["status"], file["verdict"]) == (
            ("not-valid", "unknown") if status == "not valid" else ("compared", status)
        )
