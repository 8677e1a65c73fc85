-- Queries in expressions, in front of sinks for new rows (Flink 2.3).
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
CREATE TABLE skp (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'skp', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE skn (a BIGINT NOT NULL, b STRING NOT NULL) WITH ('connector' = 'kafka', 'topic' = 'skn', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY (ts, 1) DESC) rn FROM orders) WHERE rn < 3;

-- refused sink-type
INSERT INTO sk VALUES ((1, 2), 'a');

-- refused ambiguous-column
SELECT * FROM (SELECT category, total, total, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, product, SUM(qty) AS total, COUNT(*) AS c FROM orders GROUP BY category, product)) WHERE rn <= 2;

-- refused ambiguous-column
SELECT * FROM (SELECT category, total AS t, total AS t, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, product, SUM(qty) AS total, COUNT(*) AS c FROM orders GROUP BY category, product)) WHERE rn <= 2;

-- refused over-order
SELECT category, total, total, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, SUM(qty) AS total FROM orders GROUP BY category);

-- refused ambiguous-column
SELECT * FROM (SELECT qty, SUM(qty) AS qty FROM orders GROUP BY qty);

-- refused ambiguous-column
SELECT * FROM (SELECT window_start, window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end);

-- refused ambiguous-column
SELECT window_start, n FROM (SELECT window_start, window_end, COUNT(*) AS n, COUNT(*) AS n2, window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end);

-- refused ambiguous-column
INSERT INTO sk SELECT * FROM (SELECT order_id AS a, product AS a FROM orders);

-- refused over-misplaced
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY (SELECT 1) DESC) rn FROM orders) WHERE rn < 3;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY 1) rn FROM orders) WHERE rn < 3;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY 'x') rn FROM orders) WHERE rn < 3;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY NULL) rn FROM orders) WHERE rn < 3;

-- refused bare-null
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY NULL ORDER BY ts DESC) rn FROM orders) WHERE rn < 3;

-- refused over-misplaced
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY (SELECT 1) ORDER BY ts DESC) rn FROM orders) WHERE rn < 3;

-- refused over-misplaced
SELECT *, SUM(qty) OVER (PARTITION BY (SELECT 1) ORDER BY ts) FROM orders;

-- refused append-only-sink
INSERT INTO skn SELECT (SELECT 1), product FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT (SELECT 1), product FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT 1);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty = (SELECT MAX(level) FROM users);

-- taken
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty IN (SELECT 1);

-- taken
INSERT INTO sk SELECT order_id, product FROM orders WHERE EXISTS (SELECT 1);

-- taken
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty IN (VALUES (1), (2));

-- taken
INSERT INTO sk SELECT order_id, product FROM orders JOIN (VALUES (1), (2)) AS v (x) ON qty = x;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, COALESCE(product, (SELECT 'a')) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT MAX(url) FROM clicks) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT url FROM clicks LIMIT 1) FROM orders;

-- refused upsert-key
INSERT INTO skp SELECT order_id, (SELECT 'a') FROM orders;

-- taken
INSERT INTO skp SELECT qty, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY qty ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- refused upsert-key
INSERT INTO skp SELECT qty, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY qty, proc ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
SELECT window_start, product, gmv FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS rn FROM ( SELECT window_start, window_end, product, SUM(amount) AS gmv, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, product)) WHERE rn <= 2;

-- refused time-text
SELECT d, COUNT(*) FROM (SELECT order_id, CAST(ts AS DATE) AS d FROM orders) GROUP BY d HAVING d = '2024-01-01' OR d = '2024-01-02';

-- refused append-only-sink
INSERT INTO sk SELECT x, product FROM orders LEFT JOIN (VALUES (1), (2)) AS v (x) ON qty = x;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders LEFT JOIN (VALUES (1), (1)) AS v (x) ON qty = x;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders LEFT JOIN (VALUES (1, 2), (1, 3)) AS v (x, y) ON qty = x;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, y FROM orders LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS v (x, y) ON qty = x;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty = (SELECT 1);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT COUNT(*) FROM users);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT MAX(qty) FROM orders);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT level FROM users LIMIT 1);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty = (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT dur FROM clicks WHERE clicks.user_id = orders.user_id);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT MAX(dur) FROM clicks WHERE clicks.user_id = orders.user_id);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT MAX(url) FROM clicks WHERE clicks.user_id = orders.user_id) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT url FROM clicks WHERE clicks.user_id = orders.user_id) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT url FROM clicks) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > (SELECT 1) OR qty < 0;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, CASE WHEN qty > (SELECT 1) THEN 'a' ELSE 'b' END FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT (SELECT order_id), product FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT CAST(qty AS STRING)) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (SELECT UPPER('a')) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, (VALUES ('a')) FROM orders;

-- taken
INSERT INTO sk SELECT order_id, product FROM (SELECT *, (SELECT 1) AS o1 FROM orders);

-- taken
INSERT INTO sk SELECT order_id, product FROM (SELECT *, (SELECT MAX(dur) FROM clicks) AS o1 FROM orders);

-- taken
INSERT INTO sk SELECT order_id, product FROM (SELECT *, (SELECT dur FROM clicks) AS o1 FROM orders);

-- taken
INSERT INTO sk SELECT order_id, product FROM (SELECT *, (SELECT dur FROM clicks WHERE clicks.user_id = orders.user_id) AS o1 FROM orders);

-- taken
INSERT INTO sk SELECT o1, product FROM orders CROSS JOIN (SELECT 1 AS o1);

-- refused append-only-sink
INSERT INTO sk SELECT o1, product FROM orders LEFT JOIN (SELECT 1 AS o1) ON TRUE;

-- refused append-only-sink
INSERT INTO sk SELECT o1, product FROM orders LEFT JOIN (SELECT 1 AS o1) AS c ON qty = o1;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders LEFT JOIN (SELECT 1 AS o1) AS c ON qty = o1;

-- refused append-only-sink
INSERT INTO sk SELECT SUM(qty) OVER (ORDER BY ts), product FROM (SELECT *, (SELECT 1) AS o1 FROM orders) WHERE o1 = 1;

-- taken
SELECT window_start, SUM(qty) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) WHERE qty > (SELECT 1) GROUP BY window_start, window_end;

-- taken
SELECT window_start, SUM(qty), (SELECT 1) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT user_id, COUNT(*) FROM orders WHERE qty > (SELECT AVG(qty) FROM orders) GROUP BY user_id;

-- taken
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), COUNT(*) FROM orders WHERE qty > (SELECT AVG(qty) FROM orders) GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- refused sort
SELECT * FROM orders WHERE qty > (SELECT AVG(qty) FROM orders) ORDER BY ts;

-- taken
SELECT SUM(qty) OVER (ORDER BY ts) FROM orders WHERE qty > (SELECT AVG(qty) FROM orders);

-- refused append-only-sink
INSERT INTO sk SELECT qty, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY proc) AS rn FROM orders) WHERE rn = 1 AND qty > (SELECT 1);

-- taken
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, 'x' ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- refused upsert-key
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, CURRENT_DATE ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY proc) AS rn FROM orders) WHERE rn = 1;

-- taken
SELECT * FROM (SELECT category, ARRAY_AGG(product ORDER BY ts) AS a FROM orders GROUP BY category) WHERE CARDINALITY(a) > 1;

-- refused rank-range
SELECT * FROM (SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) rn FROM orders) WHERE rn > 3;

-- taken
SELECT * FROM (SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) rn FROM orders) WHERE rn < 3;

-- refused unknown-column
SELECT * FROM (SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) rn FROM orders) WHERE qty < 3;

-- refused over-order
SELECT * FROM (SELECT user_id, qty, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) rn FROM orders) WHERE qty < 3;

-- taken
SELECT user_id FROM (SELECT user_id, qty, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) rn FROM orders);

-- taken
SELECT channel, LAG(qty) AS x FROM (SELECT channel, qty FROM orders) GROUP BY channel;

-- refused over-misplaced
SELECT order_id, SUM((SELECT 1)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- taken
SELECT order_id, SUM((SELECT 1)) FROM orders GROUP BY order_id;

-- refused over-misplaced
SELECT order_id, SUM((SELECT MAX(dur) FROM clicks)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused over-misplaced
SELECT order_id, SUM(qty + (SELECT 1)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused over-misplaced
SELECT order_id, SUM(CASE WHEN EXISTS (SELECT 1 FROM clicks) THEN 1 ELSE 0 END) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused unknown-column
SELECT order_id, COUNT(*) OVER (PARTITION BY CASE WHEN qty IN (SELECT dur FROM clicks) THEN 1 ELSE 2 END ORDER BY ts) FROM orders;

-- taken
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty = ANY (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > ALL (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty > SOME (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty NOT IN (SELECT dur FROM clicks);

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE EXISTS (SELECT 1 FROM clicks WHERE clicks.user_id = orders.user_id) OR qty > 3;

-- refused append-only-sink
INSERT INTO sk SELECT order_id, product FROM orders WHERE qty IN (SELECT dur FROM clicks) OR qty > 3;
