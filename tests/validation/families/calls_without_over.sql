-- LAG and LEAD without OVER, and ORDER BY in aggregates (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE sk (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sk', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- refused over-missing
SELECT LAG(qty) FROM orders;

-- refused over-missing
SELECT LAG(ts) FROM orders;

-- refused over-missing
SELECT LEAD(qty, 1) FROM orders;

-- refused over-missing
SELECT category, LEAD(product) FROM orders GROUP BY category;

-- refused over-missing
SELECT category, LEAD(DISTINCT product) FROM orders GROUP BY category;

-- refused over-missing
SELECT LAG(qty) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE));

-- refused over-missing
SELECT window_start, LAG(qty) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- refused over-missing
SELECT window_start, LEAD(qty) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LEAD(qty, 1) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused aggregate-misplaced
SELECT qty FROM orders WHERE LAG(qty) > 1;

-- taken
SELECT user_id FROM orders GROUP BY user_id HAVING LAG(user_id) > 1;

-- taken
SELECT LAG(DISTINCT qty) OVER (PARTITION BY user_id ORDER BY ts) FROM orders;

-- refused aggregate-order
SELECT category, COUNT(product ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, SUM(qty ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, COLLECT(product ORDER BY ts) FROM orders GROUP BY category;

-- refused function-form
SELECT category, LISTAGG(product ORDER BY ts) FROM orders GROUP BY category;

-- refused function-form
SELECT category, LISTAGG(product, ',' ORDER BY ts) FROM orders GROUP BY category;

-- taken
SELECT category, ARRAY_AGG(product ORDER BY ts) FROM orders GROUP BY category;

-- refused argument-type
SELECT category, ARRAY_AGG(product ORDER BY UPPER(ts)) FROM orders GROUP BY category;

-- refused unknown-column
SELECT category, ARRAY_AGG(product ORDER BY nosuch) FROM orders GROUP BY category;

-- refused operand-type
SELECT category, ARRAY_AGG(product ORDER BY qty + product) FROM orders GROUP BY category;

-- taken
SELECT category, ARRAY_AGG(DISTINCT product ORDER BY product) FROM orders GROUP BY category;

-- taken
SELECT category, JSON_ARRAYAGG(product ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, FIRST_VALUE(product ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, STDDEV_POP(qty ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, VAR_SAMP(qty ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, APPROX_COUNT_DISTINCT(qty ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, PERCENTILE(qty, 0.5 ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, SINGLE_VALUE(qty ORDER BY ts) FROM orders GROUP BY category;

-- refused syntax
SELECT COUNT(* ORDER BY ts) FROM orders;

-- taken
SELECT user_id, LAG(qty) OVER (PARTITION BY user_id ORDER BY ts) FROM orders;

-- taken
SELECT user_id, LAG(qty, 2) OVER w FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- taken
SELECT category, JSON_ARRAYAGG(product ORDER BY ts DESC) FROM orders GROUP BY category;

-- taken
SELECT category, ARRAY_AGG(product ORDER BY ts DESC, qty) FROM orders GROUP BY category;

-- taken
SELECT category, ARRAY_AGG(product ORDER BY qty + 1) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, ARRAY_AGG(product ORDER BY ts) FILTER (WHERE qty > 1) FROM orders GROUP BY category;

-- taken
SELECT user_id, LAG(product, 1, 'none') OVER (PARTITION BY user_id ORDER BY ts) FROM orders;

-- taken
SELECT * FROM (SELECT category, ARRAY_AGG(product ORDER BY ts) AS a FROM orders GROUP BY category) WHERE CARDINALITY(a) > 1;

-- refused aggregate-order
SELECT category, ARRAY_AGG(product ORDER BY ts) FILTER (WHERE qty > 1) AS a, COUNT(*) FROM orders GROUP BY category;

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty), COUNT(*) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT channel, TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty) FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT channel, LAG(qty), COUNT(DISTINCT user_id) FROM orders GROUP BY channel;

-- refused over-missing
SELECT channel, LAG(qty), COUNT(*) FROM orders GROUP BY channel;

-- refused over-missing
SELECT channel, LAG(qty) FROM orders GROUP BY channel;

-- taken
SELECT channel, LAG(qty) AS x FROM orders GROUP BY channel;

-- taken
SELECT channel, LAG(amount) AS x FROM orders GROUP BY channel;

-- refused over-missing
INSERT INTO sk SELECT LAG(order_id), channel FROM orders GROUP BY channel;

-- refused append-only-sink
INSERT INTO sk SELECT LAG(order_id) AS x, channel FROM orders GROUP BY channel;

-- refused over-missing
INSERT INTO sk SELECT LEAD(order_id) AS x, channel FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT channel, SUM(qty), LAG(qty) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, LAG(qty) AS x FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, LAG(amount) AS x FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, amount * qty AS total, ts FROM orders; SELECT channel, LAG(total) AS x FROM vv GROUP BY channel;

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, amount * qty AS total, ts FROM orders; SELECT channel, LAG(total) AS x, COUNT(DISTINCT qty) FROM vv GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, ts FROM orders; SELECT channel, LAG(qty) AS x FROM vv GROUP BY channel;

-- taken
SELECT channel, LAG(qty) AS x FROM (SELECT channel, qty FROM orders) GROUP BY channel;

-- taken
SELECT channel, LAG(qty + 1) AS x FROM orders GROUP BY channel;

-- refused over-missing
SELECT LAG(qty) + 1 FROM orders;

-- refused over-missing
SELECT LAG(qty) AS x FROM orders;

-- refused over-missing
SELECT LAG(qty) + 1 AS x FROM orders;

-- refused over-missing
SELECT LEAD(qty) AS x FROM orders;

-- refused over-missing
SELECT LEAD(qty) + 1 FROM orders;

-- refused over-missing
SELECT UPPER(LAG(product)) FROM orders;

-- refused over-missing
SELECT (LAG(product)) FROM orders;

-- refused over-missing
SELECT (LAG(product)) AS x FROM orders;

-- refused over-missing
SELECT CASE WHEN LAG(qty) > 1 THEN 1 ELSE 2 END FROM orders;

-- refused over-missing
SELECT channel FROM orders GROUP BY channel HAVING LEAD(qty) > 1;

-- taken
SELECT channel FROM orders GROUP BY channel HAVING LAG(qty) > 1;

-- refused over-missing
SELECT channel FROM orders GROUP BY channel ORDER BY LAG(channel) LIMIT 3;

-- refused over-missing
SELECT LAG(DISTINCT qty) AS x FROM orders;

-- refused over-missing
SELECT LAG(qty, 1) AS x FROM orders;

-- refused over-missing
SELECT LAG(qty) FILTER (WHERE qty > 1) AS x FROM orders;

-- refused over-missing
SELECT LAG(qty) FILTER (WHERE qty > 1) FROM orders;
