"""Compiled methods of classes are kept: the classes behave alike, and no file there can stop a start."""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import attr._make
import attrs
import pytest

from keepstate_lsp.runtime import compiled_methods
from keepstate_lsp.runtime.compiled_methods import remembered_methods


def point() -> type[Any]:
    @attrs.define
    class Point:
        x: int
        y: int = attrs.field(default=2, validator=attrs.validators.instance_of(int))

    return Point


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The source texts that are really compiled."""
    texts: list[str] = []
    original = compile

    class Builtins:
        exec = staticmethod(exec)

        @staticmethod
        def compile(source: str, *more: Any) -> Any:
            texts.append(source)
            return original(source, *more)

    monkeypatch.setattr(compiled_methods, "builtins", Builtins)
    return texts


def test_the_second_start_compiles_nothing(tmp_path: Path, compiled: list[str]) -> None:
    with remembered_methods(tmp_path / "code", "some"):
        first = point()
    assert compiled and all("def __init__" in text or "def __" in text for text in compiled)
    compiled.clear()
    with remembered_methods(tmp_path / "code", "some"):
        second = point()
    assert compiled == []
    assert repr(second(1)) == repr(first(1)) and second(1) == second(1, 2) != second(1, 3)
    with pytest.raises(TypeError, match="'y' must be"):
        second(1, "a")
    assert "compile" not in vars(attr._make)


def place() -> type[Any]:
    @dataclass(frozen=True)
    class Place:
        x: int
        y: list[int] = field(default_factory=list)

    return Place


def test_dataclasses_too(tmp_path: Path, compiled: list[str]) -> None:
    with remembered_methods(tmp_path, "some"):
        first = place()
    assert compiled
    compiled.clear()
    with remembered_methods(tmp_path, "some"):
        second = place()
    assert compiled == []
    assert repr(second(1)) == repr(first(1)) and second(1) == second(1, []) != second(1, [2])
    assert second(1).y is not second(1).y
    with pytest.raises(FrozenInstanceError):
        second(1).x = 2
    assert "exec" not in vars(dataclasses)


def test_starts_that_need_different_classes_share_a_file(tmp_path: Path, compiled: list[str]) -> None:
    for made in (point, place):
        with remembered_methods(tmp_path, "some"):
            made()
    compiled.clear()
    for made in (point, place, point):
        with remembered_methods(tmp_path, "some"):
            made()
    assert compiled == []


def test_methods_of_former_versions_are_forgotten(tmp_path: Path, compiled: list[str]) -> None:
    sizes = []
    for number in range(12):
        with remembered_methods(tmp_path, "some"):
            dataclasses.make_dataclass("Version", [(f"field_{number:02}", int)])
        (path,) = tmp_path.iterdir()
        sizes.append(path.stat().st_size)
    assert max(sizes) <= 4.1 * sizes[0]


def test_what_changed_is_compiled_anew(tmp_path: Path, compiled: list[str]) -> None:
    with remembered_methods(tmp_path, "some"):
        point()
    compiled.clear()
    with remembered_methods(tmp_path, "some"):

        @attrs.define
        class Point:
            x: int

    assert compiled and Point(1) == Point(1)


@pytest.mark.parametrize("content", [b"", b"\x00\x01damaged", b"i\x05\x00\x00\x00", b"[]"])
def test_a_damaged_file_is_made_again(tmp_path: Path, compiled: list[str], content: bytes) -> None:
    with remembered_methods(tmp_path, "some"):
        point()
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(content)
    with remembered_methods(tmp_path, "some"):
        assert point()(1).y == 2
    assert len(path.read_bytes()) == len(whole)


def test_without_a_place_to_write_all_is_as_before(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.INFO), remembered_methods(tmp_path / "file" / "code", "some"):
        assert point()(1).y == 2
    assert "the next start cannot be made quicker" in caplog.text


def test_one_flipped_bit_is_noticed(tmp_path: Path, compiled: list[str]) -> None:
    with remembered_methods(tmp_path, "some"):
        point()
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    compiled.clear()
    with remembered_methods(tmp_path, "some"):
        assert point()(1).y == 2
    assert compiled
