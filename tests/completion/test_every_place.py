"""Properties at every place of whole scripts: nothing raises, and what is written there is proposed there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from sqlglot import exp

from half_typed import SHOP
from keepstate.draft import Draft
from keepstate.syntax.script import parse_script
from keepstate.syntax.tokens import lex

REST = """\
INSERT INTO totals
WITH recent AS (
  SELECT customer, amount, order_time, address FROM orders AS o WHERE o.amount > 1 AND o.seen_at IS NOT NULL
)
SELECT r.customer, SUM(r.amount) AS total, UPPER(c.name)
FROM recent AS r
LEFT JOIN customers AS c ON r.customer = c.customer AND c.name <> 'x'
WHERE r.customer IN (SELECT s.customer FROM spending s WHERE s.spent > 10) OR COALESCE(c.name, 'none') = 'none'
GROUP BY r.customer, c.name
HAVING COUNT(*) > 1;

EXECUTE STATEMENT SET BEGIN
INSERT INTO totals (customer, total)
SELECT window_start, customer, CASE WHEN SUM(amount) > 5 THEN MAX(amount) ELSE 0 END
FROM TABLE(HOP(DATA => TABLE orders, TIMECOL => DESCRIPTOR(order_time), SLIDE => INTERVAL '5' MINUTE,
  SIZE => INTERVAL '1' HOUR))
GROUP BY window_start, window_end, customer;
INSERT INTO totals SELECT id, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY order_time DESC), CAST(`user` AS STRING)
FROM orders /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;
END;

SELECT m.first_id FROM orders MATCH_RECOGNIZE (
  PARTITION BY customer ORDER BY order_time
  MEASURES FIRST(A.id) AS first_id
  PATTERN (A B+) DEFINE A AS A.amount > 1, B AS B.amount < 1
) AS m;

SELECT EXTRACT(YEAR FROM order_time), amount FROM orders WHERE `user` LIKE 'a%' UNION ALL
SELECT customer, spent FROM spending ORDER BY customer LIMIT 10;
"""
TEXT = SHOP + REST


def references() -> Iterator[tuple[str, int, int]]:
    """Names of columns, relations and functions that the text refers to, with their places."""
    for statement in parse_script(TEXT).statements:
        assert statement.tree is not None, statement.text
        for node in statement.tree.walk():
            if isinstance(node, exp.Column):
                found = [part for part in node.parts if not isinstance(part, exp.Star)]
            elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
                target = statement.tree.this if isinstance(statement.tree, exp.Create) else None
                target = target.this if isinstance(target, exp.Schema) else target
                found = [node.this] if node is not target else []
            else:
                if isinstance(node, exp.Anonymous):
                    start = statement.span.start + node.meta["span"][0]
                    yield str(node.this), start, start + len(str(node.this))
                continue
            for part in found:
                start, end = part.meta["span"]
                yield part.name, statement.span.start + start, statement.span.start + end


PLACES = sorted({each for each in references() if each[0] != "no_such_column"}, key=lambda each: each[1])


@pytest.fixture(scope="module")
def draft() -> Draft:
    return Draft()


def test_there_are_many_references() -> None:
    assert len(PLACES) > 80


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place[0]}@{place[1]}")
def test_a_name_is_proposed_where_it_stands(place: tuple[str, int, int], draft: Draft) -> None:
    name, start, end = place
    without = TEXT[:start] + TEXT[end:]
    for text, offset in ((without, start), (TEXT, start), (TEXT, start + 1)):
        labels = [each.label for each in draft.complete(text, offset).proposals]
        assert name in labels or any(label.endswith(f".{name}") for label in labels), text[start - 60 : start]


def test_nothing_raises_at_any_place(draft: Draft) -> None:
    for token in lex(TEXT).tokens:
        for offset in {token.start, token.end}:
            draft.complete(TEXT, offset)
            draft.signature_help(TEXT, offset)
            chain = draft.selections(TEXT, offset)
            assert all(outer.contains(inner) and outer != inner for inner, outer in pairwise(chain))


def test_nothing_raises_in_a_text_that_ends_anywhere(draft: Draft) -> None:
    for token in lex(TEXT).tokens:
        for end in {token.start, token.end, (token.start + token.end) // 2}:
            text = TEXT[:end]
            draft.complete(text, end)
            draft.signature_help(text, end)
            draft.symbols(text)
            draft.folds(text)
            spans = [each.span for each in draft.meant_tokens(text)]
            assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize(
    "text",
    ["", ";", "'", "`", "(", ")", "/*", "--", "\ufeff", "${", "SELECT (((((", "{% if %}", "x" * 5000, "(" * 5000],
)
def test_odd_texts(text: str, draft: Draft) -> None:
    for offset in {0, len(text) // 2, len(text)}:
        draft.complete(text, offset)
        draft.signature_help(text, offset)
        assert draft.selections(text, offset)
    draft.symbols(text)
    draft.folds(text)
    draft.meant_tokens(text)
