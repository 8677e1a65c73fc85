-- Grouping sets that stand twice (Flink 2.3).
CREATE TABLE t (a INT, b BIGINT, c STRING, d DOUBLE, n DECIMAL(10,2), bo BOOLEAN, dt DATE, ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING,INT>, r ROW<x INT, y STRING>, bs BYTES, proctime AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='x','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE u (a INT, b BIGINT, c STRING, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='y','format'='json','properties.bootstrap.servers'='k');
CREATE TABLE p (c STRING) WITH ('connector'='print');

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), ());

-- refused grouping-sets
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (), ());

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (c), ());

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (c), (), ());

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (a, c));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (a, c), ());

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (c, a), ());

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (a, c), (a));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (a), (a));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, c), (), ());

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (a), ());

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY ROLLUP (a, a);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY ROLLUP (a, a, c);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY ROLLUP (a, c, a);

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY CUBE (a, a);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY CUBE (a, a, c);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY ROLLUP (a), ROLLUP (c);

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY ROLLUP (a), ROLLUP (a);

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY a, ROLLUP (a);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY a, ROLLUP (c);

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY a, ROLLUP (a, c);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY a, c, ROLLUP (a, c);

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY a, CUBE (a, c);

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY a, GROUPING SETS ((a), ());

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY a, GROUPING SETS ((a), (c), ());

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (c)), GROUPING SETS ((a), (c));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (c)), GROUPING SETS ((a), ());

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY CUBE (a, c), ROLLUP (a);

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a), ROLLUP (c));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a, c), (c));

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a), (a));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS (GROUPING SETS ((a), (c)), ());

-- refused not-grouped
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a + 1), (a + 1), (c));

-- taken
SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((a + 1), (a + 1));

-- taken
SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((), ());

-- taken
SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((), (), ());

-- taken
SELECT a, GROUP_ID(), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a));

-- taken
SELECT a, GROUP_ID(), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), ());

-- taken
SELECT a, c, GROUP_ID(), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (c));

-- taken
SELECT a, c, GROUP_ID(), COUNT(*) FROM t GROUP BY CUBE (a, c);

-- taken
SELECT a, GROUP_ID(), COUNT(*) FROM t GROUP BY a;

-- refused grouping-sets
SELECT a, GROUP_ID(), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (), ());

-- taken
SELECT a, GROUPING(a), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), ());

-- refused grouping-sets
SELECT a, c FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- taken
SELECT a FROM t GROUP BY GROUPING SETS ((a), (a));

-- taken
SELECT a FROM t GROUP BY GROUPING SETS ((a), (a), ());

-- refused grouping-sets
SELECT a, c, COUNT(DISTINCT b) FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- refused not-grouped
SELECT a, c, COUNT(DISTINCT b) FROM t GROUP BY GROUPING SETS ((a), (a));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (c)) HAVING COUNT(*) > 1;

-- refused grouping-sets
SELECT x.a FROM (SELECT a, c, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((a), (a), (c))) AS x;

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (t.a), (c));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, a), (a), (c));

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS (a, (a), c);

-- taken
SELECT a AS k, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (1), (c));

-- taken
SELECT a, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, GROUPING SETS ((a), (a));

-- taken
SELECT a, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, GROUPING SETS ((a), (a), ());

-- refused grouping-sets
SELECT a, c, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, GROUPING SETS ((a), (a), (c));

-- taken
SELECT a, c, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, GROUPING SETS ((a), (c), ());

-- refused not-grouped
SELECT a, c, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY GROUPING SETS ((window_start, window_end, a), (window_start, window_end, a));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a)), c;

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), ()), c;

-- taken
SELECT a, c, b, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a)), GROUPING SETS ((c), (b));

-- taken
SELECT a, c, b, COUNT(*) FROM t GROUP BY ROLLUP ((a, c), b, (c, b));

-- refused not-grouped
SELECT a, c, b, COUNT(*) FROM t GROUP BY ROLLUP ((a, c), (c, a));

-- taken
SELECT a, c, COUNT(*) FROM t WHERE a = 1 GROUP BY GROUPING SETS ((a), (c), ());

-- refused grouping-sets
SELECT a, c, COUNT(*) FROM t WHERE a = 1 GROUP BY GROUPING SETS ((a), (a), (c));

-- taken
SELECT k, c, COUNT(*) FROM (SELECT 1 AS k, c FROM t) GROUP BY GROUPING SETS ((k), (c));

-- taken
SELECT k, c, COUNT(*) FROM (SELECT 1 AS k, c FROM t) GROUP BY GROUPING SETS ((k), (c), ());

-- taken
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (b), (b), (c));

-- refused not-grouped
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (b), (b), ());

-- refused grouping-sets
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (b), (b), (c), (c), (c));

-- taken
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, b, c), (a, b, c), (a, b, c), (a));

-- taken
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, b, c), (a, b, c), (a, b, c), (a), (a));

-- refused grouping-sets
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, b, c), (a, b, c), (a), (a), (a));

-- taken
SELECT a, b, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((), (), (a), (a), (b), (c));

-- taken
SELECT a, b, COUNT(*) FROM t GROUP BY ROLLUP (a, b), ROLLUP (a, b);

-- refused grouping-sets
SELECT a, b, COUNT(*) FROM t GROUP BY ROLLUP (a), ROLLUP (a, b);

-- taken
SELECT a, b, COUNT(*) FROM t GROUP BY ROLLUP (a), CUBE (a), b;

-- taken
SELECT a, COUNT(*) FROM t GROUP BY ROLLUP (a), ROLLUP (a);

-- taken
SELECT a, COUNT(*) FROM t GROUP BY CUBE (a), a;

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a), (a));

-- refused grouping-sets
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a), ());

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS (ROLLUP (a), ROLLUP (a));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS (CUBE (a), CUBE (a));

-- refused grouping-sets
SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- refused grouping-sets
SELECT COUNT(*) FROM (SELECT 1 AS k, c FROM t) GROUP BY GROUPING SETS ((k), (k), (c));

-- refused grouping-sets
SELECT k, COUNT(*) FROM (SELECT 1 AS k, c FROM t) GROUP BY GROUPING SETS ((k), (c), (c));

-- taken
SELECT COUNT(*) FROM t WHERE FALSE GROUP BY GROUPING SETS ((a), (a), (c));

-- taken
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a), (c)) LIMIT 0;

-- refused grouping-sets
SELECT a FROM t GROUP BY GROUPING SETS ((a), (), ());

-- refused grouping-sets
SELECT DISTINCT a FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- refused grouping-sets
SELECT a, SUM(b) FILTER (WHERE b > 1) FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- refused operand-type
SELECT a, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a || 1), (c));

-- refused grouping-sets
SELECT UPPER(c), COUNT(*) FROM t GROUP BY GROUPING SETS ((UPPER(c)), (upper(c)), (a));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a, 1), (c));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a, 1));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (1));

-- taken
SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), ('x'), ());

-- taken
SELECT a AS x, c, COUNT(*) FROM t GROUP BY GROUPING SETS ((x), (a), (c));

-- refused grouping-sets
SELECT r.x, COUNT(*) FROM t GROUP BY GROUPING SETS ((r.x), (t.r.x), (a));

-- refused grouping-sets
SELECT a, c FROM t GROUP BY GROUPING SETS ((a), (a), (c)) UNION ALL SELECT a, c FROM u;

-- refused grouping-sets
SELECT COUNT(*) FROM u WHERE a IN (SELECT a FROM t GROUP BY GROUPING SETS ((a), (a), (c)));

-- refused grouping-sets
INSERT INTO p SELECT c FROM t GROUP BY GROUPING SETS ((a), (a), (c));

-- refused grouping-sets
CREATE VIEW vw AS SELECT c FROM t GROUP BY GROUPING SETS ((a), (a), (c)); SELECT c FROM vw;
