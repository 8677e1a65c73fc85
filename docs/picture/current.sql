CREATE TABLE orders (category STRING, product STRING, amount DECIMAL(12, 2), order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');

INSERT INTO revenue
SELECT window_start, category, SUM(amount) AS gmv, MAX(amount) AS largest
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY window_start, window_end, category;

INSERT INTO best_sellers
SELECT window_start, category, product, sold FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, category ORDER BY sold DESC) AS place
  FROM (
    SELECT window_start, window_end, category, product, COUNT(*) AS sold
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end, category, product
  )
) WHERE place <= 10;
