-- DISTINCT, ORDER BY, WITHIN GROUP, FILTER and OVER of aggregates, and differences of times (Flink 2.3).
CREATE TABLE X (x ROW<a INT, b STRING>, y ROW<x ROW<a INT>>, arr ARRAY<ROW<p INT, q STRING>>, m MAP<STRING, INT>, id INT NOT NULL, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='x','format'='json');
CREATE TABLE T (k STRING, k2 STRING, a INT, b INT, l BIGINT, d DOUBLE, s STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE R (k STRING, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='r','format'='json');
CREATE TABLE G (k STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='g','format'='json');
CREATE TABLE U (k STRING, v INT, g STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='u','key.format'='json','value.format'='json');

-- refused distinct
SELECT COUNT(DISTINCT x) FROM X;

-- taken
SELECT COUNT(DISTINCT arr) FROM X;

-- refused distinct
SELECT COUNT(DISTINCT m) FROM X;

-- refused distinct
SELECT COUNT(DISTINCT y) FROM X GROUP BY id;

-- refused distinct
SELECT ARRAY_AGG(DISTINCT x) FROM X;

-- taken
SELECT ARRAY_AGG(x) FROM X;

-- taken
SELECT COUNT(x) FROM X;

-- taken
SELECT COUNT(DISTINCT ts) FROM X;

-- taken
SELECT COUNT(DISTINCT x.a) FROM X AS t;

-- taken
SELECT LAST_VALUE(x) FROM X;

-- taken
SELECT COUNT(DISTINCT CAST(id AS DECIMAL(10, 2))) FROM X;

-- taken
SELECT COUNT(DISTINCT CAST(ts AS DATE)) FROM X;

-- refused cast
SELECT COUNT(DISTINCT CAST(id AS BINARY(3))) FROM X;

-- taken
SELECT COUNT(DISTINCT d), COUNT(DISTINCT s), SUM(DISTINCT l) FROM T;

-- refused distinct
SELECT window_start, COUNT(DISTINCT x) FROM TABLE(TUMBLE(TABLE X, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;

-- refused aggregate-order
SELECT LISTAGG(s) WITHIN GROUP (ORDER BY s) FROM T;

-- taken
SELECT ARRAY_AGG(a ORDER BY b) FROM T;

-- refused aggregate-order
SELECT ARRAY_AGG(a) WITHIN GROUP (ORDER BY b) FROM T;

-- refused aggregate-order
SELECT FIRST_VALUE(a ORDER BY ts) FROM T;

-- refused aggregate-order
SELECT SUM(a) WITHIN GROUP (ORDER BY b) FROM T;

-- refused aggregate-order
SELECT SUM(a ORDER BY b) FROM T;

-- refused syntax
SELECT COUNT(* ORDER BY b) FROM T;

-- taken
SELECT PERCENTILE(a, 0.5) FROM T;

-- taken
SELECT PERCENTILE(a, 1) FROM T;

-- taken
SELECT PERCENTILE(a, 0) FROM T;

-- taken
SELECT PERCENTILE(a, ARRAY[0.5, 0.9]) FROM T;

-- taken
SELECT PERCENTILE(a, ARRAY[0.5, 1.9]) FROM T;

-- taken
SELECT PERCENTILE(a, 0.5, 2) FROM T;

-- taken
SELECT PERCENTILE(a, 0.5, b) FROM T;

-- taken
SELECT PERCENTILE(a, CAST(0.5 AS DOUBLE)) FROM T;

-- refused argument-type
SELECT PERCENTILE(s, 0.5) FROM T;

-- refused over-misplaced
SELECT SUM(a) FILTER (WHERE b > 3) OVER (PARTITION BY k ORDER BY ts) FROM T;

-- refused changing-rows
SELECT SUM(a) OVER (PARTITION BY k ORDER BY ts) FILTER (WHERE b > 3) FROM T;

-- refused over-misplaced
SELECT COUNT(*) FILTER (WHERE b > 3) OVER w FROM T WINDOW w AS (PARTITION BY k ORDER BY ts);

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, ts, CURRENT_TIMESTAMP) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, ts, LOCALTIMESTAMP) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, ts, p) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, p, ts) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, p, CURRENT_TIMESTAMP) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(DAY, CURRENT_DATE, CURRENT_TIMESTAMP) FROM T;

-- taken
SELECT TIMESTAMPDIFF(DAY, CURRENT_DATE, ts) FROM T;

-- taken
SELECT TIMESTAMPDIFF(DAY, ts, CURRENT_DATE) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, ts, CAST(CURRENT_TIMESTAMP AS TIMESTAMP(3))) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, CAST(ts AS TIMESTAMP_LTZ(3)), CURRENT_TIMESTAMP) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, TO_TIMESTAMP(s), TO_TIMESTAMP_LTZ(l, 3)) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, TO_TIMESTAMP(s), ts) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, '2020-01-01', ts) FROM T;

-- refused argument-type
SELECT TIMESTAMPDIFF(MINUTE, NOW(), ts) FROM T;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, ts, TIMESTAMP '2020-01-01 00:00:00') FROM T;

-- taken
SELECT k FROM T WHERE ts > CURRENT_TIMESTAMP - INTERVAL '1' DAY;

-- refused argument-type
SELECT k FROM T WHERE TIMESTAMPDIFF(HOUR, ts, NOW()) < 3;

-- refused bare-null
SELECT TIMESTAMPDIFF(MINUTE, NULL, ts) FROM T;
