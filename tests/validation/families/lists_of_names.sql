-- Column lists, HAVING, GROUPING and WINDOW names (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
WITH a AS (SELECT id FROM gauges) SELECT id FROM a;

-- taken
WITH a (x) AS (SELECT id FROM gauges) SELECT x FROM a;

-- taken
WITH a (x, y) AS (SELECT id, txt FROM gauges) SELECT 1 FROM a;

-- taken
WITH a (x) AS (VALUES (1), (2)) SELECT x FROM a;

-- taken
WITH a AS (SELECT id FROM gauges), a AS (SELECT id FROM others) SELECT * FROM a;

-- taken
WITH a AS (SELECT * FROM gauges), b (x) AS (SELECT id FROM a) SELECT * FROM b;

-- taken
CREATE VIEW v (x, y) AS SELECT id, txt FROM gauges;

-- taken
CREATE VIEW v (x, y) AS SELECT id, id FROM gauges;

-- taken
SELECT 1 FROM gauges HAVING TRUE;

-- taken
SELECT COUNT(*) FROM gauges HAVING COUNT(*) > 1;

-- taken
SELECT 1 FROM gauges HAVING COUNT(*) > 1;

-- taken
SELECT MAX(id) FROM gauges HAVING MAX(id) > 3;

-- taken
SELECT GROUPING(id) FROM gauges GROUP BY id;

-- taken
SELECT id, GROUPING(id) FROM gauges GROUP BY CUBE (id, txt);

-- taken
SELECT id, GROUPING(id, txt) FROM gauges GROUP BY CUBE (id, txt);

-- taken
SELECT id, GROUPING_ID(id, txt) FROM gauges GROUP BY ROLLUP (id, txt);

-- taken
SELECT id FROM gauges GROUP BY ROLLUP (id) HAVING GROUPING(id) = 1;

-- taken
SELECT GROUPING(id + 1) FROM gauges GROUP BY id + 1;

-- taken
SELECT SUM(id) OVER w FROM gauges WINDOW w AS (ORDER BY at_time);

-- taken
SELECT SUM(id) OVER w2 FROM gauges WINDOW w AS (PARTITION BY id ORDER BY at_time), w2 AS (w);

-- taken
SELECT SUM(id) OVER (w) FROM gauges WINDOW w AS (ORDER BY at_time);

-- refused view-columns
WITH a (x) AS (SELECT id, txt FROM gauges) SELECT x FROM a;

-- refused view-columns
WITH a (x, y) AS (SELECT id FROM gauges) SELECT x FROM a;

-- refused duplicate-column
WITH a (x, x) AS (SELECT id, txt FROM gauges) SELECT 1 FROM a;

-- refused view-columns
WITH a (x, y, z) AS (SELECT id, txt FROM gauges) SELECT 1 FROM gauges;

-- refused view-columns
WITH a (x, y) AS (VALUES (1), (2)) SELECT x FROM a;

-- refused duplicate-column
WITH a AS (SELECT id, id FROM gauges) SELECT 1 FROM a;

-- refused not-grouped
SELECT id FROM gauges HAVING id = 1;

-- refused not-grouped
SELECT 1 FROM gauges HAVING id = 1;

-- refused not-grouped
SELECT txt FROM gauges HAVING TRUE;

-- refused not-grouped
SELECT * FROM gauges HAVING TRUE;

-- refused aggregate-misplaced
SELECT GROUPING(id) FROM gauges;

-- refused aggregate-misplaced
SELECT GROUPING_ID(id) FROM gauges;

-- refused aggregate-misplaced
SELECT id FROM gauges WHERE GROUPING(id) = 1 GROUP BY id;

-- refused aggregate-misplaced
SELECT COUNT(GROUPING(id)) FROM gauges GROUP BY id;

-- refused duplicate-window
SELECT SUM(id) OVER w FROM gauges WINDOW w AS (ORDER BY at_time), w AS (ORDER BY seen);

-- refused duplicate-window
SELECT SUM(id) OVER w FROM gauges WINDOW w AS (ORDER BY at_time), w AS (ORDER BY at_time);

-- refused duplicate-window
SELECT SUM(id) OVER w FROM gauges WINDOW w AS (ORDER BY at_time), W AS (ORDER BY at_time);

-- refused duplicate-window
SELECT id FROM gauges WINDOW w AS (ORDER BY at_time), w AS (ORDER BY at_time);

-- refused duplicate-column
WITH a (x, x) AS (SELECT id, txt FROM gauges) SELECT x FROM a;

-- refused duplicate-column
WITH a AS (SELECT id, id FROM gauges) SELECT id FROM a;

-- refused view-columns
CREATE VIEW v (x) AS SELECT id, txt FROM gauges;

-- refused view-columns
CREATE VIEW v (x, y) AS SELECT id FROM gauges;

-- refused duplicate-column
CREATE VIEW v AS SELECT id, id FROM gauges;

-- refused view-columns
CREATE VIEW v (x, y) AS SELECT * FROM gauges;

-- refused not-grouped
SELECT COUNT(*) FROM gauges HAVING id > 1;

-- refused not-grouped
SELECT id FROM gauges HAVING COUNT(*) > 1;

-- refused not-grouped
SELECT GROUPING(txt) FROM gauges GROUP BY id;

-- refused not-grouped
SELECT GROUPING_ID(txt) FROM gauges GROUP BY id;

-- refused not-grouped
SELECT GROUPING(id) FROM gauges GROUP BY id + 1;

-- refused unknown-window
SELECT SUM(id) OVER W FROM gauges WINDOW w AS (ORDER BY at_time);
