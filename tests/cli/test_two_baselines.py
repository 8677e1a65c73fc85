"""Two baselines, one that runs and one that the change began with: only new findings fail the gate."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, PARTIAL, UNREAD
from keepstate_lsp.cli.main import main
from repositories import GitRepository

BOTH = INCOMPATIBLE.replace("SUM(amount) AS amount", "SUM(amount) AS amount, MAX(amount) AS largest")
LONGER = JOB.replace("INTERVAL '1' MINUTE", "INTERVAL '5' MINUTE")
INSERT = JOB[JOB.index("INSERT") :]
TWO = f"{JOB}\n{INSERT.replace('daily', 'daily_too')}"
"""The same query for two sinks, so that the same edit of either is the same change of meaning."""
FIRST_OF_TWO = INCOMPATIBLE + TWO[len(JOB) :]
BOTH_OF_TWO = FIRST_OF_TWO.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE")
SECOND_OF_TWO = JOB + BOTH_OF_TWO[len(INCOMPATIBLE) :]
BRANCH = "SELECT region, {}(amount) AS amount FROM orders GROUP BY region"
UNION = JOB + "INSERT INTO totals\n{}\nUNION ALL\n{};\n"
SUMS, ONE_MAX, TWO_MAX = (
    UNION.format(*(BRANCH.format(name) for name in names)) for names in (("SUM", "SUM"), ("MAX", "SUM"), ("MAX", "MAX"))
)
TOTALS = "INSERT INTO totals SELECT region, SUM(amount) AS amount FROM orders GROUP BY region;\n"
TOTALS_OF_O = "INSERT INTO totals SELECT o.region, SUM(o.amount) AS amount FROM orders AS o GROUP BY o.region;\n"
BY_SUM = JOB.replace("COUNT(*) AS orders, ", "")
BY_MAX = BY_SUM.replace("SUM(amount)", "MAX(amount)")


@dataclass(frozen=True)
class Gate:
    """The result of a run with two baselines."""

    status: int
    document: dict[str, Any]
    errors: str

    def file(self, path: str = "a.sql") -> dict[str, Any]:
        (found,) = [file for file in self.document["files"] if file["path"] == path]
        return found  # type: ignore[no-any-return]

    def findings(self, path: str = "a.sql") -> list[tuple[str, bool]]:
        """The rule of each finding and whether the change has added it."""
        return [(finding["rule"], finding["added"]) for finding in self.file(path)["findings"]]

    @property
    def states(self) -> dict[str, str]:
        return {file["path"]: file["status"] for file in self.document["files"]}


class Shop:
    """A repository whose jobs are deployed, then changed on main, then changed by a branch."""

    def __init__(self, repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        self.repository = repository
        self._capsys = capsys

    def deploy(self, files: dict[str, str], *marked: str, parameters: tuple[str, ...] = ()) -> None:
        self.repository.commit(dict(files))
        options = [option for parameter in parameters for option in ("--parameter", parameter)]
        assert main(["deployed", "mark", *(marked or files), *options]) == 0

    def merge(self, files: dict[str, str]) -> None:
        self.repository.commit(dict(files))

    def branch(self) -> None:
        self.repository.git("checkout", "--quiet", "-b", "topic")

    def gate(self, *arguments: str) -> Gate:
        self._capsys.readouterr()
        status = main(
            ["check", "--against", "deployed", "--new-since", "merge-base:main", *arguments, "--format", "json"]
        )
        captured = self._capsys.readouterr()
        return Gate(status, json.loads(captured.out), captured.err)

    def text(self, *arguments: str) -> str:
        self._capsys.readouterr()
        main(["check", "--against", "deployed", "--new-since", "merge-base:main", *arguments])
        return self._capsys.readouterr().out


@pytest.fixture
def shop(repository: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(repository.folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    return Shop(repository, capsys)


ADDED, BEFORE = True, False


@pytest.mark.parametrize(
    ("deployed", "merged", "current", "findings", "verdict", "open_verdict"),
    [
        # The change alone.
        (JOB, JOB, INCOMPATIBLE, [("window-size-changed", ADDED)], "incompatible", "incompatible"),
        # Main alone: the change does not touch the file, or only its layout.
        (JOB, INCOMPATIBLE, INCOMPATIBLE, [("window-size-changed", BEFORE)], "incompatible", "compatible"),
        (JOB, PARTIAL, PARTIAL + "-- a note\n", [("aggregate-added", BEFORE)], "partial", "compatible"),
        # Both, each its own.
        (
            JOB,
            INCOMPATIBLE,
            BOTH,
            [("aggregate-added", ADDED), ("window-size-changed", BEFORE)],
            "incompatible",
            "partial",
        ),
        (
            JOB,
            PARTIAL,
            BOTH,
            [("aggregate-added", BEFORE), ("window-size-changed", ADDED)],
            "incompatible",
            "incompatible",
        ),
        # The change takes back what main did, or part of it.
        (JOB, INCOMPATIBLE, JOB, [], "compatible", "compatible"),
        (JOB, BOTH, PARTIAL, [("aggregate-added", BEFORE)], "partial", "compatible"),
        # The change goes on where main began: another size is another finding.
        (JOB, INCOMPATIBLE, LONGER, [("window-size-changed", ADDED)], "incompatible", "incompatible"),
        # The same edit again, in another query: one of the two is new.
        (
            TWO,
            FIRST_OF_TWO,
            BOTH_OF_TWO,
            [("window-size-changed", BEFORE), ("window-size-changed", ADDED)],
            "incompatible",
            "incompatible",
        ),
        # The same edit in another query instead.
        (TWO, FIRST_OF_TWO, SECOND_OF_TWO, [("window-size-changed", ADDED)], "incompatible", "incompatible"),
        # Once more in the same one.
        (
            SUMS,
            ONE_MAX,
            TWO_MAX,
            [("all-aggregates-replaced", BEFORE), ("all-aggregates-replaced", ADDED)],
            "incompatible",
            "incompatible",
        ),
        # Another alias is other words for the same, and adds nothing.
        (JOB, JOB + TOTALS, JOB + TOTALS_OF_O, [("pipeline-added", BEFORE)], "incompatible", "compatible"),
    ],
)
def test_whose_doing(
    shop: Shop,
    deployed: str,
    merged: str,
    current: str,
    findings: list[tuple[str, bool]],
    verdict: str,
    open_verdict: str,
) -> None:
    shop.deploy({"a.sql": deployed})
    shop.merge({"a.sql": merged})
    shop.branch()
    shop.repository.write("a.sql", current)
    gate = shop.gate()
    file = gate.file()
    if findings:
        assert gate.findings() == findings
    else:
        assert file["findings"] == []
    assert (file["verdict"], file["open_verdict"]) == (verdict, open_verdict)
    assert gate.status == (1 if open_verdict in ("incompatible", "unknown") else 0)
    # The verdict covers all findings, new or not.
    assert gate.document["verdict"] == verdict
    assert main(["check", "--against", "deployed", "--fail-on", "partial"]) == (0 if verdict == "compatible" else 1)


def test_both_baselines_are_named(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB, "b.sql": JOB})
    deployed = shop.repository.git("rev-parse", "HEAD")
    shop.merge({"a.sql": INCOMPATIBLE, "b.sql": INCOMPATIBLE})
    merged = shop.repository.git("rev-parse", "HEAD")
    shop.branch()
    shop.repository.commit({"a.sql": BOTH})
    gate = shop.gate()
    assert gate.file()["baseline"] == {"spec": "deployed", "commit": deployed, "path": "a.sql"}
    assert gate.file()["blame"] == {
        "spec": "merge-base:main",
        "commit": merged,
        "path": "a.sql",
        "changed": True,
        "doubt": None,
    }
    assert gate.file("b.sql")["blame"]["changed"] is False
    assert gate.status == 0
    text = shop.text()
    assert "1 partial[aggregate-added] a.sql" in text
    assert "2 incompatible[" not in text
    folded = " ".join(text.split())
    assert (
        f"Not by this change: window-size-changed (incompatible, line 11) was in merge base with main ({merged[:7]})"
        in folded
    )
    assert "b.sql: incompatible with deployed in production" in folded
    assert "but not by this change: window-size-changed" in folded
    assert "3 findings (2 incompatible, 1 partial), 1 of them by this change; 2 files" in folded
    assert main(["check", "--against", "deployed", "--new-since", "merge-base:main", "--fail-on", "partial"]) == 1


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_each_format_tells_what_was_there_before(shop: Shop, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    shop.deploy({"a.sql": JOB})
    shop.merge({"a.sql": INCOMPATIBLE})
    shop.branch()
    shop.repository.write("a.sql", BOTH)
    assert main(["check", "--against", "deployed", "--new-since", "merge-base:main", "--format", form]) == 0
    output = capsys.readouterr().out
    assert "window-size-changed" in output
    says = {
        "text": "Not by this change",
        "json": '"added": false',
        "sarif": '"baselineState": "unchanged"',
        "junit": 'failures="0"',
    }
    assert says.get(form, "there before") in output.lower() or says.get(form, "there before") in output


def test_a_file_that_nobody_marked_is_compared_with_where_the_change_began(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB, "b.sql": JOB, "c.sql": JOB}, "a.sql")
    shop.branch()
    shop.repository.write("b.sql", INCOMPATIBLE)
    shop.repository.write("new.sql", JOB.replace("daily", "hourly").replace("orders", "visits").replace("amount", "n"))
    gate = shop.gate()
    assert gate.states == {"a.sql": "unchanged", "b.sql": "compared", "new.sql": "new"}
    assert gate.file("b.sql")["baseline"]["spec"] == "merge-base:main"
    assert gate.file("b.sql")["blame"] is None
    assert gate.status == 1
    assert "as it is not recorded as deployed in production" in " ".join(shop.text().split())
    # By name, with nothing to tell but that it is the same.
    assert shop.gate("c.sql").states == {"c.sql": "unchanged"}
    assert set(shop.gate(".").states) == {"a.sql", "b.sql", "c.sql", "new.sql"}


def test_renamed_on_main_and_by_the_change(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB})
    shop.repository.git("mv", "a.sql", "main.sql")
    shop.merge({"main.sql": INCOMPATIBLE})
    shop.branch()
    gate = shop.gate()
    assert gate.states == {"main.sql": "compared"}
    assert gate.findings("main.sql") == [("window-size-changed", BEFORE)]
    shop.repository.git("mv", "main.sql", "topic.sql")
    shop.repository.commit({"topic.sql": BOTH})
    gate = shop.gate()
    assert gate.states == {"topic.sql": "compared"}
    assert gate.file("topic.sql")["baseline"]["path"] == "a.sql"
    assert gate.file("topic.sql")["blame"]["path"] == "main.sql"
    assert gate.findings("topic.sql") == [("aggregate-added", ADDED), ("window-size-changed", BEFORE)]
    assert shop.gate("--current", "topic").findings("topic.sql") == gate.findings("topic.sql")


def test_findings_of_a_renamed_sink_are_not_new(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB})
    shop.merge({"a.sql": INCOMPATIBLE})
    shop.branch()
    shop.repository.write("a.sql", INCOMPATIBLE.replace("INSERT INTO daily", "INSERT INTO of_the_day"))
    assert ("window-size-changed", BEFORE) in shop.gate().findings()


def test_deleted_by_the_change_or_before(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB, "b.sql": JOB})
    shop.repository.git("rm", "--quiet", "a.sql")
    shop.merge({})
    shop.branch()
    (shop.repository.folder / "b.sql").unlink()
    gate = shop.gate()
    assert gate.states == {"a.sql": "deleted", "b.sql": "deleted"}
    assert [gate.file(path)["blame"]["changed"] for path in ("a.sql", "b.sql")] == [False, True]
    assert "Nothing reads the state" in gate.file()["reason"]
    assert gate.status == 0


def test_the_configuration_outside_of_the_sql_counts_as_well(shop: Shop) -> None:
    setting = '[parameters]\n"table.exec.state.ttl" = "{}"\n'
    shop.repository.write("keepstate.toml", setting.format("2 d"))
    shop.deploy({"a.sql": JOB + TOTALS})
    shop.merge({"keepstate.toml": setting.format("1 d")})
    shop.branch()
    before = shop.gate()
    assert before.file()["findings"] and not any(added for _, added in before.findings())
    shop.repository.write("keepstate.toml", setting.format("12 h"))
    after = shop.gate()
    assert any(added for _, added in after.findings())


def test_acceptances_and_new_findings_go_together(shop: Shop) -> None:
    shop.deploy({"a.sql": JOB})
    shop.merge({"a.sql": INCOMPATIBLE})
    shop.branch()
    shop.repository.write("a.sql", BOTH)
    assert shop.gate("--fail-on", "partial").status == 1
    accepted = BOTH.replace("SELECT region", "-- keepstate: accept aggregate-added because it is new\nSELECT region")
    shop.repository.write("a.sql", accepted)
    gate = shop.gate("--fail-on", "partial")
    assert (gate.status, gate.file()["open_verdict"]) == (0, "compatible")


@pytest.mark.parametrize("beginning", [BROKEN, UNREAD], ids=["refused", "unread"])
def test_what_is_no_program_at_the_beginning_leaves_the_change_to_answer(shop: Shop, beginning: str) -> None:
    shop.deploy({"a.sql": JOB})
    shop.merge({"a.sql": beginning})
    shop.branch()
    shop.repository.write("a.sql", INCOMPATIBLE)
    gate = shop.gate()
    assert gate.findings() == [("window-size-changed", ADDED)]
    assert "is no program that can be read" in gate.file()["blame"]["doubt"]
    assert gate.status == 1
    assert "the change answers for all of it" in " ".join(shop.text().split())


def test_a_beginning_that_is_not_there_is_no_excuse(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.deploy({"a.sql": JOB})
    shop.repository.write("a.sql", INCOMPATIBLE)
    for paths in ([], ["a.sql"]):
        capsys.readouterr()
        status = main(["check", *paths, "--against", "deployed", "--new-since", "v9", "--format", "json"])
        captured = capsys.readouterr()
        assert status == 2
        assert captured.err.count("What the change adds cannot be told") == 1
        (file,) = json.loads(captured.out)["files"]
        assert [finding["added"] for finding in file["findings"]] == [True]


def test_a_beginning_that_is_not_there_is_missed_without_a_change_as_well(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.deploy({"a.sql": JOB})
    for paths in ([], ["a.sql"]):
        capsys.readouterr()
        assert main(["check", *paths, "--new-since", "v9"]) == 2
        assert capsys.readouterr().err.count("What the change adds cannot be told") == 1
        assert main(["check", *paths, "--new-since", "HEAD"]) == 0


def test_the_former_name_of_the_option_means_the_same(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.deploy({"a.sql": JOB})
    shop.repository.commit({"a.sql": INCOMPATIBLE})
    shop.branch()
    capsys.readouterr()
    answers = []
    for option in ("--new-since", "--blame"):
        status = main(["check", "a.sql", "--against", "deployed", option, "merge-base:main", "--format", "json"])
        answers.append((status, json.loads(capsys.readouterr().out)))
    assert answers[0] == answers[1]
    status, document = answers[0]
    assert status == 0 and [one["added"] for one in document["files"][0]["findings"]] == [False]
    assert main(["check", "a.sql", "--against", "deployed", "--blame", "none"]) == 1


def test_both_names_of_the_option_at_once_are_refused(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--new-since", "HEAD", "--blame", "HEAD"]) == 2
    assert "--blame does not go together with --new-since." in capsys.readouterr().err


def test_help_names_the_option_of_today_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    help_text = capsys.readouterr().out
    assert "--new-since BASELINE" in help_text and "--blame" not in help_text


def test_a_baseline_of_new_findings_that_makes_no_sense(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.deploy({"a.sql": JOB})
    assert main(["check", "--against", "deployed", "--new-since", "file:a.sql"]) == 2
    assert "--new-since takes what a change began with" in capsys.readouterr().err
    assert main(["check", "--new-since", "who:me"]) == 2
    # Compared with one and the same, the change answers for all.
    shop.repository.write("a.sql", INCOMPATIBLE)
    assert main(["check", "--against", "HEAD", "--new-since", "HEAD"]) == 1


def test_another_layout_adds_nothing(shop: Shop) -> None:
    shop.deploy({"a.sql": BY_SUM})
    shop.merge({"a.sql": BY_MAX})
    shop.branch()
    shop.repository.write("a.sql", BY_MAX.replace("SELECT region", "SELECT\n  region"))
    gate = shop.gate()
    assert gate.findings() and not any(added for _, added in gate.findings())
