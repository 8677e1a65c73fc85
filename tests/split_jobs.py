"""SQL for tests of jobs that span files: declarations here, queries there, and edits of both with known verdicts."""

from __future__ import annotations

ORDERS = """\
-- Orders of all shops.
CREATE TABLE orders (
  shop STRING,
  amount DECIMAL(10, 2),
  note STRING,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders');
"""
DOUBLE = ORDERS.replace("DECIMAL(10, 2)", "DOUBLE")
"""Costs the state of a job that sums the amount, and of no other."""
LOCAL_TIME = ORDERS.replace("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)")
"""Costs the state of a job with a window, and of no other."""
UNREAD_COLUMN = ORDERS.replace("note STRING", "note STRING, remark STRING")
RESPELLED = ORDERS.replace("-- Orders of all shops.\n", "").replace("shop STRING", "`shop`   string").lower()
LASTING = ORDERS.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
SHOPS = "CREATE TABLE shops (shop STRING, city STRING) WITH ('connector' = 'datagen');\n"
REVENUE = "INSERT INTO revenue SELECT shop, SUM(amount) AS total FROM orders GROUP BY shop;\n"
MOST = REVENUE.replace("SUM", "MAX")
HOURLY = """\
INSERT INTO hourly
SELECT window_start, COUNT(*) AS orders
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
"""
VIEW = "CREATE VIEW v1 AS SELECT shop, amount FROM orders;\n"
SECOND_VIEW = "CREATE VIEW v2 AS SELECT shop, amount FROM v1;\n"
ON_VIEWS = REVENUE.replace("orders", "v2")
CONTEXT = 'context = ["ddl/*.sql"]\n'


def script(*files: str, name: str | None = None) -> str:
    """A table of the configuration for a job of these files."""
    named = f'name = "{name}"\n' if name else ""
    return f"[[job]]\n{named}script = [{', '.join(map(repr, files))}]\n"
