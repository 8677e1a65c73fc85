-- Rows that are written with parentheses alone (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE clicks (
  user_id BIGINT, url STRING, ip STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE users (
  user_id BIGINT, name STRING, city STRING, level INT, updated TIMESTAMP(3), WATERMARK FOR updated AS updated,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'users', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE sk (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sk', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- taken
SELECT (qty, 1) FROM orders;

-- refused bare-null
SELECT (qty, NULL) FROM orders;

-- refused argument-type
SELECT SUM((amount, 1)) FROM orders;

-- refused argument-type
SELECT MAX((amount, 1)) FROM orders;

-- taken
SELECT COUNT((amount, 1)) FROM orders;

-- taken
SELECT FIRST_VALUE((amount, 1)) FROM orders;

-- taken
SELECT COLLECT((amount, 1)) FROM orders;

-- refused argument-type
SELECT LISTAGG((product, 'a')) FROM orders;

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) > 1;

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) = 1;

-- taken
SELECT user_id FROM orders WHERE (qty, 1) = (1, 2);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) > (1, 2);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) = (1, 2, 3);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, product) = (1, 2);

-- taken
SELECT user_id FROM orders WHERE (qty, 1) <> ROW(1, 2);

-- taken
SELECT user_id FROM orders WHERE (qty, 1) IN ((1, 2), (2, 3));

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) IN (1, 2);

-- refused operand-type
SELECT user_id FROM orders WHERE qty IN ((1, 2), (2, 3));

-- taken
SELECT user_id FROM orders WHERE (qty, product) IN ((1, 2), (2, 3));

-- taken
SELECT user_id FROM orders WHERE (qty, product) IN (SELECT level, city FROM users);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, product) IN (SELECT city, level FROM users);

-- taken
SELECT user_id FROM orders WHERE (qty, product) NOT IN (SELECT level, city FROM users);

-- taken
SELECT user_id FROM orders WHERE (qty, 1) IS NULL;

-- taken
SELECT user_id FROM orders WHERE (qty, 1) IS NOT NULL;

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) BETWEEN (1, 1) AND (2, 2);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) LIKE 'a';

-- refused condition-type
SELECT user_id FROM orders WHERE (qty, 1);

-- refused operand-type
SELECT user_id FROM orders WHERE NOT (qty, 1);

-- refused operand-type
SELECT user_id FROM orders WHERE (qty, 1) AND qty > 1;

-- refused operand-type
SELECT (qty, 1) + 1 FROM orders;

-- refused operand-type
SELECT (qty, 1) || 'a' FROM orders;

-- refused operand-type
SELECT -(qty, 1) FROM orders;

-- refused argument-type
SELECT UPPER((product, 1)) FROM orders;

-- refused argument-type
SELECT REGEXP_COUNT((product, 1), 'a') FROM orders;

-- refused argument-type
SELECT COALESCE((qty, 1), 1) FROM orders;

-- taken
SELECT COALESCE((qty, 1), (2, 3)) FROM orders;

-- refused mixed-types
SELECT CASE WHEN qty > 1 THEN (qty, 1) ELSE 1 END FROM orders;

-- refused condition-type
SELECT CASE WHEN (qty, 1) THEN 1 ELSE 1 END FROM orders;

-- taken
SELECT CAST((qty, 1) AS ROW<a INT, b INT>) FROM orders;

-- taken
SELECT CAST((qty, 1) AS STRING) FROM orders;

-- refused cast
SELECT CAST((qty, 1) AS INT) FROM orders;

-- taken
SELECT (qty, 1).EXPR$0 FROM orders;

-- refused argument-type
SELECT DATE_FORMAT((ts, 1), 'yyyy') FROM orders;

-- refused argument-type
SELECT EXTRACT(DAY FROM (ts, 1)) FROM orders;

-- refused argument-type
SELECT TRIM((product, 1)) FROM orders;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY (ts, 1) DESC) rn FROM orders) WHERE rn < 3;

-- taken
SELECT o.order_id FROM orders o JOIN clicks c ON (o.user_id, o.ts) = (c.user_id, c.ts);

-- refused condition-type
SELECT o.order_id FROM orders o JOIN clicks c ON (o.user_id, o.ts);

-- refused sink-type
INSERT INTO sk SELECT (order_id, 1), product FROM orders;

-- refused sink-type
INSERT INTO sk SELECT order_id, (product, 1) FROM orders;

-- refused sink-type
INSERT INTO sk VALUES ((1, 2), 'a');

-- taken
SELECT ARRAY[(qty, 1), (2, 3)] FROM orders;

-- refused mixed-types
SELECT ARRAY[(qty, 1), 2] FROM orders;

-- taken
SELECT MAP['a', (qty, 1)] FROM orders;

-- refused argument-type
SELECT ABS((qty, 1)) FROM orders;

-- taken
SELECT TYPEOF((qty, 1)) FROM orders;

-- refused over-missing
SELECT LEAD(qty, 1) FROM orders;

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LEAD(qty, 1) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused function-form
SELECT category, LISTAGG(product, ',' ORDER BY ts) FROM orders GROUP BY category;

-- refused aggregate-order
SELECT category, PERCENTILE(qty, 0.5 ORDER BY ts) FROM orders GROUP BY category;

-- refused division-by-zero
SELECT COALESCE(qty, 1/0) FROM orders;

-- taken
SELECT DATE_FORMAT(ts, 'bad-pattern-qqq') FROM orders;

-- taken
SELECT TO_TIMESTAMP(product, 'foo bar') FROM orders;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(product, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, 3) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, 4) FROM orders;

-- taken
SELECT TO_TIMESTAMP_LTZ(order_id, qty) FROM orders;

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
SELECT TO_TIMESTAMP_LTZ(product, 'yyyy', 1) FROM orders;

-- refused argument-type
SELECT COALESCE(ts, 'x') FROM orders;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY COALESCE(ts, ts);

-- taken
SELECT DATE_FORMAT(ts, 'yyyy') = 'x' FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, COALESCE(product, (SELECT 'a')) FROM orders;

-- refused argument-type
SELECT JSON_VALUE(product, TIMESTAMP '2024-01-01 00:00:00') FROM orders;

-- refused argument-type
SELECT JSON_VALUE(product, 1) FROM orders;

-- refused argument-type
SELECT JSON_VALUE(product, DATE '2024-01-01') FROM orders;

-- refused argument-type
SELECT JSON_VALUE(product, TRUE) FROM orders;

-- taken
SELECT JSON_VALUE(product, product) FROM orders;

-- refused argument-type
SELECT JSON_VALUE(product, ts) FROM orders;

-- taken
SELECT JSON_VALUE(qty, '$.a') FROM orders;

-- taken
SELECT JSON_QUERY(product, TIMESTAMP '2024-01-01 00:00:00') FROM orders;

-- refused argument-type
SELECT JSON_EXISTS(product, DATE '2024-01-01') FROM orders;

-- taken
SELECT order_id FROM (SELECT order_id, DATE_FORMAT(ts, 'yyyy') AS d FROM orders) WHERE d = '2024' OR d = '2025';

-- taken
SELECT user_id, LAG(qty, 2) OVER w FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- taken
SELECT user_id, LAG(product, 1, 'none') OVER (PARTITION BY user_id ORDER BY ts) FROM orders;

-- taken
ALTER TABLE orders DROP (qty, product);

-- refused alter
ALTER TABLE orders DROP (qty, qty);

-- refused alter
ALTER TABLE orders DROP (qty, nosuch);

-- refused over-missing
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty), COUNT(*) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT channel, TUMBLE_START(ts, INTERVAL '1' HOUR), LAG(qty) FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
INSERT INTO sk SELECT LEAD(order_id) AS x, channel FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, amount * qty AS total, ts FROM orders; SELECT channel, LAG(total) AS x, COUNT(DISTINCT qty) FROM vv GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- refused over-missing
SELECT LAG(qty, 1) AS x FROM orders;

-- refused time-text
SELECT order_id FROM (SELECT order_id, COALESCE(ts, ts) AS t2 FROM orders) WHERE t2 > '2024-01-01' AND t2 <> '2024-01-02';
