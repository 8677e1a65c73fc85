-- EXISTS that does not depend on the query around it, in front of a sink for new rows (Flink 2.3).
CREATE TABLE t (a BIGINT, b BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka');
CREATE TABLE u (a BIGINT, b BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka');
CREATE TABLE snk (a BIGINT, b BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a > ALL (SELECT a FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE u.ts = TIMESTAMP '2020-01-01 00:00:00');

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT COUNT(*) FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a > 1 AND EXISTS (SELECT a FROM u) AND b IN (SELECT b FROM u);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE u.a = t.a);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT DISTINCT a FROM u);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE FALSE);

-- refused append-only-sink
INSERT INTO snk SELECT a, COUNT(*) FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE u.a < t.a);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u LIMIT 1);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u) OR a > 3;

-- refused append-only-sink
INSERT INTO snk SELECT a, CASE WHEN EXISTS (SELECT 1 FROM u) THEN 1 ELSE 2 END FROM t;

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM t);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u) IS TRUE;

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT 1);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (VALUES (1),(2));

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE a > 3);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE EXISTS (SELECT window_start FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE 1 IN (SELECT a FROM u);

-- taken
INSERT INTO snk SELECT a, b FROM t WHERE a IN (SELECT a FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE NOT EXISTS (SELECT a FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE NOT EXISTS (SELECT a FROM u WHERE u.a = t.a);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a IN (SELECT a FROM u WHERE EXISTS (SELECT 1 FROM u));

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a NOT IN (SELECT a FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a = (SELECT MAX(a) FROM u);

-- refused append-only-sink
INSERT INTO snk SELECT a, b FROM t WHERE a > SOME (SELECT a FROM u);
