-- Queries inside of queries that Flink's planner cannot plan (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE s1 (k INT) WITH ('connector'='kafka','topic'='s1','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE s2 (k INT) WITH ('connector'='kafka','topic'='s2','format'='json','properties.bootstrap.servers'='k');

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a WHERE t.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND u.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND u.b IN (SELECT b FROM t);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON u.b IN (SELECT b FROM t);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.b + u.b IN (SELECT b FROM t);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND (t.b, t.c) IN (SELECT b, c FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND (t.b, u.c) IN (SELECT b, c FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON (t.b, u.c) IN (SELECT b, c FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (1, 2);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT 1);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND 1 IN (SELECT a FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b NOT IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND u.b NOT IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND NOT t.b IN (SELECT b FROM u WHERE b IS NOT NULL);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a AND x.b = u.b);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a > t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a + u.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND NOT EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND NOT EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND NOT EXISTS (SELECT 1 FROM u);

-- taken
SELECT t.a FROM t JOIN u ON EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a FROM t JOIN u ON EXISTS (SELECT 1 FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a OR EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a OR EXISTS (SELECT 1 FROM u);

-- taken
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u);

-- taken
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND NOT EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND NOT EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a, u.b FROM t RIGHT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t RIGHT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a, u.b FROM t FULL JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t FULL JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND u.b IN (SELECT b FROM u);

-- taken
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND t.b = (SELECT MAX(b) FROM u);

-- taken
SELECT t.a, u.b FROM t LEFT JOIN u ON t.a = u.a AND t.b = (SELECT MAX(b) FROM u AS x WHERE x.a = t.a);

-- taken
SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND t.b = (SELECT MAX(b) FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND u.b = (SELECT MAX(b) FROM u AS x WHERE x.a = u.a);

-- refused subquery-plan
SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND u.b = (SELECT MAX(b) FROM u AS x WHERE x.a = u.a AND x.b < t.b);

-- refused subquery-plan
SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND t.b = ANY (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND CASE WHEN t.b IN (SELECT b FROM u) THEN TRUE ELSE FALSE END;

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND (t.b IN (SELECT b FROM u)) IS TRUE;

-- taken
SELECT t.a FROM t CROSS JOIN u WHERE t.b IN (SELECT b FROM u);

-- taken
SELECT t.a FROM t, u WHERE t.a = u.a AND t.b IN (SELECT b FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a WHERE u.b IN (SELECT b FROM u);

-- taken
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.b NOT IN (SELECT b FROM u);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a AND x.b = u.b);

-- taken
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a);

-- taken
SELECT t.a FROM t JOIN (SELECT * FROM u WHERE b IN (SELECT b FROM u)) AS u ON t.a = u.a;

-- taken
SELECT t.a FROM (SELECT * FROM t WHERE b IN (SELECT b FROM u)) AS t JOIN u ON t.a = u.a;

-- taken
SELECT t.a FROM t LEFT JOIN (SELECT * FROM u WHERE EXISTS (SELECT 1 FROM t AS y WHERE y.a = u.a)) AS u ON t.a = u.a;

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a JOIN u AS w ON w.a = t.a AND t.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a JOIN u AS w ON w.a = t.a AND w.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a JOIN u AS w ON w.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = w.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a JOIN u AS w ON w.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u WHERE FALSE);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT MAX(b) FROM u);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u UNION ALL SELECT b FROM t);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b IN (VALUES 1, 2);

-- refused subquery-plan
SELECT t.a FROM t JOIN u ON t.a = u.a AND t.ts BETWEEN u.ts AND u.ts + INTERVAL '1' HOUR AND t.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT a FROM (SELECT t.a, u.b FROM t JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM u)) WHERE b > 1;

-- taken
SELECT t.a FROM t JOIN u USING (a) WHERE t.b IN (SELECT b FROM u);

-- taken
SELECT a FROM t WHERE b IN (SELECT b FROM u) OR c IN (SELECT c FROM u);

-- taken
SELECT a, b IN (SELECT b FROM u) FROM t;

-- taken
SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) IN (SELECT b FROM u);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k IN (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s2.k IN (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 LEFT JOIN s2 ON s1.k = s2.k AND s2.k IN (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k IN (SELECT k FROM s2);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND s1.k IN (SELECT k FROM s2);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND t.a IN (SELECT k FROM s2);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k NOT IN (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k IN (SELECT a FROM t);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k IN (SELECT a FROM t WHERE b = 1);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND CAST(s1.k AS BIGINT) IN (SELECT b FROM t);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND 1 IN (SELECT k FROM s1 AS x WHERE x.k = s2.k);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND 1 IN (SELECT k FROM s1 AS x WHERE x.k = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND EXISTS (SELECT 1 FROM t WHERE t.a = s2.k);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND EXISTS (SELECT 1 FROM t WHERE t.a = s1.k);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND EXISTS (SELECT 1 FROM t WHERE t.a = s1.k) AND EXISTS (SELECT 1 FROM t WHERE t.b = s1.k);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND EXISTS (SELECT 1 FROM t WHERE t.a = s1.k) AND EXISTS (SELECT 1 FROM t WHERE t.b = s2.k);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s2.k < (SELECT MAX(a) FROM t WHERE t.a = s2.k);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s2.k < (SELECT MAX(a) FROM t);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s2.k IN (SELECT k FROM s1) IS TRUE;

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k = SOME (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND s1.k <> ALL (SELECT k FROM s1);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND 1 > ANY (SELECT k FROM s1);

-- taken
SELECT s1.k FROM s1 JOIN s2 ON s1.k = s2.k AND 1 < ALL (SELECT k FROM s1);

-- taken
SELECT s1.k FROM s1 WHERE s1.k > ANY (SELECT k FROM s2);

-- taken
SELECT s1.k FROM s1 WHERE s1.k <> ALL (SELECT k FROM s2);

-- taken
SELECT s1.k FROM s1 JOIN LATERAL (SELECT k FROM s2 WHERE s2.k = s1.k) AS q ON s1.k IN (SELECT k FROM s2);

-- taken
SELECT s1.k FROM s1 JOIN LATERAL (SELECT k FROM s2 WHERE s2.k = s1.k) AS q ON TRUE;

-- refused subquery-plan
SELECT t.a FROM t CROSS JOIN UNNEST(arr) AS e (x) JOIN s2 ON e.x = s2.k AND t.a IN (SELECT k FROM s1);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND t.b = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND s1.k IN (SELECT k FROM s2));

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND t.a IN (SELECT k FROM s2));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.c = 'x' AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.c = t.c AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- taken
SELECT a FROM t WHERE a IN (SELECT t.a FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a AND x.b = u.b));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b > (SELECT MAX(b) FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE b > (SELECT MAX(b) FROM u AS x WHERE x.c = t.c));

-- refused subquery-plan
SELECT a FROM t WHERE b > (SELECT MAX(b) FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.c));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE EXISTS (SELECT 1 FROM u AS y WHERE y.a = x.a)));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE EXISTS (SELECT 1 FROM u AS y WHERE y.a = t.a)));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a AND EXISTS (SELECT 1 FROM u AS y WHERE y.a = t.a)));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.a = u.a AND EXISTS (SELECT 1 FROM u AS y WHERE y.a = t.a)));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE NOT EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.c = 'x' OR EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a)) AS q);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN u AS w ON u.a = w.a WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN u AS w ON u.a = w.a AND w.b = t.b WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT COUNT(*) FROM u HAVING EXISTS (SELECT 1 FROM u AS x WHERE x.a = t.a));

-- refused subquery-plan
SELECT a, (SELECT MAX(b) FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.c)) FROM t;

-- taken
SELECT a, (SELECT MAX(b) FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.c)) FROM t;

-- refused subquery-plan
SELECT a, (SELECT (SELECT MAX(x.b) FROM u AS x WHERE x.c = t.c) FROM u LIMIT 1) FROM t;

-- refused subquery-plan
SELECT a FROM t WHERE a IN (SELECT (SELECT MAX(x.a) FROM u AS x WHERE x.c = t.c) FROM u);

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.c)) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.c)) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE EXISTS (SELECT 1 FROM u AS x WHERE x.c = u.c)) AS q;

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u UNION ALL SELECT a FROM u WHERE u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b UNION SELECT a FROM u WHERE u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b UNION ALL SELECT a FROM u WHERE u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b INTERSECT SELECT a FROM u WHERE u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b EXCEPT SELECT a FROM u WHERE u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b INTERSECT SELECT a FROM u);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT a FROM u UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE u.b = t.b UNION SELECT a FROM u);

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE a NOT IN (SELECT a FROM u WHERE u.b = t.b UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE b > (SELECT MAX(b) FROM (SELECT b FROM u WHERE u.a = t.a UNION ALL SELECT b FROM u) AS q);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a FROM u UNION ALL SELECT a FROM u) AS q WHERE q.a = t.a);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a FROM u WHERE u.b = t.b UNION ALL SELECT a FROM u) AS q WHERE q.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a UNION ALL SELECT b FROM u WHERE u.c = t.c) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a UNION ALL SELECT b FROM u) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM u UNION ALL SELECT b FROM u) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 3) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a LIMIT 3) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 1) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM u ORDER BY b LIMIT 3) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a > t.a ORDER BY b LIMIT 3) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY ts LIMIT 3) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b DESC, c LIMIT 3) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 3) AS i) AS q;

-- refused limit
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a OFFSET 1) AS q;

-- refused subquery-plan
SELECT t.a FROM t LEFT JOIN LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 3) AS q ON TRUE;

-- taken
SELECT t.a FROM t LEFT JOIN LATERAL (SELECT b FROM u WHERE u.a = t.a) AS q ON TRUE;

-- refused subquery-plan
SELECT t.a FROM t JOIN LATERAL (SELECT b FROM u WHERE u.a = t.a LIMIT 3) AS q ON TRUE;

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a ORDER BY b LIMIT 3);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a LIMIT 1);

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE u.c = t.c ORDER BY b LIMIT 3);

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE u.c = t.c LIMIT 3);

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u ORDER BY b LIMIT 3);

-- refused subquery-plan
SELECT a, (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 1) FROM t;

-- refused subquery-plan
SELECT a, (SELECT b FROM u WHERE u.a = t.a LIMIT 1) FROM t;

-- taken
SELECT a, (SELECT b FROM u WHERE u.a = t.a) FROM t;

-- refused subquery-plan
SELECT a FROM t WHERE b = (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 1);

-- taken
SELECT t.a FROM t, LATERAL (SELECT b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM u WHERE u.a = t.a) AS q WHERE rn <= 3;

-- taken
SELECT t.a FROM t, LATERAL (SELECT b FROM (SELECT b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM u WHERE u.a = t.a) AS i WHERE rn <= 3) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT DISTINCT b FROM u WHERE u.a = t.a) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT c, COUNT(*) AS n FROM u WHERE u.a = t.a GROUP BY c) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT COUNT(*) AS n FROM u WHERE u.a = t.a) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT u.b FROM u JOIN u AS w ON u.a = w.a AND w.b = t.b) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT u.b FROM u LEFT JOIN u AS w ON u.a = w.a AND w.b = t.b) AS q;

-- taken
SELECT t.a FROM t, LATERAL (SELECT t.a + u.a AS s FROM u) AS q;

-- taken
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND EXISTS (SELECT 1 FROM u WHERE u.a = t.a);

-- taken
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND EXISTS (SELECT 1 FROM u WHERE u.d = t.d);

-- taken
SELECT s1.k FROM s1 LEFT JOIN t ON s1.k = t.a AND EXISTS (SELECT 1 FROM u WHERE u.d = t.d);

-- taken
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND t.b = (SELECT MAX(b) FROM u WHERE u.a = t.a);

-- taken
SELECT s1.k FROM s1 JOIN t ON s1.k = t.a AND t.b = (SELECT MAX(b) FROM u WHERE u.d = t.d);

-- taken
SELECT s1.k FROM s1 LEFT JOIN t ON s1.k = t.a AND t.b = (SELECT MAX(b) FROM u WHERE u.a = t.a);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.r.x);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND t.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND u.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND u.d IN (SELECT d FROM u) AND t.n IN (SELECT n FROM t);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND u.d IN (SELECT d FROM u) AND EXISTS (SELECT 1 FROM s1);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND UPPER(u.c) IN (SELECT c FROM u);

-- refused subquery-plan
SELECT u.a FROM u JOIN t ON u.a = t.a AND u.d IN (SELECT d FROM u WHERE a = 3) AND u.b > 3;

-- refused temporal-table
SELECT u.a FROM u JOIN t FOR SYSTEM_TIME AS OF u.ts ON u.a = t.a AND u.b IN (SELECT b FROM u);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = s1.k);

-- taken
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a WHERE t.b = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t LEFT JOIN u ON t.a = u.a AND u.a = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND s1.k > 3);

-- taken
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND t.b = s1.k WHERE t.a = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE s1.k IN (SELECT t.a FROM t JOIN u ON t.a = u.a AND t.b = s1.k);

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE s1.k > (SELECT MAX(t.a) FROM t JOIN u ON t.a = u.a AND t.b = s1.k);

-- taken
SELECT s1.k FROM s1 WHERE s1.k > (SELECT MAX(t.a) FROM t JOIN u ON t.a = u.a WHERE t.b = s1.k);

-- taken
SELECT s1.k, q.a FROM s1, LATERAL (SELECT t.a FROM t JOIN u ON t.a = u.a WHERE t.b = s1.k) AS q;

-- taken
SELECT s1.k, q.a FROM s1 JOIN LATERAL (SELECT t.a FROM t WHERE t.b = s1.k) AS q ON q.a = s1.k;

-- taken
SELECT s1.k, q.a FROM s1 JOIN LATERAL (SELECT t.a FROM t) AS q ON q.a = s1.k;

-- taken
SELECT s1.k, q.a FROM s1 LEFT JOIN LATERAL (SELECT t.a FROM t WHERE t.b = s1.k) AS q ON q.a = s1.k;

-- refused subquery-plan
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = s1.k));

-- taken
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = t.a) WHERE t.b = s1.k);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT t.a FROM u UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE a IN (SELECT t.a FROM u UNION ALL SELECT a FROM u);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a) UNION ALL SELECT a FROM u);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT a FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = u.a) UNION ALL SELECT a FROM u);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a FROM u UNION ALL SELECT k FROM s1) AS q WHERE q.a = t.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k = q.a));

-- taken
SELECT a FROM t WHERE EXISTS (VALUES (t.a), (t.b));

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT t.a AS x UNION ALL SELECT t.b) AS q;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT t.a + u.a AS s FROM u LIMIT 3) AS q;

-- refused subquery-plan
SELECT a, (SELECT t.a + u.a FROM u LIMIT 1) FROM t;

-- taken
SELECT a, (SELECT u.a FROM u LIMIT 1) FROM t;

-- refused subquery-plan
SELECT a, (SELECT MAX(b) FROM u WHERE u.a = t.a LIMIT 1) FROM t;

-- taken
SELECT a, (SELECT MAX(b) FROM u WHERE u.a = t.a ORDER BY 1) FROM t;

-- refused subquery-plan
SELECT a FROM t WHERE b = (SELECT MAX(b) FROM u WHERE u.a = t.a GROUP BY c LIMIT 1);

-- taken
SELECT a FROM t WHERE b IN (SELECT MAX(b) FROM u WHERE u.a = t.a GROUP BY c LIMIT 1);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT b FROM u WHERE u.a = t.a LIMIT 3) AS i);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 3) AS i WHERE i.b > 1);

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT q.b FROM (SELECT b FROM u WHERE u.a = t.a LIMIT 3) AS q WHERE q.b > 3) AS z;

-- refused subquery-plan
SELECT t.a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a FETCH FIRST 3 ROWS ONLY) AS q;

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a) AND u.b = t.b);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a) OR u.b = t.b);

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a IN (SELECT k FROM s1 WHERE s1.k = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u GROUP BY u.a HAVING MAX(u.b) > (SELECT MAX(k) FROM s1 WHERE s1.k = t.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 JOIN s2 ON s1.k = s2.k WHERE s1.k = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a) AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = u.a));

-- refused subquery-plan
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a) AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u, LATERAL (SELECT k FROM s1 WHERE s1.k = t.a) AS q);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u, LATERAL (SELECT k FROM s1 WHERE s1.k = u.a) AS q WHERE q.k = t.a);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a FROM u WHERE u.b = t.b) AS q WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (WITH w AS (SELECT a FROM u WHERE u.b = t.b) SELECT 1 FROM w WHERE w.a = t.a);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b = (SELECT MAX(x.b) FROM u AS x WHERE x.a = u.a));

-- taken
SELECT a FROM t WHERE a IN (SELECT u.a FROM u WHERE u.b IN (SELECT u.b + k FROM s1 WHERE s1.k = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k = u.a AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = s1.k)));

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE a IN (SELECT k FROM s1 WHERE k IN (SELECT k FROM s2)));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM s1 WHERE s1.k = u.a) AND EXISTS (SELECT 1 FROM s2 WHERE s2.k = u.a AND s2.k = t.a));

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u JOIN s1 ON u.a = s1.k WHERE EXISTS (SELECT 1 FROM s2 WHERE s2.k = s1.k) AND u.b = t.b);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u LEFT JOIN s1 ON u.a = s1.k WHERE u.b = t.b);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b IN (SELECT b FROM u UNION ALL SELECT b FROM t));

-- taken
SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE b = 1 UNION SELECT k FROM s1 WHERE k IN (SELECT k FROM s2));

-- taken
WITH w AS (SELECT a, b FROM u UNION ALL SELECT a, b FROM t) SELECT a FROM t WHERE EXISTS (SELECT 1 FROM w WHERE w.a = t.a);

-- taken
SELECT a, (SELECT COUNT(*) FROM u WHERE u.a = t.a), (SELECT COUNT(*) FROM s1 WHERE s1.k = t.a) FROM t;

-- taken
SELECT a, (SELECT MAX(b) FROM u LIMIT 1), (SELECT MAX(b) FROM u WHERE u.a = t.a) FROM t;

-- taken
SELECT t.a, q.n FROM t LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM u WHERE u.a = t.a AND u.b IN (SELECT b FROM u)) AS q ON TRUE;

-- taken
SELECT t.a, q.b FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k = u.a)) AS q;

-- taken
SELECT t.a, q.b FROM t, LATERAL (SELECT MAX(b) AS b FROM u WHERE u.a = t.a) AS q, LATERAL (SELECT MAX(k) AS k FROM s1 WHERE s1.k = q.b) AS z;

-- taken
SELECT t.a, q.b FROM t JOIN s1 ON t.a = s1.k, LATERAL (SELECT MAX(b) AS b FROM u WHERE u.a = s1.k) AS q;

-- taken
SELECT t.a FROM t JOIN (SELECT a FROM u WHERE b IN (SELECT b FROM u) UNION ALL SELECT k FROM s1) AS q ON q.a = t.a;

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM s1 JOIN s2 ON s1.k = s2.k WHERE s1.k = t.a);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k IN (SELECT k FROM s2));

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM s1 WHERE s1.k = t.a AND s1.k IN (SELECT k FROM s2));

-- taken
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a AND t.b > (SELECT MAX(b) FROM u AS x WHERE x.c = t.c);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND u.b > (SELECT COUNT(*) FROM s1);

-- taken
SELECT t.a FROM t JOIN u ON t.a = u.a AND u.b BETWEEN (SELECT MIN(k) FROM s1) AND (SELECT MAX(k) FROM s1);

-- taken
SELECT t.a FROM t JOIN s1 ON t.a = s1.k AND 3 IN (SELECT k FROM s2) LEFT JOIN s2 ON s2.k = t.a;

-- taken
SELECT t.a FROM t JOIN (s1 JOIN s2 ON s1.k = s2.k) ON t.a = s1.k AND EXISTS (SELECT 1 FROM u WHERE u.a = t.a);

-- refused subquery-plan
SELECT t.a FROM t JOIN (s1 JOIN s2 ON s1.k = s2.k) ON t.a = s1.k AND EXISTS (SELECT 1 FROM u WHERE u.a = s2.k);

-- taken
SELECT a FROM t WHERE (SELECT MAX(b) FROM u WHERE u.a = t.a) > ALL (SELECT k FROM s1);

-- taken
SELECT a FROM t WHERE b > ALL (SELECT b FROM u WHERE u.a = t.a);

-- taken
SELECT a FROM t WHERE b > ANY (SELECT b FROM u LIMIT 3);

-- taken
SELECT a FROM t WHERE b NOT IN (SELECT b FROM u WHERE u.a = t.a ORDER BY b LIMIT 3);

-- taken
SELECT CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.a = t.a) THEN 1 ELSE 0 END FROM t;

-- taken
SELECT a, COUNT(*) FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.a = t.a);

-- taken
SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > (SELECT COUNT(*) FROM u WHERE u.a = t.a);

-- taken
SELECT a, SUM(b) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) GROUP BY a HAVING SUM(b) > (SELECT AVG(b) FROM u);

-- taken
SELECT DISTINCT a FROM t WHERE a IN (SELECT a FROM u WHERE u.c LIKE 'x%' AND u.ts > t.ts);

-- taken
SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY proctime) AS rn FROM t WHERE b > (SELECT MAX(b) FROM u WHERE u.a = t.a);

-- taken
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS rn FROM u WHERE u.c = t.c) AS q WHERE q.rn = 1 AND q.a = t.a);

-- taken
SELECT a FROM t WHERE a IN (SELECT q.a FROM (SELECT a, MAX(b) AS b FROM u GROUP BY a) AS q WHERE q.b > t.b);

-- taken
SELECT a FROM t AS o WHERE b = (SELECT MAX(b) FROM t AS i WHERE i.a = o.a);

-- taken
SELECT a FROM t AS o WHERE NOT EXISTS (SELECT 1 FROM t AS i WHERE i.a = o.a AND i.ts > o.ts);

-- taken
SELECT x.k FROM (SELECT k FROM s1 UNION ALL SELECT k FROM s2) AS x WHERE EXISTS (SELECT 1 FROM t WHERE t.a = x.k);

-- taken
SELECT k FROM s1 WHERE EXISTS (SELECT 1 FROM t WHERE t.a = s1.k) UNION ALL SELECT k FROM s2 WHERE EXISTS (SELECT 1 FROM t WHERE t.a = s2.k);

-- taken
SELECT s1.k FROM s1 LEFT JOIN s2 ON s1.k = s2.k AND s1.k > 3 WHERE s1.k IN (SELECT a FROM t) AND s2.k IS NULL;

-- refused subquery-plan
SELECT s1.k FROM s1 JOIN LATERAL (SELECT a FROM t WHERE t.a = s1.k UNION ALL SELECT a FROM u WHERE u.a = 1) AS q ON TRUE;

-- taken
SELECT s1.k FROM s1 JOIN LATERAL (SELECT q.a FROM (SELECT a FROM t UNION ALL SELECT a FROM u) AS q WHERE q.a = s1.k) AS z ON TRUE;

-- taken
SELECT s1.k FROM s1 JOIN LATERAL (SELECT a, b FROM t ORDER BY b LIMIT 10) AS q ON q.a = s1.k;

-- taken
SELECT s1.k, (SELECT MAX(q.b) FROM (SELECT a, b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM t) AS q WHERE q.a = s1.k AND q.rn = 1) FROM s1;

-- taken
SELECT x.k FROM (SELECT k FROM s1) AS x WHERE EXISTS (SELECT 1 FROM t WHERE t.a = x.k);

-- taken
SELECT x.k FROM (SELECT k FROM s1) AS x WHERE EXISTS (SELECT 1 FROM t WHERE t.a = x);

-- taken
SELECT s1.k FROM s1 WHERE EXISTS (SELECT 1 FROM t WHERE t.a = x);

-- taken
SELECT y.k FROM (SELECT k FROM s1) AS y WHERE EXISTS (SELECT 1 FROM t WHERE t.a = y.k);

-- taken
SELECT y.k FROM (SELECT k FROM s1) AS y WHERE EXISTS (SELECT 1 FROM t WHERE t.c = r.y);

-- refused unknown-column
SELECT r.k FROM (SELECT k FROM s1) AS r WHERE EXISTS (SELECT 1 FROM t WHERE t.a = r.x);

-- taken
SELECT r.k FROM (SELECT k FROM s1) AS r WHERE EXISTS (SELECT 1 FROM t WHERE t.a = r.k);
