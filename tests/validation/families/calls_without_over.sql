-- LAG and LEAD without OVER, and ORDER BY in aggregates (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

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
