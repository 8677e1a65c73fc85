-- VARIANT, and what Flink cannot sort (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE v (a INT, vv VARIANT, v2 VARIANT, c STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='v','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE x1 (ms MULTISET<STRING>, am ARRAY<MAP<STRING, INT>>, rm ROW<m MAP<STRING, INT>>, av ARRAY<VARIANT>) WITH ('connector'='kafka','topic'='v','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE vs (vv VARIANT) WITH ('connector'='print');
CREATE TABLE p (c STRING) WITH ('connector'='print');

-- refused cast
SELECT CAST(vv AS INT) FROM v;

-- refused cast
SELECT CAST(vv AS STRING) FROM v;

-- refused cast
SELECT CAST(vv AS VARIANT) FROM v;

-- refused cast
SELECT TRY_CAST(vv AS INT) FROM v;

-- taken
SELECT CAST(NULL AS VARIANT) FROM v;

-- taken
SELECT TRY_CAST(NULL AS VARIANT) FROM v;

-- refused cast
SELECT CAST(c AS VARIANT) FROM v;

-- refused cast
SELECT CAST(CAST(NULL AS VARIANT) AS VARIANT) FROM v;

-- refused cast
SELECT CAST(PARSE_JSON(c) AS INT) FROM v;

-- refused cast
SELECT CAST(vv['k'] AS INT) FROM v;

-- refused cast
SELECT CAST(ARRAY[1] AS ARRAY<VARIANT>) FROM v;

-- taken
SELECT CAST(ARRAY[vv] AS ARRAY<VARIANT>) FROM v;

-- taken
SELECT CAST(ROW(vv) AS ROW<x VARIANT>) FROM v;

-- refused cast
SELECT CAST(ROW(1) AS ROW<x VARIANT>) FROM v;

-- refused cast
SELECT CAST(MAP['a', vv] AS MAP<STRING, STRING>) FROM v;

-- taken
SELECT ARRAY[vv], MAP['a', vv], ROW(vv) FROM v;

-- refused argument-type
SELECT MAX(vv) FROM v;

-- refused argument-type
SELECT MIN(vv) FROM v;

-- refused argument-type
SELECT SUM(vv) FROM v;

-- refused argument-type
SELECT AVG(vv) FROM v;

-- taken
SELECT COUNT(vv), COUNT(DISTINCT vv) FROM v;

-- taken
SELECT FIRST_VALUE(vv), LAST_VALUE(vv), ARRAY_AGG(vv), COLLECT(vv) FROM v;

-- refused argument-type
SELECT LISTAGG(vv) FROM v;

-- refused argument-type
SELECT STDDEV_POP(vv) FROM v;

-- refused argument-type
SELECT SINGLE_VALUE(vv) FROM v;

-- refused argument-type
SELECT PERCENTILE(vv, 0.5) FROM v;

-- taken
SELECT JSON_ARRAYAGG(vv) FROM v;

-- taken
SELECT JSON_OBJECTAGG(c VALUE vv) FROM v;

-- refused operand-type
SELECT vv + 1 FROM v;

-- refused operand-type
SELECT vv - vv FROM v;

-- refused operand-type
SELECT vv * 2 FROM v;

-- refused operand-type
SELECT vv / 2 FROM v;

-- refused argument-type
SELECT MOD(vv, 2) FROM v;

-- refused operand-type
SELECT vv % 2 FROM v;

-- refused operand-type
SELECT -vv FROM v;

-- refused operand-type
SELECT vv || 'x' FROM v;

-- refused operand-type
SELECT vv LIKE 'x' FROM v;

-- refused argument-type
SELECT UPPER(vv) FROM v;

-- refused argument-type
SELECT CONCAT(vv, 'x') FROM v;

-- refused argument-type
SELECT CONCAT_WS(',', vv) FROM v;

-- refused argument-type
SELECT SUBSTRING(vv, 1) FROM v;

-- refused argument-type
SELECT TRIM(vv) FROM v;

-- refused argument-type
SELECT CHAR_LENGTH(vv) FROM v;

-- refused argument-type
SELECT REPLACE(vv, 'a', 'b') FROM v;

-- refused argument-type
SELECT ABS(vv) FROM v;

-- refused argument-type
SELECT ROUND(vv) FROM v;

-- refused argument-type
SELECT FLOOR(vv) FROM v;

-- refused argument-type
SELECT YEAR(vv) FROM v;

-- refused argument-type
SELECT EXTRACT(YEAR FROM vv) FROM v;

-- refused argument-type
SELECT DATE_FORMAT(vv, 'yyyy') FROM v;

-- refused argument-type
SELECT TO_TIMESTAMP(vv) FROM v;

-- refused argument-type
SELECT TO_DATE(vv) FROM v;

-- refused argument-type
SELECT TIMESTAMPDIFF(DAY, vv, ts) FROM v;

-- refused argument-type
SELECT CARDINALITY(vv) FROM v;

-- refused argument-type
SELECT ELEMENT(vv) FROM v;

-- refused argument-type
SELECT MD5(vv) FROM v;

-- refused argument-type
SELECT SPLIT(vv, ',') FROM v;

-- taken
SELECT PRINTF('%s', vv) FROM v;

-- taken
SELECT TYPEOF(vv) FROM v;

-- taken
SELECT JSON_STRING(vv) FROM v;

-- taken
SELECT JSON_VALUE(vv, '$.a') FROM v;

-- taken
SELECT JSON_QUERY(vv, '$.a') FROM v;

-- refused argument-type
SELECT JSON_EXISTS(vv, '$.a') FROM v;

-- taken
SELECT JSON_OBJECT('a' VALUE vv) FROM v;

-- taken
SELECT JSON_ARRAY(vv) FROM v;

-- refused argument-type
SELECT JSON_QUOTE(vv) FROM v;

-- refused operand-type
SELECT vv IS JSON FROM v;

-- refused argument-type
SELECT PARSE_JSON(vv) FROM v;

-- refused argument-type
SELECT TRY_PARSE_JSON(vv) FROM v;

-- refused argument-type
SELECT IF(a > 1, vv, vv) FROM v;

-- refused argument-type
SELECT IF(a > 1, vv, NULL) FROM v;

-- refused argument-type
SELECT IF(vv, 1, 2) FROM v;

-- taken
SELECT IFNULL(vv, vv) FROM v;

-- taken
SELECT NULLIF(vv, vv) FROM v;

-- taken
SELECT COALESCE(vv, vv) FROM v;

-- refused argument-type
SELECT COALESCE(vv, 'x') FROM v;

-- refused argument-type
SELECT COALESCE(vv, 1) FROM v;

-- taken
SELECT COALESCE(vv, NULL) FROM v;

-- refused argument-type
SELECT GREATEST(vv, vv) FROM v;

-- refused argument-type
SELECT LEAST(vv, 1) FROM v;

-- taken
SELECT CASE WHEN a > 1 THEN vv ELSE NULL END FROM v;

-- refused mixed-types
SELECT CASE WHEN a > 1 THEN vv ELSE 'x' END FROM v;

-- refused mixed-types
SELECT CASE WHEN a > 1 THEN vv ELSE 1 END FROM v;

-- taken
SELECT CASE vv WHEN vv THEN 1 END FROM v;

-- refused condition-type
SELECT CASE WHEN vv THEN 1 END FROM v;

-- refused condition-type
SELECT a FROM v WHERE vv;

-- taken
SELECT a FROM v WHERE vv IS NULL;

-- taken
SELECT a FROM v WHERE vv IS NOT NULL;

-- refused operand-type
SELECT a FROM v WHERE vv IS TRUE;

-- taken
SELECT a FROM v WHERE vv = vv;

-- taken
SELECT a FROM v WHERE vv = v2;

-- refused operand-type
SELECT a FROM v WHERE vv = 1;

-- refused operand-type
SELECT a FROM v WHERE vv = 'x';

-- refused operand-type
SELECT a FROM v WHERE vv = c;

-- taken
SELECT a FROM v WHERE PARSE_JSON(c) = PARSE_JSON(c);

-- taken
SELECT a FROM v WHERE vv['k'] = vv['l'];

-- refused operand-type
SELECT a FROM v WHERE vv['k'] = 1;

-- refused operand-type
SELECT a FROM v WHERE vv['k'] = 'x';

-- taken
SELECT a FROM v WHERE vv <> v2;

-- refused operand-type
SELECT a FROM v WHERE vv > v2;

-- refused operand-type
SELECT a FROM v WHERE vv > 1;

-- taken
SELECT a FROM v WHERE vv IS DISTINCT FROM v2;

-- taken
SELECT a FROM v WHERE vv IN (vv, v2);

-- refused operand-type
SELECT a FROM v WHERE vv IN (1, 2);

-- refused operand-type
SELECT a FROM v WHERE vv IN ('a');

-- taken
SELECT a FROM v WHERE vv IN (SELECT v2 FROM v);

-- refused operand-type
SELECT a FROM v WHERE vv IN (SELECT a FROM v);

-- refused operand-type
SELECT a FROM v WHERE vv BETWEEN 1 AND 2;

-- refused operand-type
SELECT a FROM v WHERE vv BETWEEN v2 AND vv;

-- refused operand-type
SELECT a FROM v WHERE NOT vv;

-- refused operand-type
SELECT a FROM v WHERE vv AND TRUE;

-- refused unknown-field
SELECT vv.k FROM v;

-- refused unknown-field
SELECT v.vv.k FROM v;

-- taken
SELECT vv['k'] FROM v;

-- taken
SELECT vv[1] FROM v;

-- refused argument-type
SELECT vv[c] FROM v;

-- taken
SELECT vv[a] FROM v;

-- refused argument-type
SELECT vv[TRUE] FROM v;

-- refused argument-type
SELECT vv[1.5] FROM v;

-- refused argument-type
SELECT vv[vv] FROM v;

-- refused argument-type
SELECT vv[ts] FROM v;

-- taken
SELECT vv[CAST(1 AS BIGINT)] FROM v;

-- refused bare-null
SELECT vv[NULL] FROM v;

-- taken
SELECT vv[0] FROM v;

-- taken
SELECT vv[-1] FROM v;

-- taken
SELECT vv['k']['l'][1] FROM v;

-- refused unknown-field
SELECT (vv['k']).l FROM v;

-- taken
SELECT PARSE_JSON(c)['k'] FROM v;

-- refused order-type
SELECT a FROM v ORDER BY vv;

-- refused order-type
SELECT a FROM v ORDER BY vv LIMIT 3;

-- refused order-type
SELECT a FROM v ORDER BY ts, vv;

-- refused order-type
SELECT a FROM v ORDER BY vv['k'] LIMIT 3;

-- refused order-type
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY vv) AS rn FROM v) WHERE rn <= 3;

-- taken
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY vv ORDER BY a) AS rn FROM v) WHERE rn <= 3;

-- taken
SELECT vv, COUNT(*) FROM v GROUP BY vv;

-- taken
SELECT DISTINCT vv FROM v;

-- taken
SELECT vv FROM v UNION SELECT vv FROM v;

-- taken
SELECT vv FROM v UNION ALL SELECT v2 FROM v;

-- refused set-operation-types
SELECT vv FROM v UNION ALL SELECT c FROM v;

-- refused set-operation-types
SELECT vv FROM v UNION ALL SELECT a FROM v;

-- taken
SELECT vv FROM v INTERSECT SELECT vv FROM v;

-- taken
SELECT vv FROM v EXCEPT SELECT v2 FROM v;

-- taken
SELECT v.a FROM v JOIN v AS w ON v.vv = w.vv;

-- refused operand-type
SELECT v.a FROM v JOIN v AS w ON v.vv = w.c;

-- refused operand-type
SELECT v.a FROM v JOIN v AS w ON v.vv = w.a;

-- taken
SELECT v.a FROM v JOIN v AS w USING (vv);

-- taken
SELECT MAX(a) OVER (PARTITION BY vv ORDER BY ts) FROM v;

-- refused argument-type
SELECT MAX(vv) OVER (PARTITION BY a ORDER BY ts) FROM v;

-- taken
SELECT LAG(vv) OVER (PARTITION BY a ORDER BY ts) FROM v;

-- taken
SELECT COUNT(vv) OVER (PARTITION BY a ORDER BY ts) FROM v;

-- refused unnest
SELECT a FROM v, UNNEST(vv) AS e (x);

-- taken
SELECT a FROM v CROSS JOIN UNNEST(ARRAY[vv]) AS e (x);

-- taken
SELECT * FROM v;

-- taken
SELECT v.* FROM v;

-- taken
SELECT vv FROM (VALUES (PARSE_JSON('1'))) AS x (vv);

-- taken
INSERT INTO vs SELECT vv FROM v;

-- refused sink-type
INSERT INTO vs SELECT c FROM v;

-- refused sink-type
INSERT INTO vs SELECT a FROM v;

-- taken
INSERT INTO vs SELECT PARSE_JSON(c) FROM v;

-- refused bare-null
INSERT INTO vs SELECT NULL FROM v;

-- refused sink-type
INSERT INTO p SELECT vv FROM v;

-- refused order-type
SELECT m FROM t ORDER BY m LIMIT 3;

-- refused order-type
SELECT m FROM t ORDER BY m DESC LIMIT 3;

-- refused order-type
SELECT m FROM t ORDER BY ts, m;

-- taken
SELECT m FROM t ORDER BY m['k'] LIMIT 3;

-- taken
SELECT arr FROM t ORDER BY arr LIMIT 3;

-- taken
SELECT r FROM t ORDER BY r LIMIT 3;

-- taken
SELECT bs FROM t ORDER BY bs LIMIT 3;

-- refused order-type
SELECT ms FROM x1 ORDER BY ms LIMIT 3;

-- refused order-type
SELECT am FROM x1 ORDER BY am LIMIT 3;

-- refused order-type
SELECT rm FROM x1 ORDER BY rm LIMIT 3;

-- refused order-type
SELECT av FROM x1 ORDER BY av LIMIT 3;

-- refused order-type
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY m) AS rn FROM t) WHERE rn <= 3;

-- taken
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY m ORDER BY a) AS rn FROM t) WHERE rn <= 3;

-- refused order-type
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b, m) AS rn FROM t) WHERE rn = 1;

-- refused order-type
SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY ts, m) AS rn FROM t;

-- refused order-type
SELECT MAX(a) OVER (PARTITION BY a ORDER BY m) FROM t;

-- refused order-type
SELECT a FROM (SELECT a, m FROM t ORDER BY m LIMIT 3);

-- refused order-type
SELECT LISTAGG(c) FROM (SELECT c, m FROM t ORDER BY m LIMIT 3);

-- taken
SELECT a FROM (SELECT a, m FROM t ORDER BY m);

-- refused order-type
SELECT a, m FROM t ORDER BY 2 LIMIT 3;

-- refused order-type
SELECT a, m AS k FROM t ORDER BY k LIMIT 3;

-- refused order-type
SELECT a FROM t WHERE b = 1 ORDER BY m FETCH FIRST 2 ROWS ONLY;

-- refused order-type
SELECT a, m FROM t UNION ALL SELECT a, m FROM t ORDER BY m LIMIT 3;

-- taken
SELECT JSON_ARRAYAGG(a ORDER BY m) FROM t;

-- refused order-type
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts, m MEASURES A.b AS bb PATTERN (A) DEFINE A AS TRUE);

-- refused argument-type
SELECT MAX(m) FROM t GROUP BY a ORDER BY MAX(m) LIMIT 3;

-- taken
SELECT CAST(ARRAY[1] AS ARRAY<BIGINT>), CAST(NULL AS ARRAY<VARIANT>) FROM v;

-- taken
SELECT a FROM v WHERE vv['k'] IS NULL AND vv['l'] IS NOT NULL;

-- taken
SELECT CAST(JSON_STRING(vv['k']) AS INT) FROM v;

-- taken
SELECT JSON_VALUE(JSON_STRING(vv), '$.a' RETURNING INT) FROM v;

-- taken
SELECT vv['k'], COUNT(*) FROM v GROUP BY vv['k'];

-- taken
SELECT DISTINCT vv['k'] FROM v;

-- taken
SELECT COUNT(vv['k']), COUNT(DISTINCT vv['k']), LAST_VALUE(vv['k']) FROM v GROUP BY a;

-- refused argument-type
SELECT MAX(vv['k']) FROM v;

-- taken
SELECT CASE WHEN vv IS NULL THEN PARSE_JSON('1') ELSE PARSE_JSON('2') END FROM v;

-- taken
SELECT COALESCE(TRY_PARSE_JSON(c), vv) FROM v;

-- taken
SELECT a FROM v WHERE vv[UPPER('k')] IS NULL;

-- taken
SELECT vv[CAST(c AS INT)] FROM v;

-- taken
SELECT vv[a + 1] FROM v;

-- refused argument-type
SELECT vv[1e0] FROM v;

-- taken
SELECT vv[CAST(NULL AS STRING)] FROM v;

-- taken
SELECT vv['a' || 'b'] FROM v;

-- refused argument-type
SELECT vv[DATE '2020-01-01'] FROM v;

-- taken
SELECT a, LAST_VALUE(vv) OVER (PARTITION BY a ORDER BY ts) FROM v;

-- taken
SELECT v.a FROM v JOIN v AS w ON v.vv = w.v2 AND v.a = w.a;

-- refused operand-type
SELECT v.a FROM v LEFT JOIN v AS w ON v.vv > w.v2;

-- taken
SELECT a FROM v WHERE vv <> PARSE_JSON(c);

-- taken
SELECT a FROM v WHERE PARSE_JSON(c) = vv;

-- taken
SELECT a FROM v WHERE vv = CAST(NULL AS VARIANT);

-- taken
SELECT a FROM v WHERE vv = NULL;

-- taken
SELECT a FROM v WHERE ROW(vv) = ROW(v2);

-- taken
SELECT a FROM v WHERE ARRAY[vv] = ARRAY[v2];

-- taken
SELECT ARRAY_CONTAINS(ARRAY[vv], vv), CARDINALITY(ARRAY[vv]) FROM v;

-- taken
SELECT ARRAY_DISTINCT(ARRAY[vv]) FROM v;

-- taken
SELECT MAP_KEYS(MAP['a', vv]), MAP['a', vv]['a'] FROM v;

-- taken
SELECT e.x FROM v CROSS JOIN UNNEST(ARRAY[vv, v2]) AS e (x) WHERE e.x IS NOT NULL;

-- taken
SELECT LISTAGG(JSON_STRING(vv)) FROM v;

-- refused argument-type
SELECT HASH_CODE(vv), TYPEOF(vv, TRUE) FROM v;

-- refused argument-type
SELECT IS_DIGIT(vv) FROM v;

-- taken
SELECT a FROM v WHERE IFNULL(vv, v2) IS NULL;

-- refused argument-type
SELECT NULLIF(vv, 'x') FROM v;

-- refused argument-type
SELECT CONCAT_WS(',', c, vv) FROM v;

-- refused argument-type
SELECT TIMESTAMPADD(DAY, 1, vv) FROM v;

-- refused argument-type
SELECT REGEXP(vv, 'x') FROM v;

-- refused argument-type
SELECT ELT(1, vv) FROM v;

-- refused argument-type
SELECT TO_TIMESTAMP_LTZ(vv, 3) FROM v;

-- refused argument-type
SELECT SPLIT_INDEX(vv, ',', 1) FROM v;

-- refused mixed-types
SELECT ARRAY[vv, 1] FROM v;

-- refused mixed-types
SELECT MAP['a', vv, 'b', 1] FROM v;

-- taken
SELECT ROW(vv, 1) FROM v;

-- refused unknown-qualifier
SELECT vv.* FROM v;

-- taken
SELECT a FROM (SELECT a, vv FROM v ORDER BY vv);

-- refused order-type
SELECT a FROM (SELECT a, vv FROM v ORDER BY vv LIMIT 5);

-- refused order-type
SELECT * FROM t ORDER BY m, ts LIMIT 3;

-- taken
SELECT m FROM t GROUP BY m ORDER BY COUNT(*) LIMIT 3;

-- taken
SELECT m FROM t ORDER BY CARDINALITY(m) LIMIT 3;

-- taken
SELECT MAP_KEYS(m) FROM t ORDER BY MAP_KEYS(m) LIMIT 3;

-- refused order-type
INSERT INTO p SELECT c FROM t ORDER BY m LIMIT 3;

-- refused order-type
INSERT INTO p SELECT c FROM t ORDER BY ts, m;
