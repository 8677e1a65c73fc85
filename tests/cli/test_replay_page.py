"""The page and the picture of a replay, on made-up figures."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs import JOB, PARTIAL
from keepstate.restart_effects import StateUse
from keepstate_lsp.cli.commands.replay import add_arguments
from keepstate_lsp.cli.commands.replay import replay_page as page_module
from keepstate_lsp.cli.commands.replay.command_line import command_line
from keepstate_lsp.cli.commands.replay.curves import Unit, binned, error_series, healing_steps, wrong_so_far
from keepstate_lsp.cli.commands.replay.picture import replay_picture
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_lsp.cli.commands.replay.replay_files import replay_folder
from keepstate_lsp.cli.commands.replay.replay_page import replay_page
from keepstate_spark.replay.replay_figures import RecoveryPoint
from keepstate_spark.replay.witnesses import ReplayWitness, WitnessRow
from made_replays import RESTART, both, figures, metric, replay

HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": "\" onload='alert(1)' x=\"",
    "entities": "&lt;b&gt; &amp;amp; ]]> -->",
    "formula": r"$\frac{1}{$ %s {0} \N{BULLET}",
    "steering": "a\x1b[31mred\x00\u202egnitset\u2066\r\nnext",
    "surrogate": "half \ud83d of it",
    "scripts": "日本語 עברית हिन्दी 👩‍💻",
    "color": "fill: #2b3138; stroke: #1267b1",
    "long": "a" * 3000,
    "wide": "word " * 600,
    "nothing": "",
}
NOTHING_WRONG = figures([metric(wrong=(0, 0)), metric("total", (0, 0))])


class Tags(HTMLParser):
    """All elements and attributes of a page, as a browser would take it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())


def words(made: Replay) -> str:
    return Tags(replay_page(made)).words


def pictures(page: str) -> list[ElementTree.Element]:
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    return [ElementTree.fromstring(one) for one in found]


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


# ---- what it says


def test_the_answer_stands_first_and_findings_beside_the_pictures() -> None:
    made = replay(figures([metric(), metric("total", (0, 60))]))
    page = replay_page(made)
    assert "<h1>50 % of the results are wrong (40 of 80, 5 keys), until 2026-03-02 13:00:00, 40 min after" in page
    reported = Tags(page).words
    assert "aggregate-added" in reported and "MAX(amount)" in reported
    assert "5,000 rows" in reported and "once more, as far as the source still has them" in reported
    assert page == replay_page(made), "equal numbers, equal pages"
    assert "keepstate replay orders.sql" in reported
    titles = [picture.get("aria-label") for picture in pictures(page)]
    assert sorted(map(str, titles)) == ["Error by metric", "Error over time", "Healing", "Worst keys"]
    assert size(replay_picture(made)) == (2400, 1260)


def test_of_nothing_wrong_there_is_a_sentence_and_no_picture() -> None:
    made = replay(NOTHING_WRONG)
    page = replay_page(made)
    assert "<h1>No result is wrong after this restart</h1>" in page
    assert not pictures(page) and "Every result is as expected." in page
    assert "differences.parquet" not in page
    width, height = size(replay_picture(made))
    assert width == 2400 and height < 600


def test_results_that_the_state_had_nothing_to_do_with_are_none() -> None:
    made = replay(replace(figures([metric(results=0, wrong=(0, 0))]), keys=0, curve=(), healing=()))
    assert "No result is wrong after this restart" in words(made)
    assert size(replay_picture(made))


def test_what_only_a_start_without_state_would_do_is_folded() -> None:
    page = replay_page(replay(figures([metric("total", (0, 60))]), current=JOB))
    assert "<h1>No result is wrong after this restart</h1>" in page
    before, folded = page.split("<details><summary>What a start without state would do", 1)
    assert not pictures(before) and len(pictures(folded)) == 4


@pytest.mark.parametrize(
    ("time_to_live", "expected"),
    [("", "They stay wrong: their state never starts anew."), ("2 d", "A key that rests for 2 d begins anew")],
)
def test_what_does_not_heal_says_so(time_to_live: str, expected: str) -> None:
    made = replay(figures(), heals=False, time_to_live=time_to_live)
    reported = words(made)
    assert expected in reported
    assert "after the restart: does not heal by itself" in reported
    assert "first change after the restart" in reported
    assert size(replay_picture(made))


@pytest.mark.parametrize("windowed", [True, False])
def test_windows_are_open_where_there_are_any(windowed: bool) -> None:
    assert ("that end after" in words(replay(figures(), windowed=windowed))) is windowed


def test_queries_that_were_not_replayed_say_why() -> None:
    skipped = replay("It is new: there is no state that it could lose.")
    assert "This restart changes nothing" in words(skipped) and "It is new" in words(skipped)
    refused = replay("It cannot be replayed. Nothing tells when rows come.", refused=True)
    assert "This restart cannot be replayed" in words(refused) and "Nothing tells when rows come" in words(refused)
    assert size(replay_picture(skipped)) and size(replay_picture(refused))


def test_one_point_is_a_sentence_and_not_a_curve() -> None:
    page = replay_page(replay(figures(points=1, step=timedelta(minutes=40))))
    assert "come out at 2026-03-02 13:00:00, 40 min after the restart." in page
    assert "Error over time" not in [picture.get("aria-label") for picture in pictures(page)]


def test_thousands_of_points_are_drawn_as_few() -> None:
    many = figures(points=5000, step=timedelta(seconds=7))
    page = replay_page(replay(many))
    assert len(page) < 200_000
    assert len(binned(many.healing)) <= 73
    assert all(len(series.times) <= 73 for series in error_series(many))


def test_missing_values_differ_from_null() -> None:
    found = figures(value=None)
    (row, *_) = found.worst["restarted"]
    extra = replace(row, change={"restarted": "extra", "without_state": "same"}, restarted="7")
    missing = replace(row, change={"restarted": "missing", "without_state": "differs"}, expected="8")
    page = replay_page(replay(replace(found, worst={"restarted": (row, extra, missing), "without_state": ()})))
    cells = [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r'<td class="n">(.*?)</td>', page)][-9:]
    assert cells == ["NULL", "NULL", "no result", "no result", "7", "no result", "8", "no result", "NULL"]


def test_metrics_without_numbers_have_a_share_of_wrong_results() -> None:
    text = replace(
        metric("first_item"),
        expected=None,
        error=both(None, None),
        mean_relative=both(None, None),
        largest_relative=both(None, None),
    )
    found = figures([text])
    assert [series.unit for series in error_series(found)] == [Unit.WRONG]
    reported = words(replay(found))
    assert "error, % of sum" not in reported and "wrong results, %" in reported


def test_an_error_where_nothing_is_expected_is_no_share() -> None:
    zero = replace(metric(), expected=0.0, mean_relative=both(None, None), largest_relative=both(None, None))
    assert [series.unit for series in error_series(figures([zero]))] == [Unit.ABSOLUTE]
    assert pictures(replay_page(replay(figures([zero]))))


def test_what_cannot_be_known_is_reported_from_its_best_to_its_worst() -> None:
    made = replay(figures([metric(wrong=(0, 60))]), current=JOB)
    (query,) = made.queries
    open_ = replace(made, queries=[replace(query, restart=replace(query.restart, use=StateUse.OPEN))])
    page = replay_page(open_)
    assert "<h1>1 of 1 query may give wrong results</h1>" in page
    assert "At worst, without state" in page and "<details>" not in page


def test_of_many_queries_all_are_listed_and_the_worst_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "_MOST_DRAWN", 1)
    declared, query = PARTIAL.split("INSERT INTO daily\n")
    current = declared + "".join(f"INSERT INTO daily_{number}\n{query}" for number in range(20))
    made = replay(*(figures([metric(wrong=(number, 60))], points=1) for number in range(20)), current=current)
    page = replay_page(made)
    assert "<h1>19 of 20 queries give wrong results after the restart</h1>" in page
    assert all(f'href="#q{number}"' in page and f'id="q{number}"' in page for number in range(1, 21))
    assert page.count('aria-label="Healing"') == 1
    assert 'aria-label="Healing"' in page.split('<section id="q20"')[1]
    assert size(replay_picture(made)) == (2400, 1260)


def test_many_metrics_are_folded() -> None:
    page = replay_page(replay(figures([metric(f"metric {number}") for number in range(40)], points=3)))
    assert "30 metrics more in the table below." in page
    assert "<details><summary>40 metrics</summary>" in page


def test_the_rows_of_a_witness_stand_in_their_columns() -> None:
    made = replay(figures(points=1))
    rows = (
        WitnessRow("orders", False, "", {"region": "<b>north</b>", "amount": "7"}),
        WitnessRow("orders", True, "", {"region": "<b>north</b>", "amount": None}),
    )
    witness = ReplayWitness(rows, "region = <b>north</b>", None, "largest", "7", None, generated=True)
    (query,) = made.queries
    page = replay_page(replace(made, queries=[replace(query, witness=witness)]))
    assert "Seen with 2 made-up rows alone" in page and "<b>" not in page
    assert "<tr><th>the row comes</th><th>region</th><th>amount</th></tr>" in page
    assert "largest of region = &lt;b&gt;north&lt;/b&gt; should be 7; after the restart there is none." in page
    others = replace(witness, rows=(rows[0], replace(rows[1], table="prices")))
    assert "<code>prices</code>" in replay_page(replace(made, queries=[replace(query, witness=others)]))


# ---- what it is made of


def hostile() -> Replay:
    """Untrusted texts wherever one can stand."""
    first, *others = HOSTILE.values()
    found = figures([metric(text) for text in HOSTILE.values()], points=2)
    rows = [replace(found.worst["restarted"][0], key=text, metric=text, expected=text) for text in HOSTILE.values()]
    keys = [replace(found.worst_keys["restarted"][0], key=text) for text in HOSTILE.values()]
    reported = replace(found, worst={"restarted": tuple(rows)}, worst_keys={"restarted": tuple(keys)})
    return replay(reported, file=f"{''.join(others)[:400]}.sql", command=" ".join((first, *others)))


def test_texts_from_anybody_stay_texts() -> None:
    made = hostile()
    page = replay_page(made)
    tags = Tags(page)
    assert not {"script", "img", "iframe", "object", "link", "a"} & set(tags.names)
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert page.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\u2066]", page)
    assert len(page) < 150_000
    assert len(pictures(page)) == 4
    assert "<script>alert(1)</script>" in tags.words and "fill: #2b3138; stroke: #1267b1" in tags.words
    assert size(replay_picture(made)) == (2400, 1260)


def test_names_in_sql_stay_texts() -> None:
    name = "`<img src=x onerror=alert(1)>`"
    current, baseline = (side.replace("INTO daily", f"INTO {name}") for side in (PARTIAL, JOB))
    tags = Tags(replay_page(replay(figures(), current=current, baseline=baseline)))
    assert "img" not in tags.names and "onerror=alert(1)" in tags.words


def test_the_page_needs_nothing_else() -> None:
    page = replay_page(replay(figures()))
    references = [value for name, value in Tags(page).attributes if name in ("href", "src", "xlink:href")]
    assert all(value.startswith("#") for value in references)
    assert "url(http" not in page and "@import" not in page
    assert "default-src 'none'" in page
    elements = [element for picture in pictures(page) for element in picture.iter()]
    ids = {value for element in elements if (value := element.get("id"))}
    assert ids <= set(re.findall(r'(?:url\(|href=")#([^")]+)', page)), "others would be there several times"
    styles = " ".join(element.get("style", "") for element in elements)
    assert set(re.findall(r"(?:fill|stroke): (#[0-9a-f]+)", styles)) <= {"#000000"}, "others do not follow the page"
    light, dark = page.split("prefers-color-scheme: dark", 1)
    for variable in set(re.findall(r"var\((--[a-z-]+)", page)):
        assert f"{variable}:" in light and f"{variable}:" in dark.split("}")[0]


# ---- curves


def points() -> st.SearchStrategy[list[RecoveryPoint]]:
    counts = st.tuples(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50))
    times = st.lists(st.integers(-30, 100_000), min_size=1, max_size=200, unique=True).map(sorted)
    return times.flatmap(
        lambda seconds: st.lists(counts, min_size=len(seconds), max_size=len(seconds)).map(
            lambda found: [
                RecoveryPoint(
                    RESTART + timedelta(seconds=second),
                    results,
                    {"restarted": min(first, results), "without_state": min(other, results)},
                )
                for second, (results, first, other) in zip(seconds, found, strict=True)
            ]
        )
    )


@settings(max_examples=60, deadline=None)
@given(points())
def test_a_curve_of_healing_ends_at_zero_and_one_of_harm_never_falls(found: list[RecoveryPoint]) -> None:
    together = binned(found)
    assert sum(point.results for point in together) == sum(point.results for point in found)
    steps = healing_steps(together, "restarted", RESTART)
    assert steps[0][0] == 0 and steps[-1][1] == 0
    assert [share for _, share in steps[:-2]] == [point.wrong["restarted"] / point.results for point in together]
    assert all(earlier[0] <= later[0] for earlier, later in itertools.pairwise(steps))
    total = sum(point.results for point in found)
    so_far = wrong_so_far(together, "restarted", RESTART, total)
    assert all(earlier <= later for earlier, later in itertools.pairwise(so_far))
    assert so_far[-1][1] == pytest.approx(sum(point.wrong["restarted"] for point in found) / total)


# ---- the folder, and the command


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    add_arguments(made)
    return made


def test_the_command_is_reported_without_what_is_secret(parser: argparse.ArgumentParser) -> None:
    arguments = parser.parse_args(
        [
            *("my job.sql", "--against", "origin/main", "--restart-at", "2026-03-02 12:20", "--data", "orders=rows/o"),
            *("--parameter", "db.password=hunter2", "--parameter", "table.exec.state.ttl=1 d", "--output", "out"),
            *("--spark", "spark.hadoop.fs.s3a.secret.key=hunter2", "--arrival", "orders=seen_at"),
        ]
    )
    reported = command_line(arguments)
    assert reported == (
        "keepstate replay 'my job.sql' --against origin/main --restart-at '2026-03-02 12:20' --data orders=rows/o "
        "--arrival orders=seen_at --parameter db.password=... --parameter 'table.exec.state.ttl=1 d' --output out"
    )


def test_the_folder_has_page_and_picture(tmp_path: Path) -> None:
    with replay_folder(tmp_path / "out") as folder:
        folder.write(replay(figures()))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"report.html", "report.png", "summary.json"}


def test_without_matplotlib_there_is_the_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name == "matplotlib" else find(name, package)

    monkeypatch.setattr("keepstate_lsp.cli.commands.replay.replay_files.find_spec", without)
    with replay_folder(tmp_path / "out") as folder:
        folder.write(replay(figures()))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"summary.json"}
