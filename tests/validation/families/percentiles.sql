-- PERCENTILE and its fraction, and COUNT of several values (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE v (a INT NOT NULL, c STRING NOT NULL, ch CHAR(3) NOT NULL, va VARCHAR(5), ts3 TIMESTAMP(3), tz TIMESTAMP_LTZ(3), tm TIME, sm SMALLINT, fl FLOAT, ty TINYINT, ar ARRAY<STRING>, ad ARRAY<DATE>, md MAP<STRING, DATE>, mi MAP<INT, INT>, rd ROW<d DATE>, ms MULTISET<STRING>, bn BINARY(3)) WITH ('connector'='kafka','topic'='v','format'='json','properties.bootstrap.servers'='k');
CREATE FUNCTION my_f AS 'x.Y';
CREATE TABLE p (c STRING) WITH ('connector'='print');

-- taken
SELECT PERCENTILE(d, 0.5) FROM t;

-- taken
SELECT PERCENTILE(d, -0.0) FROM t;

-- taken
SELECT PERCENTILE(d, 1.00) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 1.0000001) FROM t;

-- taken
SELECT PERCENTILE(d, 1e0) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 1e1) FROM t;

-- taken
SELECT PERCENTILE(d, (0.5)) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5 * 2) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5 * 3) FROM t;

-- taken
SELECT PERCENTILE(d, 1 - 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, -1) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, - 0.5) FROM t;

-- taken
SELECT PERCENTILE(d, CAST(0.5 AS DECIMAL(2,1))) FROM t;

-- taken
SELECT PERCENTILE(d, CAST(1 AS INT)) FROM t;

-- taken
SELECT PERCENTILE(d, CAST(2 AS INT)) FROM t;

-- taken
SELECT PERCENTILE(d, CAST('0.5' AS DOUBLE)) FROM t;

-- taken
SELECT PERCENTILE(d, CAST(0.5 AS FLOAT)) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, TRY_CAST('0.5' AS DOUBLE)) FROM t;

-- taken
SELECT PERCENTILE(d, ABS(0.5)) FROM t;

-- taken
SELECT PERCENTILE(d, ROUND(0.55, 1)) FROM t;

-- taken
SELECT PERCENTILE(d, PI()) FROM t;

-- taken
SELECT PERCENTILE(d, RAND()) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, a) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, n) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, c) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, TRUE) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, bo) FROM t;

-- refused bare-null
SELECT PERCENTILE(d, NULL) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, DATE '2020-01-01') FROM t;

-- taken
SELECT PERCENTILE(d, k) FROM (SELECT d, 0.5 AS k FROM t);

-- taken
SELECT PERCENTILE(d, CASE WHEN TRUE THEN 0.5 ELSE 0.6 END) FROM t;

-- taken
SELECT PERCENTILE(d, COALESCE(0.5, 0.6)) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, (SELECT 0.5)) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0.1]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0.1, 0.9, 1.0, 0]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0, 1, 0.5]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0.1, 1.5]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[-0.1]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0.25 + 0.25]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[CAST(0.5 AS DOUBLE)]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[1e-1, 5e-1]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[1, 0]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[2]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, ARRAY[a]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, arr) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, ARRAY[0.1, a]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, ARRAY[TRUE]) FROM t;

-- taken
SELECT PERCENTILE(d, ARRAY[0.1, 1e0]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, MAP['a', 0.1]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, ROW(0.1)) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, 1) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, 0) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, 1.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, 1e0) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, n) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, c) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, '2') FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, NULL) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, CAST(NULL AS INT)) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, b) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 0.5, bo) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5, CAST(a AS SMALLINT)) FROM t;

-- refused argument-count
SELECT PERCENTILE(d, 0.5, a, a) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 2, c) FROM t;

-- taken
SELECT PERCENTILE(NULL, 0.5) FROM t;

-- taken
SELECT PERCENTILE(NULL, ARRAY[0.5]) FROM t;

-- taken
SELECT PERCENTILE(NULL, 0.5, 2) FROM t;

-- refused argument-type
SELECT PERCENTILE(NULL, 2) FROM t;

-- refused bare-null
SELECT PERCENTILE(NULL, NULL) FROM t;

-- taken
SELECT PERCENTILE(CAST(NULL AS INT), 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(CAST(NULL AS STRING), 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(bo, 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(dt, 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(arr, 0.5) FROM t;

-- refused argument-count
SELECT PERCENTILE(*, 0.5) FROM t;

-- refused argument-type
SELECT PERCENTILE(DISTINCT d, 2) FROM t;

-- taken
SELECT PERCENTILE(DISTINCT d, ARRAY[0.1]) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 2) FILTER (WHERE a > 1) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5) OVER (PARTITION BY a ORDER BY ts) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, 2) OVER (PARTITION BY a ORDER BY ts) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, a) OVER (PARTITION BY a ORDER BY ts) FROM t;

-- refused argument-type
SELECT a, PERCENTILE(d, a) FROM t GROUP BY a;

-- refused argument-type
SELECT a FROM (SELECT a, PERCENTILE(d, 2) AS p FROM t GROUP BY a);

-- refused argument-type
SELECT a FROM t GROUP BY a HAVING PERCENTILE(d, 1.5) > 1;

-- taken
SELECT PERCENTILE(d + 1, 0.5) FROM t;

-- taken
SELECT PERCENTILE(1, 0.5) FROM t;

-- taken
SELECT percentile(d, 0.5) FROM t;

-- taken
SELECT PERCENTILE(d, +0.5) FROM t;

-- taken
SELECT PERCENTILE(d, 0.5 / 2) FROM t;

-- refused argument-type
SELECT PERCENTILE(d, INTERVAL '1' DAY) FROM t;

-- taken
SELECT PERCENTILE(fl, a) FROM v;

-- taken
SELECT PERCENTILE(fl, ARRAY[a]) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, ARRAY[a, sm]) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, c) FROM v;

-- taken
SELECT PERCENTILE(fl, a + 0.5) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, a - sm) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, sm * 2) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, CAST(sm AS DOUBLE)) FROM v;

-- taken
SELECT PERCENTILE(fl, CAST(a AS DOUBLE)) FROM v;

-- taken
SELECT PERCENTILE(fl, CAST(c AS DOUBLE)) FROM v;

-- taken
SELECT PERCENTILE(fl, COALESCE(sm, 1)) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, -sm) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, ad) FROM v;

-- taken
SELECT PERCENTILE(fl, 0.5, ty), PERCENTILE(sm, 0.5, a), PERCENTILE(a, 0.1) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, 0.5, fl) FROM v;

-- taken
SELECT PERCENTILE(DISTINCT fl, 0.5, a) FROM v;

-- taken
SELECT PERCENTILE(fl, ARRAY[0.1, ABS(0.5)]) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, ARRAY['a']) FROM v;

-- refused argument-type
SELECT PERCENTILE(fl, ARRAY[0.1, CAST(NULL AS DOUBLE)]) FROM v;

-- refused argument-count
SELECT COUNT(CAST(a AS STRING), CAST(b AS STRING)) FROM t;

-- refused argument-count
SELECT COUNT(a + 1, b + 1) FROM t;

-- refused argument-count
SELECT COUNT(a, b) FROM t;

-- refused argument-count
SELECT COUNT(c || 'x', b) FROM t;

-- taken
SELECT COUNT(a + 1) FROM t;

-- refused argument-count
SELECT COUNT(TRY_CAST('1' AS INT), TRY_CAST('2' AS INT)) FROM t;

-- refused argument-count
SELECT COUNT(CAST(NULL AS INT), CAST(NULL AS INT)) FROM t;

-- refused argument-count
SELECT COUNT(CAST(NULL AS INT), a) FROM t;

-- taken
SELECT COUNT(1 + 1, 2 + 2) FROM t;

-- refused argument-count
SELECT COUNT(DISTINCT a + 1, b) FROM t;
