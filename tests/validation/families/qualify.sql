-- QUALIFY: a condition on windows of its own query (Flink 2.3).
CREATE TABLE T (k STRING, k2 STRING, a INT, b INT, l BIGINT, d DOUBLE, s STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE R (k STRING, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='r','format'='json');
CREATE TABLE G (k STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='g','format'='json');
CREATE TABLE U (k STRING, v INT, g STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='u','key.format'='json','value.format'='json');

-- taken
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) <= 3 AND a > 3;

-- refused qualify
SELECT k, a FROM T QUALIFY a > 3;

-- refused qualify
SELECT k, a FROM T QUALIFY TRUE;

-- taken
SELECT k, a, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM T QUALIFY rn <= 3;

-- refused qualify
SELECT k, a, a + 1 AS z FROM T QUALIFY z > 3;

-- taken
SELECT k, a, a + 1 AS z, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM T QUALIFY z > 3 AND rn <= 2;

-- refused qualify
SELECT k, COUNT(*) AS n FROM T GROUP BY k QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) <= 3;

-- refused qualify
SELECT k, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) AS rn FROM T GROUP BY k QUALIFY rn <= 3;

-- refused qualify
SELECT k, COUNT(*) AS n FROM T GROUP BY k QUALIFY ROW_NUMBER() OVER (ORDER BY n DESC) <= 3;

-- refused qualify
SELECT k FROM T GROUP BY k QUALIFY ROW_NUMBER() OVER (ORDER BY k) <= 3;

-- refused condition-type
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts);

-- refused condition-type
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) + 1;

-- taken
SELECT k, a FROM T QUALIFY CAST(ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS INT) = 1;

-- taken
SELECT k, a FROM T QUALIFY NOT (ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) > 1);

-- taken
SELECT k, a FROM T WHERE a > 3 QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1;

-- taken
SELECT DISTINCT k FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1;

-- refused syntax
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER w = 1 WINDOW w AS (PARTITION BY k ORDER BY ts);

-- taken
SELECT k, a FROM T WINDOW w AS (PARTITION BY k ORDER BY ts) QUALIFY ROW_NUMBER() OVER w = 1;

-- taken
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1 ORDER BY a LIMIT 3;

-- taken
SELECT k, a FROM T QUALIFY SUM(a) OVER (PARTITION BY k ORDER BY ts) > 10;

-- refused qualify
SELECT k, a FROM T QUALIFY COUNT(*) > 3;

-- refused qualify
SELECT k, COUNT(*) FROM T GROUP BY k QUALIFY COUNT(*) > 3;

-- taken
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1 OR a > 3;

-- refused unknown-column
SELECT k, nope FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1;

-- refused unknown-column
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY nope ORDER BY ts) = 1;

-- taken
SELECT k, a FROM T QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1 AND EXISTS (SELECT 1 FROM R WHERE R.k = T.k);
