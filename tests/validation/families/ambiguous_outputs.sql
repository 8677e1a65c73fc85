-- Two columns of one name (Flink 2.3).
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

-- refused ambiguous-column
SELECT amount, qty, amount FROM orders ORDER BY amount DESC LIMIT 5;

-- refused ambiguous-column
SELECT amount AS x, qty AS x FROM orders ORDER BY x LIMIT 5;

-- refused ambiguous-column
SELECT *, ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts, ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts AS ts, ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts, ts + INTERVAL '1' DAY AS ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT * FROM (SELECT total, total FROM (SELECT qty AS total FROM orders));

-- refused ambiguous-column
SELECT total FROM (SELECT total, total FROM (SELECT qty AS total FROM orders));

-- refused unknown-column
SELECT total0 FROM (SELECT total, total FROM (SELECT qty AS total FROM orders));

-- refused ambiguous-column
SELECT * FROM (SELECT qty, qty, ROW_NUMBER() OVER (PARTITION BY product ORDER BY amount DESC) AS rn FROM orders) WHERE rn <= 2;

-- refused ambiguous-column
SELECT * FROM (SELECT qty, qty, ROW_NUMBER() OVER (PARTITION BY product ORDER BY qty DESC) AS rn FROM orders) WHERE rn <= 2;

-- refused ambiguous-column
SELECT * FROM (SELECT category, total, total, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, product, SUM(qty) AS total, COUNT(*) AS c FROM orders GROUP BY category, product)) WHERE rn <= 2;

-- refused ambiguous-column
SELECT * FROM (SELECT category, total AS t, total AS t, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, product, SUM(qty) AS total, COUNT(*) AS c FROM orders GROUP BY category, product)) WHERE rn <= 2;

-- refused over-order
SELECT category, total, total, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS rn FROM (SELECT category, SUM(qty) AS total FROM orders GROUP BY category);

-- taken
SELECT qty, qty, SUM(qty) OVER (PARTITION BY product ORDER BY ts) FROM orders;

-- taken
SELECT qty, qty FROM orders GROUP BY qty;

-- taken
SELECT qty, qty FROM orders GROUP BY qty HAVING qty > 1;

-- taken
SELECT qty, qty FROM orders WHERE qty > 1;

-- refused ambiguous-column
SELECT qty, qty FROM orders UNION ALL SELECT qty, qty FROM orders ORDER BY qty LIMIT 3;

-- refused ambiguous-column
SELECT qty AS total, amount AS total FROM orders ORDER BY total + 1 LIMIT 3;

-- refused ambiguous-column
SELECT qty AS total, amount AS total FROM orders ORDER BY ABS(total) LIMIT 3;

-- refused ambiguous-column
SELECT qty, qty FROM orders ORDER BY qty + 1 LIMIT 3;

-- taken
SELECT qty, qty FROM orders o ORDER BY o.qty + 1 LIMIT 3;

-- refused ambiguous-column
SELECT DISTINCT qty, qty FROM orders ORDER BY qty LIMIT 3;

-- refused ambiguous-column
SELECT category, COUNT(*) AS n, SUM(qty) AS n FROM orders GROUP BY category ORDER BY n LIMIT 3;

-- refused ambiguous-column
SELECT category, COUNT(*) AS n, category FROM orders GROUP BY category ORDER BY category LIMIT 3;

-- taken
SELECT category, COUNT(*) AS n, category FROM orders GROUP BY category ORDER BY n LIMIT 3;

-- refused ambiguous-column
SELECT o.user_id, c.user_id FROM orders o JOIN clicks c ON o.order_id = c.user_id ORDER BY user_id LIMIT 3;

-- taken
SELECT o.user_id, c.user_id FROM orders o JOIN clicks c ON o.order_id = c.user_id ORDER BY o.user_id LIMIT 3;

-- refused ambiguous-column
SELECT * FROM (SELECT o.user_id, c.user_id FROM orders o JOIN clicks c ON o.order_id = c.user_id);

-- refused ambiguous-column
SELECT t.* FROM (SELECT qty, qty FROM orders) t;

-- refused ambiguous-column
SELECT t.*, 1 FROM (SELECT qty, qty FROM orders) t;

-- taken
SELECT 1 FROM (SELECT qty, qty FROM orders) t;

-- taken
SELECT COUNT(*) FROM (SELECT qty, qty FROM orders) t;

-- refused ambiguous-column
SELECT * FROM (SELECT *, qty FROM orders);

-- taken
SELECT * FROM (SELECT qty, * FROM orders);

-- taken
SELECT qty0 FROM (SELECT qty, * FROM orders);

-- taken
SELECT order_id FROM (SELECT *, qty FROM orders);

-- taken
SELECT * FROM (SELECT o.*, c.* FROM orders o JOIN clicks c ON o.order_id = c.user_id);

-- refused ambiguous-column
SELECT * FROM (SELECT qty, qty FROM orders UNION ALL SELECT qty, qty FROM orders);

-- refused ambiguous-column
SELECT * FROM (SELECT qty, qty FROM orders) t JOIN users u ON u.level = u.level;

-- taken
SELECT u.* FROM (SELECT qty, qty FROM orders) t JOIN users u ON u.level = 1;

-- taken
SELECT * FROM (SELECT qty, qty FROM orders) AS t (a, b);

-- taken
WITH t (a, b) AS (SELECT qty, qty FROM orders) SELECT * FROM t;

-- refused ambiguous-column
SELECT * FROM (SELECT window_start, window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end);

-- refused ambiguous-column
SELECT window_start, n FROM (SELECT window_start, window_end, COUNT(*) AS n, COUNT(*) AS n2, window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end);

-- refused ambiguous-column
INSERT INTO sk SELECT * FROM (SELECT order_id AS a, product AS a FROM orders);

-- taken
INSERT INTO sk SELECT order_id AS a, product AS a FROM orders;

-- refused table-argument
SELECT * FROM TABLE(TUMBLE(TABLE (SELECT ts, qty, qty FROM orders), DESCRIPTOR(ts), INTERVAL '10' MINUTE));

-- taken
CREATE TEMPORARY VIEW v1 AS SELECT ts, qty, qty AS q2 FROM orders; SELECT * FROM v1;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY COALESCE(ts, ts);

-- refused alter
ALTER TABLE orders DROP (qty, qty);

-- taken
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, ts) FROM orders;

-- refused append-only-sink
INSERT INTO sk SELECT LAG(order_id) AS x, channel FROM orders GROUP BY channel;

-- refused over-missing
INSERT INTO sk SELECT LEAD(order_id) AS x, channel FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, amount * qty AS total, ts FROM orders; SELECT channel, LAG(total) AS x FROM vv GROUP BY channel;

-- taken
CREATE TEMPORARY VIEW vv AS SELECT channel, qty, amount * qty AS total, ts FROM orders; SELECT channel, LAG(total) AS x, COUNT(DISTINCT qty) FROM vv GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
SELECT channel, window_start, window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, SUM(amount) AS x, SUM(qty) AS x FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, SUM(amount) AS x, SUM(qty) AS x FROM orders GROUP BY channel;

-- taken
SELECT window_end AS window_start, window_start AS window_end, SUM(qty) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- refused time-text
SELECT order_id FROM (SELECT order_id, COALESCE(ts, ts) AS t2 FROM orders) WHERE t2 > '2024-01-01' AND t2 <> '2024-01-02';
