-- The three best-selling products of every category, hour by hour.
CREATE TABLE order_lines (
  product    STRING,
  category   STRING,
  quantity   INT,
  price      DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'order-lines', 'format' = 'json');

INSERT INTO bestsellers
SELECT category, product, sold, window_start
FROM (
  SELECT *,
    ROW_NUMBER() OVER (PARTITION BY category, window_start, window_end ORDER BY sold DESC) AS place
  FROM (
    SELECT category, product, SUM(quantity) AS sold, window_start, window_end
    FROM TABLE(TUMBLE(TABLE order_lines, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
    GROUP BY category, product, window_start, window_end
  )
)
WHERE place <= 3;
