CREATE TABLE revenue (
  category     STRING,
  window_start TIMESTAMP(3),
  gmv          DECIMAL(38, 2),
  orders       BIGINT
) WITH ('connector' = 'kafka', 'topic' = 'revenue', 'format' = 'json');

CREATE TABLE largest_orders (
  city     STRING,
  order_id BIGINT,
  amount   DECIMAL(12, 2),
  place    BIGINT,
  PRIMARY KEY (city, place) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'largest-orders', 'key.format' = 'json', 'value.format' = 'json');

CREATE TABLE orders_per_city (
  city   STRING,
  orders BIGINT,
  PRIMARY KEY (city) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'orders-per-city', 'key.format' = 'json', 'value.format' = 'json');
