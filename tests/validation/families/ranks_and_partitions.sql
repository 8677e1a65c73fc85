-- Orders of rankings, lengths of patterns, values of PARTITION (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE clicks (
  user_id BIGINT, url STRING, ip STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE skpart (a BIGINT, b STRING) PARTITIONED BY (b) WITH ('connector' = 'filesystem', 'path' = 'file:///lake/y', 'format' = 'json');

-- refused over-order
SELECT user_id, RANK() OVER (PARTITION BY user_id ORDER BY ts, user_id) FROM orders;

-- refused over-order
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, qty) FROM orders;

-- taken
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, ts) FROM orders;

-- taken
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts, 'x') FROM orders;

-- refused over-order
SELECT user_id, DENSE_RANK() OVER (ORDER BY ts, qty DESC) FROM orders;

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

-- refused over-order
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY proc, qty) FROM orders;

-- refused over-order
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY user_id, ts) FROM orders;

-- refused over-order
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty, ts) FROM orders;

-- taken
SELECT user_id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty) FROM orders;

-- refused pattern
SELECT * FROM clicks MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.url AS u PATTERN (A B) WITHIN INTERVAL '5' MONTH DEFINE B AS B.dur < 30) AS m;

-- refused pattern
SELECT * FROM clicks MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.url AS u PATTERN (A B) WITHIN INTERVAL '5' YEAR DEFINE B AS B.dur < 30) AS m;

-- taken
SELECT * FROM clicks MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.url AS u PATTERN (A B) WITHIN INTERVAL '5' DAY DEFINE B AS B.dur < 30) AS m;

-- taken
SELECT * FROM clicks MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.url AS u PATTERN (A B) WITHIN INTERVAL '1 02' DAY TO HOUR DEFINE B AS B.dur < 30) AS m;

-- taken
INSERT INTO skpart PARTITION (b = 'x') SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = 1) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = product) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = UPPER('x')) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = NULL) SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = -1) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = DATE '2024-01-01') SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b) SELECT order_id, product FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = TRUE) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = 'x' || 'y') SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = CAST('x' AS STRING)) SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = INTERVAL '1' DAY) SELECT order_id FROM orders;

-- taken
SELECT order_id, amount FROM orders ORDER BY CAST(NULL AS INT) LIMIT 5;

-- refused over-misplaced
SELECT order_id, SUM((SELECT 1)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- taken
SELECT order_id, SUM((SELECT 1)) FROM orders GROUP BY order_id;

-- refused duplicate-column
SELECT channel, window_start, SUM(amount) AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- refused duplicate-column
SELECT channel, window_start, SUM(amount) AS window_end FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, SUM(amount) AS channel FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, window_start, SUM(amount) AS x, SUM(qty) AS x FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, SUM(amount) AS channel FROM orders GROUP BY channel;

-- taken
SELECT channel, SUM(amount) AS x, SUM(qty) AS x FROM orders GROUP BY channel;

-- refused bare-null
SELECT order_id, amount FROM orders ORDER BY amount + NULL LIMIT 5;

-- refused over-misplaced
SELECT order_id, SUM((SELECT MAX(dur) FROM clicks)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused over-misplaced
SELECT order_id, SUM(qty + (SELECT 1)) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused over-misplaced
SELECT order_id, SUM(CASE WHEN EXISTS (SELECT 1 FROM clicks) THEN 1 ELSE 0 END) OVER w AS s FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY ts);

-- refused unknown-column
SELECT order_id, COUNT(*) OVER (PARTITION BY CASE WHEN qty IN (SELECT dur FROM clicks) THEN 1 ELSE 2 END ORDER BY ts) FROM orders;

-- taken
SELECT channel, SUM(amount) AS window_time FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, SUM(amount) + 1 AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, UPPER(channel) AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- refused duplicate-column
SELECT SUM(amount) AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- refused duplicate-column
SELECT channel, SUM(amount) AS window_start FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- refused duplicate-column
SELECT channel, window_start AS s, SUM(amount) AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT channel, SUM(amount) AS window_start FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start;

-- taken
SELECT channel, SUM(amount) AS EXPR$1 FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY channel, window_start, window_end;

-- taken
SELECT window_end AS window_start, window_start AS window_end, SUM(qty) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT window_end AS window_start, SUM(qty) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;
