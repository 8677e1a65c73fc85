-- Bare NULL as an operand and as an argument (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
SELECT id FROM gauges WHERE id = NULL;

-- taken
SELECT id FROM gauges WHERE id <> NULL;

-- taken
SELECT id FROM gauges WHERE id > NULL;

-- taken
SELECT id FROM gauges WHERE NULL > id;

-- taken
SELECT id FROM gauges WHERE NULL;

-- taken
SELECT id FROM gauges WHERE NULL IS NULL;

-- taken
SELECT id FROM gauges WHERE NULL IS NOT NULL;

-- taken
SELECT id FROM gauges WHERE id IS NULL;

-- taken
SELECT id FROM gauges WHERE id BETWEEN 1 AND NULL;

-- taken
SELECT id FROM gauges WHERE NULL BETWEEN 1 AND 3;

-- taken
SELECT id FROM gauges WHERE id IN (1, NULL);

-- taken
SELECT id FROM gauges WHERE NULL IN (1, 2);

-- taken
SELECT id FROM gauges WHERE txt IN ('a', NULL);

-- taken
SELECT id IN (NULL, 1) FROM gauges;

-- taken
SELECT CASE WHEN ok THEN NULL ELSE 1 END FROM gauges;

-- taken
SELECT CASE WHEN NULL THEN 1 ELSE 2 END FROM gauges;

-- taken
SELECT CASE id WHEN NULL THEN 1 ELSE 2 END FROM gauges;

-- taken
SELECT CASE NULL WHEN 1 THEN 1 ELSE 2 END FROM gauges;

-- taken
SELECT CASE WHEN id = NULL THEN 1 END FROM gauges;

-- taken
SELECT MAX(CAST(NULL AS INT)) FROM gauges;

-- taken
SELECT COALESCE(NULL, id) FROM gauges;

-- taken
SELECT COALESCE(id, NULL) FROM gauges;

-- taken
SELECT NULLIF(id, NULL) FROM gauges;

-- taken
SELECT IFNULL(NULL, 1) FROM gauges;

-- taken
SELECT IFNULL(id, NULL) FROM gauges;

-- taken
SELECT ARRAY[NULL, 1] FROM gauges;

-- taken
SELECT MAP['a', NULL] FROM gauges;

-- taken
SELECT CAST(NULL AS STRING) FROM gauges;

-- taken
SELECT TRY_CAST(NULL AS STRING) FROM gauges;

-- taken
SELECT id, COUNT(*) FROM gauges GROUP BY id HAVING NULL;

-- taken
SELECT id, COUNT(*) FROM gauges GROUP BY id HAVING COUNT(*) > NULL;

-- taken
INSERT INTO anyrow SELECT id, CAST(NULL AS STRING), big FROM gauges;

-- taken
SELECT r.id FROM gauges r JOIN others o ON r.id = NULL;

-- taken
SELECT txt IN ('a', NULL) FROM gauges;

-- taken
SELECT id IS DISTINCT FROM NULL FROM gauges;

-- taken
SELECT id FROM gauges WHERE id IS NOT DISTINCT FROM NULL;

-- refused bare-null
SELECT id FROM gauges WHERE ok AND NULL;

-- refused bare-null
SELECT id FROM gauges WHERE NULL AND ok;

-- refused bare-null
SELECT id FROM gauges WHERE ok OR NULL;

-- refused bare-null
SELECT id FROM gauges WHERE NOT (NULL);

-- refused bare-null
SELECT id FROM gauges WHERE NULL IS TRUE;

-- refused bare-null
SELECT ok AND NULL FROM gauges;

-- refused bare-null
SELECT NULL OR ok FROM gauges;

-- refused bare-null
SELECT 'a' || NULL FROM gauges;

-- refused bare-null
SELECT txt || NULL FROM gauges;

-- refused operand-type
SELECT id FROM gauges WHERE txt LIKE NULL;

-- refused operand-type
SELECT id FROM gauges WHERE NULL LIKE 'a';

-- refused bare-null
SELECT MAX(NULL) FROM gauges;

-- refused bare-null
SELECT MIN(NULL) FROM gauges;

-- refused bare-null
SELECT LAST_VALUE(NULL) FROM gauges;

-- refused bare-null
SELECT COLLECT(NULL) FROM gauges;

-- refused bare-null
SELECT COALESCE(NULL, NULL) FROM gauges;

-- refused bare-null
SELECT COALESCE(NULL) FROM gauges;

-- refused mixed-types
SELECT NULLIF(NULL, 1) FROM gauges;

-- refused bare-null
SELECT IFNULL(NULL, NULL) FROM gauges;

-- refused bare-null
SELECT GREATEST(1, NULL) FROM gauges;

-- refused bare-null
SELECT arr[NULL] FROM gauges;

-- refused bare-null
SELECT mp[NULL] FROM gauges;

-- refused mixed-types
SELECT MAP['a', 1, 'b', NULL] FROM gauges;

-- refused mixed-types
SELECT MAP[NULL, 1] FROM gauges;

-- refused bare-null
SELECT LAG(id, NULL) OVER (ORDER BY at_time) FROM gauges;

-- refused bare-null
SELECT LAG(NULL) OVER (ORDER BY at_time) FROM gauges;

-- refused bare-null
SELECT id FROM gauges GROUP BY id, NULL;

-- refused bare-null
SELECT r.id FROM gauges r JOIN others o ON r.id = o.id AND NULL;

-- refused bare-null
SELECT JSON_VALUE(NULL, '$.a') FROM gauges;

-- refused bare-null
SELECT JSON_EXISTS(NULL, '$.a') FROM gauges;

-- refused bare-null
SELECT FLOOR(NULL) FROM gauges;

-- refused bare-null
SELECT SPLIT_INDEX(txt, NULL, 1) FROM gauges;

-- refused bare-null
SELECT NULL + 1 FROM gauges;

-- refused bare-null
SELECT UPPER(NULL) FROM gauges;

-- refused bare-null
SELECT COUNT(NULL) FROM gauges;

-- refused bare-null
SELECT IF(ok, 1, NULL) FROM gauges;

-- refused bare-null
SELECT SUBSTRING(NULL, 1) FROM gauges;

-- refused bare-null
SELECT ROUND(NULL) FROM gauges;

-- refused bare-null
SELECT TO_TIMESTAMP(NULL) FROM gauges;

-- refused bare-null
INSERT INTO anyrow SELECT id, NULL, big FROM gauges;

-- refused bare-null
SELECT id, txt FROM gauges UNION ALL SELECT id, NULL FROM others;

-- refused bare-null
SELECT CARDINALITY(NULL) FROM gauges;
