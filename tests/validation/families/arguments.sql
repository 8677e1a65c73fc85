-- Numbers and types of arguments (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
SELECT GROUP_ID() FROM gauges GROUP BY id;

-- taken
SELECT SUM(id) OVER (PARTITION BY txt ORDER BY at_time RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW) FROM gauges;

-- taken
SELECT SUM(id) OVER (PARTITION BY txt ORDER BY at_time ROWS BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW) FROM gauges;

-- taken
SELECT LAG(id) IGNORE NULLS OVER (PARTITION BY txt ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(big, 1, CAST(0 AS BIGINT)) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(txt, 1, 'a') OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(dc, 1, 1.5) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(dc, 1, CAST(1.5 AS DECIMAL(10,2))) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(id, -1) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(id, 1, id) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(id, 1, CAST(NULL AS INT)) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT LAG(ok, 1, TRUE) OVER (ORDER BY at_time) FROM gauges;

-- taken
SELECT PERCENTILE(dbl, 0.5) FROM gauges;

-- taken
SELECT JSON_VALUE(txt, '$.a' RETURNING INTEGER) FROM gauges;

-- taken
SELECT JSON_VALUE(txt, '$.a' RETURNING DOUBLE) FROM gauges;

-- taken
SELECT JSON_VALUE(txt, '$.a' RETURNING BOOLEAN) FROM gauges;

-- taken
SELECT JSON_VALUE(txt, '$.a' RETURNING VARCHAR(10)) FROM gauges;

-- taken
SELECT JSON_VALUE(txt, '$.a' RETURNING INT) FROM gauges;

-- taken
SELECT arr[id] FROM gauges;

-- taken
SELECT spot['x'] FROM gauges;

-- taken
SELECT ARRAY_CONTAINS(arr, 1) FROM gauges;

-- taken
SELECT ARRAY_JOIN(ARRAY['a'], ',') FROM gauges;

-- taken
SELECT ARRAY_APPEND(arr, 1) FROM gauges;

-- taken
SELECT ARRAY_CONCAT(arr, ARRAY[1]) FROM gauges;

-- taken
SELECT MAP_FROM_ARRAYS(arr, ARRAY['a']) FROM gauges;

-- taken
SELECT MAP_UNION(mp, mp) FROM gauges;

-- taken
SELECT COLLECT(id) FROM gauges;

-- taken
SELECT SUM(DISTINCT id) FROM gauges;

-- taken
SELECT CAST(id AS INTERVAL DAY) FROM gauges;

-- taken
SELECT TO_TIMESTAMP_LTZ(big, 3) FROM gauges;

-- taken
SELECT TO_TIMESTAMP_LTZ(big) FROM gauges;

-- taken
SELECT DATE_FORMAT(txt, 'yyyy') FROM gauges;

-- taken
SELECT TYPEOF(NULL) FROM gauges;

-- taken
SELECT JSON_STRING(NULL) FROM gauges;

-- taken
SELECT CURRENT_WATERMARK(at_time) FROM gauges;

-- taken
SELECT q.x, id FROM gauges JOIN (SELECT 1 AS x) q ON TRUE;

-- refused aggregate-misplaced
SELECT GROUP_ID() FROM gauges;

-- refused over-frame
SELECT SUM(id) OVER (PARTITION BY txt ORDER BY at_time ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM gauges;

-- refused over-function
SELECT LAST_VALUE(id) IGNORE NULLS OVER (PARTITION BY txt ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(dbl, 1, 0) OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(dbl, 1, 0.0) OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(txt, 1, 5) OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(id, 'a') OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(id, big) OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT LAG(id, 1, big) OVER (ORDER BY at_time) FROM gauges;

-- refused argument-type
SELECT PERCENTILE(txt, 0.5) FROM gauges;

-- refused over-function
SELECT APPROX_COUNT_DISTINCT(id) FROM gauges;

-- refused argument-type
SELECT JSON_VALUE(txt, '$.a' RETURNING DECIMAL(10,2)) FROM gauges;

-- refused argument-type
SELECT JSON_VALUE(txt, '$.a' RETURNING FLOAT) FROM gauges;

-- refused argument-type
SELECT JSON_VALUE(txt, '$.a' RETURNING SMALLINT) FROM gauges;

-- refused argument-type
SELECT JSON_VALUE(txt, '$.a' RETURNING DATE) FROM gauges;

-- refused argument-type
SELECT arr[big] FROM gauges;

-- refused argument-type
SELECT arr[1.5] FROM gauges;

-- refused argument-type
SELECT arr[CAST(1 AS TINYINT)] FROM gauges;

-- refused unknown-field
SELECT spot['q'] FROM gauges;

-- refused argument-type
SELECT ARRAY_CONTAINS(arr, 'a') FROM gauges;

-- refused argument-type
SELECT ARRAY_JOIN(arr, ',') FROM gauges;

-- refused argument-type
SELECT ARRAY_POSITION(arr, 'a') FROM gauges;

-- refused argument-type
SELECT ARRAY_UNION(arr, ARRAY['a']) FROM gauges;

-- refused argument-type
SELECT ARRAY_CONCAT(arr, ARRAY['a']) FROM gauges;

-- refused argument-type
SELECT MAP_UNION(mp, MAP[1, 2]) FROM gauges;

-- refused cast
SELECT CAST(txt AS INTERVAL DAY) FROM gauges;

-- refused bare-null
SELECT HEX(NULL) FROM gauges;

-- refused bare-null
SELECT TO_TIMESTAMP_LTZ(NULL, 3) FROM gauges;

-- refused bare-null
SELECT SINGLE_VALUE(NULL) FROM gauges;

-- refused bare-null
SELECT CURRENT_WATERMARK(NULL) FROM gauges;

-- refused bare-null
SELECT JSON_QUERY(NULL, '$') FROM gauges;

-- refused argument-type
SELECT CURRENT_WATERMARK(id) FROM gauges;

-- refused argument-type
SELECT mp[id] FROM gauges;

-- refused argument-type
SELECT ARRAY_SLICE(arr, 'a') FROM gauges;

-- refused argument-type
SELECT MAP_KEYS(arr) FROM gauges;

-- refused argument-type
SELECT LISTAGG(txt, 1) FROM gauges;

-- refused distinct-star
SELECT COUNT(DISTINCT *) FROM gauges;

-- refused argument-count
SELECT SUM() FROM gauges;

-- refused argument-type
SELECT SUBSTRING(id, 1) FROM gauges;

-- refused argument-count
SELECT IF(ok, 1) FROM gauges;

-- refused argument-type
SELECT TO_TIMESTAMP(id) FROM gauges;

-- refused argument-type
SELECT DATE_FORMAT(id, 'yyyy') FROM gauges;
