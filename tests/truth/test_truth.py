"""The measured sets can be read, hold what their pages say, and are no older than those of a folder beside."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sized
from pathlib import Path

import pytest

import truth
from truth_copies import LARGEST_PLAIN, ORIGINS, bring, differing

BESIDE = Path(__file__).parents[3] / "shared"
"""Folder of a newer version of the sets: beside the repository. A clone elsewhere has none."""


@pytest.mark.parametrize(
    ("read", "size"),
    [
        (truth.spec_cases, 315),
        (truth.documents, 155),
        (lambda: truth.restores("pairs"), 176),
        (lambda: truth.restores("pairs-2"), 186),
        (truth.programs, 1597),
        (truth.reserved_words, 164),
        (truth.planned_pairs, 2826),
        (truth.sampled_restores, 75),
        (lambda: truth.golden_queries(truth.GOLDEN), 35),
        (lambda: truth.golden_queries(truth.QUERIES), 94),
    ],
    ids=[
        "spec_cases",
        "documents",
        "pairs",
        "pairs-2",
        "programs",
        "reserved_words",
        "planned_pairs",
        "sampled_restores",
        "golden",
        "queries",
    ],
)
def test_a_set_is_read_completely(read: Callable[[], Sized], size: int) -> None:
    assert len(read()) == size


def test_ids_name_one_record() -> None:
    for records in (
        (*truth.spec_cases(), *truth.documents()),
        (*truth.restores("pairs"), *truth.restores("pairs-2")),
        truth.programs(),
        truth.planned_pairs(),
        truth.sampled_restores(),
    ):
        assert len({record.id for record in records}) == len(records)


def test_a_field_that_no_record_has_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "sort": 1, "measured": {}}\n', "utf-8")
    monkeypatch.setattr(truth, "RESTORES", tmp_path)
    truth.restores.cache_clear()
    try:
        with pytest.raises(TypeError, match="sort"):
            truth.restores("pairs")
    finally:
        truth.restores.cache_clear()


def test_the_folder_beside_has_no_newer_set() -> None:
    if not any((BESIDE / origin).is_dir() for origin in ORIGINS.values()):
        pytest.skip("no folder beside the repository has sets of its own to compare with")
    newer = differing(BESIDE)
    assert not newer, f"{BESIDE} has another version of these sets: python tests/truth/truth_copies.py {BESIDE}"


def _laid_out(folder: Path) -> Path:
    """Two small sets as they come."""
    (folder / "flink-truth").mkdir(parents=True)
    (folder / "flink-truth" / "README.md").write_text("words\n", "utf-8")
    (folder / "flink-truth" / "pairs.jsonl").write_text('{"id": "a"}\n', "utf-8")
    (folder / "golden" / "queries").mkdir(parents=True)
    (folder / "golden" / "queries" / "a.sql").write_text("SELECT 1", "utf-8")
    return folder


def test_what_is_brought_differs_no_more(tmp_path: Path) -> None:
    origin, here = _laid_out(tmp_path / "origin"), tmp_path / "here"
    here.mkdir()
    names = ["flink-truth/pairs.jsonl", "golden/queries/a.sql"]
    assert bring(origin, here) == differing(origin, tmp_path / "empty") == names
    assert differing(origin, here) == []
    assert sorted(path.relative_to(here).as_posix() for path in here.rglob("*.*")) == [
        "golden/queries/a.sql",
        "restores/pairs.jsonl",
    ]


def test_a_longer_version_is_packed_and_what_went_goes(tmp_path: Path) -> None:
    origin, here = _laid_out(tmp_path / "origin"), tmp_path / "here"
    bring(origin, here)
    line = '{"id": "' + "a" * LARGEST_PLAIN + '"}\n'
    (origin / "flink-truth" / "pairs.jsonl").write_text(line, "utf-8")
    (origin / "golden" / "queries" / "a.sql").unlink()
    assert bring(origin, here) == ["flink-truth/pairs.jsonl", "golden/queries/a.sql"]
    (packed,) = (path for path in here.rglob("*") if path.is_file())
    assert packed == here / "restores" / "pairs.jsonl.gz"
    assert truth.content_of(packed.with_suffix("")) == line.encode()
    assert differing(origin, here) == []
    before = packed.read_bytes()
    packed.unlink()
    assert bring(origin, here) == ["flink-truth/pairs.jsonl"]
    assert packed.read_bytes() == before


def test_a_set_that_the_other_folder_lacks_is_not_compared(tmp_path: Path) -> None:
    origin, here = _laid_out(tmp_path / "origin"), tmp_path / "here"
    bring(origin, here)
    shutil.rmtree(origin / "golden")
    assert differing(origin, here) == []
    assert differing(tmp_path / "elsewhere", here) == []
