"""Installed versions of Flink do what conformance/versions holds of them; needs at least one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from candidates import candidates
from keepstate_flink.installation import installed
from keepstate_flink.running_jobs import Jobs
from keepstate_lsp.cli.main import main
from measure import CandidateRestarts
from shared_flink import shared_cluster
from version_differences import CAUSES
from version_store import measured_versions, outcomes_of

VERSIONS = [version for version in measured_versions() if version in installed()]
pytestmark = [
    pytest.mark.skipif(not VERSIONS, reason="no measured Flink is installed: make flink"),
]
SAME = ("group-aggregate/group-key-changed/c67951f6",)
"""A candidate with one outcome on all versions."""
BY_CHANCE = frozenset({"interval_join/to_left", "temporal-sort/proctime-sort-input-changed/76720079"})
"""Candidates whose outcome depends on the order of arrival or on the clock."""
SUMS = "CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'kafka');\nSELECT k, {} FROM t GROUP BY k;\n"


@pytest.mark.parametrize("version", VERSIONS[:1] + VERSIONS[1:][-1:])
def test_restarts_do_again_what_they_did(version: str) -> None:
    keys = {*CAUSES, *SAME} - BY_CHANCE
    wanted = {key: outcome for key, outcome in outcomes_of(version).items() if key in keys}
    assert wanted
    restarts = CandidateRestarts(Jobs(shared_cluster(version)))
    found = {one.key: restarts.outcome(one) for one in candidates() if one.key in wanted}
    assert found == wanted


@pytest.mark.skipif(len(VERSIONS) < 2, reason="takes two versions")
def test_each_pair_is_restarted_on_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = {
        "engine": "flink",
        "baseline": SUMS.format("SUM(a)"),
        "current": SUMS.format("SUM(a) AS total"),
        "baseline_parameters": {"table.exec.state.ttl": "1 h"},
        "parameters": {"table.exec.state.ttl": "0"},
    }
    ends = VERSIONS[0], VERSIONS[-1]
    lines = [{**pair, "baseline_engine_version": at, "current_engine_version": at} for at in ends]
    Path("pairs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert main(["verify", "--pairs", "pairs.jsonl"]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["flink"].rpartition(".")[0] for each in found] == [at.rpartition(".")[0] for at in ends]
    assert [each["measured"] for each in found] == ["does-not-start", "starts"]
    assert [each["agrees"] for each in found] == [True, True]


@pytest.mark.parametrize("version", VERSIONS[:1] + VERSIONS[1:][-1:])
def test_the_prediction_is_that_of_the_version_that_runs(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From 2.3 on Flink refuses this key without ON CONFLICT; before, the job starts behind empty state."""
    refuses = tuple(map(int, version.split("."))) >= (2, 3)
    monkeypatch.chdir(tmp_path)
    key = "PRIMARY KEY (k, x) NOT ENFORCED"
    job = (
        "CREATE TABLE t (k STRING, x STRING) WITH ('connector' = 'kafka');\n"
        f"CREATE TABLE s (k STRING, x STRING, c BIGINT, {key}) WITH ('connector' = 'upsert-kafka');\n"
        "INSERT INTO s SELECT k, x, COUNT(*) FROM t GROUP BY k, x;\n"
    )
    Path("was.sql").write_text(job)
    Path("now.sql").write_text(job.replace("(k, x)", "(k)"))
    status = main(["verify", "now.sql", "--against", "file:was.sql", "--flink", version, "--format", "json"])
    found = json.loads(capsys.readouterr().out)["jobs"][0]
    answer = status, found["measured"], found["predicted"], found["agrees"]
    if refuses:
        assert answer == (2, "not-measured", "does-not-start", None)
        assert "ON CONFLICT" in found["note"]
    else:
        assert answer == (0, "starts", "wrong-results", True)
