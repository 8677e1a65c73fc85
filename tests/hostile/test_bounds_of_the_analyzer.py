"""The bounds of the analyzer, each on both sides: past a bound an answer may be missing, but none is milder.

A bound is set so low that ordinary jobs are past it: those on the pages of the rules, which are of every kind. Some
bounds are met with jobs made for them, at their real size.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module

import pytest

import keepstate
from keepstate import JobVersion
from keepstate.report import Report, Verdict
from night import by_night
from rule_pages import Example, all_examples

SAME = {
    # Module and name of the bound, and a value that ordinary jobs are past: the answer is the same to the letter.
    "keepstate.syntax.splitting.resplitting._WORTH_IT": 1,
    "keepstate.syntax.memo._REMEMBERED": 1,
    "keepstate.syntax.memo._GROUPS": 1,
    "keepstate.syntax.memo._LARGEST_SHARED": 0,
}
HONEST = {
    # The answer may be "unknown".
    "keepstate.syntax.statement.LARGEST_STATEMENT": 40,
    "keepstate.syntax.grammar.token_cursor.MAX_DEPTH": 4,
    "keepstate.plan.growth.MOST_OPERATORS": 2,
    "keepstate.plan.growth.MOST_TERMS": 2,
    "keepstate.diff.text_alignment._FEW_PAIRS": 0,
    "keepstate.diff.operator_pairing._MOST_PAIRINGS": 0,
    "keepstate.diff.operator_pairing._MOST_FORESTS": 0,
    "keepstate.comparison._SUBSETS_TRIED": 1,
    "keepstate.comparison._FINDINGS_LOOKED_AT": 0,
}
EVERY = by_night(7, 21)
"""One example of so many: enough that each bound is met."""


@cache
def examples() -> tuple[Example, ...]:
    return tuple(all_examples())[::EVERY]


def forget() -> None:
    """Let go of all that is known of any text: the next check is made under the bounds of then."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "keepstate":
            for value in vars(module).values():
                if hasattr(value, "cache_clear") and getattr(value, "__module__", "").startswith("keepstate"):
                    value.cache_clear()
    gc.collect()


def checked(example: Example) -> Report:
    versions = example.current, example.baseline
    return keepstate.with_revert(*versions, keepstate.check(*versions, example.profile), example.profile)


@pytest.fixture(scope="module")
def usual() -> dict[str, Report]:
    """The answers under the bounds that there are."""
    return {example.name: checked(example) for example in examples()}


class Low(int):
    """A bound that knows whether anything was past it."""

    met = False

    def _is(self, past: bool) -> None:
        Low.met = Low.met or past

    def __lt__(self, other: int) -> bool:
        self._is(answer := int(self) < other)
        return answer

    def __le__(self, other: int) -> bool:
        self._is(answer := int(self) <= other)
        return answer

    def __gt__(self, other: int) -> bool:
        self._is(not (answer := int(self) > other))
        return answer

    def __ge__(self, other: int) -> bool:
        self._is(not (answer := int(self) >= other))
        return answer

    def __floordiv__(self, other: int) -> int:
        self._is(True)
        return int(self) // other

    __hash__ = int.__hash__


@pytest.fixture
def low(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bound, as low as it is in the table."""
    module, _, name = request.param.rpartition(".")
    value = {**SAME, **HONEST}[request.param]
    assert getattr(import_module(module), name) > value
    monkeypatch.setattr(f"{module}.{name}", Low(value))
    Low.met = False
    forget()
    yield request.param
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize("low", SAME, indirect=True)
def test_past_some_bounds_nothing_is_different(low: str, usual: dict[str, Report]) -> None:
    for example in examples():
        assert checked(example) == usual[example.name], example.name
    assert Low.met, "no job is past it"


@pytest.mark.parametrize("head", [0, 4, 1_000_000])
def test_how_much_is_looked_at_first_changes_nothing(head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [version.text for example in examples() for version in (example.baseline, example.current)]
    usual = [keepstate.looks_like_flink(text) for text in texts]
    monkeypatch.setattr("keepstate.recognition._HEAD", head)
    assert [keepstate.looks_like_flink(text) for text in texts] == usual


@pytest.mark.parametrize("low", HONEST, indirect=True)
def test_past_a_bound_no_answer_is_milder(low: str, usual: dict[str, Report]) -> None:
    for example in examples():
        report, before = checked(example), usual[example.name]
        if report.problems:
            # Whatever it says: what has a problem is not compared.
            continue
        accepted = (before.verdict, Verdict.UNKNOWN)
        assert report.verdict in accepted or report.verdict.rank > before.verdict.rank, example.name
        assert before.unchanged or not report.unchanged, example.name
    # What is taken from many by `islice` is past it where the answer is another one.
    assert Low.met or any(checked(example) != usual[example.name] for example in examples()), "no job is past it"


@pytest.mark.parametrize("low", [*SAME, *HONEST], indirect=True)
def test_past_a_bound_a_job_is_still_like_itself(low: str) -> None:
    for example in examples():
        for version in (example.baseline, example.current):
            report = keepstate.check(version, replace(version))
            assert report.verdict is Verdict.COMPATIBLE and report.findings == (), example.name


@pytest.mark.parametrize("low", [*SAME, *HONEST], indirect=True)
def test_past_a_bound_fixes_keep_their_promise(low: str) -> None:
    for example in examples()[::2]:
        report = checked(example)
        for index in range(len(report.findings)):
            for fix in keepstate.fixes(example.current, example.baseline, index, example.profile):
                text = keepstate.text.apply_edits(example.current.text, fix.edits)
                edited = replace(example.current, text=text)
                assert keepstate.check(edited, example.baseline, example.profile).verdict is fix.verdict_after


# ---- at their real size: one less, as many, one more


def insert(number: int, columns: str = "a, SUM(b)") -> str:
    return f"INSERT INTO s{number} SELECT {columns} FROM t{number} GROUP BY a;\n"


def verdict(now: str, was: str, engine: str = "vvr") -> str:
    report = keepstate.check(JobVersion(now), JobVersion(was), engine)
    return "unread" if report.problems else report.verdict.value


def levels(number: int) -> str:
    """Brackets so deep that the expression in them is at that level."""
    return f"INSERT INTO s SELECT a, SUM({'(' * number}b{')' * number}) FROM t GROUP BY a"


def test_levels() -> None:
    from keepstate.syntax.grammar.token_cursor import MAX_DEPTH

    read = [not keepstate.parse_script(levels(number)).problems for number in range(MAX_DEPTH + 3)]
    deepest = read.index(False) - 1
    # What stands around the brackets has levels of its own.
    assert MAX_DEPTH - 5 <= deepest <= MAX_DEPTH and not any(read[deepest + 1 :])
    for number in range(deepest - 1, deepest + 2):
        text = levels(number)
        assert verdict(text, text) in ("compatible", "unread")
        assert verdict(text.replace("SUM", "MAX"), text) == ("incompatible" if number <= deepest else "unread")


def test_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    from keepstate.plan import growth

    # So many inputs of one union take half a minute.
    most = by_night(growth.MOST_OPERATORS, 200)
    monkeypatch.setattr(growth, "MOST_OPERATORS", most)

    def unions(number: int, function: str) -> str:
        branches = " UNION ALL ".join(["SELECT a, b FROM t"] * number)
        return f"INSERT INTO s SELECT a, {function}(b) FROM ({branches}) GROUP BY a"

    # A union and its branches, each a source.
    answers = {
        number: verdict(unions(number, "MAX"), unions(number, "SUM")) for number in (most // 4, most - 10, most + 10)
    }
    assert list(answers.values()) == ["incompatible", "incompatible", "unknown"]


def test_terms() -> None:
    from keepstate.plan.growth import MOST_TERMS

    def doubled(number: int, function: str) -> str:
        """A column of about two to the power of ``number`` terms, by views that each read the one before it twice."""
        views = "".join(f"CREATE VIEW v{n + 1} AS SELECT a, b + b AS b FROM v{n};\n" for n in range(number))
        query = f"INSERT INTO s SELECT a, {function}(b) FROM v{number} GROUP BY a"
        return f"CREATE VIEW v0 AS SELECT a, b FROM t;\n{views}{query}"

    most = MOST_TERMS.bit_length() - 1
    for number in (most - 2, most, most + 1):
        found = verdict(doubled(number, "MAX"), doubled(number, "SUM"))
        assert found == ("incompatible" if number < most - 1 else "unknown")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_tokens_that_are_none(more: int) -> None:
    from keepstate.syntax.tokens import _ENOUGH_BAD

    was = insert(0) + "\x01" * (_ENOUGH_BAD + more) + ";\n" + insert(1)
    for now in (was, was.replace("SUM(b) FROM t1", "MAX(b) FROM t1")):
        report = keepstate.check(JobVersion(now), JobVersion(was))
        assert report.refusals and report.baseline_refusals
        assert report.verdict is (Verdict.UNKNOWN if now == was else Verdict.INCOMPATIBLE)
        assert not report.unchanged


@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_many_queries(more: int) -> None:
    from keepstate.diff.pipeline_pairing import _MOST_COMPARED

    number = _MOST_COMPARED + more
    was = "".join(insert(n) for n in range(number))
    assert verdict("".join(insert(n) for n in reversed(range(number))), was) == "compatible"
    changed = "".join(insert(n, "a, MAX(b)" if n == number // 2 else "a, SUM(b)") for n in range(number))
    report = keepstate.check(JobVersion(changed), JobVersion(was))
    assert [finding.pipeline for finding in report.findings] == [f"INSERT INTO s{number // 2}"]
    # All of them renamed: each finds its own again by what it reads.
    renamed = was.replace("INSERT INTO s", "INSERT INTO r")
    assert verdict(renamed.replace("SUM(b) FROM t3 ", "MAX(b) FROM t3 "), was) in ("incompatible", "unknown")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_inputs_of_a_union_and_joins(more: int) -> None:
    from keepstate.diff.operator_pairing import _MOST_NODES, _MOST_PAIRINGS

    def unions(number: int, table: str) -> str:
        branches = " UNION ALL ".join(f"SELECT a, b FROM {table}{n}" for n in range(number))
        return f"INSERT INTO s SELECT a, SUM(b) FROM ({branches}) GROUP BY a"

    for number in (int(_MOST_PAIRINGS**0.5) + more, _MOST_NODES // 2 + more):
        was = unions(number, "t")
        assert verdict(was, was) == "compatible"
        assert verdict(was.replace("SUM", "MAX"), was) == "incompatible"
        assert verdict(unions(number, "u"), was) != "compatible"


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_pieces_of_a_template(more: int) -> None:
    from keepstate.diff.statements.templates import _FEW_PAIRS

    size = int(_FEW_PAIRS**0.5) + more
    was = f"INSERT INTO s SELECT a, SUM(b) FROM t WHERE c = '${{x}}{'y' * size}' GROUP BY a"
    now = was.replace("${x}y", "${x}z")
    assert verdict(was, was) == "compatible"
    assert verdict(now, was) in ("unknown", "incompatible", "partial")
    assert verdict(now.replace("SUM", "MAX"), was) in ("unknown", "incompatible")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_findings_of_which_the_fewest_are_looked_for(more: int) -> None:
    from keepstate.comparison import _SUBSETS_TRIED

    # So many optional findings that all sets of them are as many as are tried, or more.
    number = _SUBSETS_TRIED.bit_length() - 1 + more
    was = "".join(insert(n) for n in range(number))
    now = "".join(insert(n, "a, SUM(b), COUNT(*)") for n in range(number))
    versions = JobVersion(now), JobVersion(was)
    report = keepstate.with_revert(*versions, keepstate.check(*versions))
    assert len(report.findings) == number
    assert report.revert_to_be_compatible == tuple(range(number))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_parts_of_a_state_that_are_shown(more: int) -> None:
    from keepstate.explain.state_outcome import _MOST_PARTS

    number = _MOST_PARTS + more
    columns = ", ".join(f"SUM(b{n})" for n in range(number - 1))
    was = f"INSERT INTO s SELECT a, {columns} FROM t GROUP BY a"
    fate = keepstate.state_outcome(JobVersion(was.replace("SUM(b0)", "MAX(b0)")), JobVersion(was), 0)
    assert fate is not None
    assert len(fate.parts) == min(len(fate.parts) + fate.left_out, _MOST_PARTS)
    assert (fate.left_out > 0) == (len(fate.parts) == _MOST_PARTS and number >= _MOST_PARTS)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_inputs_of_a_drawn_union(more: int) -> None:
    from keepstate.plan_view.tree_alignment import _MOST_PAIRS

    number = int(_MOST_PAIRS**0.5) + more
    branches = " UNION ALL ".join(f"SELECT a, b FROM t{n}" for n in range(number))
    was = f"INSERT INTO s SELECT a, SUM(b) FROM ({branches}) GROUP BY a"
    drawn = keepstate.plans_text(JobVersion(was.replace("t3", "u3")), JobVersion(was), "vvr", ("was", "now"))
    assert all(f"t{n}" in drawn for n in range(number) if n != 3) and "u3" in drawn


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("what", ["hole", "template", "token"])
def test_words_of_a_message_that_are_shortened(what: str, more: int) -> None:
    from keepstate.diff.statements.templates import _LONGEST_PLACEHOLDER, _SHOWN
    from keepstate.syntax.grammar.token_cursor import _FOUND

    bound = {"hole": _LONGEST_PLACEHOLDER, "template": _SHOWN, "token": _FOUND}[what]
    name = "x" * (bound + more - (4 if what == "hole" else 0))
    was = {
        "hole": f"INSERT INTO s SELECT a, SUM({{{{{name}}}}}) FROM t GROUP BY a",
        "template": f"INSERT INTO s SELECT a, SUM(${{{name}}}) FROM t GROUP BY a",
        "token": f"INSERT INTO s SELECT a FROM t GROUP {name}",
    }[what]
    for now in (was, was.replace("xx", "yx", 1), was.replace("SUM", "MAX")):
        report = keepstate.check(JobVersion(now), JobVersion(was))
        words = [said.message for said in (*report.problems, *report.findings, *report.refusals)]
        assert all("x" * (bound + 2) not in word for word in words)
        # A text that is refused is judged by its statements that are valid: here there are none.
        assert report.unchanged == (now == was and not report.refusals)
        assert (what == "token") == bool(report.refusals)


CHAIN = "CREATE TABLE v0 (a INT);\n" + "".join(f"CREATE VIEW v{n} AS SELECT * FROM v{n - 1};\n" for n in range(1, 5))
NESTED = "SELECT 1 FROM v0 AS x WHERE EXISTS (SELECT {} FROM v0 AS y WHERE y.a = 1)"


def proposed(query: str) -> list[str]:
    text = CHAIN + query
    return [each.label for each in keepstate.Draft().complete(text.replace("{}", ""), text.index("{}")).proposals]


@pytest.mark.parametrize(("bound", "known"), [(5, True), (2, False)])
def test_columns_through_many_views_are_known_or_missing(
    bound: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepstate.completion.script_declarations._DEEPEST", bound)
    assert proposed("SELECT v4.{} FROM v4") == (["a"] if known else [])
    assert proposed("SELECT v1.{} FROM v1") == ["a"]


@pytest.mark.parametrize(("bound", "known"), [(2, True), (1, False)])
def test_columns_of_queries_far_outside_are_known_or_missing(
    bound: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepstate.completion.cursor_scopes._DEEPEST", bound)
    found = proposed(NESTED)
    assert "y" in found and ("x" in found) is known


@pytest.mark.parametrize(("bound", "silent"), [(2, True), (1, False)])
def test_a_case_of_few_arms_is_read_as_its_conditions(
    bound: int, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepstate.plan.simplification.conditions._MOST_ARMS", bound)
    forget()
    table = "CREATE TABLE t (a INT, c STRING) WITH ('connector' = 'kafka');\n"
    query = f"{table}SELECT c, COUNT(*) FROM t WHERE {{}} GROUP BY c;"
    written = JobVersion(query.format("CASE WHEN a > 3 THEN c = 'x' ELSE FALSE END"))
    found = keepstate.check(JobVersion(query.format("a > 3 AND c = 'x'")), written)
    assert (found.verdict is Verdict.COMPATIBLE) is silent


@pytest.mark.parametrize(("bound", "silent"), [(2, True), (1, False)])
def test_a_few_comparisons_of_one_column_say_something_of_the_others(
    bound: int, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepstate.plan.simplification.operand_facts._MOST_COMPARISONS", bound)
    forget()
    table = "CREATE TABLE t (h INT, c STRING) WITH ('connector' = 'kafka');\n"
    query = f"{table}SELECT c, COUNT(*) FROM t WHERE h > 1 AND h < 9 AND {{}} GROUP BY c;"
    written = JobVersion(query.format("(h = 10 OR c = 'x')"))
    found = keepstate.check(JobVersion(query.format("c = 'x'")), written)
    assert (found.verdict is Verdict.COMPATIBLE) is silent


@pytest.mark.parametrize(("bound", "silent"), [(2, True), (1, False)])
def test_conditions_are_simplified_up_to_a_depth(bound: int, silent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keepstate.plan.simplification.conditions._MOST_NESTING", bound)
    forget()
    table = "CREATE TABLE t (a INT, c STRING) WITH ('connector' = 'kafka');\n"
    query = f"{table}SELECT c, COUNT(*) FROM t WHERE {{}} GROUP BY c;"
    written = JobVersion(query.format("a > 3 OR (a > 3 AND c = 'x')"))
    found = keepstate.check(JobVersion(query.format("a > 3")), written)
    assert (found.verdict is Verdict.COMPATIBLE) is silent
