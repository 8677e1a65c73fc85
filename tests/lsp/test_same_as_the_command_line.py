"""The editor and the command line say the same of the same input: byte for byte, and at the same places."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editor import Editor, editing, neovim, vscode
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.lsp.convert import plain
from program_starts import KEEPSTATE, SERVER, ran
from repositories import GitRepository

pytestmark = pytest.mark.asyncio


JOB = """\
CREATE TABLE orders (
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

/* Umsätze 日本 🛒 \u2028 no line break \x0c none either */
INSERT INTO revenue
SELECT window_start, category, '🛒' AS icon, SUM(amount) AS gmv, MAX(amount) AS höchster
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO products
SELECT window_start, category, product, COUNT(*) AS sold
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY category, product, window_start, window_end;
"""
METRIC = JOB.replace("'🛒' AS icon, SUM", "'🛒' AS icon, COUNT(*) AS anzahl, SUM")
SIZE = JOB.replace("INTERVAL '1' HOUR", "INTERVAL '2' HOUR")
REMOVED = JOB.replace(", MAX(amount) AS höchster", "")
KEY = JOB.replace("GROUP BY category, product,", "GROUP BY category,\n  product, -- 日本\n  amount,")
REASON = "weil die Größe 日本 neu ist"
COMMENT = f"-- keepstate: accept window-size-changed until 2999-12-31 because {REASON}\n"
SECOND_TABLE = "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '2'"
CONFIGURATION = """\
engine = "vvr"
engine-version = "vvr-11.1-flink-1.20"
preset = "strict"

[parameters]
"table.exec.state.ttl" = "{ttl}"

[[job]]
files = ["jobs/parameter.sql"]
[job.parameters]
"table.exec.unheard-of" = "{other}"
"""

CHANGED: dict[str, str] = {
    "metric": METRIC,
    "size": SIZE,
    "several": METRIC.replace("INTERVAL '1' HOUR", "INTERVAL '2' HOUR"),
    "removed": REMOVED,
    "key": KEY,
    "crlf": KEY.replace("\n", "\r\n"),
    "comment": SIZE.replace(SECOND_TABLE, COMMENT + SECOND_TABLE),
    "idle": COMMENT + JOB,
    "ledger": SIZE.replace("'2' HOUR", "'3' HOUR"),
    "parameter": JOB,
    "reformatted": JOB.replace("SELECT window_start", "select  window_start"),
    "broken": SIZE.replace("GROUP BY window_start", "GROUP BY BY )"),
    "untouched": JOB,
    "empty": "",
    "commented": "".join(f"-- {line}\n" for line in JOB.split("\n")),
    "declared": JOB[: JOB.index("INSERT")],
}


@pytest.fixture
def jobs(repository: GitRepository) -> Path:
    """Committed jobs and their configuration, all changed since; one finding is entered in the ledger."""
    before: dict[str, str | bytes] = {f"jobs/{name}.sql": JOB for name in CHANGED}
    repository.commit({**before, "keepstate.toml": CONFIGURATION.format(ttl="1 d", other="a")})
    for name, text in CHANGED.items():
        repository.write(f"jobs/{name}.sql", text)
    repository.write("jobs/new.sql", METRIC)
    check(repository.folder, "accept", "jobs/ledger.sql", "--because", REASON, "--by", "Ada")
    repository.write("keepstate.toml", CONFIGURATION.format(ttl="2 d", other="b"))
    return repository.folder


def check(folder: Path, *arguments: str) -> str:
    run = ran(*KEEPSTATE, *arguments, cwd=folder, capture_output=True)
    return run.stdout.decode()


def written(value: Any) -> str:
    """JSON as the command line writes it."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


async def reported(editor: Editor, uri: str) -> dict[str, Any]:
    answer = plain(await editor.command("keepstate.reportDocument", uri))
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("client", [vscode, neovim])
async def test_every_file_byte_for_byte(
    client: Callable[[], types.ClientCapabilities], jobs: Path, tmp_path: Path
) -> None:
    seen = set()
    async with editing(client(), jobs, tmp_path / "cache", command=SERVER) as editor:
        paths = [f"jobs/{name}.sql" for name in sorted([*CHANGED, "new"])]
        whole = json.loads(check(jobs, "check", *paths, "--format", "json"))
        assert [file["path"] for file in whole["files"]] == paths
        for path, expected in zip(paths, whole["files"], strict=True):
            # A command of its own plans cutovers in editors, in a process beside the server.
            expected.pop("cutover", None)
            document = await reported(editor, editor.open(jobs / path))
            (file,) = document["files"]
            assert written(file) == written(expected), path
            assert document["problems"] == [entry for entry in whole["problems"] if entry["path"] == path]
            seen |= {file["status"]} | {finding["verdict"] for finding in file["findings"]}
            seen |= {finding["accepted"]["by"] for finding in file["findings"] if finding["accepted"]}
            seen |= {"outside" for finding in file["findings"] if finding["parameter"]}
            seen |= {"idle" for _ in file["idle_acceptances"]}
    # The table above is worth something only as long as it meets all of this.
    assert seen >= {"compared", "unchanged", "new", "not-valid", "compatible", "partial", "incompatible", "unknown"}
    assert seen >= {"comment", "ledger", "outside", "idle"}


@pytest.mark.parametrize("name", ["several", "broken"])
async def test_the_whole_document(jobs: Path, tmp_path: Path, name: str) -> None:
    line = check(jobs, "check", f"jobs/{name}.sql", "--format", "json")
    async with editing(vscode(), jobs, tmp_path / "cache", command=SERVER) as editor:
        expected = json.loads(line)
        for file in expected["files"]:
            file.pop("cutover", None)
        assert written(await reported(editor, editor.open(jobs / f"jobs/{name}.sql"))) == written(expected)


async def test_without_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.sql").write_text(JOB, "utf-8")
    line = check(folder, "check", "a.sql", "--format", "json")
    async with editing(vscode(), folder, tmp_path / "cache", command=SERVER) as editor:
        document = await reported(editor, editor.open(folder / "a.sql"))
    assert written(document) == line


async def test_what_the_editor_shows_is_what_the_command_line_finds(jobs: Path, tmp_path: Path) -> None:
    async with editing(vscode(), jobs, tmp_path / "cache", command=SERVER) as editor:
        names = ("metric", "size", "several", "removed", "key", "crlf", "comment", "ledger")
        line = check(jobs, "check", *(f"jobs/{name}.sql" for name in names), "--format", "json")
        for file in json.loads(line)["files"]:
            uri = editor.open(jobs / file["path"])
            shown = {one.code: one for one in await editor.pulled(uri)}
            assert set(shown) == {finding["rule"] for finding in file["findings"]}, file["path"]
            for finding in file["findings"]:
                diagnostic = shown[finding["rule"]]
                assert as_json(diagnostic.range) == finding["range"]
                assert editor.text_at(uri, diagnostic.range) == finding["text"]
                assert diagnostic.message.startswith(with_arrows(finding["message"]))
                places = [as_json(one.location.range) for one in diagnostic.related_information or ()]
                if finding["baseline_range"] is not None:
                    assert finding["baseline_range"] in places
                offered = await titles(editor, uri, diagnostic)
                assert {fix["title"] for fix in finding["fixes"]} <= offered


async def titles(editor: Editor, uri: str, diagnostic: types.Diagnostic) -> set[str]:
    context = types.CodeActionContext([diagnostic])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), diagnostic.range, context)
    actions = await editor.client.text_document_code_action_async(params) or ()
    # Editors name the baseline of what is restored; the command line has named it before.
    return {action.title.replace(" from HEAD (", " (") for action in actions}


def as_json(range_: types.Range) -> dict[str, Any]:
    return {
        "start": {"line": range_.start.line, "character": range_.start.character},
        "end": {"line": range_.end.line, "character": range_.end.character},
    }
