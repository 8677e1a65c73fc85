"""Edits of a job as they are typed: letter by letter, at the place where the two texts differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

JOB = """\
CREATE TABLE orders (
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  amount_net DECIMAL(12, 2),
  quantity INT,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE orders_of_shops (category STRING, product STRING, amount DECIMAL(12, 2), quantity INT)
WITH ('connector' = 'kafka', 'topic' = 'shops', 'format' = 'json');

CREATE VIEW big_orders AS SELECT * FROM orders WHERE amount > 10;

INSERT INTO revenue
SELECT window_start, category, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTE))
GROUP BY window_start, window_end, category;

INSERT INTO totals
SELECT category, COUNT(*) AS sold, MAX(amount) AS dearest FROM big_orders GROUP BY category;

INSERT INTO best_sellers
SELECT category, product, quantity FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY quantity DESC) AS place FROM orders
) WHERE place <= 3;
"""

EDITS = {
    "a window's size": ("INTERVAL '10' MINUTE", "INTERVAL '15' MINUTE"),
    "a window's unit": ("INTERVAL '10' MINUTE", "INTERVAL '10' SECOND"),
    "a longer number": ("WHERE amount > 10;", "WHERE amount > 10000;"),
    "a column whose name begins another": ("SUM(amount)", "SUM(amount_net)"),
    "another column": ("SUM(amount)", "SUM(quantity)"),
    "another function": ("MAX(amount)", "MIN(amount)"),
    "a metric": ("COUNT(*) AS sold", "COUNT(*) AS sold, SUM(quantity) AS pieces"),
    "a distinct metric": ("COUNT(*) AS sold", "COUNT(DISTINCT product) AS sold"),
    "a group key": ("FROM big_orders GROUP BY category", "FROM big_orders GROUP BY category, product"),
    "a filter": ("FROM big_orders GROUP", "FROM big_orders WHERE quantity > 0 GROUP"),
    "a condition of a view": ("WHERE amount > 10;", "WHERE amount > 10 AND quantity < 1000;"),
    "a HAVING": ("FROM big_orders GROUP BY category;", "FROM big_orders GROUP BY category HAVING COUNT(*) > 1;"),
    "an alias": ("AS gmv", "AS revenue_of_window"),
    "the N of a ranking": ("place <= 3", "place <= 30"),
    "the order of a ranking": ("ORDER BY quantity DESC", "ORDER BY amount DESC"),
    "a partition": ("PARTITION BY category", "PARTITION BY category, product"),
    "another table": ("FROM orders\n)", "FROM orders_of_shops\n)"),
    "a sliding window": (
        "TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTE)",
        "HOP(TABLE orders, DESCRIPTOR(order_time), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)",
    ),
    "another query": (
        "INSERT INTO best_sellers",
        "INSERT INTO counted SELECT product, COUNT(*) FROM orders GROUP BY product;\nINSERT INTO best_sellers",
    ),
    "a watermark": ("INTERVAL '5' SECOND", "INTERVAL '30' SECOND"),
}
"""The replaced text and the typed one; Flink takes each edited job."""


@dataclass(frozen=True)
class Keystroke:
    """A key: ``deleted`` characters go at an offset, and ``typed`` comes."""

    offset: int
    deleted: int
    typed: str

    def applied(self, text: str) -> str:
        return text[: self.offset] + self.typed + text[self.offset + self.deleted :]


def edited(name: str) -> str:
    """The job after an edit."""
    old, new = EDITS[name]
    assert JOB.count(old) == 1, name
    return JOB.replace(old, new)


def keystrokes(name: str) -> Iterator[Keystroke]:
    """The keys of an edit: backspaces over what differs, then what is new, letter by letter."""
    text = edited(name)
    same = range(min(len(JOB), len(text)))
    start = next((at for at in same if JOB[at] != text[at]), len(same))
    end = next((at for at in same if JOB[-1 - at] != text[-1 - at] or at >= len(same) - start), 0)
    gone = JOB[start : len(JOB) - end]
    for number in range(len(gone)):
        yield Keystroke(start + len(gone) - 1 - number, 1, "")
    for number, letter in enumerate(text[start : len(text) - end]):
        yield Keystroke(start + number, 0, letter)
