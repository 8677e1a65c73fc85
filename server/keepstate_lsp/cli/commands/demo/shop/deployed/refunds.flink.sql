CREATE TABLE refunds (
  order_id BIGINT,
  reason STRING,
  amount DECIMAL(12, 2),
  refunded_at TIMESTAMP(3),
  WATERMARK FOR refunded_at AS refunded_at - INTERVAL '1' MINUTE
) WITH ('connector' = 'kafka', 'topic' = 'refunds', 'format' = 'json');

INSERT INTO refund_totals
SELECT reason, SUM(amount) AS total, window_end
FROM TABLE(CUMULATE(TABLE refunds, DESCRIPTOR(refunded_at), INTERVAL '1' HOUR, INTERVAL '1' DAY))
WHERE amount > 0 AND reason IS NOT NULL
GROUP BY reason, window_start, window_end;
