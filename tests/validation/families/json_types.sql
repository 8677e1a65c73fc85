-- Types and places of JSON functions (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE v (a INT NOT NULL, c STRING NOT NULL, ch CHAR(3) NOT NULL, va VARCHAR(5), ts3 TIMESTAMP(3), tz TIMESTAMP_LTZ(3), tm TIME, sm SMALLINT, fl FLOAT, ty TINYINT, ar ARRAY<STRING>, ad ARRAY<DATE>, md MAP<STRING, DATE>, mi MAP<INT, INT>, rd ROW<d DATE>, ms MULTISET<STRING>, bn BINARY(3)) WITH ('connector'='kafka','topic'='v','format'='json','properties.bootstrap.servers'='k');
CREATE FUNCTION my_f AS 'x.Y';
CREATE TABLE p (c STRING) WITH ('connector'='print');

-- refused unknown-function
SELECT JSON_VALUE(c FORMAT JSON, '$.a') FROM t;

-- refused bare-null
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT NULL ON EMPTY) FROM t;

-- refused bare-null
SELECT JSON_VALUE(c, '$.a' DEFAULT NULL ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT RAND() ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' RETURNING BOOLEAN DEFAULT bo ON ERROR) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT 1 ON EMPTY DEFAULT a ON ERROR) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT ARRAY[1] ON ERROR) FROM t;

-- refused bare-null
SELECT JSON_VALUE(c, NULL) FROM t;

-- taken
SELECT JSON_VALUE(c, CAST(NULL AS STRING)) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, TRUE) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, bs) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, a) FROM t;

-- taken
SELECT JSON_VALUE(c, CAST('$.a' AS STRING)) FROM t;

-- taken
SELECT JSON_VALUE(c, UPPER('$.a')) FROM t;

-- taken
SELECT JSON_VALUE(c, 'lax$.a[') FROM t;

-- taken
SELECT JSON_VALUE(c, '') FROM t;

-- taken
SELECT JSON_VALUE(bs, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(dt, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(bo, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(r, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(m, '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(1, '$.a') FROM t;

-- taken
SELECT JSON_VALUE('{}', '$.a') FROM t;

-- taken
SELECT JSON_VALUE(ch, '$.a'), JSON_VALUE(va, '$.a') FROM v;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING VARCHAR(10)) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING VARCHAR) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING CHAR(3)) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING BOOLEAN) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING DOUBLE) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING DATE) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING BYTES) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<VARCHAR(5)>) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<CHAR(5)>) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<BOOLEAN>) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<ARRAY<STRING>>) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING STRING ARRAY) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING ROW<x INT>) FROM t;

-- taken
SELECT JSON_QUERY(c, c) FROM t;

-- taken
SELECT JSON_QUERY(c, 1) FROM t;

-- taken
SELECT JSON_QUERY(c, CAST('$.a' AS STRING)) FROM t;

-- taken
SELECT JSON_QUERY(c, TRUE) FROM t;

-- taken
SELECT JSON_QUERY(bs, '$.a') FROM t;

-- taken
SELECT JSON_QUERY(ch, '$.a'), JSON_QUERY(va, '$.a') FROM v;

-- refused argument-type
SELECT JSON_QUERY(1, '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS(c, '$.' || c) FROM t;

-- refused argument-type
SELECT JSON_EXISTS(c, CAST('$.a' AS STRING)) FROM t;

-- refused argument-type
SELECT JSON_EXISTS(c, CAST('$.a' AS STRING) TRUE ON ERROR) FROM t;

-- refused argument-type
SELECT JSON_EXISTS(c, c TRUE ON ERROR) FROM t;

-- refused argument-type
SELECT JSON_EXISTS(a, '$.a' TRUE ON ERROR) FROM t;

-- taken
SELECT JSON_EXISTS(c, UPPER('$.a')) FROM t;

-- taken
SELECT JSON_EXISTS(ch, '$.a') FROM v;

-- taken
SELECT JSON_EXISTS(va, '$.a') FROM v;

-- taken
SELECT JSON_EXISTS('{}', '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS('{}', c) FROM t;

-- refused argument-type
SELECT JSON_EXISTS(1, '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS(bs, '$.a') FROM t;

-- refused argument-type
SELECT a FROM t WHERE JSON_EXISTS(c, c);

-- refused argument-type
SELECT a FROM t WHERE JSON_EXISTS(a, '$.a');

-- taken
SELECT JSON_OBJECT(c VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(ch VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(va VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(a VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' || c VALUE a) FROM t;

-- taken
SELECT JSON_OBJECT(CAST(a AS STRING) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(CAST(a AS STRING) VALUE a) FROM t;

-- taken
SELECT JSON_OBJECT(CAST(1 AS STRING) VALUE a) FROM t;

-- refused argument-type
SELECT JSON_OBJECT(TRUE VALUE a) FROM t;

-- refused argument-type
SELECT JSON_OBJECT(CAST(NULL AS STRING) VALUE a) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE b, c VALUE a) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE bo, 'b' VALUE d, 'c' VALUE n, 'd' VALUE b) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE tm) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE tz) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE proctime) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE ms) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE ad) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE md) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE mi) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE rd) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE bn) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE fl, 'b' VALUE sm, 'c' VALUE ty) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE INTERVAL '1' DAY) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE INTERVAL '1' MONTH) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE DATE '2020-01-01') FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE CAST(NULL AS INT)) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE CAST(NULL AS DATE)) FROM v;

-- refused bare-null
SELECT JSON_OBJECT('a' VALUE NULL NULL ON NULL) FROM v;

-- refused bare-null
SELECT JSON_OBJECT('a' VALUE NULL ABSENT ON NULL) FROM v;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE JSON_ARRAY(dt)) FROM t;

-- refused bare-null
SELECT JSON_OBJECT('a' VALUE JSON_ARRAY(NULL)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE COUNT(*)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE CAST(dt AS STRING)) FROM t;

-- refused argument-type
SELECT JSON_ARRAY(dt) FROM t;

-- refused argument-type
SELECT JSON_ARRAY(tm) FROM v;

-- refused bare-null
SELECT JSON_ARRAY(NULL) FROM t;

-- refused bare-null
SELECT JSON_ARRAY(a, NULL) FROM t;

-- taken
SELECT JSON_ARRAY(ms) FROM v;

-- refused argument-type
SELECT JSON_ARRAY(ad) FROM v;

-- refused argument-type
SELECT JSON_ARRAY(rd) FROM v;

-- taken
SELECT JSON_ARRAY(bs) FROM t;

-- refused argument-type
SELECT JSON_ARRAY(INTERVAL '1' DAY) FROM v;

-- taken
SELECT JSON_ARRAY(proctime) FROM t;

-- taken
SELECT JSON_ARRAY(JSON('{}')) FROM t;

-- refused argument-type
SELECT JSON_ARRAY(JSON(a)) FROM t;

-- taken
SELECT JSON_ARRAY(JSON(NULL)) FROM t;

-- refused argument-count
SELECT JSON_ARRAY(JSON(c, c)) FROM t;

-- refused argument-count
SELECT JSON_ARRAY(JSON()) FROM t;

-- refused function-form
SELECT JSON_ARRAY(UPPER(JSON(c))) FROM t;

-- refused function-form
SELECT JSON_ARRAY(COALESCE(JSON(c), 'x')) FROM t;

-- taken
SELECT JSON_ARRAY(CAST(JSON(c) AS STRING)) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE UPPER(JSON(c))) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE CASE WHEN a > 1 THEN JSON(c) END) FROM t;

-- refused function-form
SELECT UPPER(JSON(c)) FROM t;

-- refused function-form
SELECT JSON(c) || 'x' FROM t;

-- refused function-form
SELECT a FROM t WHERE JSON(c) = 'x';

-- refused function-form
SELECT JSON_STRING(JSON(c)) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(JSON(c)) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG('a' VALUE JSON(c)) FROM t;

-- refused function-form
SELECT JSON_VALUE(JSON(c), '$.a') FROM t;

-- taken
SELECT JSON_ARRAY(JSON_OBJECT('a' VALUE JSON(c))) FROM t;

-- refused argument-type
SELECT JSON_STRING(dt) FROM t;

-- refused argument-type
SELECT JSON_STRING(tm) FROM v;

-- refused argument-type
SELECT JSON_STRING(ad) FROM v;

-- refused argument-type
SELECT JSON_STRING(rd) FROM v;

-- refused argument-type
SELECT JSON_STRING(mi) FROM v;

-- taken
SELECT JSON_STRING(ms) FROM v;

-- refused argument-type
SELECT JSON_STRING(CAST(NULL AS DATE)) FROM v;

-- refused argument-count
SELECT JSON_STRING() FROM v;

-- refused argument-type
SELECT JSON_STRING(INTERVAL '1' DAY) FROM v;

-- taken
SELECT JSON_STRING(bs) FROM t;

-- taken
SELECT JSON_STRING(ts), JSON_STRING(tz) FROM t, v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE dt) FROM t;

-- refused bare-null
SELECT JSON_OBJECTAGG(c VALUE NULL) FROM t;

-- refused bare-null
SELECT JSON_OBJECTAGG(NULL VALUE a) FROM t;

-- taken
SELECT JSON_OBJECTAGG(CAST(NULL AS STRING) VALUE a) FROM t;

-- taken
SELECT JSON_OBJECTAGG('k' VALUE a) FROM t;

-- taken
SELECT JSON_OBJECTAGG(ch VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(va VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(bs VALUE a) FROM t;

-- refused argument-type
SELECT JSON_OBJECTAGG(dt VALUE a) FROM t;

-- taken
SELECT JSON_OBJECTAGG(c VALUE m) FROM t;

-- taken
SELECT JSON_OBJECTAGG(c VALUE r) FROM t;

-- taken
SELECT JSON_OBJECTAGG(c VALUE ms) FROM v;

-- refused argument-type
SELECT JSON_ARRAYAGG(dt) FROM t;

-- refused bare-null
SELECT JSON_ARRAYAGG(NULL) FROM t;

-- taken
SELECT JSON_ARRAYAGG(m) FROM t;

-- taken
SELECT JSON_ARRAYAGG(ms) FROM v;

-- taken
SELECT ch IS JSON, va IS JSON OBJECT FROM v;

-- refused operand-type
SELECT a IS JSON OBJECT FROM t;

-- refused operand-type
SELECT a IS NOT JSON FROM t;

-- refused operand-type
SELECT bs IS JSON FROM t;

-- refused operand-type
SELECT dt IS JSON SCALAR FROM t;

-- refused bare-null
SELECT NULL IS JSON FROM t;

-- taken
SELECT CAST(NULL AS STRING) IS JSON FROM t;

-- refused operand-type
SELECT a FROM t WHERE n IS JSON ARRAY;

-- refused operand-type
SELECT r IS JSON FROM t;

-- taken
SELECT '{}' IS JSON FROM t;

-- refused operand-type
SELECT bo IS JSON FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a') IS JSON FROM t;

-- taken
SELECT JSON_QUOTE(NULL) FROM t;

-- taken
SELECT JSON_OBJECTAGG_NULL_ON_NULL(c, a) FROM t;

-- taken
SELECT JSON_ARRAYAGG_ABSENT_ON_NULL(a) FROM t;

-- taken
SELECT `JSON_VALUE`(c, '$.a') FROM t;

-- taken
SELECT JSON_OBJECT(t.c VALUE a) FROM v AS t;

-- taken
SELECT JSON_OBJECT((UPPER(c)) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE 1, UPPER(c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(TRIM(c) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(TRY_CAST(a AS STRING) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT((CASE WHEN a > 1 THEN 'x' ELSE 'y' END) VALUE a) FROM t;

-- refused unknown-field
SELECT JSON_OBJECT(ROW('a').f0 VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(DATE '2020-01-01' VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(t.`c` VALUE a, `c` VALUE 2) FROM v AS t;

-- refused argument-type
SELECT JSON_OBJECT(-a VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(NOT bo VALUE a) FROM t;

-- taken
SELECT JSON_OBJECTAGG(UPPER(c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(CASE WHEN a > 1 THEN 'x' ELSE 'y' END VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(CONCAT(c, 'x') VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(CAST(a AS STRING) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE UPPER(c)) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE CASE WHEN a > 1 THEN 'x' ELSE 'y' END) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE a = 1) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE a + 1, 'b' VALUE a IN (1, 2)) FROM v;

-- refused aggregate-order
SELECT JSON_ARRAYAGG(a ORDER BY a) WITHIN GROUP (ORDER BY a) FROM v;

-- taken
SELECT a FROM (SELECT a, JSON(c) AS j FROM t);

-- refused argument-type
SELECT a FROM (SELECT a, JSON_QUERY(c, '$.a' RETURNING ARRAY<INT>) AS j FROM t);

-- refused argument-type
SELECT a FROM (SELECT a, JSON_QUERY(c, '$.a' RETURNING ARRAY<STRING> EMPTY OBJECT ON ERROR) AS j FROM t);

-- taken
SELECT JSON_ARRAY((JSON(c))) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE (JSON(c))) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE JSON(UPPER(c))) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE JSON(JSON_OBJECT('b' VALUE 1))) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE JSON(JSON(c))) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE CAST(JSON(c) AS INT)) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE CAST(JSON(c) AS VARCHAR(3))) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE JSON(1)) FROM t;

-- refused distinct
SELECT JSON_OBJECT('a' VALUE JSON(DISTINCT c)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE j) FROM (SELECT JSON(c) AS j FROM t);

-- taken
SELECT j FROM (SELECT JSON_ARRAY(JSON(c)) AS j FROM t);

-- refused function-form
SELECT JSON_ARRAY(ARRAY[JSON(c)]) FROM t;

-- refused function-form
SELECT JSON_ARRAY(c, JSON(c) || 'x') FROM t;

-- refused function-form
SELECT 1 FROM t GROUP BY JSON(c);

-- refused argument-type
SELECT JSON_VALUE(c, '$.a') FROM t WHERE JSON_VALUE(c, '$.x' RETURNING INT DEFAULT b ON ERROR) > 1;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT CURRENT_DATE ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT LOCALTIMESTAMP ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT UUID() ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT MAP['a', 1] ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT ROW(1) ON EMPTY) FROM t;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT COUNT(*) ON EMPTY) FROM t GROUP BY c;

-- refused argument-type
SELECT JSON_VALUE(c, '$.a' DEFAULT a - a ON EMPTY) FROM t;

-- refused argument-count
SELECT JSON_VALUE(c, '$.a' RETURNING INT NULL ON EMPTY ERROR ON ERROR DEFAULT 3 ON EMPTY) FROM t;

-- taken
SELECT JSON_EXISTS(c, k) FROM (SELECT c, '$.a' AS k FROM t);

-- refused argument-type
SELECT JSON_EXISTS(c, p) FROM (SELECT c, CAST('$.a' AS VARCHAR(5)) AS p FROM t);

-- taken
SELECT JSON_EXISTS(c, ch) FROM v;

-- refused argument-type
SELECT JSON_EXISTS(c, va) FROM v;

-- taken
SELECT JSON_EXISTS(c, CASE WHEN a > 1 THEN '$.a' ELSE '$.b' END) FROM v;

-- refused bare-null
SELECT JSON_EXISTS(c, NULL) FROM v;

-- refused argument-type
SELECT JSON_EXISTS(c, CAST(NULL AS STRING)) FROM v;

-- refused argument-type
SELECT JSON_EXISTS(n, '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS(m, '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS(r, '$.a') FROM t;

-- refused argument-type
SELECT JSON_EXISTS(bo, '$.a') FROM t;

-- taken
SELECT JSON_EXISTS(CAST(a AS STRING), '$.a') FROM t;

-- taken
SELECT JSON_VALUE(3.5, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(a + 1, '$.a') FROM v;

-- taken
SELECT JSON_VALUE(a, '$.a') FROM v;

-- taken
SELECT JSON_QUERY(a, '$.a') FROM v;

-- taken
SELECT JSON_VALUE(d, '$.a'), JSON_VALUE(dt, '$.a'), JSON_VALUE(n, '$.a'), JSON_QUERY(bo, '$.b') FROM t;

-- refused argument-type
SELECT JSON_VALUE(TRUE, '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(DATE '2020-01-01', '$.a') FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING VARCHAR(3) ARRAY) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<STRING NOT NULL>) FROM t;

-- refused argument-type
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<ROW<x INT>>) FROM t;

-- refused bare-null
SELECT JSON_QUERY(c, NULL) FROM t;

-- taken
SELECT JSON_QUERY(c, bs) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE MAP[1, 2]) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE MAP['k', dt]) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE ARRAY[INTERVAL '1' DAY]) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE ROW(1, DATE '2020-01-01')) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE ROW(1, 'x')) FROM t;

-- refused argument-type
SELECT JSON_OBJECT('a' VALUE 1), JSON_STRING(ARRAY[DATE '2020-01-01']) FROM t;

-- refused argument-type
SELECT JSON_ARRAYAGG(md) FROM v;

-- refused argument-type
SELECT JSON_ARRAYAGG(mi) FROM v;

-- refused argument-type
SELECT JSON_ARRAYAGG(ad) FROM v;

-- refused argument-type
SELECT JSON_ARRAYAGG(INTERVAL '1' DAY) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE mi) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE tm) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE rd) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE INTERVAL '1' DAY) FROM v;

-- refused argument-type
SELECT JSON_OBJECTAGG(c VALUE JSON_ARRAY(tm)) FROM v;

-- refused bare-null
SELECT JSON_OBJECTAGG(NULL VALUE NULL) FROM v;

-- refused argument-type
SELECT JSON_STRING(md) FROM v;

-- refused argument-type
SELECT JSON_STRING(INTERVAL '1' MONTH) FROM v;

-- refused argument-type
SELECT JSON_STRING(MAP[1, 2]) FROM v;

-- taken
SELECT JSON_STRING(ROW(1, 2)), JSON_STRING(ARRAY['a']) FROM v;

-- refused argument-type
SELECT JSON_ARRAY(md), JSON_ARRAY(mi) FROM v;

-- refused unknown-function
SELECT JSON_OBJECT('a' VALUE c FORMAT JSON) FROM t;

-- refused unknown-function
SELECT JSON_ARRAY(c FORMAT JSON) FROM t;

-- refused unknown-function
SELECT c FORMAT JSON FROM t;

-- refused operand-type
SELECT (a = 1) IS JSON FROM t;

-- refused operand-type
SELECT COUNT(*) IS JSON FROM t;

-- refused operand-type
SELECT arr IS JSON FROM t;

-- refused operand-type
SELECT m IS NOT JSON OBJECT FROM t;

-- taken
SELECT CAST(a AS STRING) IS JSON ARRAY FROM t;

-- refused operand-type
SELECT ts IS JSON FROM t;

-- refused operand-type
SELECT 1 IS JSON FROM t;

-- taken
SELECT JSON_OBJECT(JSON_OBJECT('a' VALUE 1) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(JSON_ARRAY(1) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(OVERLAY(c PLACING 'b' FROM 1) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(TRANSLATE(c, 'a', 'b') VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(EXTRACT(DAY FROM ts3) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(FLOOR(a) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(POSITION('a' IN c) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(TIMESTAMPDIFF(DAY, ts3, ts3) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(CURRENT_DATE VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(ROW(1, 2) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(NOT a = 1 VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(CASE a WHEN 1 THEN 'x' END || 'y' VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE 1, CASE a WHEN 1 THEN 'x' ELSE 'z' END VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE 1, CONCAT('x', c) VALUE a) FROM v;

-- refused argument-type
SELECT JSON_OBJECT(1 + 1 VALUE a) FROM v;

-- refused argument-count
SELECT JSON_VALUE(c, '$.a' RETURNING INT NULL ON EMPTY NULL ON EMPTY NULL ON ERROR NULL ON ERROR) FROM t;

-- refused argument-count
SELECT JSON_VALUE(c, '$.a' NULL ON EMPTY NULL ON EMPTY NULL ON ERROR NULL ON EMPTY NULL ON ERROR) FROM t;

-- refused argument-count
SELECT JSON_VALUE(c, '$.a' DEFAULT 1 ON EMPTY DEFAULT 2 ON ERROR DEFAULT 3 ON EMPTY) FROM t;

-- taken
SELECT JSON_ARRAY(a IN (SELECT a FROM u)) FROM t;

-- refused argument-type
SELECT JSON_VALUE(CAST(NULL AS INT), '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(1 + 1, '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(1e0, '$.a') FROM t;

-- taken
SELECT JSON_VALUE(TIMESTAMP '2020-01-01 00:00:00', '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(TIME '00:00:00', '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(CAST(1 AS BIGINT), '$.a') FROM t;

-- refused argument-type
SELECT JSON_VALUE(INTERVAL '1' DAY, '$.a') FROM t;

-- refused argument-type
SELECT JSON_QUERY(TRUE, '$.a') FROM t;

-- taken
SELECT JSON_STRING(m) FROM (SELECT MAP[c, 1] AS m FROM t);

-- refused argument-type
SELECT JSON_STRING(m) FROM (SELECT COLLECT(a) AS m FROM t);

-- refused argument-type
SELECT JSON_STRING(m) FROM (SELECT COLLECT(dt) AS m FROM t);

-- taken
SELECT JSON_STRING(m) FROM (SELECT COLLECT(c) AS m FROM t);

-- refused argument-type
SELECT JSON_STRING(MAP[ARRAY['a'], 1]) FROM t;

-- refused argument-type
SELECT JSON_STRING(MAP[bs, 1]) FROM t;

-- taken
SELECT JSON_STRING(ARRAY[r]) FROM t;

-- refused argument-type
SELECT JSON_STRING(CAST(NULL AS MAP<INT, INT>)) FROM t;

-- taken
SELECT JSON_STRING(ts), JSON_STRING(d), JSON_STRING(n), JSON_STRING(bo) FROM t;

-- refused argument-type
SELECT JSON_OBJECT(c VALUE 1) FROM t WHERE c IS NOT NULL;

-- refused argument-type
SELECT JSON_OBJECT(c VALUE SUM(a)) FROM t GROUP BY c;

-- taken
SELECT JSON_OBJECT(c VALUE SUM(a)) FROM v GROUP BY c;

-- taken
SELECT JSON_OBJECT(k VALUE a) FROM (SELECT 'x' AS k, a FROM t);

-- taken
SELECT JSON_OBJECT(k VALUE a) FROM (SELECT COALESCE(c, 'x') AS k, a FROM t);

-- taken
SELECT JSON_OBJECT(k VALUE a) FROM (SELECT UPPER(c) AS k, a FROM v);

-- refused argument-type
SELECT JSON_OBJECT(k VALUE a) FROM (SELECT c AS k, a FROM t);

-- taken
SELECT JSON_OBJECT(k VALUE 1) FROM (VALUES ('a'), ('b')) AS x (k);

-- taken
SELECT JSON_OBJECT('a' VALUE JSON_QUERY(c, '$.a' RETURNING ARRAY<STRING>)) FROM t;

-- taken
SELECT CAST(c AS VARCHAR(3)) IS JSON FROM t;

-- taken
SELECT JSON_EXISTS(c, CAST('$.a' AS CHAR(3))) FROM v;

-- refused argument-type
SELECT JSON_EXISTS(c, CAST(ch AS VARCHAR(3))) FROM v;

-- refused argument-type
SELECT JSON_EXISTS(c, r.y) FROM t;

-- refused argument-type
SELECT a FROM (SELECT a, JSON_EXISTS(c, a) AS x FROM t);

-- refused argument-type
SELECT a FROM (SELECT a, JSON_VALUE(c, a) AS x FROM t);

-- refused argument-type
SELECT a FROM (SELECT a, JSON_VALUE(1, '$.a') AS x FROM t);

-- refused function-form
INSERT INTO p SELECT JSON(c) FROM t;

-- taken
CREATE VIEW vw AS SELECT JSON(c) AS j FROM t; SELECT JSON_ARRAY(j) FROM vw;

-- refused function-form
SELECT JSON(c) AS j FROM t UNION ALL SELECT c FROM t;

-- taken
WITH w AS (SELECT JSON(c) AS j FROM t) SELECT JSON_ARRAY(j) FROM w;

-- taken
SELECT JSON_ARRAY(j) FROM (SELECT JSON(c) AS j FROM t LIMIT 5);
