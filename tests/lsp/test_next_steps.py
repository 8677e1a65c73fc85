"""Next steps: by verdict, by engine, by its version."""

from __future__ import annotations

import pytest

from keepstate.report import Effect, Verdict
from keepstate.reporting.next_steps import Guide, next_steps

CHANGES = [verdict for verdict in Verdict if verdict is not Verdict.COMPATIBLE]


def words(guides: tuple[Guide, ...]) -> str:
    return "\n".join("\n".join((guide.brief, *guide.steps, guide.commands)) for guide in guides)


def test_what_is_compatible_needs_no_advice() -> None:
    assert next_steps("vvr", None, Verdict.COMPATIBLE, {Effect.STATE_DROPPED}) == ()


@pytest.mark.parametrize("verdict", CHANGES)
@pytest.mark.parametrize(
    ("engine", "platforms"),
    [
        ("vvr", ["any", "realtime-compute", "sql-client", "kubernetes-operator", "any"]),
        ("flink", ["any", "sql-client", "kubernetes-operator", "any"]),
    ],
)
def test_platforms_of_an_engine(engine: str, platforms: list[str], verdict: Verdict) -> None:
    guides = next_steps(engine, None, verdict)
    assert [guide.platform for guide in guides] == platforms
    assert all(guide.steps and guide.brief and "\n" not in guide.brief for guide in guides)
    assert all(bool(guide.commands) == bool(guide.language) for guide in guides)


@pytest.mark.parametrize(
    ("version", "path", "claim", "stops"),
    [
        (None, "execution.state-recovery.path", "execution.state-recovery.claim-mode", True),
        ("2.1", "execution.state-recovery.path", "execution.state-recovery.claim-mode", True),
        ("1.20", "execution.state-recovery.path", "execution.state-recovery.claim-mode", True),
        ("vvr-11.1-flink-1.20", "execution.state-recovery.path", "execution.state-recovery.claim-mode", True),
        ("1.19.1", "execution.savepoint.path", "execution.savepoint-restore-mode", True),
        ("vvr-8.0.11-flink-1.17", "execution.savepoint.path", "execution.savepoint-restore-mode", True),
        ("1.16", "execution.savepoint.path", "execution.savepoint-restore-mode", False),
        ("vvr-8.0.11", "execution.state-recovery.path", "execution.state-recovery.claim-mode", True),
    ],
)
def test_names_of_a_version(version: str | None, path: str, claim: str, stops: bool) -> None:
    (client,) = [guide for guide in next_steps("flink", version, Verdict.PARTIAL) if guide.platform == "sql-client"]
    assert f"SET '{path}' = '<savepoint path>';" in client.commands
    assert f"SET '{claim}' = 'NO_CLAIM';" in client.commands
    assert ("STOP JOB '<job id>' WITH SAVEPOINT;" in client.commands) == stops
    # The former name is shown for versions that may be older.
    assert ("before Flink 1.20" in client.commands) == (version in (None, "vvr-8.0.11"))


@pytest.mark.parametrize("verdict", CHANGES)
def test_settings_that_make_it_worse_are_named(verdict: Verdict) -> None:
    new, old = (words(next_steps("flink", version, verdict)[-1:]) for version in ("2.0", "1.18"))
    assert "allowNonRestoredState" in new and "CLAIM" in new and "stateless" in new
    assert "execution.state-recovery.ignore-unclaimed-state" in new
    assert "execution.savepoint.ignore-unclaimed-state" in old


def test_what_cannot_be_kept_starts_without_state() -> None:
    text = words(next_steps("vvr", "2.0", Verdict.INCOMPATIBLE))
    assert (
        "Initial Mode" in text and "upgradeMode: stateless" in text and "RESET 'execution.state-recovery.path'" in text
    )
    assert "SET 'execution" not in text.replace("RESET", "")


def test_what_goes_on_restores() -> None:
    text = words(next_steps("vvr", "2.0", Verdict.PARTIAL))
    assert "Resume Mode" in text and "upgradeMode: savepoint" in text and "allowNonRestoredState: false" in text


def test_what_nobody_knows_is_tried_on_a_copy() -> None:
    text = words(next_steps("vvr", "2.0", Verdict.UNKNOWN))
    assert "copy" in text and "initialSavepointPath" in text and "STOP JOB" not in text


@pytest.mark.parametrize("effect", list(Effect))
def test_a_restart_that_succeeds_proves_nothing_where_state_is_lost_in_silence(effect: Effect) -> None:
    text = words(next_steps("flink", None, Verdict.INCOMPATIBLE, {effect}))
    assert ("may succeed all the same" in text) == (effect in (Effect.STATE_LOST, Effect.WRONG_RESULTS))


def test_commands_name_the_file() -> None:
    named = words(next_steps("vvr", None, Verdict.PARTIAL, (), "jobs/of the day/a.sql"))
    assert "`keepstate accept 'jobs/of the day/a.sql' --because '<reason>'`" in named
    assert "`keepstate deployed mark 'jobs/of the day/a.sql'`" in named
    # A name that would end the code span, or the line, is not repeated.
    for path in (None, "a`b.sql", "a\nb.sql", "a<b>.sql"):
        assert "`keepstate accept FILE --because" in words(next_steps("vvr", None, Verdict.PARTIAL, (), path))


def test_what_is_accepted_need_not_be_accepted_again() -> None:
    for verdict in CHANGES:
        assert "keepstate accept" not in words(next_steps("vvr", None, verdict, accepted=True))
