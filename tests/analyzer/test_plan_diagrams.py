"""Plans as Mermaid: what the boxes say, and that no text of a script becomes a part of the diagram."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepstate import JobVersion, draw_plan, draw_plans
from keepstate.plan_view.diagram import LONGEST, MOST_BOXES, plan_diagram

TABLE = """CREATE TABLE orders (shop STRING, amount DECIMAL(12, 2), t TIMESTAMP(3),
  WATERMARK FOR t AS t - INTERVAL '5' SECOND) WITH ('connector' = 'kafka');
"""
REVENUE = TABLE + "INSERT INTO revenue SELECT shop, SUM(amount) AS total FROM orders GROUP BY shop;\n"
WINDOWS = TABLE + (
    "INSERT INTO revenue SELECT shop, SUM(amount) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(t), "
    "INTERVAL '5' MINUTES)) GROUP BY shop, window_start, window_end;\n"
)
BOX = re.compile(r'  p\d+(?:n\d+)?(?:\(\[|\[)"([^"<>]|<br/>)*"(?:\]\)|\])(?::::[a-z]+)?')
EDGE = re.compile(r"  p\d+n\d+ --> p\d+(?:n\d+)?")
STYLE = re.compile(r"  classDef [a-z]+ [a-z0-9:#, -]+")


def diagram(now: str, was: str | None = None, engine: str = "vvr") -> str:
    if was is None:
        return plan_diagram(draw_plan(JobVersion(now), engine))
    return plan_diagram(draw_plans(JobVersion(now), JobVersion(was), engine))


def box(text: str, title: str) -> list[str]:
    """The lines of the box with a title, and its class."""
    [line] = [line for line in text.splitlines() if f'"{title}<br/>' in line or f'"{title}"' in line]
    return re.split(r"<br/>", re.sub(r'^.*?\["|"\]', "", line))


@pytest.mark.parametrize(
    ("now", "was", "title", "lines"),
    [
        (WINDOWS.replace("'5' MIN", "'10' MIN"), WINDOWS, "WindowAggregate",
         ["window: size 5 minutes #8594; size 10 minutes", "incompatible: window-size-changed:::incompatible"]),
        (REVENUE.replace("GROUP BY shop", "GROUP BY shop, amount"), REVENUE, "GroupAggregate",
         ["groupBy: + amount", "incompatible: group-key-added:::incompatible"]),
        (REVENUE.replace("SUM(amount) AS total", "SUM(amount) AS total, MAX(amount) AS most"), REVENUE,
         "GroupAggregate", ["aggregates: + MAX(amount)", "partial: aggregate-added:::partial"]),
        (REVENUE + REVENUE[len(TABLE):].replace("revenue", "again"), REVENUE, "GroupAggregate",
         ["added: it starts empty"]),
        (REVENUE, REVENUE + REVENUE[len(TABLE):].replace("revenue", "again"), "GroupAggregate",
         ["removed: its state is dropped:::removed"]),
        (REVENUE, None, "GroupAggregate", ["groupBy: shop", "state: one row of accumulators per group"]),
    ],
)  # fmt: skip
def test_a_box_says_what_differs(now: str, was: str | None, title: str, lines: list[str]) -> None:
    if "again" in now and was is not None:
        now = now.replace("INSERT", "BEGIN STATEMENT SET;\nINSERT", 1) + "END;\n"
    if was is not None and "again" in was:
        was = was.replace("INSERT", "BEGIN STATEMENT SET;\nINSERT", 1) + "END;\n"
    found = box(diagram(now, was), title)
    assert set(lines) <= set(found), found


def test_nothing_is_drawn_of_plans_that_are_the_same() -> None:
    assert diagram(REVENUE, REVENUE.replace("total", "sum_of_all")) == ""
    assert diagram(TABLE) == ""


@pytest.mark.parametrize(("count", "drawn"), [(MOST_BOXES // 3, True), (MOST_BOXES // 3 + 1, False)])
def test_no_more_boxes_than_can_be_read(count: int, drawn: bool) -> None:
    # A sink, an aggregation and a source for each.
    inserts = "".join(REVENUE[len(TABLE) :].replace("revenue", f"sink{number}") for number in range(count))
    assert bool(diagram(f"{TABLE}BEGIN STATEMENT SET;\n{inserts}END;\n")) is drawn


@pytest.mark.parametrize(("less", "drawn"), [(0, True), (1, False)])
def test_no_diagram_that_mermaid_refuses(less: int, drawn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    length = len(diagram(REVENUE))
    assert length < LONGEST
    monkeypatch.setattr("keepstate.plan_view.diagram.LONGEST", length - less)
    assert bool(diagram(REVENUE)) is drawn


@pytest.mark.parametrize(
    "name",
    ['a"]; click p0 href "javascript:alert(1)', "<img src=x onerror=alert(1)>", "end", "`x`", "#quot;", "%%{init"],
)
def test_names_stay_text(name: str) -> None:
    text = diagram(f"SELECT `{name.replace('`', '``')}`, COUNT(*) FROM `{name.replace('`', '``')}` GROUP BY 1, `k`")
    _is_well_formed(text)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(words=st.text(min_size=1, max_size=30).filter(lambda text: "\0" not in text))
def test_no_literal_becomes_a_part_of_the_diagram(words: str) -> None:
    literal = words.replace("'", "''")
    _is_well_formed(diagram(f"SELECT k, COUNT(*) AS n FROM t WHERE k = '{literal}' GROUP BY k"))


def _is_well_formed(text: str) -> None:
    first, *lines = text.split("\n")[:-1] or ["flowchart TB"]
    assert first == "flowchart TB"
    for line in lines:
        assert any(form.fullmatch(line) for form in (BOX, EDGE, STYLE)), line
