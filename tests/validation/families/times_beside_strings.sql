-- Times compared with strings (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE payments (
  pay_id BIGINT, order_id BIGINT, amount DECIMAL(10, 2), pay_kind STRING, pay_ts TIMESTAMP(3),
  WATERMARK FOR pay_ts AS pay_ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'payments', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE clicks (
  user_id BIGINT, url STRING, ip STRING, dur INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE users (
  user_id BIGINT, name STRING, city STRING, level INT, updated TIMESTAMP(3), WATERMARK FOR updated AS updated,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'users', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');

-- refused time-text
SELECT user_id FROM orders WHERE ts = 'paid';

-- taken
SELECT user_id FROM orders WHERE ts > 'paid';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01 10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01T10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01 10:00';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-1-1 1:0:0';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-13-01 10:00:00';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-30 10:00:00';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-20 10:00:00.123456789';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 10:00:00Z';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 10:00:00 UTC';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 25:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts <> 'paid';

-- refused time-text
SELECT user_id FROM orders WHERE 'paid' = ts;

-- taken
SELECT user_id FROM orders WHERE ts BETWEEN 'a' AND 'b';

-- taken
SELECT user_id FROM orders WHERE ts IN ('2024-02-20 10:00:00', '2024-02-21 10:00:00');

-- refused time-text
SELECT ts = 'paid' FROM orders;

-- refused time-text
SELECT CASE WHEN ts = 'paid' THEN 1 ELSE 2 END FROM orders;

-- taken
SELECT SUM(CASE WHEN ts > 'paid' THEN 1 ELSE 2 END) FROM orders;

-- refused time-text
SELECT user_id FROM orders WHERE CURRENT_DATE = 'LATE';

-- refused time-text
SELECT CURRENT_DATE = 'LATE' FROM orders;

-- taken
SELECT user_id FROM orders WHERE CURRENT_DATE = '2024-01-01';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = 'LATE';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-1-1';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01 10:00:00';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) > '2024/01/01';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-02-30';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-02';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '20240201';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = 'noon';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '25:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIMESTAMP_LTZ(3)) = 'paid';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIMESTAMP_LTZ(3)) = '2024-01-01 10:00:00';

-- taken
SELECT user_id FROM orders WHERE CURRENT_TIMESTAMP > 'paid';

-- taken
SELECT user_id FROM orders WHERE CURRENT_TIMESTAMP > '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts > CAST('x' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE ts > CAST('2024-01-01' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE ts > TO_TIMESTAMP('x');

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01 ';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-1-01';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-1 10:00:0';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-001-01';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '24-01-01';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-31';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-32';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-04-31 10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-00-10';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20  10:00:00';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-20 24:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:60:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:00:60';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:00:00.';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:00:00.1';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:00:00.1234567891';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 23:00:00,5';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 10';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02-20 010:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-02';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '20240201';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024/02/01';

-- refused time-text
SELECT user_id FROM orders WHERE ts = 'now';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS DISTINCT FROM 'x';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS NOT DISTINCT FROM 'x';

-- refused time-text
SELECT user_id FROM orders WHERE NOT (ts = 'x');

-- refused time-text
SELECT user_id FROM orders WHERE ts <> 'x' AND qty > 1;

-- refused time-text
SELECT user_id FROM orders WHERE ts = 'x' OR qty > 1;

-- refused time-text
SELECT user_id FROM orders WHERE ts = 'x' OR ts = 'y';

-- taken
SELECT user_id FROM orders WHERE ts = CAST('x' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS STRING) = 'x';

-- taken
SELECT user_id FROM orders WHERE ts >= 'x';

-- taken
SELECT user_id FROM orders WHERE ts < 'x';

-- taken
SELECT user_id FROM orders WHERE ts <= 'x';

-- refused time-text
SELECT user_id FROM orders WHERE CASE ts WHEN 'x' THEN TRUE ELSE FALSE END;

-- refused time-text
SELECT CASE ts WHEN 'x' THEN 1 ELSE 2 END FROM orders;

-- taken
SELECT CASE ts WHEN '2024-01-01' THEN 1 ELSE 2 END FROM orders;

-- refused time-text
SELECT NULLIF(ts, 'x') FROM orders;

-- refused time-text
SELECT IF(ts = 'x', 1, 2) FROM orders;

-- refused argument-type
SELECT COALESCE(ts, 'x') FROM orders;

-- refused time-text
SELECT COUNT(*) FILTER (WHERE ts = 'x') FROM orders;

-- refused time-text
SELECT user_id FROM orders GROUP BY user_id HAVING MAX(ts) = 'x';

-- refused time-text
SELECT user_id FROM orders WHERE user_id IN (SELECT user_id FROM clicks WHERE ts = 'x');

-- refused time-text
SELECT user_id FROM orders WHERE EXISTS (SELECT user_id FROM clicks WHERE ts = 'x');

-- refused time-text
SELECT o.user_id FROM orders o JOIN clicks c ON o.user_id = c.user_id AND c.ts = 'x';

-- refused time-text
SELECT o.user_id FROM orders o LEFT JOIN clicks c ON o.user_id = c.user_id AND c.ts = 'x';

-- taken
SELECT o.user_id FROM orders o LEFT JOIN clicks c ON o.user_id = c.user_id AND c.ts = '2024-01-01';

-- refused unknown-column
SELECT user_id FROM orders WHERE window_start = 'x';

-- refused time-text
CREATE TEMPORARY VIEW v1 AS SELECT * FROM orders WHERE ts = 'x'; SELECT qty FROM v1;

-- refused time-text
SELECT proc = 'x' FROM orders;

-- refused time-text
SELECT user_id FROM orders WHERE proc = 'x';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(proc AS TIMESTAMP_LTZ(3)) = '2024-01-01 10:00:00Z';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(proc AS TIMESTAMP_LTZ(3)) = '2024-01-01T10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CURRENT_TIMESTAMP = 'x';

-- refused time-text
SELECT user_id FROM orders WHERE CURRENT_TIMESTAMP = '2024-01-01T10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE LOCALTIMESTAMP = 'x';

-- refused time-text
SELECT user_id FROM orders WHERE LOCALTIME = 'x';

-- refused time-text
SELECT user_id FROM orders WHERE CURRENT_DATE <> 'x';

-- taken
SELECT user_id FROM orders WHERE CURRENT_DATE > 'x';

-- taken
SELECT user_id FROM orders WHERE CURRENT_DATE IN ('x');

-- taken
SELECT user_id FROM orders WHERE CURRENT_DATE IN ('x', 'y');

-- taken
SELECT user_id FROM orders WHERE ts IN ('x');

-- taken
SELECT user_id FROM orders WHERE ts NOT IN ('x');

-- taken
SELECT user_id FROM orders WHERE ts NOT IN ('x', 'y');

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01 ';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01x';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01 foo';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01T10';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024 - 01 - 01';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '24-1-1';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-13';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-0-1';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-1-32';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024/01/01';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-1-1-1';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00.5';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00.';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00.123456789';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00.1234567891';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '1:2:3';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = ' 10:00:00 ';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:60:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:60';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '24:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '24';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:';

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '010:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00Z';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00 PM';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '2024-01-01 10:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '-1';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10.5';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts = '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01 00:00:00' OR ts = '2024-01-02 00:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts <> '2024-01-01' AND ts <> '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' AND ts = '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR qty = 1;

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts > '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts > '2024-01-01' AND ts < '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts > '2024-01-01' OR ts < '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts BETWEEN '2024-01-01' AND '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts NOT BETWEEN '2024-01-01' AND '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts IN ('2024-01-01', '2024-01-02');

-- taken
SELECT user_id FROM orders WHERE ts NOT IN ('2024-01-01', '2024-01-02');

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) IN ('2024-01-01', '2024-01-02');

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = '2024-01-01' OR CAST(ts AS DATE) = '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) <> '2024-01-01' AND CAST(ts AS DATE) <> '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS TIME) = '10:00:00' OR CAST(ts AS TIME) = '11:00:00';

-- taken
SELECT user_id FROM orders WHERE CURRENT_DATE = '2024-01-01' OR CURRENT_DATE = '2024-01-02';

-- refused time-text
SELECT ts = '2024-01-01' OR ts = '2024-01-02' FROM orders;

-- refused time-text
SELECT CASE WHEN ts = '2024-01-01' OR ts = '2024-01-02' THEN 1 ELSE 0 END FROM orders;

-- refused time-text
SELECT COUNT(*) FILTER (WHERE ts = '2024-01-01' OR ts = '2024-01-02') FROM orders;

-- refused time-text
SELECT category, COUNT(*) FROM orders GROUP BY category HAVING MAX(ts) = '2024-01-01' OR MAX(ts) = '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE (ts = '2024-01-01' OR ts = '2024-01-02') AND qty > 1;

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR (ts = '2024-01-02' AND qty > 1);

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts = product;

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts = TIMESTAMP '2024-01-02 00:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE proc = '2024-01-01' OR proc = '2024-01-02';

-- refused time-text
SELECT order_id FROM orders WHERE ts IS NOT NULL AND ts > '2024-01-01' AND ts <> '2024-01-05' AND ts <> '2024-01-07';

-- refused time-text
SELECT user_id FROM orders WHERE ts > '2024-01-01' AND ts <> '2024-01-05';

-- refused time-text
SELECT user_id FROM orders WHERE ts > '2024-01-01' AND ts = '2024-01-05';

-- refused time-text
SELECT user_id FROM orders WHERE ts > '2024-01-01' OR ts = '2024-01-05';

-- refused time-text
SELECT user_id FROM orders WHERE ts > '2024-01-01' OR ts <> '2024-01-05';

-- refused time-text
SELECT user_id FROM orders WHERE ts < '2024-01-01' OR ts = '2024-01-05';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts = '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts <> '2024-01-01' OR ts <> '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts <> '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' AND ts <> '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE NOT (ts = '2024-01-01' OR ts = '2024-01-02');

-- refused time-text
SELECT user_id FROM orders WHERE NOT (ts <> '2024-01-01' AND ts <> '2024-01-02');

-- taken
SELECT user_id FROM orders WHERE NOT (ts = '2024-01-01' AND ts = '2024-01-02');

-- taken
SELECT CASE ts WHEN '2024-01-01' THEN 1 WHEN '2024-01-02' THEN 2 ELSE 3 END FROM orders;

-- refused time-text
SELECT user_id FROM orders WHERE '2024-01-01' = ts OR '2024-01-02' = ts;

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR qty = 1 OR ts = '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR (qty = 1 OR ts = '2024-01-02');

-- taken
SELECT user_id FROM orders WHERE (ts = '2024-01-01' AND qty = 1) OR (ts = '2024-01-02' AND qty = 2);

-- refused time-text
SELECT o.user_id FROM orders o JOIN clicks c ON o.user_id = c.user_id AND (o.ts = '2024-01-01' OR o.ts = '2024-01-02');

-- taken
SELECT o.user_id FROM orders o JOIN clicks c ON o.user_id = c.user_id WHERE o.ts = '2024-01-01' OR c.ts = '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts IN ('2024-01-02', '2024-01-03');

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts BETWEEN '2024-01-02' AND '2024-01-03';

-- refused time-text
SELECT user_id FROM orders WHERE ts <> '2024-01-01' AND ts BETWEEN '2024-01-02' AND '2024-01-03';

-- taken
SELECT user_id FROM orders WHERE ts IN ('2024-01-02', '2024-01-03') OR ts IN ('2024-01-05', '2024-01-06');

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-01' OR ts > TIMESTAMP '2024-01-02 00:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS NULL OR ts = '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-01' IS TRUE;

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) > '2024-01-01' AND CAST(ts AS DATE) <> '2024-01-05';

-- refused time-text
SELECT user_id FROM orders WHERE CAST(ts AS DATE) < '2024-01-01' OR CAST(ts AS DATE) = '2024-01-05';

-- refused time-text
SELECT qty, COUNT(*) FILTER (WHERE ts <> '2024-01-01' AND ts <> '2024-01-02') FROM orders GROUP BY qty;

-- refused time-text
SELECT * FROM orders WHERE ts = '2024-01-01' OR ts = '2024-01-02' OR ts = '2024-01-03';

-- taken
SELECT ts = '2024-01-01', ts = '2024-01-02' FROM orders;

-- refused time-text
SELECT IF(ts = '2024-01-01' OR ts = '2024-01-02', 1, 2) FROM orders;

-- taken
SELECT user_id FROM orders WHERE ts IS DISTINCT FROM '2024-01-01' AND ts IS DISTINCT FROM '2024-01-02';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS NOT DISTINCT FROM '2024-01-01' OR ts IS NOT DISTINCT FROM '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts IS NOT DISTINCT FROM '2024-01-01';

-- taken
SELECT user_id FROM users WHERE updated = '2024-01-01';

-- refused time-text
SELECT user_id FROM users WHERE updated = 'x';

-- refused time-text
SELECT user_id FROM users WHERE updated = '2024-01-01' OR updated = '2024-01-02';

-- taken
SELECT user_id FROM users WHERE updated = '2024-01-01 00:00:00' AND user_id = 3;

-- refused time-text
SELECT pay_ts = 'x' FROM payments;

-- taken
SELECT DATE_FORMAT(ts, 'yyyy') = 'x' FROM orders;

-- taken
SELECT user_id FROM orders WHERE FLOOR(ts TO DAY) = '2024-01-01' OR FLOOR(ts TO DAY) = '2024-01-02';

-- taken
SELECT user_id FROM orders WHERE ts > CAST('2024-01-01' AS TIMESTAMP(3)) AND ts < CAST('2024-01-03' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE ts > CAST('2024-01-01' AS TIMESTAMP(3)) OR ts < CAST('2024-01-03' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE ts BETWEEN CAST('2024-01-01' AS TIMESTAMP(3)) AND CAST('2024-01-03' AS TIMESTAMP(3));

-- taken
SELECT user_id FROM orders WHERE ts IN (CAST('2024-01-01' AS TIMESTAMP(3)), CAST('2024-01-03' AS TIMESTAMP(3)));

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) IN (CAST('2024-01-01' AS DATE), CAST('2024-01-03' AS DATE));

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) = CAST('2024-01-01' AS DATE) OR CAST(ts AS DATE) = CAST('2024-01-03' AS DATE);

-- taken
SELECT user_id FROM orders WHERE CAST(ts AS DATE) >= CAST('2024-01-01' AS DATE) AND CAST(ts AS DATE) < CAST('2024-01-03' AS DATE);

-- taken
SELECT user_id FROM orders WHERE ts > TO_TIMESTAMP('2024-01-01 00:00:00') AND ts < TO_TIMESTAMP('2024-01-03 00:00:00');

-- taken
SELECT user_id FROM orders WHERE ts > TIMESTAMP '2024-01-01 00:00:00' AND ts < TIMESTAMP '2024-01-03 00:00:00';

-- taken
SELECT user_id FROM orders WHERE ts = TIMESTAMP '2024-01-01 00:00:00' OR ts = TIMESTAMP '2024-01-03 00:00:00';

-- taken
SELECT user_id FROM orders WHERE ts IS NOT NULL AND ts <> '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts IS NOT NULL AND ts = '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts IS NULL AND ts = '2024-01-01';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS NULL OR ts <> '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts IS NOT NULL OR ts <> '2024-01-01';

-- taken
SELECT user_id FROM orders WHERE ts IS NULL OR ts > '2024-01-01';

-- refused time-text
SELECT user_id FROM orders WHERE ts IS NULL OR ts > '2024-01-01' OR ts = '2023-01-01';

-- taken
SELECT user_id FROM orders WHERE ts >= '2024-01-01' AND ts < '2024-02-01' AND qty > 1;

-- taken
SELECT user_id FROM orders WHERE ts > '2024-01-01' AND ts <> TIMESTAMP '2024-01-05 00:00:00';

-- taken
SELECT user_id FROM orders WHERE ts <> '2024-01-01' AND ts <> TIMESTAMP '2024-01-05 00:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts <> '2024-01-01' AND ts > TIMESTAMP '2024-01-05 00:00:00';

-- refused time-text
SELECT user_id FROM orders WHERE ts = '2024-01-06' AND ts > TIMESTAMP '2024-01-05 00:00:00';

-- taken
SELECT user_id FROM orders WHERE ts = '2024-01-06' AND ts > CURRENT_TIMESTAMP;

-- taken
SELECT user_id FROM orders WHERE ts <> '2024-01-06' AND ts > CURRENT_TIMESTAMP;

-- taken
SELECT user_id FROM orders WHERE ts <> '2024-01-06' AND ts > LOCALTIMESTAMP;

-- refused unknown-column
SELECT user_id FROM orders WHERE ts <> '2024-01-06' AND ts > pay_ts;

-- refused time-text
SELECT user_id FROM users WHERE updated > '2024-01-01' AND updated <> '2024-01-05';

-- refused time-text
SELECT o.order_id FROM orders o JOIN payments p ON o.order_id = p.order_id WHERE p.pay_ts > '2024-01-01' AND p.pay_ts <> '2024-01-05';

-- taken
SELECT o.order_id FROM orders o JOIN payments p ON o.order_id = p.order_id WHERE p.pay_ts > '2024-01-01' AND o.ts <> '2024-01-05';

-- taken
SELECT order_id FROM (SELECT order_id, DATE_FORMAT(ts, 'yyyy') AS d FROM orders) WHERE d = '2024' OR d = '2025';

-- refused time-text
SELECT order_id FROM (SELECT order_id, CAST(ts AS DATE) AS d FROM orders) WHERE d = '2024-01-01' OR d = '2024-01-02';

-- refused time-text
SELECT order_id FROM (SELECT order_id, CAST(ts AS DATE) AS d FROM orders) WHERE d > '2024-01-01' AND d <> '2024-01-02';

-- refused time-text
SELECT d, COUNT(*) FROM (SELECT order_id, CAST(ts AS DATE) AS d FROM orders) GROUP BY d HAVING d = '2024-01-01' OR d = '2024-01-02';

-- taken
SELECT CASE WHEN ts = '2024-01-01' THEN 1 WHEN ts = '2024-01-02' THEN 2 END FROM orders;

-- refused time-text
SELECT CASE WHEN ts > '2024-01-01' AND ts <> '2024-01-02' THEN 1 ELSE 2 END FROM orders;

-- taken
SELECT order_id FROM orders WHERE CAST(ts AS STRING) > '2024' AND CAST(ts AS STRING) <> '2024-01-01';

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l = '2024-01-01' OR l = '2024-01-02';

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l > '2024-01-01' AND l <> '2024-01-02';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l = TIMESTAMP '2024-01-01 00:00:00' OR l = TIMESTAMP '2024-01-02 00:00:00';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l > TIMESTAMP '2024-01-01 00:00:00' AND l <> TIMESTAMP '2024-01-02 00:00:00';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l > CAST('2024-01-01' AS TIMESTAMP_LTZ(3)) AND l <> CAST('2024-01-02' AS TIMESTAMP_LTZ(3));

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l = CAST('2024-01-01' AS TIMESTAMP_LTZ(3)) OR l = CAST('2024-01-02' AS TIMESTAMP_LTZ(3));

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l <> CAST('2024-01-01' AS TIMESTAMP_LTZ(3)) AND l <> CAST('2024-01-02' AS TIMESTAMP_LTZ(3));

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l IN ('2024-01-01', '2024-01-02');

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE l = '2024-01-01T10:00:00';

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE d = '2024-01-01' OR d = '2024-01-02';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE d > DATE '2024-01-01' AND d <> DATE '2024-01-02';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE d = DATE '2024-01-01' OR d = DATE '2024-01-02';

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE tm = '10:00:00' OR tm = '11:00:00';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE tm > TIME '10:00:00' AND tm <> TIME '11:00:00';

-- refused time-text
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE t6 = '2024-01-01' OR t6 = '2024-01-02';

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE t6 = CAST('2024-01-01' AS TIMESTAMP(6)) OR t6 = CAST('2024-01-02' AS TIMESTAMP(6));

-- taken
CREATE TABLE lz (id INT, l TIMESTAMP_LTZ(3), d DATE, tm TIME, t6 TIMESTAMP(6)) WITH ('connector' = 'datagen'); SELECT id FROM lz WHERE t6 = CAST('2024-01-01' AS TIMESTAMP(3)) OR t6 = CAST('2024-01-02' AS TIMESTAMP(3));

-- taken
SELECT order_id FROM orders WHERE ts > TIMESTAMP '2024-01-01 00:00:00' AND ts <> TIMESTAMP '2024-01-02 00:00:00';

-- taken
SELECT order_id FROM orders WHERE ts <> TIMESTAMP '2024-01-01 00:00:00' AND ts <> TIMESTAMP '2024-01-02 00:00:00';

-- taken
SELECT order_id FROM orders WHERE ts IS NULL OR ts = TIMESTAMP '2024-01-02 00:00:00';

-- taken
SELECT order_id FROM orders WHERE ts = CAST('2024-01-01' AS TIMESTAMP(0)) OR ts = CAST('2024-01-02' AS TIMESTAMP(0));

-- taken
SELECT order_id FROM orders WHERE ts > '2024-01-01' AND ts <> CAST('2024-01-05' AS TIMESTAMP(3));

-- refused time-text
SELECT MAX(ts) = '2024-01-01' OR MAX(ts) = '2024-01-02' FROM orders;

-- refused time-text
SELECT MIN(ts) = '2024-01-01' OR MIN(ts) = '2024-01-02' FROM orders;

-- refused time-text
SELECT FIRST_VALUE(ts) = '2024-01-01' OR FIRST_VALUE(ts) = '2024-01-02' FROM orders;

-- refused time-text
SELECT user_id FROM orders GROUP BY user_id HAVING LAST_VALUE(ts) > '2024-01-01' AND LAST_VALUE(ts) <> '2024-01-02';

-- refused time-text
SELECT user_id FROM orders GROUP BY user_id HAVING MIN(ts) > '2024-01-01' AND MIN(ts) <> '2024-01-02';

-- refused time-text
SELECT order_id FROM (SELECT order_id, FLOOR(ts TO DAY) AS t2 FROM orders) WHERE t2 = '2024-01-01' OR t2 = '2024-01-02';

-- refused time-text
SELECT order_id FROM (SELECT order_id, COALESCE(ts, ts) AS t2 FROM orders) WHERE t2 > '2024-01-01' AND t2 <> '2024-01-02';
