CREATE TABLE orders (order_id BIGINT, category STRING, price DECIMAL(12, 2), tax DECIMAL(12, 2),
  order_time TIMESTAMP(3), WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO revenue
SELECT window_start, category,
  SUM(price) AS turnover,
  SUM(tax) AS taxes
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, category;
