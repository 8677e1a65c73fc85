-- Revenue per category and city, every ten minutes.
CREATE TABLE orders (
  order_id   BIGINT,
  buyer_id   BIGINT,
  category   STRING,
  city       STRING,
  amount     DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'kafka:9092',
  'format' = 'json'
);

CREATE TABLE revenue (
  category     STRING,
  city         STRING,
  window_start TIMESTAMP(3),
  gmv          DECIMAL(38, 2),
  orders       BIGINT,
  largest      DECIMAL(12, 2)
) WITH ('connector' = 'print');

INSERT INTO revenue
SELECT category, city, window_start,
  SUM(amount) AS gmv,
  COUNT(*)    AS orders,
  MAX(amount) AS largest
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
GROUP BY category, city, window_start, window_end;
