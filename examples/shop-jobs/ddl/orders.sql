CREATE TABLE orders (
  order_id   BIGINT,
  category   STRING,
  city       STRING,
  amount     DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
