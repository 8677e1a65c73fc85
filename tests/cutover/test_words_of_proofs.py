"""The words about a proof: in the output, on the page and in the JSON, by Flink or by Spark."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cutover_changes import grouped, tumble
from keepstate_flink.errors import FlinkMissing
from keepstate_lsp.cli.commands.cutover import proving, spark_proving
from keepstate_lsp.cli.commands.cutover.named_plan import NotRun, Proof, Runner, Trial
from keepstate_lsp.cli.main import main
from planned_cutovers import job
from repositories import GitRepository


def test_nothing_to_prove_is_said(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("jobs/sums.sql", job(f"{grouped(tumble(10))} -- the same"))
    assert main(["cutover", "jobs/sums.sql", "--prove"]) == 0
    assert "--prove has no plan to run: every query keeps its state." in capsys.readouterr().err


_BY_SPARK = Runner("Spark", "4.3.0", "Flink 2.3 could not be downloaded.")
_EQUAL = Trial("generated rows 1", 1_772_442_000_000, 30, 40, (), ())
_LEFT_OUT = NotRun("generated rows 2", "Spark does not compute it: of <i>no</i> kind.")


@pytest.mark.parametrize(
    ("proof", "status", "said", "on_page"),
    [
        (
            Proof(_BY_SPARK, (_EQUAL,), not_run=(_LEFT_OUT,)),
            0,
            "Proved by Spark 4.3.0, not by Flink (1 trial). 1 set of rows could not run: Spark does not compute it: of "
            "<i>no</i> kind. Flink 2.3 could not be downloaded.",
            "- generated rows 2: Spark does not compute it: of \\<i\\>no\\</i\\> kind.",
        ),
        (
            Proof(_BY_SPARK, reason=_LEFT_OUT.reason, not_run=(_LEFT_OUT,)),
            0,
            "Not proved by Spark 4.3.0, not by Flink: Spark does not compute it: of <i>no</i> kind. Flink 2.3 could "
            "not be downloaded.",
            "The plan was not run: Spark does not compute it",
        ),
        (
            Proof(_BY_SPARK, (replace(_EQUAL, missing=("results [1]",)),)),
            1,
            "Refuted by Spark 4.3.0, not by Flink (1 trial). Flink 2.3 could not be downloaded.",
            "On Spark the plan gave other rows",
        ),
    ],
    ids=["proved", "not proved", "refuted"],
)
def test_a_proof_by_spark_is_said_everywhere(
    repository: GitRepository,
    proof: Proof,
    status: int,
    said: str,
    on_page: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing(_: str | None) -> str:
        raise FlinkMissing(_BY_SPARK.instead)

    monkeypatch.setattr(proving, "found_flink", missing)
    monkeypatch.setattr(spark_proving, "prove_on_spark", lambda *_: proof)
    assert main(["cutover", "jobs/sums.sql", "--prove", "--output", "plan"]) == status
    assert f"\n{said}\n" in capsys.readouterr().out
    page = (repository.folder / "plan" / "PLAN.md").read_text()
    assert "**By Spark, not by Flink.** Flink 2.3 could not be downloaded." in page and on_page in page
    found = json.loads((repository.folder / "plan" / "plan.json").read_text())["proof"]
    assert (found["by"], found["flink"], found["why_not_flink"]) == ("spark", None, _BY_SPARK.instead)
    assert found["not_run"] == [{"rows": each.rows, "reason": each.reason} for each in proof.not_run]
    # A version that is asked for is not replaced.
    assert main(["cutover", "jobs/sums.sql", "--prove", "--flink", "2.3"]) == 2
    assert _BY_SPARK.instead in capsys.readouterr().err
