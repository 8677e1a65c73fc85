-- IN with several columns whose NULLs count, and places of columns among the groups of HAVING (Flink 2.3).
CREATE TABLE o (a INT, b INT, c BIGINT, s STRING, d INT, n INT NOT NULL, m INT NOT NULL) WITH ('connector'='kafka','topic'='o','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE i (a INT, b INT, c BIGINT, s STRING, d INT, n INT NOT NULL, m INT NOT NULL) WITH ('connector'='kafka','topic'='i','format'='json','properties.bootstrap.servers'='k');

-- taken
SELECT a FROM o GROUP BY a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, MAX(d) AS n FROM o GROUP BY a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT b, COUNT(*) AS n FROM o GROUP BY b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT b, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- refused subquery-plan
SELECT c FROM o GROUP BY c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- refused subquery-plan
SELECT c, MAX(d) AS n FROM o GROUP BY c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT c, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- refused subquery-plan
SELECT s, COUNT(*) AS n FROM o GROUP BY s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- refused subquery-plan
SELECT s, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- refused subquery-plan
SELECT d FROM o GROUP BY d HAVING EXISTS (SELECT 1 FROM i WHERE i.d = o.d);

-- refused subquery-plan
SELECT d, MAX(d) AS n FROM o GROUP BY d HAVING EXISTS (SELECT 1 FROM i WHERE i.d = o.d);

-- taken
SELECT a, b, COUNT(*) AS n FROM o GROUP BY a, b HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, b, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, b HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, b FROM o GROUP BY a, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, b, MAX(d) AS n FROM o GROUP BY a, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, b, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT b, a, COUNT(*) AS n FROM o GROUP BY b, a HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT b, a, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY b, a HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT b, a FROM o GROUP BY b, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT b, a, MAX(d) AS n FROM o GROUP BY b, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT b, a, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY b, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT b, c, COUNT(*) AS n FROM o GROUP BY b, c HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT b, c, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY b, c HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- refused subquery-plan
SELECT b, c FROM o GROUP BY b, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT b, c, MAX(d) AS n FROM o GROUP BY b, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT b, c, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY b, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT c, b, COUNT(*) AS n FROM o GROUP BY c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT c, b, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT c, b FROM o GROUP BY c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT c, b, MAX(d) AS n FROM o GROUP BY c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT c, b, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, s, COUNT(*) AS n FROM o GROUP BY a, s HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, s, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, s HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- refused subquery-plan
SELECT a, s FROM o GROUP BY a, s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- refused subquery-plan
SELECT a, s, MAX(d) AS n FROM o GROUP BY a, s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- refused subquery-plan
SELECT s, a, COUNT(*) AS n FROM o GROUP BY s, a HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- taken
SELECT s, a, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY s, a HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- refused subquery-plan
SELECT s, a FROM o GROUP BY s, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- refused subquery-plan
SELECT s, a, MAX(d) AS n FROM o GROUP BY s, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- refused subquery-plan
SELECT s, a, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY s, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- refused subquery-plan
SELECT d, a, COUNT(*) AS n FROM o GROUP BY d, a HAVING EXISTS (SELECT 1 FROM i WHERE i.d = o.d);

-- refused subquery-plan
SELECT d, a, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY d, a HAVING EXISTS (SELECT 1 FROM i WHERE i.d = o.d);

-- taken
SELECT d, a FROM o GROUP BY d, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT d, a, MAX(d) AS n FROM o GROUP BY d, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT d, a, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY d, a HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, b, c, s, COUNT(*) AS n FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, b, c, s, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, b, c, s FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, b, c, s, MAX(d) AS n FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, b, c, s, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, b, c, s, COUNT(*) AS n FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, b, c, s, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, b, c, s FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- taken
SELECT a, b, c, s, MAX(d) AS n FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- taken
SELECT a, b, c, s, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, b, c, s HAVING EXISTS (SELECT 1 FROM i WHERE i.s = o.s);

-- taken
SELECT a, c, b, COUNT(*) AS n FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, c, b, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, c, b FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, c, b, MAX(d) AS n FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, c, b, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, c, b, COUNT(*) AS n FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, c, b, MAX(d) AS n, MIN(s) AS m FROM o GROUP BY a, c, b HAVING EXISTS (SELECT 1 FROM i WHERE i.b = o.b);

-- taken
SELECT a, s, c FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, s, c, MAX(d) AS n FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, s, c, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.a = o.a);

-- taken
SELECT a, s, c FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, s, c, MAX(d) AS n FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- taken
SELECT a, s, c, COUNT(*) AS n, SUM(c) AS m, MAX(b) AS l, MIN(s) AS k FROM o GROUP BY a, s, c HAVING EXISTS (SELECT 1 FROM i WHERE i.c = o.c);

-- refused subquery-plan
SELECT (a, b) IN (SELECT a, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT a, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, b) NOT IN (SELECT a, b FROM i) OR n = 1;

-- taken
SELECT (a, b) IN (SELECT n, m FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, b) NOT IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT (a, b) IN (SELECT a, n FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, b) NOT IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT (a, b) IN (SELECT n, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT n, b FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, b) NOT IN (SELECT n, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT (a, b) IN (SELECT a, b + 1 FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, b) NOT IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT (n, m) IN (SELECT a, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (n, m) IN (SELECT a, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (n, m) NOT IN (SELECT a, b FROM i) OR n = 1;

-- taken
SELECT (n, m) IN (SELECT n, m FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (n, m) IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (n, m) NOT IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT (n, m) IN (SELECT a, n FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (n, m) IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (n, m) NOT IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT (n, m) IN (SELECT n, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (n, m) IN (SELECT n, b FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (n, m) NOT IN (SELECT n, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT (n, m) IN (SELECT a, b + 1 FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (n, m) IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (n, m) NOT IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT (a, n) IN (SELECT a, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, n) IN (SELECT a, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, n) NOT IN (SELECT a, b FROM i) OR n = 1;

-- taken
SELECT (a, n) IN (SELECT n, m FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, n) IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, n) NOT IN (SELECT n, m FROM i) OR n = 1;

-- taken
SELECT (a, n) IN (SELECT a, n FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, n) IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, n) NOT IN (SELECT a, n FROM i) OR n = 1;

-- taken
SELECT (a, n) IN (SELECT n, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, n) IN (SELECT n, b FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, n) NOT IN (SELECT n, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT (a, n) IN (SELECT a, b + 1 FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, n) IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, n) NOT IN (SELECT a, b + 1 FROM i) OR n = 1;

-- refused subquery-plan
SELECT (a, b, n) IN (SELECT a, b, n FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b, n) IN (SELECT a, b, n FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, b, n) NOT IN (SELECT a, b, n FROM i) OR n = 1;

-- taken
SELECT (a, b, n) IN (SELECT n, m, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b, n) IN (SELECT n, m, b FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, b, n) NOT IN (SELECT n, m, b FROM i) OR n = 1;

-- refused subquery-columns
SELECT (a, b, n) IN (SELECT a, COALESCE(b, 0) FROM i) AS x FROM o;

-- refused subquery-columns
SELECT n FROM o WHERE (a, b, n) IN (SELECT a, COALESCE(b, 0) FROM i) OR n = 1;

-- refused subquery-columns
SELECT n FROM o WHERE (a, b, n) NOT IN (SELECT a, COALESCE(b, 0) FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE (a, b) IN (SELECT a, b FROM i);

-- taken
SELECT n FROM o WHERE (a, b) NOT IN (SELECT a, b FROM i);

-- taken
SELECT CASE WHEN (a, b) IN (SELECT a, b FROM i) THEN 1 ELSE 0 END AS x FROM o;

-- taken
SELECT (a, b) IN (SELECT a, b FROM i) IS TRUE AS x FROM o;

-- refused subquery-plan
SELECT (a, b) IN (SELECT a, b FROM i WHERE a IS NOT NULL) AS x FROM o;

-- refused subquery-plan
SELECT (a, b) IN (SELECT DISTINCT a, b FROM i) AS x FROM o;

-- refused subquery-plan
SELECT (a, b) IN (SELECT a, b FROM i WHERE i.n = o.n) AS x FROM o;

-- taken
SELECT n FROM o WHERE NOT ((a, b) IN (SELECT a, b FROM i));

-- taken
SELECT a, COUNT(*) AS c FROM o GROUP BY a HAVING (a, COUNT(*)) IN (SELECT a, c FROM i);

-- taken
SELECT a, b FROM o GROUP BY a, b HAVING (a, b) IN (SELECT a, b FROM i) OR a = 1;

-- taken
SELECT MAX(CASE WHEN (a, b) IN (SELECT a, b FROM i) THEN 1 ELSE 0 END) AS x FROM o;

-- taken
SELECT a FROM o WHERE CASE WHEN (a, b) IN (SELECT a, b FROM i) THEN TRUE ELSE FALSE END;

-- refused subquery-plan
SELECT (a, b) = ANY (SELECT a, b FROM i) AS x FROM o;

-- refused subquery-plan
SELECT (a, b) <> ALL (SELECT a, b FROM i) AS x FROM o;

-- taken
SELECT n FROM o WHERE (a, b) = ANY (SELECT a, b FROM i);

-- taken
SELECT n FROM o WHERE (a, b) <> ALL (SELECT a, b FROM i);

-- taken
SELECT n FROM o WHERE (a, b) = ANY (SELECT a, b FROM i) OR n = 1;

-- refused subquery-plan
SELECT n FROM o WHERE (a, b) <> ALL (SELECT a, b FROM i) OR n = 1;

-- taken
SELECT n FROM o WHERE NOT (a, b) = ANY (SELECT a, b FROM i);

-- taken
SELECT n FROM o WHERE NOT (a, b) <> ALL (SELECT a, b FROM i);

-- taken
SELECT n FROM o WHERE NOT (a, b) <> ALL (SELECT a, b FROM i) OR n = 1;

-- taken
SELECT (n, m) = ANY (SELECT n, m FROM i) AS x FROM o;

-- taken
SELECT (n, m) <> ALL (SELECT n, b FROM i) AS x FROM o;

-- refused subquery-plan
SELECT (a, b) = SOME (SELECT a, b FROM i) AS x FROM o;
