"""Faults in keepstate.toml are shown there, at their places, as long as they last."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

import keepstate
from editor import editing, neovim, vscode
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.config.file import Configuration, ConfigurationError
from keepstate_lsp.config.schema import configuration_schema
from keepstate_lsp.config.severity import INVALID_SQL, SEVERITIES
from repositories import GitRepository

ONE = "INSERT INTO one SIZE 10;\n"
WRONG = '# jobs of the shop\nengine = "vvr"\nbaselnie = "HEAD"\n'


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        (WRONG, 'baselnie = "HEAD"', "did you mean baseline?"),
        ("files = []\n", "files = []", "list of globs"),
        (
            '[[job]]\nfiles = ["a"]\n[[job]]\nfiles = ["b"]\nparameter = 1\n',
            "parameter = 1",
            "did you mean parameters?",
        ),
        ('[severity]\npartial = "loud"\n', 'partial = "loud"', "must be one of error"),
        ('preset = "quiet"\n', 'preset = "quiet"', "results, strict, restore, advisory"),
        ("engine = vvr\n", "engine = vvr", "not TOML"),
        ("fail-on = 3\n", "fail-on = 3", "must be a text"),
        ("[replay]\ndate = {}\n", "date = {}", "replay: there is no setting 'date'; did you mean data?"),
        ('[replay]\ndata = "orders"\n', 'data = "orders"', "must be a table"),
        ('[replay.data]\norders = ""\n', 'orders = ""', "data of orders must be a text"),
        ('[replay.data]\norders = "s3://shop"\n', 'orders = "s3://shop"', "must be on this machine"),
        *(
            (f'[replay.data]\norders = "{store}"\n', f'orders = "{store}"', f"'{store}' names a store")
            for store in ("s3:/shop", "jdbc:mysql://h/db", "JDBC:x", "//host/share", " hdfs://h/a", "file://host/a")
        ),
        ("functions = 1\n", "functions = 1", "functions must be a table"),
        ('[functions]\nnorm = "STRING"\n', 'norm = "STRING"', "functions: norm: 'STRING' is no signature"),
        (
            '[functions]\nnorm = [\n  "(STRING) RETURNS STRING",\n  "(TEXT) RETURNS INT"]\n',
            'norm = [\n  "(STRING) RETURNS STRING",\n  "(TEXT) RETURNS INT"]',
            "functions: norm: 'TEXT' is no type",
        ),
        ('[replay]\nrestart-at = "noon"\n', 'restart-at = "noon"', "'noon' is no time: write it like"),
    ],
)
def test_places(tmp_path: Path, text: str, place: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says) as caught:
        Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml")
    fault = caught.value.fault
    assert fault is not None and fault.span.of(text) == place


def test_the_configuration_of_a_replay(tmp_path: Path) -> None:
    text = """\
[replay]
restart-at = 2026-03-01T10:20:00
data = { orders = "samples/../orders", rates = "/srv/rates" }
arrival = { orders = "came" }
"""
    found = Configuration.parse(tmp_path / "jobs" / "keepstate.toml", text, "keepstate.toml")
    assert found is not None
    assert found.replay.restart_at == "2026-03-01 10:20:00"
    assert found.replay.data == {"orders": str(tmp_path / "jobs" / "orders"), "rates": "/srv/rates"}
    assert found.replay.arrival == {"orders": "came"}


def test_baseline_and_loudness_of_a_job(tmp_path: Path) -> None:
    text = """\
baseline = "HEAD"
preset = "strict"
[severity]
partial = "hint"
[[job]]
files = ["jobs/prod/*.sql"]
baseline = "deployed:production"
"""
    found = Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml")
    assert found is not None
    assert (found.preset, found.severity) == ("strict", {"partial": "hint"})
    assert found.baseline_of(tmp_path / "jobs/prod/a.sql") == "deployed:production"
    assert found.baseline_of(tmp_path / "jobs/a.sql") == "HEAD"


def test_the_schema_knows_the_keys_that_are_read_and_is_fresh() -> None:
    from keepstate_lsp.config import file, replay_settings

    schema = configuration_schema()
    assert set(schema["properties"]) == set(file.KEYS)
    assert set(schema["properties"]["replay"]["properties"]) == set(replay_settings.REPLAY_KEYS)
    assert set(schema["properties"]["job"]["items"]["properties"]) == set(file.JOB_KEYS)
    rules = {rule.id for rule in keepstate.rule_catalogue()}
    assert set(schema["properties"]["severity"]["properties"]) == {*SEVERITIES, INVALID_SQL, *rules}
    assert schema["properties"]["severity"]["additionalProperties"] is False
    written = Path(__file__).parents[2] / "docs" / "keepstate.schema.json"
    assert json.loads(written.read_text("utf-8")) == schema, "run make docs"


@pytest.mark.asyncio
@pytest.mark.parametrize("client", [vscode, neovim])
async def test_shown_in_the_file_until_it_is_mended(
    client: Callable[[], types.ClientCapabilities], repository: GitRepository, cache: Path
) -> None:
    repository.commit({"one.sql": ONE, "two.sql": ONE, "keepstate.toml": WRONG})
    path = repository.folder / "keepstate.toml"
    async with editing(client(), repository.folder, cache) as editor:
        editor.open(repository.folder / "one.sql")
        (wrong,) = await editor.reported(uri_of(path), 1)
        assert wrong.code == "wrong-configuration" and wrong.range.start.line == 2
        assert wrong.message == "There is no setting 'baselnie'; did you mean baseline?"
        if client is neovim:
            path.write_text(WRONG.replace("baselnie", "baseline"))
            await editor.command("keepstate.recheckAll")
            assert await editor.reported(uri_of(path), 0) == []
