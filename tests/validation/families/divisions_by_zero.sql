-- Divisions of constants (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE clicks (
  user_id BIGINT, url STRING, ip STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE sk (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sk', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) > '2024/01/01';

-- refused division-by-zero
SELECT 1/0 FROM orders;

-- taken
SELECT qty/0 FROM orders;

-- refused division-by-zero
SELECT 1.0/0 FROM orders;

-- refused division-by-zero
SELECT 1e0/0 FROM orders;

-- taken
SELECT 5 % 0 FROM orders;

-- taken
SELECT MOD(5, 0) FROM orders;

-- taken
SELECT user_id FROM orders WHERE 1/0 = 1;

-- refused division-by-zero
SELECT user_id FROM orders WHERE qty > 1/0;

-- refused division-by-zero
SELECT CASE WHEN qty > 1 THEN 1/0 ELSE 2 END FROM orders;

-- refused division-by-zero
SELECT SUM(1/0) FROM orders;

-- taken
INSERT INTO sk SELECT 1/0, product FROM orders;

-- refused division-by-zero
SELECT COALESCE(qty, 1/0) FROM orders;

-- refused division-by-zero
SELECT CAST(1 AS DECIMAL(5,2))/0 FROM orders;

-- taken
SELECT SQRT(-1) FROM orders;

-- taken
SELECT LN(0) FROM orders;

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024/02/01';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024/01/01';

-- taken
SELECT 1/0 = 1 FROM orders;

-- taken
SELECT user_id FROM orders WHERE 1/0 > 1;

-- taken
SELECT user_id FROM orders WHERE 1/0 = 1 AND qty > 1;

-- refused division-by-zero
SELECT user_id FROM orders WHERE qty > 1 AND qty < 1/0;

-- taken
SELECT user_id FROM orders WHERE qty > 1/0 + 1;

-- refused division-by-zero
SELECT user_id FROM orders WHERE qty IN (1/0, 2);

-- refused division-by-zero
SELECT user_id FROM orders WHERE qty BETWEEN 1/0 AND 2;

-- taken
SELECT user_id FROM orders WHERE qty * 1/0 > 2;

-- refused division-by-zero
SELECT user_id FROM orders WHERE qty * (1/0) > 2;

-- refused division-by-zero
SELECT 1/(2-2) FROM orders;

-- refused division-by-zero
SELECT 1/(0*5) FROM orders;

-- refused division-by-zero
SELECT 1/CAST(0 AS INT) FROM orders;

-- refused division-by-zero
SELECT 1/CAST('0' AS INT) FROM orders;

-- refused division-by-zero
SELECT 1/0.0 FROM orders;

-- refused division-by-zero
SELECT 1/0e0 FROM orders;

-- refused division-by-zero
SELECT 1.5/0.00 FROM orders;

-- refused division-by-zero
SELECT CAST(1 AS DOUBLE)/0 FROM orders;

-- refused division-by-zero
SELECT CAST(1 AS FLOAT)/0 FROM orders;

-- refused division-by-zero
SELECT 1/(1-1) + qty FROM orders;

-- refused division-by-zero
SELECT 0/0 FROM orders;

-- taken
SELECT 1 % 0 FROM orders;

-- taken
SELECT 1.5 % 0 FROM orders;

-- taken
SELECT qty % 0 FROM orders;

-- taken
SELECT -(1/0) FROM orders;

-- refused division-by-zero
SELECT (1/0) FROM orders;

-- taken
SELECT CAST(1/0 AS STRING) FROM orders;

-- taken
SELECT COALESCE(1, 1/0) FROM orders;

-- refused division-by-zero
SELECT IF(qty > 1, 1/0, 1) FROM orders;

-- refused division-by-zero
SELECT qty FROM (SELECT qty, 1/0 AS z FROM orders);

-- refused division-by-zero
SELECT z FROM (SELECT qty, 1/0 AS z FROM orders);

-- refused division-by-zero
CREATE TEMPORARY VIEW v1 AS SELECT qty, 1/0 AS z FROM orders; SELECT qty FROM v1;

-- refused division-by-zero
CREATE TEMPORARY VIEW v1 AS SELECT qty, 1/0 AS z FROM orders; SELECT qty, z FROM v1;

-- refused division-by-zero
SELECT COUNT(*) FROM orders GROUP BY 1/0;

-- refused division-by-zero
SELECT COUNT(*) FROM orders HAVING COUNT(*) > 1/0;

-- refused division-by-zero
SELECT o.user_id FROM orders o JOIN clicks c ON o.user_id = c.user_id AND o.qty > 1/0;

-- taken
INSERT INTO sk VALUES (1/0, 'a');

-- taken
INSERT INTO sk SELECT CAST(1/0 AS BIGINT), product FROM orders;

-- taken
SELECT SUM(qty) / 0 FROM orders;

-- taken
SELECT qty FROM orders WHERE FALSE AND 1/0 = 1;

-- refused limit
SELECT qty FROM orders LIMIT 1/0;

-- refused division-by-zero
SELECT SUM(qty) OVER (ORDER BY ts ROWS BETWEEN 1/0 PRECEDING AND CURRENT ROW) FROM orders;

-- taken
SELECT ARRAY[1/0] FROM orders;

-- taken
SELECT UPPER(CAST(1/0 AS STRING)) FROM orders;

-- refused division-by-zero
SELECT qty + 1/0 FROM orders;

-- taken
SELECT COUNT(1/0) FROM orders;

-- refused division-by-zero
SELECT COUNT(*) FILTER (WHERE qty > 1/0) FROM orders;
