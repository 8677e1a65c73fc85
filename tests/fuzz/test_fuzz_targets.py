"""Former findings of fuzzing, replayed; each target on some of its seeds; and that a new failure would be found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import findings
import given_scripts
import message_targets
import rewrite_targets
import wire_targets
from bounds import bounds, size_near_a_bound
from catalogue_of_targets import TARGETS, target_named
from findings import Findings
from fuzz_target import Target, joined, text_of, texts_of
from mutations import mutated, next_input
from token_rewrites import edited, respelled

REGRESSIONS = [
    pytest.param(target, path, id=f"{target.name}/{path.name}") for target in TARGETS for path in target.regressions
]
IN_MEMORY = [target for target in TARGETS if target.name not in ("repositories", "commands", "messages", "wire")]


@pytest.fixture(scope="module", autouse=True)
def _no_server_is_left() -> Iterator[None]:
    yield
    message_targets.close()


@pytest.mark.parametrize(("target", "path"), REGRESSIONS)
def test_what_failed_once_does_not_fail_again(target: Target, path: Path) -> None:
    target.check(path.read_bytes())


@pytest.mark.parametrize("target", IN_MEMORY, ids=lambda target: target.name)
def test_inputs_near_the_seeds(target: Target) -> None:
    chance, seeds = random.Random(target.name), target.seeds()
    for data in chance.sample(seeds, min(6, len(seeds))):
        target.check(data)
        target.check(next_input(data, seeds, target, chance))


@pytest.mark.parametrize("text", message_targets.INPUTS.values(), ids=message_targets.INPUTS)
def test_odd_messages_do_not_end_the_server(text: str) -> None:
    message_targets.send_messages(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("number", range(4))
def test_sessions_of_bytes_are_answered_as_the_protocol_demands(number: int) -> None:
    wire_targets.hold_a_session(str(number).encode())


def test_an_answer_that_is_missing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    run = wire_targets._run
    monkeypatch.setattr(wire_targets, "_run", lambda *given: (run(*given)[0], [], ""))
    with pytest.raises(AssertionError):
        wire_targets.hold_a_session(b"1")


def test_a_respelling_that_means_something_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    script = b"INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k"
    rewrite_targets.rewrite_a_job(script)
    monkeypatch.setattr(rewrite_targets, "respelled", lambda text, _: text.replace("SUM", "MAX"))
    with pytest.raises(AssertionError, match="MAX"):
        rewrite_targets.rewrite_a_job(script)


def test_scripts_are_respelled_and_edited() -> None:
    chance = random.Random(1)
    script = "-- about\nINSERT INTO s SELECT k, SUM(a) FROM t WHERE b = 'x' GROUP BY k;\n"
    respelt = {respelled(script, chance) for _ in range(20)}
    assert len(respelt) == 20 and any("from" in text for text in respelt) and any("/*" in text for text in respelt)
    assert len({edited(script, chance) for _ in range(200)}) > 20


def test_bounds_are_found_without_a_list() -> None:
    from keepstate.plan import growth

    assert bounds()["keepstate.plan.growth.MOST_LEVELS"] == growth.MOST_LEVELS
    assert len(bounds()) > 60
    near = {size_near_a_bound(random.Random(number), 400) for number in range(3_000)}
    assert near >= {growth.MOST_LEVELS - 1, growth.MOST_LEVELS, growth.MOST_LEVELS + 1}


def test_scripts_that_are_given_are_seeds_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lines.jsonl").write_text('{"id": "1", "a": "SELECT 1", "b": "SELECT 2"}\n', "utf-8")
    (tmp_path / "job.sql").write_text("SELECT 3", "utf-8")
    for named, pair in (("lines.jsonl", ("SELECT 1", "SELECT 2")), (".", ("SELECT 3", "SELECT 3"))):
        monkeypatch.setenv(given_scripts.VARIABLE, str(tmp_path / named))
        given_scripts.given_pairs.cache_clear()
        assert given_scripts.given_pairs() == (pair,)
        assert findings.kept_in() != findings.FOLDER
    monkeypatch.undo()
    given_scripts.given_pairs.cache_clear()
    assert given_scripts.given_pairs() == ()
    assert findings.kept_in() == findings.FOLDER


@pytest.mark.parametrize("damage", [b"", bytes((40, 1, 0, 9)), bytes((8, 0, 0, 0, 22, 2, 0, 40)), bytes((3, 5, 0, 0))])
@pytest.mark.parametrize("name", ["repositories", "commands"])
def test_damaged_repositories(name: str, damage: bytes) -> None:
    target_named(name).check(damage)


def test_texts_go_into_inputs_and_come_out() -> None:
    texts = ["SELECT 'é😀'", "", "half of a pair: \ud800"]
    assert texts_of(joined(*texts), 3) == texts
    assert texts_of(b"one", 2) == ["one", "one"]
    assert text_of(b"\xff") == "\ufffd"


def test_a_failure_is_made_smaller_and_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(data: bytes) -> None:
        assert b"JOIN" not in data

    monkeypatch.setattr(findings, "FOLDER", tmp_path)
    found = Findings(Target("planted", check, lambda: [b""]))
    assert found.try_(b"SELECT 1")
    assert not found.try_(b"SELECT a FROM b\nLEFT JOIN c ON d = e\nWHERE f")
    assert not found.try_(b"SELECT JOIN")
    (kept,) = (tmp_path / "planted").iterdir()
    assert b"JOIN" in kept.read_bytes() and len(kept.read_bytes()) < 22
    assert kept.name.startswith("assertionerror-test_fuzz_targets-")


def test_chance_finds_a_planted_failure() -> None:
    words = ("SELECT", "CUBE", "JOIN")
    chance, pool = random.Random(1), [b"SELECT 1 FROM a, b GROUP BY c"]
    tried = (mutated(chance.choice(pool), pool, words, chance) for _ in range(2000))
    assert any(b"CUBE" in data and b"JOIN" in data for data in tried)
