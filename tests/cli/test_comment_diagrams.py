"""Comments on merge requests draw the plans of jobs that lose state, where the host draws Mermaid."""

from __future__ import annotations

import pytest

from jobs import INCOMPATIBLE, JOB, REFORMATTED
from keepstate_lsp.cli.formats.markdown import LIMIT
from keepstate_lsp.cli.main import main
from repositories import GitRepository


@pytest.fixture
def shop(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository.commit({"a.sql": JOB, "b@team.sql": JOB})
    repository.write("a.sql", INCOMPATIBLE)
    repository.write("b@team.sql", REFORMATTED)
    monkeypatch.chdir(repository.folder)
    return repository


def comment(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(["check", "--format", "markdown", *words])
    return capsys.readouterr().out


def test_a_lost_state_is_drawn_below_the_findings(shop: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    text = comment(capsys)
    assert text.count("```mermaid\nflowchart TB\n") == 1
    assert text.index("<summary><code>a.sql</code>: ") < text.index("<summary>Plan of <code>a.sql</code></summary>")
    assert "Plan of <code>b" not in text


@pytest.mark.parametrize("variable", ["BITBUCKET_BUILD_NUMBER", "TF_BUILD"])
def test_no_diagram_where_the_host_would_show_its_text(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    text = comment(capsys, "--against", "HEAD")
    assert "<summary><code>a.sql</code>: " in text and "mermaid" not in text


def test_findings_come_before_diagrams_where_room_is_short(
    shop: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 60
    shop.commit({f"{number:02}.sql": JOB for number in range(count)})
    for number in range(count):
        shop.write(f"{number:02}.sql", INCOMPATIBLE)
    text = comment(capsys)
    assert len(text) <= LIMIT
    assert 0 < text.count("```mermaid") < count
    assert "did not fit" not in text


def test_a_diagram_that_fails_costs_only_itself(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: object) -> str:
        raise RuntimeError("no room on the wall")

    monkeypatch.setattr("keepstate.plan_view.diagram.plan_diagram", failing)
    assert main(["check", "--format", "markdown"]) == 1
    captured = capsys.readouterr()
    assert "<summary><code>a.sql</code>: " in captured.out and "mermaid" not in captured.out
    assert "a.sql: no plan was drawn (RuntimeError: no room on the wall). This is a fault of Keepstate." in captured.err
