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
