-- Hints (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE clicks (
  user_id BIGINT, url STRING, ip STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE sk (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sk', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- refused hint
SELECT * FROM orders /*+ OPTIONS(scan) */;

-- refused hint
SELECT * FROM orders /*+ OPTIONS() */;

-- taken
SELECT * FROM orders /*+ OPTIONS('a' = 'b') */;

-- refused hint
SELECT * FROM orders /*+ OPTIONS('scan') */;

-- taken
SELECT * FROM orders /*+ OPTIONS(a = 'b') */;

-- refused hint
SELECT * FROM orders /*+ OPTIONS('a' = 'b', scan) */;

-- refused hint
SELECT * FROM orders /*+ STATE_TTL('1d') */;

-- refused hint
SELECT * FROM orders /*+ NOSUCH(a) */;

-- refused hint
CREATE TEMPORARY VIEW vv AS SELECT * FROM orders /*+ NOSUCH(a) */;

-- refused hint
CREATE TEMPORARY VIEW vv AS SELECT * FROM orders /*+ OPTIONS(scan) */;

-- refused hint
CREATE TEMPORARY VIEW vv AS SELECT /*+ NOSUCH(a) */ * FROM orders;

-- refused hint
CREATE TEMPORARY VIEW vv AS SELECT * FROM orders /*+ NOSUCH(a) */; SELECT * FROM vv;

-- taken
SELECT /*+ STATE_TTL('o' = '1d') */ COUNT(*) FROM orders o GROUP BY user_id;

-- taken
SELECT /*+ LOOKUP('table' = 'c') */ o.order_id FROM orders o JOIN clicks c ON o.user_id = c.user_id;

-- taken
SELECT /*+ BROADCAST(c) */ o.order_id FROM orders o JOIN clicks c ON o.user_id = c.user_id;

-- taken
SELECT /*+ STATE_TTL('o' = '1d', 'c' = '2d') */ o.order_id FROM orders o JOIN clicks c ON o.user_id = c.user_id;

-- taken
SELECT * FROM orders /*+ OPTIONS('a' = 'b', 'c' = 'd') */;

-- taken
CREATE TEMPORARY VIEW vv AS SELECT * FROM orders /*+ OPTIONS('a' = 'b') */;

-- taken
INSERT INTO sk /*+ OPTIONS('a' = 'b') */ SELECT order_id, product FROM orders;

-- refused hint
INSERT INTO sk /*+ OPTIONS(scan) */ SELECT order_id, product FROM orders;

-- refused hint
INSERT INTO sk /*+ NOSUCH(a) */ SELECT order_id, product FROM orders;

-- refused hint
SELECT /*+ BROADCAST() */ o.order_id FROM orders o JOIN clicks c ON o.user_id = c.user_id;

-- refused hint
SELECT /*+ STATE_TTL() */ COUNT(*) FROM orders o GROUP BY user_id;

-- refused hint
SELECT /*+ STATE_TTL(o) */ COUNT(*) FROM orders o GROUP BY user_id;
