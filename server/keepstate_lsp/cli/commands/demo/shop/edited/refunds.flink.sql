CREATE TABLE refunds (
  order_id BIGINT,
  reason STRING,
  amount DECIMAL(12, 2),
  refunded_at TIMESTAMP(3),
  WATERMARK FOR refunded_at AS refunded_at - INTERVAL '1' MINUTE
) WITH ('connector' = 'kafka', 'topic' = 'refunds', 'format' = 'json');

-- The same query, tidied up: a named step, other units, other aliases. Nothing of it concerns the state.
INSERT INTO refund_totals
WITH real_refunds AS (
  SELECT reason, amount AS refund, window_start, window_end
  FROM TABLE(CUMULATE(
    DATA    => TABLE refunds,
    TIMECOL => DESCRIPTOR(refunded_at),
    STEP    => INTERVAL '60' MINUTE,
    SIZE    => INTERVAL '24' HOUR))
  WHERE reason IS NOT NULL AND 0 < amount
)
SELECT reason, SUM(refund) AS total, window_end
FROM real_refunds
GROUP BY window_start, window_end, reason;
