"""SQL for tests of the command line: one small job, and edits of it with known verdicts."""

from __future__ import annotations

JOB = """\
CREATE TABLE orders (
  order_id BIGINT,
  region STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO daily
SELECT region, window_start, window_end, COUNT(*) AS orders, SUM(amount) AS amount
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' MINUTE))
GROUP BY region, window_start, window_end;
"""
INCOMPATIBLE = JOB.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE")
PARTIAL = JOB.replace("SUM(amount) AS amount", "SUM(amount) AS amount, MAX(amount) AS largest")
NOTICE = JOB.replace(", SUM(amount) AS amount", "")
OPENED = JOB.replace("SUM(amount) AS amount", "house_mean(amount) AS amount")
"""With an aggregate that may run in Python: what changes in such a query is unknown, whatever it loses."""
OPENED_AND_LOST = OPENED.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE")
REFORMATTED = JOB.replace("\nFROM", "\n  -- of the day\n  FROM").replace("SELECT region", "select  region")
BROKEN = JOB.replace("GROUP BY region,", "GROUP BY BY ) region,")
"""Its CREATE TABLE is as good as ever; Flink refuses the INSERT."""
UNREAD = JOB.replace("GROUP BY region,", "GROUP BY {{ keys }} ) region,")
"""Cannot be read as it stands; the template decides whether Flink takes it."""
DECLARED = JOB.replace(
    "INSERT INTO",
    "CREATE TABLE daily (region STRING, a TIMESTAMP(3), b TIMESTAMP(3), orders BIGINT, amount DECIMAL(38, 2)) "
    "WITH ('connector' = 'print');\n\nINSERT INTO",
)
"""The job with its sink, so that a script decides alone whether Flink takes it."""
NOT_FLINK = "UPDATE accounts SET balance = 0 WHERE id = 1;\n"
