"""On open-source Flink, restored state with wrong numbers has the highest severity in all answers of the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from editor import editing, vscode
from keepstate_lsp.lsp import convert
from program_starts import SERVER
from repositories import GitRepository

pytestmark = pytest.mark.asyncio


MARK = "\N{DOUBLE EXCLAMATION MARK} "
JOB = """\
CREATE TABLE orders (id BIGINT, category STRING, price INT, tax INT, placed_at TIMESTAMP(3),
  WATERMARK FOR placed_at AS placed_at) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO revenue
SELECT window_start, category, SUM(price) AS turnover, SUM(tax) AS taxes
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(placed_at), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, category;
"""
SWAPPED = ("SUM(price) AS turnover, SUM(tax) AS taxes", "SUM(tax) AS taxes, SUM(price) AS turnover")


async def test_two_sums_that_changed_places(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"shop.sql": JOB, "keepstate.toml": 'engine = "flink"\n'})
    job = repository.folder / "shop.sql"
    capabilities = vscode()
    capabilities.experimental = {"keepstate": {"status": True}}
    async with editing(capabilities, repository.folder, tmp_path / "cache", command=SERVER) as editor:
        heard: list[types.LSPAny] = []

        @editor.client.feature("keepstate/status")
        def hear(params: types.LSPAny) -> None:
            heard.append(params)

        uri = editor.open(job)
        editor.replace(uri, *SWAPPED)
        (finding,) = await editor.pulled(uri)
        (lens,) = [lens.command.title for lens in await editor.lenses(uri) if lens.command]
        hover = await editor.hover(uri, "SUM(tax)")
        await editor.caught_up()
        status = convert.plain(heard[-1])

    assert finding.severity is types.DiagnosticSeverity.Error
    assert finding.message.startswith(MARK)
    assert "silently wrong numbers" in finding.message
    assert lens.startswith(f"{MARK}Incompatible with HEAD (")
    assert lens.endswith("): wrong numbers, 1 finding")
    assert status["effect"] == "wrong-results"
    assert hover is not None
    page = hover.contents.value if isinstance(hover.contents, types.MarkupContent) else ""
    assert page.startswith(f"**{MARK}Incompatible, wrong numbers** · `aggregates-reordered`")
    assert "**Measured:** on 2.3.0" in page
    assert "reorder_same_type`" in page
