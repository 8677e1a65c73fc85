"""Scripts of any length to measure with: per hundred lines eight statements, as large jobs have them."""

from __future__ import annotations

from dataclasses import dataclass

LINES_PER_GROUP = 100
STATEMENTS_PER_GROUP = 8

_GROUP = """\
-- Shop {n}: what is ordered, what it earns, what sells best.
CREATE TABLE orders_{n} (
  order_id BIGINT,
  customer_id BIGINT,
  category STRING,
  product STRING,
  quantity INT,
  price DECIMAL(12, 2),
  amount AS price * quantity,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders-{n}',
  'properties.bootstrap.servers' = 'kafka:9092',
  'format' = 'json'
);

CREATE TABLE revenue_{n} (
  window_start TIMESTAMP(3),
  category STRING,
  gmv DECIMAL(38, 2),
  orders BIGINT,
  customers BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'revenue-{n}',
  'properties.bootstrap.servers' = 'kafka:9092',
  'format' = 'json'
);

CREATE TABLE best_sellers_{n} (
  window_start TIMESTAMP(3),
  category STRING,
  product STRING,
  gmv DECIMAL(38, 2),
  place BIGINT
) WITH (
  'connector' = 'jdbc',
  'url' = 'jdbc:postgresql://db:5432/shop',
  'table-name' = 'best_sellers_{n}'
);

-- Test orders have no price.
CREATE TEMPORARY VIEW paid_orders_{n} AS
SELECT
  order_id, customer_id, order_time,
  UPPER(category) AS category, product, amount
FROM orders_{n}
WHERE amount > 0;

INSERT INTO revenue_{n}
SELECT
  window_start,
  category,
  SUM(amount) AS gmv,
  COUNT(*) AS orders,
  COUNT(DISTINCT customer_id) AS customers
FROM TABLE(
  TUMBLE(TABLE paid_orders_{n}, DESCRIPTOR(order_time), INTERVAL '10' MINUTES)
)
GROUP BY window_start, window_end, category;

INSERT INTO hourly_{n}
SELECT
  window_end,
  category,
  SUM(amount) AS gmv,
  MAX(amount) AS largest,
  AVG(amount) AS mean
FROM TABLE(
  HOP(TABLE paid_orders_{n}, DESCRIPTOR(order_time), INTERVAL '5' MINUTES, INTERVAL '1' HOUR)
)
WHERE category <> 'GIFT CARDS'
GROUP BY window_start, window_end, category;

INSERT INTO best_sellers_{n}
SELECT window_start, category, product, gmv, place
FROM (
  SELECT *, ROW_NUMBER() OVER (
    PARTITION BY window_start, window_end, category
    ORDER BY gmv DESC
  ) AS place
  FROM (
    SELECT window_start, window_end, category, product, SUM(amount) AS gmv
    FROM TABLE(TUMBLE(TABLE paid_orders_{n}, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end, category, product
  )
)
WHERE place <= 10;

INSERT INTO visits_{n}
SELECT
  TUMBLE_START(order_time, INTERVAL '1' DAY) AS day_start,
  customer_id,
  COUNT(*) AS orders,
  SUM(amount) AS gmv
FROM orders_{n}
GROUP BY TUMBLE(order_time, INTERVAL '1' DAY), customer_id;
"""


@dataclass(frozen=True)
class Keystrokes:
    """A place in a script for typing: ``text`` around the result of the n-th keystroke."""

    what: str
    head: str
    tail: str
    form: str
    """The text at the place, with a number that makes it new."""
    statement: tuple[str, str]
    """The text of the statement around the same place."""

    def script(self, number: int) -> str:
        return self.head + self.form.format(number) + self.tail

    def changed_statement(self, number: int) -> str:
        return self.statement[0] + self.form.format(number) + self.statement[1]


def script(lines: int) -> str:
    """A job of ``lines`` lines (a multiple of 100)."""
    groups = (_GROUP.format(n=number) for number in range(lines // LINES_PER_GROUP))
    return "\n".join(group for group in groups)


def keystrokes(lines: int) -> tuple[Keystrokes, ...]:
    """Places to type at, in the middle of a script of ``lines`` lines."""
    text = script(lines)
    group = lines // LINES_PER_GROUP // 2

    def at(what: str, statement: str, written: str, form: str) -> Keystrokes:
        begin = text.index(statement.format(n=group))
        place = text.index(written, begin)
        end = text.index(";", begin)
        behind = place + len(written)
        return Keystrokes(what, text[:place], text[behind:], form, (text[begin:place], text[behind:end]))

    return (
        at("a window's size", "INSERT INTO revenue_{n}\n", "'10' MINUTES", "'{}' MINUTES"),
        at("an aggregate", "INSERT INTO hourly_{n}\n", "MAX(amount)", "MAX(amount + {})"),
        at("an alias", "INSERT INTO visits_{n}\n", "AS gmv", "AS gmv_{}"),
        at("a statement in pieces", "INSERT INTO hourly_{n}\n", "MAX(amount)", "MAX(amount_{}"),
        at("the N of a ranking", "INSERT INTO best_sellers_{n}\n", "place <= 10", "place <= 1{}"),
        at("a comment", "INSERT INTO revenue_{n}\n", "AS gmv,", "AS gmv, -- {}"),
        at("a view", "CREATE TEMPORARY VIEW paid_orders_{n} ", "amount > 0", "amount > {}"),
        at("a table", "CREATE TABLE orders_{n} ", "'5' SECOND", "'{}' SECOND"),
    )
