-- Binary literals and values beside others (Flink 2.3).
CREATE TABLE t (a BIGINT, s STRING, c CHAR(3), y BYTES, z BINARY(2), v VARBINARY(4), d DECIMAL(10,2), f BOOLEAN, ts TIMESTAMP(3), arr ARRAY<BYTES>)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sb (y BYTES)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sz (z BINARY(2))
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE ss (s STRING)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sa (a BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE m (k STRING, n BIGINT, i INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');

-- refused argument-type
SELECT SUM(x'00') AS r FROM t;

-- refused argument-type
SELECT MAX(x'00') AS r FROM t;

-- taken
SELECT COUNT(x'00') AS r FROM t;

-- refused distinct
SELECT COUNT(DISTINCT x'00') AS r FROM t;

-- refused argument-type
SELECT AVG(x'00') AS r FROM t;

-- refused argument-type
SELECT LISTAGG(x'00') AS r FROM t;

-- taken
SELECT FIRST_VALUE(x'00') AS r FROM t;

-- taken
SELECT COLLECT(x'00') AS r FROM t;

-- refused argument-type
SELECT MIN(x'00') AS r FROM t;

-- taken
SELECT ARRAY_AGG(x'00') AS r FROM t;

-- taken
SELECT x'00' AS r FROM t;

-- taken
SELECT x'' AS r FROM t;

-- refused binary-literal
SELECT x'0' AS r FROM t;

-- refused binary-literal
SELECT x'0g' AS r FROM t;

-- taken
SELECT x'00' = x'00' AS r FROM t;

-- taken
SELECT x'00' < x'0001' AS r FROM t;

-- taken
SELECT y = x'00' AS r FROM t;

-- taken
SELECT z = x'00' AS r FROM t;

-- taken
SELECT y < x'00' AS r FROM t;

-- refused operand-type
SELECT a = x'00' AS r FROM t;

-- refused operand-type
SELECT s = x'00' AS r FROM t;

-- refused operand-type
SELECT c = x'00' AS r FROM t;

-- refused operand-type
SELECT f = x'00' AS r FROM t;

-- refused operand-type
SELECT ts = x'00' AS r FROM t;

-- refused operand-type
SELECT d > x'00' AS r FROM t;

-- refused operand-type
SELECT a + x'00' AS r FROM t;

-- refused operand-type
SELECT x'00' + x'00' AS r FROM t;

-- refused operand-type
SELECT x'00' || 'a' AS r FROM t;

-- refused operand-type
SELECT x'00' || x'01' AS r FROM t;

-- refused operand-type
SELECT y || x'01' AS r FROM t;

-- refused operand-type
SELECT s || x'01' AS r FROM t;

-- refused argument-type
SELECT COALESCE(a, x'00') AS r FROM t;

-- taken
SELECT COALESCE(y, x'00') AS r FROM t;

-- refused argument-type
SELECT COALESCE(s, x'00') AS r FROM t;

-- refused mixed-types
SELECT CASE WHEN f THEN a ELSE x'00' END AS r FROM t;

-- taken
SELECT CASE WHEN f THEN y ELSE x'00' END AS r FROM t;

-- refused mixed-types
SELECT CASE WHEN f THEN s ELSE x'00' END AS r FROM t;

-- taken
SELECT CASE WHEN f THEN NULL ELSE x'00' END AS r FROM t;

-- refused argument-type
SELECT IF(f, a, x'00') AS r FROM t;

-- taken
SELECT IF(f, y, x'00') AS r FROM t;

-- refused argument-type
SELECT NULLIF(a, x'00') AS r FROM t;

-- taken
SELECT NULLIF(y, x'00') AS r FROM t;

-- taken
SELECT CAST(x'00' AS STRING) AS r FROM t;

-- refused cast
SELECT CAST(x'00' AS INT) AS r FROM t;

-- taken
SELECT CAST(x'00' AS BYTES) AS r FROM t;

-- refused cast
SELECT CAST(x'00' AS BOOLEAN) AS r FROM t;

-- refused cast
SELECT CAST(x'00' AS DECIMAL(5,2)) AS r FROM t;

-- refused cast
SELECT CAST(x'00' AS TIMESTAMP(3)) AS r FROM t;

-- taken
SELECT ARRAY[x'00', y] AS r FROM t;

-- refused mixed-types
SELECT ARRAY[x'00', a] AS r FROM t;

-- refused mixed-types
SELECT ARRAY[x'00', 'a'] AS r FROM t;

-- taken
SELECT MAP[x'00', a] AS r FROM t;

-- taken
SELECT ROW(x'00', a) AS r FROM t;

-- refused argument-type
SELECT ABS(x'00') AS r FROM t;

-- refused argument-type
SELECT UPPER(x'00') AS r FROM t;

-- refused argument-type
SELECT CHAR_LENGTH(x'00') AS r FROM t;

-- refused operand-type
SELECT -x'00' AS r FROM t;

-- refused operand-type
SELECT NOT x'00' AS r FROM t;

-- taken
SELECT x'00' IS NULL AS r FROM t;

-- refused operand-type
SELECT x'00' IS TRUE AS r FROM t;

-- refused operand-type
SELECT x'00' LIKE 'a' AS r FROM t;

-- refused operand-type
SELECT s LIKE x'00' AS r FROM t;

-- taken
SELECT y IN (x'00', x'01') AS r FROM t;

-- refused operand-type
SELECT a IN (x'00') AS r FROM t;

-- refused mixed-types
SELECT s IN (x'00','a') AS r FROM t;

-- taken
SELECT y BETWEEN x'00' AND x'ff' AS r FROM t;

-- refused operand-type
SELECT a BETWEEN x'00' AND 5 AS r FROM t;

-- refused argument-type
SELECT SUBSTRING(x'00' FROM 1) AS r FROM t;

-- refused argument-type
SELECT SUBSTRING(s FROM x'00') AS r FROM t;

-- taken
SELECT JSON_VALUE(x'00', '$.a') AS r FROM t;

-- refused argument-type
SELECT JSON_OBJECT(x'00' VALUE a) AS r FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE x'00') AS r FROM t;

-- refused argument-type
SELECT CONCAT(s, x'00') AS r FROM t;

-- taken
SELECT MD5(x'00') AS r FROM t;

-- taken
SELECT TO_BASE64(x'00') AS r FROM t;

-- taken
SELECT DECODE(x'00', 'UTF-8') AS r FROM t;

-- refused argument-type
SELECT GREATEST(a, x'00') AS r FROM t;

-- taken
SELECT GREATEST(y, x'00') AS r FROM t;

-- refused argument-type
SELECT ROUND(x'00') AS r FROM t;

-- refused argument-type
SELECT MOD(a, x'00') AS r FROM t;

-- refused argument-type
SELECT arr[x'00'] AS r FROM t;

-- refused argument-type
SELECT EXTRACT(DAY FROM x'00') AS r FROM t;

-- refused argument-type
SELECT TRIM(x'00') AS r FROM t;

-- taken
SELECT POSITION(x'00' IN y) AS r FROM t;

-- refused argument-type
SELECT DATE_FORMAT(x'00','yyyy') AS r FROM t;

-- taken
SELECT OVERLAY(y PLACING x'00' FROM 1) AS r FROM t;

-- refused argument-type
SELECT IFNULL(a, x'00') AS r FROM t;

-- taken
SELECT IFNULL(y, x'00') AS r FROM t;

-- taken
SELECT TYPEOF(x'00') AS r FROM t;

-- refused argument-type
SELECT TIMESTAMPADD(DAY, x'00', ts) AS r FROM t;

-- refused argument-type
SELECT FLOOR(x'00') AS r FROM t;

-- refused argument-type
SELECT HEX(x'00') AS r FROM t;

-- refused argument-type
SELECT REVERSE(x'00') AS r FROM t;

-- taken
INSERT INTO sb SELECT x'00' FROM t;

-- taken
INSERT INTO sz SELECT x'00' FROM t;

-- refused sink-type
INSERT INTO ss SELECT x'00' FROM t;

-- refused sink-type
INSERT INTO sa SELECT x'00' FROM t;

-- taken
INSERT INTO sb VALUES (x'00'), (x'0001');

-- refused set-operation-types
INSERT INTO sa VALUES (1), (x'0001');

-- refused set-operation-types
INSERT INTO ss VALUES ('a'), (x'0001');

-- taken
INSERT INTO sz SELECT x'000102' FROM t;

-- taken
INSERT INTO sb SELECT y FROM t UNION ALL SELECT x'00' FROM t;

-- refused set-operation-types
INSERT INTO sa SELECT a FROM t UNION ALL SELECT x'00' FROM t;

-- refused condition-type
INSERT INTO sa SELECT a FROM t WHERE x'00';

-- refused append-only-sink
INSERT INTO sa SELECT a FROM t GROUP BY a, x'00';

-- refused limit
INSERT INTO sa SELECT a FROM t LIMIT x'00';

-- refused distinct
SELECT COUNT(DISTINCT y) AS r FROM t;

-- refused argument-type
SELECT MAX(y) AS r FROM t;

-- taken
SELECT FIRST_VALUE(y) AS r FROM t;

-- refused operand-type
SELECT y || y AS r FROM t;

-- refused operand-type
SELECT y || s AS r FROM t;

-- refused operand-type
SELECT s || y AS r FROM t;

-- refused operand-type
SELECT y || z AS r FROM t;

-- refused operand-type
SELECT y LIKE s AS r FROM t;

-- refused operand-type
SELECT s LIKE y AS r FROM t;

-- refused operand-type
SELECT y LIKE y AS r FROM t;

-- refused argument-type
SELECT HEX(y) AS r FROM t;

-- taken
SELECT HEX(s) AS r FROM t;

-- taken
SELECT HEX(a) AS r FROM t;

-- refused argument-type
SELECT HEX(d) AS r FROM t;

-- refused argument-type
SELECT HEX(f) AS r FROM t;

-- taken
SELECT POSITION(y IN y) AS r FROM t;

-- refused argument-type
SELECT ELT(1, y, s) AS r FROM t;

-- refused argument-type
SELECT ELT(1, y, a) AS r FROM t;

-- refused operand-type
SELECT s SIMILAR TO y AS r FROM t;

-- refused operand-type
SELECT y SIMILAR TO s AS r FROM t;

-- refused operand-type
SELECT a LIKE s AS r FROM t;

-- refused operand-type
SELECT s LIKE a AS r FROM t;

-- refused operand-type
SELECT f LIKE s AS r FROM t;

-- refused operand-type
SELECT y NOT LIKE s AS r FROM t;

-- refused distinct
SELECT COLLECT(DISTINCT y) AS r FROM t;

-- refused distinct
SELECT ARRAY_AGG(DISTINCT y) AS r FROM t;

-- refused distinct
SELECT FIRST_VALUE(DISTINCT y) AS r FROM t;

-- refused distinct
SELECT LAST_VALUE(DISTINCT y) AS r FROM t;

-- refused argument-type
SELECT MIN(DISTINCT y) AS r FROM t;

-- refused argument-count
SELECT COUNT(DISTINCT s, y) AS r FROM t;

-- refused operand-type
SELECT a SIMILAR TO s AS r FROM t;

-- refused operand-type
SELECT s SIMILAR TO a AS r FROM t;

-- refused operand-type
SELECT NULL SIMILAR TO s AS r FROM t;

-- refused operand-type
SELECT f SIMILAR TO s AS r FROM t;

-- refused operand-type
SELECT s NOT SIMILAR TO y AS r FROM t;

-- refused operand-type
SELECT s SIMILAR TO NULL AS r FROM t;
