-- Revenue per category, every ten minutes.
INSERT INTO revenue
SELECT category, window_start, SUM(amount) AS gmv, COUNT(*) AS orders
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY category, window_start, window_end;
