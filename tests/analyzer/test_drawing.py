"""The drawing of `keepstate plan`: the operators of both sides beside each other, with marked differences."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, draw_plan, draw_plans, plan_text, plans_text
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.operators import TableSourceScan, UnaryOperator
from keepstate.plan_view.drawing import Drawing, DrawnNode, DrawnOperator, DrawnPipeline, Mark
from keepstate.plan_view.drawing_rows import side_by_side, unified
from keepstate.plan_view.operator_properties import OperatorProperty, facts
from keepstate.report import Verdict
from keepstate.value_class import value_class

TABLES = """\
CREATE TABLE rides (
  city STRING, driver BIGINT, fare DECIMAL(8, 2), miles INT, ended TIMESTAMP(3),
  WATERMARK FOR ended AS ended - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE drivers (id BIGINT, name STRING, home STRING) WITH ('connector' = 'kafka');
"""
WINDOW = "TABLE(TUMBLE(TABLE rides, DESCRIPTOR(ended), INTERVAL '1' HOUR))"
HOURLY = f"SELECT city, COUNT(*), SUM(fare) FROM {WINDOW} GROUP BY city, window_start, window_end;"
BY_CITY = "SELECT city, COUNT(*) AS n FROM rides GROUP BY city;"
BEST = f"""\
SELECT city, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY n DESC) AS place FROM ({BY_CITY[:-1]}))
WHERE place <= 3;
"""


def drawn(baseline: str, current: str, baseline_tables: str = TABLES, current_tables: str = TABLES) -> Drawing:
    return draw_plans(JobVersion(current_tables + current), JobVersion(baseline_tables + baseline))


def only(drawing: Drawing) -> DrawnPipeline:
    assert len(drawing.pipelines) == 1
    return drawing.pipelines[0]


def operator_of(node: DrawnNode) -> DrawnOperator:
    operator = node.current or node.baseline
    assert operator is not None
    return operator


def outline(pipeline: DrawnPipeline) -> list[str]:
    """The operators in the order in which they are drawn, each with its sign."""
    return [f"{node.mark.value}{operator_of(node).title.text}" for node in pipeline.nodes()]


def at(pipeline: DrawnPipeline, title: str) -> DrawnNode:
    return next(node for node in pipeline.nodes() if operator_of(node).title.text == title)


def entry(operator: DrawnOperator | None, name: str) -> list[str]:
    """The items of an entry, each with its sign."""
    assert operator is not None
    found = {one.name: one for one in (*operator.facts, *operator.state)}
    return [f"{item.mark.value}{item.text}" for item in found[name].items]


class TestOneSide:
    def test_text(self) -> None:
        script = f"{TABLES}SET 'table.exec.state.ttl' = '1 d';\nINSERT INTO counts {BY_CITY}\n{HOURLY}"
        assert (
            plan_text(JobVersion(script))
            == """\
INSERT INTO counts
|  output: city, COUNT(*)
`- GroupAggregate
   |  groupBy: city
   |  aggregates: COUNT(*)
   |  state: one row of accumulators per group
   |    key: city
   |    keeps: COUNT(*): a count
   |    until it was not written to for 1 day (table.exec.state.ttl)
   |    vvr can migrate the accumulators, as long as an aggregate stays as it is; not the key
   `- TableSourceScan: rides

SELECT #1
|  output: city, COUNT(*), SUM(fare)
`- WindowAggregate
   |  groupBy: city, window_start, window_end
   |  aggregates: COUNT(*), SUM(fare)
   |  window: TUMBLE, time ended, size 1 hour
   |  state: one row of accumulators per group and open window
   |    key: city, window
   |    keeps: COUNT(*): a count
   |    keeps: SUM(fare): a sum and whether there was a value
   |    until the watermark passes the end of the window
   |    vvr can migrate the accumulators, as long as an aggregate stays as it is; not the key and window
   `- WindowTableFunction
      |  window: TUMBLE, time ended, size 1 hour
      `- TableSourceScan: rides"""
        )

    def test_nothing_is_marked_and_nothing_judged(self) -> None:
        drawing = draw_plan(JobVersion(TABLES + BEST))
        pipeline = only(drawing)
        assert not drawing.compared
        assert (drawing.verdict, pipeline.verdict, pipeline.mark) == (None, None, Mark.SAME)
        assert outline(pipeline) == [" Rank", " GroupAggregate", " TableSourceScan"]

    def test_columns_of_several_tables_are_distinguished(self) -> None:
        pipeline = only(draw_plan(JobVersion(TABLES + "SELECT name FROM rides JOIN drivers ON driver = id;")))
        assert entry(at(pipeline, "Join").current, "on") == [" drivers.id = rides.driver"]

    @pytest.mark.parametrize(
        ("join", "unread"),
        [
            ("rides LEFT JOIN names ON driver = id", "right"),
            ("names RIGHT JOIN rides ON driver = id", "left"),
            ("rides LEFT JOIN (SELECT id FROM drivers GROUP BY id) AS d ON driver = id", "right"),
        ],
    )
    def test_a_join_that_flink_removes_says_so_by_its_version(self, join: str, unread: str) -> None:
        names = "CREATE TABLE names (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
        text = f"{TABLES}{names}SELECT city, COUNT(city) FROM {join} GROUP BY city;"
        drawn_by = {each: draw_plan(JobVersion(text, engine_version=each), "flink") for each in ("2.1", "2.2", "2.3")}
        joins = {each: at(only(drawing), "Join").current for each, drawing in drawn_by.items()}
        reason = f" nothing reads the {unread} input, so Flink plans no join"
        assert [entry(joins[each], "removed") for each in ("2.2", "2.3")] == [[reason]] * 2
        assert (
            joins["2.1"] is not None and joins["2.1"].state and all(one.name != "removed" for one in joins["2.1"].facts)
        )
        assert joins["2.3"] is not None and not joins["2.3"].state

    def test_an_operator_of_any_kind_shows_what_it_holds(self) -> None:
        @value_class(frozen=True)
        class Detail:
            most: int
            by: Expr

        @value_class(frozen=True)
        class Novel(UnaryOperator):
            cut_off: Detail
            left_keys: tuple[Expr, ...]
            switched: bool = True
            empty: tuple[Expr, ...] = ()

        city = Column("rides", "city")
        assert list(facts(Novel(TableSourceScan("rides"), Detail(3, city), (city,)), None)) == [
            OperatorProperty("cutOff", (Detail(3, city),)),
            OperatorProperty("leftKeys", (city,)),
            OperatorProperty("switched", (True,)),
        ]


class TestCounterparts:
    def test_a_new_filter_stands_alone(self) -> None:
        filtered = HOURLY.replace("TABLE rides", "TABLE (SELECT * FROM rides WHERE miles > 3)")
        assert outline(only(drawn(HOURLY, filtered))) == [
            " WindowAggregate",
            " WindowTableFunction",
            "+Calc",
            " TableSourceScan",
        ]
        assert "-Calc" in outline(only(drawn(filtered, HOURLY)))

    def test_a_changed_filter_is_one_operator(self) -> None:
        pipeline = only(drawn("SELECT city FROM rides WHERE miles > 3", "SELECT city FROM rides WHERE miles > 4"))
        assert outline(pipeline) == ["~Calc", " TableSourceScan"]
        calc = at(pipeline, "Calc")
        assert (entry(calc.baseline, "where"), entry(calc.current, "where")) == (["~miles > 3"], ["~miles > 4"])

    def test_an_operator_on_top_leaves_those_below_beside_each_other(self) -> None:
        assert outline(only(drawn(BY_CITY, BEST))) == ["+Rank", " GroupAggregate", " TableSourceScan"]
        assert outline(only(drawn(BEST, BY_CITY))) == ["-Rank", " GroupAggregate", " TableSourceScan"]

    def test_swapped_inputs_of_a_join(self) -> None:
        pipeline = only(
            drawn(
                "SELECT name FROM rides JOIN drivers ON driver = id;",
                "SELECT name FROM drivers JOIN rides ON driver = id;",
            )
        )
        assert [entry(node.current, "table") for node in pipeline.nodes() if not node.inputs] == [
            [" drivers"],
            [" rides"],
        ]

    def test_an_input_more_of_a_union(self) -> None:
        union = "SELECT city, COUNT(*) FROM (SELECT city FROM rides UNION ALL SELECT name FROM drivers{}) GROUP BY city"
        pipeline = only(drawn(union.format(""), union.format(" UNION ALL SELECT home FROM drivers")))
        assert outline(pipeline)[:2] == [" GroupAggregate", "~Union"]
        assert sorted(outline(pipeline)[2:]) == [" TableSourceScan", " TableSourceScan", "+TableSourceScan"]
        # What the union gives is said alike on both sides, for it is one column still.
        rows = [row for row in side_by_side(pipeline) if row.current is not None and "groupBy" in row.current.text]
        assert [(row.baseline and row.baseline.text, row.mark) for row in rows] == [(rows[0].current.text, Mark.SAME)]

    def test_one_table_twice(self) -> None:
        twice = "SELECT a.city FROM rides a JOIN rides b ON a.driver = b.driver WHERE a.miles > {}"
        pipeline = only(drawn(twice.format(3), twice.format(4)))
        assert outline(pipeline).count(" TableSourceScan") == 2

    def test_constant_rows(self) -> None:
        assert drawn("SELECT 1", "SELECT 1 AS one").same
        pipeline = only(drawn("SELECT a FROM (VALUES (1), (2)) AS v (a)", "SELECT a FROM (VALUES (1), (3)) AS v (a)"))
        assert outline(pipeline) == ["~Values"]

    def test_a_view_that_is_read_twice(self) -> None:
        view = "CREATE VIEW c AS SELECT city, COUNT(*) AS n FROM rides {}GROUP BY city; "
        twice = view + "SELECT a.n FROM c a JOIN c b ON a.city = b.city"
        pipeline = only(drawn(twice.format(""), twice.format("WHERE miles > 3 ")))
        assert outline(pipeline)[1:] == [" GroupAggregate", "+Calc", " TableSourceScan"] * 2

    @pytest.mark.parametrize(("baseline", "current"), [(BY_CITY, BEST), (BEST, HOURLY), (HOURLY, BY_CITY)])
    def test_the_other_way_round_is_the_mirror_image(self, baseline: str, current: str) -> None:
        there, back = only(drawn(baseline, current)), only(drawn(current, baseline))
        swapped = {Mark.ADDED: Mark.REMOVED, Mark.REMOVED: Mark.ADDED}
        pairs = [(_title(node.baseline), _title(node.current), node.mark) for node in there.nodes()]
        assert sorted(
            ((node.mark, _title(node.current), _title(node.baseline)) for node in back.nodes()), key=repr
        ) == (sorted(((swapped.get(mark, mark), was, now) for was, now, mark in pairs), key=repr))


def _title(operator: DrawnOperator | None) -> str:
    return operator.title.text if operator is not None else ""


class TestDifferences:
    def test_items_of_a_list(self) -> None:
        pipeline = only(drawn(HOURLY, HOURLY.replace("SUM(fare)", "SUM(fare), MAX(fare)")))
        aggregate = at(pipeline, "WindowAggregate")
        assert aggregate.mark is Mark.CHANGED
        assert entry(aggregate.baseline, "aggregates") == [" COUNT(*)", " SUM(fare)"]
        assert entry(aggregate.current, "aggregates") == [" COUNT(*)", " SUM(fare)", "+MAX(fare)"]
        assert entry(aggregate.current, "keeps")[-1] == "+MAX(fare): the largest value so far"
        assert at(pipeline, "WindowTableFunction").mark is Mark.SAME

    def test_what_has_moved(self) -> None:
        pipeline = only(drawn(HOURLY, HOURLY.replace("COUNT(*), SUM(fare)", "SUM(fare), COUNT(*)")))
        aggregates = entry(at(pipeline, "WindowAggregate").current, "aggregates")
        assert sorted(item[0] for item in aggregates) == [" ", "~"]

    def test_what_reads_alike_is_distinguished(self) -> None:
        wider = TABLES.replace("fare DECIMAL(8, 2)", "fare DECIMAL(9, 2)")
        aggregate = at(only(drawn(HOURLY, HOURLY, current_tables=wider)), "WindowAggregate")
        ours, theirs = entry(aggregate.baseline, "aggregates"), entry(aggregate.current, "aggregates")
        assert ours[0] == theirs[0] == " COUNT(*)"
        assert ours[1].startswith("~SUM(rides.fare DECIMAL(8") and theirs[1].startswith("~SUM(rides.fare DECIMAL(9")

    def test_a_renamed_source_differs_where_it_is_read(self) -> None:
        renamed = TABLES.replace("TABLE rides", "TABLE trips")
        drawing = drawn(HOURLY, HOURLY.replace("rides", "trips"), current_tables=renamed)
        pipeline = only(drawing)
        assert outline(pipeline) == [" WindowAggregate", " WindowTableFunction", "~TableSourceScan"]
        scan = at(pipeline, "TableSourceScan")
        assert (entry(scan.baseline, "table"), entry(scan.current, "table")) == (["~rides"], ["~trips"])
        assert [rule.id for rule in scan.rules] == ["source-renamed"]
        assert (drawing.rules, pipeline.verdict) == ((), Verdict.INCOMPATIBLE)

    def test_the_life_of_the_state(self) -> None:
        pipeline = only(drawn(BY_CITY, f"SET 'table.exec.state.ttl' = '2 h';\n{BY_CITY}"))
        aggregate = at(pipeline, "GroupAggregate")
        assert (pipeline.mark, aggregate.mark) == (Mark.CHANGED, Mark.CHANGED)
        assert entry(aggregate.current, "until") == ["~it was not written to for 2 hours (table.exec.state.ttl)"]

    @pytest.mark.parametrize(
        "current",
        [
            HOURLY,
            HOURLY.lower().replace("rides, descriptor", "rides, DESCRIPTOR"),
            HOURLY.replace("SELECT city, COUNT(*), SUM(fare)", "SELECT city AS town, COUNT(1) AS n, SUM(fare)"),
            HOURLY.replace("TABLE rides", "TABLE (SELECT * FROM rides)"),
        ],
    )
    def test_another_spelling_is_the_same_plan(self, current: str) -> None:
        drawing = drawn(HOURLY, current)
        assert drawing.same
        assert {row.mark for row in unified(only(drawing))} == {Mark.SAME}

    def test_pipelines_of_one_side(self) -> None:
        kept = "INSERT INTO c SELECT home FROM drivers;"
        drawing = drawn(f"{kept} INSERT INTO a {BY_CITY}", f"{kept} INSERT INTO b SELECT name, home FROM drivers;")
        assert [(pipeline.name, pipeline.mark) for pipeline in drawing.pipelines] == [
            ("INSERT INTO c", Mark.SAME),
            ("INSERT INTO b", Mark.ADDED),
            ("INSERT INTO a", Mark.REMOVED),
        ]
        for pipeline in drawing.pipelines[1:]:
            assert {line[0] for line in outline(pipeline)} == {pipeline.mark.value}
        assert not drawing.same

    def test_what_cannot_be_read_is_named(self) -> None:
        drawing = drawn(BY_CITY, BY_CITY + "{{ query }};")
        assert len(drawing.problems) == 1 and drawing.baseline_problems == ()
        assert [rule.id for rule in drawing.rules] == ["statement-not-read"]

    def test_what_flink_refuses_is_named_and_brings_no_finding(self) -> None:
        drawing = drawn(BY_CITY, BY_CITY + "SELECT FROM;")
        assert len(drawing.problems) == 1 and drawing.baseline_problems == ()
        assert (drawing.rules, drawing.verdict) == ((), Verdict.UNKNOWN)


class TestTwoColumns:
    def test_what_differs_has_a_sign_between_the_columns(self) -> None:
        now = TABLES + BY_CITY.replace("COUNT(*) AS n", "'驾驶' AS of, COUNT(*) AS n, SUM(fare)")
        was = TABLES + BY_CITY.replace("COUNT(*) AS n", "'驾驶' AS of, COUNT(*) AS n")
        head, titles, *lines, last = plans_text(JobVersion(now), JobVersion(was), titles=("then", "now")).splitlines()
        assert head == "SELECT #1: partial"
        gutter = titles.index("now")
        assert titles == f"{'then':<{gutter}}now"
        marked = [line.split("~ ")[1].strip() for line in lines if " ~ " in line]
        assert "output" in marked[0] and marked[-1] == "|  aggregates: COUNT(*), SUM(fare)"
        assert any(line.strip(" |").startswith("+ ") and "keeps: SUM(fare)" in line for line in lines)
        # A wide character takes two columns, so the other side begins one character earlier for each.
        output = next(line for line in lines if "'驾驶'" in line)
        assert output[gutter - 4 - 2 :].startswith(" ~  |")
        assert last.startswith("~ is changed")

    def test_no_line_is_too_wide_for_two(self) -> None:
        many = ", ".join(f"SUM(fare * {number})" for number in range(2, 30))
        text = plans_text(JobVersion(TABLES + BY_CITY.replace("COUNT(*) AS n", many)), JobVersion(TABLES + BY_CITY))
        assert max(map(len, text.splitlines())) <= 2 * 80
        assert all(f"fare * {number})" in " ".join(text.split()) for number in range(2, 30))

    def test_one_side_or_the_same_is_drawn_once(self) -> None:
        text = plans_text(JobVersion(TABLES + BY_CITY + HOURLY), JobVersion(TABLES + BY_CITY))
        assert "SELECT #1: compatible, the same plan on both sides\n|  output" in text
        assert ", in the current version only\n|  pipeline-added: incompatible\n|  output: city" in text


class TestMigration:
    def test_accumulators_but_neither_keys_nor_windows(self) -> None:
        aggregate = at(only(draw_plan(JobVersion(TABLES + HOURLY))), "WindowAggregate").current
        assert aggregate is not None
        parts = {entry.name: [item.migratable for item in entry.items] for entry in aggregate.state}
        assert (parts["key"], parts["keeps"]) == ([False, False], [True, True])

    def test_distinct_and_foreign_accumulators(self) -> None:
        query = "SELECT city, COUNT(DISTINCT driver), MINE(fare), MAX(fare) FROM rides GROUP BY city;"
        aggregate = at(only(draw_plan(JobVersion(TABLES + query))), "GroupAggregate").current
        assert aggregate is not None
        kept = next(entry.items for entry in aggregate.state if entry.name == "keeps")
        assert [item.migratable for item in kept] == [False, None, True]

    def test_results_that_an_operator_above_stores(self) -> None:
        top = f"""\
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS place
  FROM (SELECT city, COUNT(*) AS n, window_start, window_end FROM {WINDOW} GROUP BY city, window_start, window_end))
WHERE place <= 3;"""
        aggregate = at(only(draw_plan(JobVersion(TABLES + top))), "WindowAggregate").current
        assert entry(aggregate, "migration") == [
            " vvr cannot migrate the key, window and accumulators (WindowRank above stores the results)"
        ]


# --------------------------------------------------------------------------------- over all examples of the rule pages
