-- Clauses and forms of calls of JSON functions: what Flink's parser reads (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE v (a INT NOT NULL, c STRING NOT NULL, ch CHAR(3) NOT NULL, va VARCHAR(5), ts3 TIMESTAMP(3), tz TIMESTAMP_LTZ(3), tm TIME, sm SMALLINT, fl FLOAT, ty TINYINT, ar ARRAY<STRING>, ad ARRAY<DATE>, md MAP<STRING, DATE>, mi MAP<INT, INT>, rd ROW<d DATE>, ms MULTISET<STRING>, bn BINARY(3)) WITH ('connector'='kafka','topic'='v','format'='json','properties.bootstrap.servers'='k');
CREATE FUNCTION my_f AS 'x.Y';
CREATE TABLE p (c STRING) WITH ('connector'='print');

-- taken
SELECT JSON_VALUE(c, '$.a' NULL ON EMPTY NULL ON ERROR NULL ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' ERROR ON EMPTY NULL ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER RETURNING INTEGER) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' DEFAULT 1 ON EMPTY RETURNING INTEGER) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' EMPTY OBJECT ON ERROR) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' TRUE ON ERROR) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' UNKNOWN ON ERROR) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' ABSENT ON NULL) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' WITH WRAPPER) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT 1 + 1 ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT -1 ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT CAST(1 AS INT) ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT CAST(NULL AS INT) ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT UPPER('x') ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT 'x' || 'y' ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT PI() ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT DATE '2020-01-01' ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT TRUE ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT 1.5 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING BOOLEAN DEFAULT 'true' ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING BOOLEAN DEFAULT 1 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT TRUE ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT 1.5 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING DOUBLE DEFAULT 1 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING DOUBLE DEFAULT 1.5 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING DOUBLE DEFAULT 1e0 ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING STRING DEFAULT 'x' ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INTEGER DEFAULT 3000000000 ON ERROR) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' DEFAULT (SELECT 1) ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.' || 'a') FROM t;

-- taken
SELECT JSON_VALUE(c, '$.' || c) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' NULL ON EMPTY NULL ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' EMPTY ON ERROR) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' TRUE ON ERROR) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' WITH WRAPPER WITH WRAPPER) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' WITHOUT UNCONDITIONAL WRAPPER) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' WITHOUT CONDITIONAL ARRAY WRAPPER) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' WITH CONDITIONAL WRAPPER) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' WITH ARRAY CONDITIONAL WRAPPER) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' ABSENT ON NULL) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING STRING EMPTY OBJECT ON ERROR) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<STRING> NULL ON ERROR) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING ARRAY<STRING> ERROR ON ERROR EMPTY ARRAY ON EMPTY) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.' || 'a') FROM t;

-- taken
SELECT JSON_QUERY(c, '$.' || c) FROM t;

-- refused function-form
SELECT JSON_EXISTS(c, '$.a' FALSE ON ERROR FALSE ON ERROR) FROM t;

-- refused function-form
SELECT JSON_EXISTS(c, '$.a' TRUE ON NULL) FROM t;

-- refused function-form
SELECT JSON_EXISTS(c, '$.a' DEFAULT TRUE ON ERROR) FROM t;

-- refused function-form
SELECT JSON_EXISTS(c, '$.a' EMPTY ARRAY ON ERROR) FROM t;

-- taken
SELECT JSON_EXISTS(c, '$.' || 'a') FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE a RETURNING STRING) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE a NULL ON NULL NULL ON NULL) FROM t;

-- taken
SELECT JSON_OBJECT(NULL ON NULL) FROM t;

-- taken
SELECT JSON_OBJECT(ABSENT ON NULL) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE a NULL ON EMPTY) FROM t;

-- refused syntax
SELECT JSON_OBJECT('a' VALUE a, NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE a NULL ON NULL, 'b' VALUE b) FROM t;

-- refused function-form
SELECT JSON_OBJECT(UPPER(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(UPPER(c) VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECT(UPPER('a') VALUE a) FROM t;

-- taken
SELECT JSON_OBJECT('a' || 'b' VALUE a) FROM t;

-- taken
SELECT JSON_OBJECT('a' || c VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(COALESCE(c, 'x') VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECT(IFNULL(c, 'x') VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECT(CASE WHEN a > 1 THEN 'x' ELSE 'y' END VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECT(CASE WHEN a > 1 THEN 'x' END VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE (SELECT MAX(a) FROM u)) FROM t;

-- refused syntax
SELECT JSON_ARRAY(NULL ON NULL) FROM t;

-- refused syntax
SELECT JSON_ARRAY(ABSENT ON NULL) FROM t;

-- refused function-form
SELECT JSON_ARRAY(a NULL ON NULL NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_ARRAY(a ABSENT ON NULL NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_ARRAY(a RETURNING STRING) FROM t;

-- refused function-form
SELECT JSON_ARRAY(a NULL ON EMPTY) FROM t;

-- refused distinct
SELECT JSON_ARRAY(DISTINCT a) FROM t;

-- refused function-form
SELECT JSON_OBJECT(JSON(c) VALUE 1) FROM v;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a NULL ON NULL ABSENT ON NULL) FROM t;

-- refused argument-count
SELECT JSON_OBJECTAGG(c VALUE a, c VALUE b) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c, a) FROM t;

-- refused argument-count
SELECT JSON_OBJECTAGG() FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a NULL ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a RETURNING STRING) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a ORDER BY a) FROM t;

-- refused syntax
SELECT JSON_OBJECTAGG(DISTINCT c VALUE a) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a) FILTER (WHERE a > 1) FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a) OVER (ORDER BY proctime) FROM t;

-- taken
SELECT JSON_OBJECTAGG(KEY c VALUE JSON_OBJECT('k' VALUE a)) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a) FILTER (WHERE a > 1) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a ABSENT ON NULL NULL ON NULL) FROM t;

-- refused argument-count
SELECT JSON_ARRAYAGG(a, b) FROM t;

-- refused argument-count
SELECT JSON_ARRAYAGG() FROM t;

-- refused unknown-column
SELECT JSON_ARRAYAGG(*) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(ALL a) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a NULL ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a RETURNING STRING) FROM t;

-- taken
SELECT JSON_ARRAYAGG(a ORDER BY a NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a NULL ON NULL ORDER BY a) FROM t;

-- taken
SELECT JSON_ARRAYAGG(a) WITHIN GROUP (ORDER BY b) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a) OVER (ORDER BY proctime) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG(a) OVER (PARTITION BY c ORDER BY ts) FROM t;

-- taken
SELECT JSON_OBJECT(KEY UPPER(c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('x' || UPPER(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(UPPER(c) || 'x' VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(UPPER(c) : a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(CONCAT(c, 'x') VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(LOWER(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(REPLACE(c, 'a', 'b') VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(JSON_STRING(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(MD5(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(DATE_FORMAT(ts3, 'yyyy') VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(NULLIF(c, 'x') VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(MAX(c) VALUE 1) FROM v;

-- refused function-form
SELECT JSON_OBJECT(CURRENT_DATABASE() VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(my_f(c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(c || 'x' VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(KEY UPPER(c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECTAGG(c || 'x' VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE IF(a > 1, 'x', 'y') ABSENT ON NULL) FROM v;

-- taken
SELECT JSON_ARRAYAGG(a NULL ON NULL) WITHIN GROUP (ORDER BY a) FROM v;

-- refused function-form
SELECT JSON_OBJECTAGG(c VALUE a) WITHIN GROUP (ORDER BY a) FROM v;

-- refused function-form
SELECT JSON_ARRAYAGG(a) WITHIN GROUP (ORDER BY a) FILTER (WHERE a > 1) FROM v;

-- taken
SELECT JSON_ARRAYAGG(a) WITHIN GROUP (ORDER BY a DESC, c) FROM v GROUP BY c;

-- taken
SELECT JSON_ARRAY(1, JSON(c), JSON('[]') NULL ON NULL) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT INTERVAL '1' DAY ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT CONCAT('a', 'b') ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT CASE WHEN TRUE THEN 'a' ELSE c END ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT COALESCE('x', c) ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_VALUE(c, '$.a' DEFAULT 1 ON NULL) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' DEFAULT k ON EMPTY) FROM (SELECT c, 'k' AS k FROM t);

-- taken
SELECT JSON_QUERY(c, '$.a' WITHOUT ARRAY WRAPPER NULL ON EMPTY) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' NULL ON NULL) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' EMPTY ARRAY ON NULL) FROM t;

-- refused function-form
SELECT JSON_QUERY(c, '$.a' ABSENT ON ERROR) FROM t;

-- refused function-form
SELECT JSON_ARRAY((SELECT MAX(a) FROM u)) FROM t;

-- taken
SELECT UPPER((SELECT MAX(c) FROM u)) FROM t;

-- refused function-form
SELECT JSON_VALUE((SELECT MAX(c) FROM u), '$.a') FROM t;

-- refused function-form
SELECT JSON_OBJECTAGG('k' VALUE (SELECT MAX(a) FROM u)) FROM t;

-- taken
SELECT JSON_STRING((SELECT MAX(a) FROM u)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE a NULL ON NULL) || 'x' FROM t;

-- taken
SELECT JSON_OBJECTAGG('a' VALUE a), JSON_ARRAYAGG(a ABSENT ON NULL) FROM t GROUP BY c HAVING JSON_ARRAYAGG(a) IS JSON;

-- taken
SELECT (c || 'x') IS JSON VALUE FROM t;

-- refused function-form
SELECT JSON_OBJECT(LEFT(c, 1) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(CHAR_LENGTH(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(`UPPER`(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(INITCAP(c) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(MOD(a, 2) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(ABS(a) VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(IF(a > 1, 'x', 'y') VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(KEY CASE a WHEN 1 THEN 'x' ELSE 'z' END VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(KEY CONCAT('x', c) VALUE a) FROM v;

-- taken
SELECT JSON_OBJECT(v.c VALUE a), JSON_OBJECT(KEY v.c VALUE a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(CONCAT('x', c) || 'x' : a) FROM v;

-- refused function-form
SELECT JSON_OBJECT(COUNT(*) VALUE a) FROM v GROUP BY a;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INT NULL ON EMPTY NULL ON EMPTY NULL ON ERROR) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' NULL ON EMPTY NULL ON EMPTY NULL ON ERROR NULL ON EMPTY) FROM t;

-- taken
SELECT JSON_VALUE(c, '$.a' RETURNING INT DEFAULT 1 ON EMPTY DEFAULT 2 ON ERROR) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' NULL ON EMPTY NULL ON EMPTY NULL ON ERROR NULL ON ERROR NULL ON ERROR) FROM t;

-- taken
SELECT JSON_QUERY(c, '$.a' RETURNING STRING WITH WRAPPER NULL ON EMPTY NULL ON EMPTY NULL ON ERROR NULL ON ERROR NULL ON ERROR) FROM t;

-- refused function-form
SELECT JSON_QUERY((SELECT MAX(c) FROM u), '$.a') FROM t;

-- refused function-form
SELECT JSON_EXISTS((SELECT MAX(c) FROM u), '$.a') FROM t;

-- refused function-form
SELECT JSON_VALUE(c, (SELECT MAX(c) FROM u)) FROM t;

-- taken
SELECT JSON_ARRAY(1 + (SELECT MAX(a) FROM u)) FROM t;

-- taken
SELECT JSON_ARRAY(UPPER((SELECT MAX(c) FROM u))) FROM t;

-- refused function-form
SELECT JSON_ARRAYAGG((SELECT MAX(a) FROM u)) FROM t;

-- refused function-form
SELECT JSON_OBJECT((SELECT MAX(c) FROM u) VALUE 1) FROM t;

-- refused function-form
SELECT JSON_OBJECT('a' VALUE EXISTS (SELECT 1 FROM u)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE CAST((SELECT MAX(a) FROM u) AS STRING)) FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE COALESCE((SELECT MAX(a) FROM u), 1)) FROM t;

-- taken
SELECT JSON_OBJECT(c2 VALUE 1) FROM (SELECT v2.c AS c2 FROM t JOIN v AS v2 ON t.a = v2.a);

-- taken
SELECT JSON_EXISTS(c, '$.a' || ch) FROM v;
