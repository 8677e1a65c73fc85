"""The job that the editors of these tests work on."""

JOB = """\
CREATE TABLE orders (
  category STRING,
  product STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO revenue
SELECT window_start, category, '🛒' AS icon, SUM(amount) AS gmv
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO best_sellers
SELECT window_start, category, product, gmv FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, category ORDER BY gmv DESC) AS place
  FROM (
    SELECT window_start, window_end, category, product, SUM(amount) AS gmv
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
    GROUP BY window_start, window_end, category, product
  )
) WHERE place <= 3;
"""

METRIC = ("SUM(amount) AS gmv", "COUNT(*) AS sold, SUM(amount) AS gmv")
"""An edit: a new metric behind a character that is one code point, two UTF-16 units and four bytes."""
RANKING = ("place <= 3", "place <= 10")
"""An edit: a longer ranking."""


def edited(*edits: tuple[str, str]) -> str:
    """The job after edits, each at the first place where its text stands."""
    text = JOB
    for old, new in edits:
        text = text.replace(old, new, 1)
    return text
