"""Paths of the files that a fix makes beside another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate.reporting.new_names import name_beside
from keepstate_lsp.reporting.new_files import free_path_beside


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("shop.sql", "shop_n.sql"),
        ("shop.flink.sql", "shop_n.flink.sql"),
        ("Shop.FQL", "Shop_n.FQL"),
        ("v1.2 shop.sql", "v1.2 shop_n.sql"),
        ("shop", "shop_n"),
        (".sql", ".sql_n"),
    ],
)
def test_in_front_of_the_ending(name: str, made: str) -> None:
    assert name_beside(name, "_n") == made


def test_nothing_that_lies_there_is_taken(tmp_path: Path) -> None:
    for name in ("a.sql", "a_n.sql", "a_n_2.sql"):
        (tmp_path / name).touch()
    assert free_path_beside(tmp_path / "a.sql", "_n") == tmp_path / "a_n_3.sql"
