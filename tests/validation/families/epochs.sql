-- Forms of TO_TIMESTAMP_LTZ (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(product, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, 4) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, qty) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(product) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(product, 'yyyy') FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(product, 'yyyy', 'UTC') FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(order_id, 'yyyy') FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(ts, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(amount, 3) FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(ts) FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(product, 'yyyy', 1) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ('x') FROM orders;

-- refused bare-null
SELECT TO_TIMESTAMP_LTZ(NULL, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(1) FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(1, 'a') FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(qty) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(CAST(qty AS DOUBLE)) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(CAST(qty AS DOUBLE), 0) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(amount) FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(TRUE) FROM orders;
