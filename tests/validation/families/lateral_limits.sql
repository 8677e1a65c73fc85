-- LATERAL with LIMIT: the first rows for each of the distinct values of the same rows, and others (Flink 2.3).
CREATE TABLE p (id INT, city STRING, state STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='p','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE q (id INT, city STRING, state STRING, n INT) WITH ('connector'='kafka','topic'='p','format'='json','properties.bootstrap.servers'='k');
CREATE VIEW v AS SELECT city, state, COUNT(*) AS n FROM p GROUP BY city, state;
CREATE VIEW w AS SELECT id, city, state, n FROM p WHERE n > 1;
CREATE VIEW pr AS SELECT id, city, state, n + 1 AS n FROM p;
CREATE VIEW ds AS SELECT DISTINCT state FROM p;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT state FROM p GROUP BY state) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s CROSS JOIN LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s JOIN LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t ON TRUE;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s LEFT JOIN LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t ON TRUE;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM v) s, LATERAL (SELECT city, n FROM v WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM w) s, LATERAL (SELECT city, n FROM w WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM pr) s, LATERAL (SELECT city, n FROM pr WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM q) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state, city FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.n FROM (SELECT DISTINCT state, city FROM p) s, LATERAL (SELECT n FROM p WHERE state = s.state AND city = s.city ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE s.state = state ORDER BY n DESC, id LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n + 1 AS m FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state AND n > 3 ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p WHERE n > 3) s, LATERAL (SELECT city, n FROM p WHERE state = s.state AND n > 3 ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p WHERE n > 3) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2 OFFSET 1) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n FETCH FIRST 2 ROWS ONLY) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT state, COUNT(*) AS c FROM p GROUP BY state) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT UPPER(state) AS state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE city = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.x, t.city FROM (SELECT DISTINCT state AS x FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.x ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT * FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p AS a) s, LATERAL (SELECT b.city, b.n FROM p AS b WHERE b.state = s.state ORDER BY b.n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM (SELECT * FROM p) WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT DISTINCT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city, t.c FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, COUNT(*) AS c FROM p WHERE state = s.state GROUP BY city ORDER BY c LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 1) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
WITH s AS (SELECT DISTINCT state FROM p) SELECT s.state, t.city FROM s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t WHERE s.state <> 'x';

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p WHERE n > 1) s, LATERAL (SELECT city, n FROM p WHERE n > 1 AND state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t, q WHERE q.id = t.n;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM (SELECT * FROM p UNION ALL SELECT id, city, state, n, ts FROM p)) s, LATERAL (SELECT city, n FROM (SELECT * FROM p UNION ALL SELECT id, city, state, n, ts FROM p) WHERE state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE s.state = state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.c FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city AS c, n AS m FROM p WHERE state = s.state ORDER BY m LIMIT 2) t;

-- taken
SELECT s.state, t.n FROM (SELECT DISTINCT state, city FROM p) s, LATERAL (SELECT n FROM p WHERE city = s.city AND state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.n FROM (SELECT DISTINCT state, city FROM p) s, LATERAL (SELECT n FROM p WHERE city = s.state AND state = s.city ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.n FROM (SELECT DISTINCT * FROM q) s, LATERAL (SELECT n FROM q WHERE id = s.id AND city = s.city AND state = s.state AND n = s.n ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM ds AS s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT state FROM p GROUP BY state, city) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT city, state FROM p GROUP BY state, city) s, LATERAL (SELECT city, n FROM p WHERE state = s.state AND city = s.city ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n DESC, city LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n + 1 LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state AND state = s.state ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY 2 LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM q, (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t, LATERAL (SELECT id FROM p WHERE state = s.state ORDER BY id LIMIT 2) x;

-- refused subquery-plan
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p ORDER BY state LIMIT 3) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.n, t.city FROM (SELECT DISTINCT n FROM p) s, LATERAL (SELECT city, n FROM p WHERE n = s.n + 1 ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.n, t.city FROM (SELECT DISTINCT n FROM p) s, LATERAL (SELECT city, n FROM p WHERE n > s.n ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.n, t.city FROM (SELECT DISTINCT n FROM p) s, LATERAL (SELECT city, n FROM p WHERE n IS NOT DISTINCT FROM s.n ORDER BY n LIMIT 2) t;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM default_database.p) s, LATERAL (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2) t;

-- refused subquery-plan
SELECT s.state, (SELECT COUNT(*) FROM (SELECT city, n FROM p WHERE state = s.state ORDER BY n LIMIT 2)) FROM (SELECT DISTINCT state FROM p) s;

-- taken
SELECT s.state, t.city FROM (SELECT DISTINCT state FROM p) s, LATERAL (SELECT city, n FROM p WHERE (state = s.state) ORDER BY n LIMIT 2) t;

-- taken
SELECT s.id, t.city FROM (SELECT DISTINCT id FROM p) s, LATERAL (SELECT city, n FROM p WHERE n = s.id ORDER BY n LIMIT 2) t;
