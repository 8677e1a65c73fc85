-- Lists of IN, common types, and fields of rows, whose names differ by case (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
SELECT arr IN (ARRAY['a']) FROM gauges;

-- taken
SELECT arr = ARRAY['a'] FROM gauges;

-- taken
SELECT mp = MAP['a', 'b'] FROM gauges;

-- taken
SELECT arr <> ARRAY['a'] FROM gauges;

-- taken
SELECT COALESCE(tm, at_time) FROM gauges;

-- taken
SELECT GREATEST(tm, at_time) FROM gauges;

-- taken
SELECT IFNULL(tm, at_time) FROM gauges;

-- taken
SELECT spot.y.* FROM gauges;

-- taken
SELECT r.spot.y.* FROM gauges AS r;

-- taken
SELECT gauges.spot.y.* FROM gauges;

-- taken
SELECT q.w + 1 FROM (SELECT spot.y.* FROM gauges) AS q;

-- taken
SELECT w FROM (SELECT gauges.spot.y.* FROM gauges);

-- taken
SELECT id IN ('1', '2') FROM gauges;

-- taken
SELECT id IN (1, 2.5, 3e0) FROM gauges;

-- taken
SELECT txt IN ('a', txt) FROM gauges;

-- taken
SELECT ok IN (TRUE, FALSE) FROM gauges;

-- taken
SELECT dy IN ('2020-01-01', '2020-01-02') FROM gauges;

-- taken
SELECT at_time IN (z, at_time) FROM gauges;

-- taken
SELECT id IN (CAST('1' AS INT), 2) FROM gauges;

-- taken
SELECT arr IN (ARRAY[1], ARRAY[2]) FROM gauges;

-- taken
SELECT id FROM gauges WHERE (id, txt) IN (SELECT id, txt FROM others);

-- taken
SELECT 1 IN (1, 2) FROM gauges;

-- taken
SELECT dbl IN (1, 2) FROM gauges;

-- taken
SELECT bits IN (x'01', x'02') FROM gauges;

-- taken
SELECT COALESCE(dy, at_time) FROM gauges;

-- taken
SELECT GREATEST(dy, at_time) FROM gauges;

-- taken
SELECT spot.y.q FROM gauges;

-- taken
SELECT (spot).x FROM gauges;

-- taken
SELECT y.q FROM gauges;

-- taken
SELECT rows_in[1].K FROM others;

-- taken
SELECT u.k FROM others CROSS JOIN UNNEST(rows_in) AS u (k, v);

-- taken
SELECT v.x FROM (SELECT spot.x FROM gauges) AS v;

-- taken
SELECT FIRST_VALUE(spot).X FROM gauges;

-- taken
CREATE TABLE `m` (r ROW<`Aa` INT, bB INT>) WITH ('connector'='kafka'); SELECT r.Aa, r.bB FROM m;

-- taken
CREATE TABLE `m` (r MAP<STRING, ROW<a INT>>) WITH ('connector'='kafka'); SELECT r['k'].a FROM m;

-- taken
SELECT r.spot.* FROM gauges AS r;

-- refused mixed-types
SELECT id IN ('1', 2) FROM gauges;

-- refused mixed-types
SELECT id IN (1, '2') FROM gauges;

-- refused mixed-types
SELECT dbl IN (1, 2.5, '3') FROM gauges;

-- refused mixed-types
SELECT txt IN (1, 'a') FROM gauges;

-- refused mixed-types
SELECT txt IN ('a', 1) FROM gauges;

-- refused mixed-types
SELECT ok IN ('true', FALSE) FROM gauges;

-- refused mixed-types
SELECT dy IN ('2020-01-01', DATE '2020-01-02') FROM gauges;

-- refused mixed-types
SELECT at_time IN ('2020-01-01 00:00:00', TIMESTAMP '2020-01-01 00:00:00') FROM gauges;

-- refused mixed-types
SELECT id IN (big, txt) FROM gauges;

-- refused mixed-types
SELECT tm IN ('10:00:00', TIME '10:00:00') FROM gauges;

-- refused mixed-types
SELECT id FROM gauges WHERE id NOT IN (1, 'a');

-- refused mixed-types
SELECT 1 IN ('a', 2) FROM gauges;

-- refused mixed-types
SELECT dc IN (1, '2.5') FROM gauges;

-- refused argument-type
SELECT COALESCE(dy, z) FROM gauges;

-- refused argument-type
SELECT GREATEST(dy, z) FROM gauges;

-- refused argument-type
SELECT IFNULL(dy, z) FROM gauges;

-- refused argument-type
SELECT IF(ok, dy, at_time) FROM gauges;

-- refused unknown-field
SELECT spot.X FROM gauges;

-- refused unknown-field
SELECT spot.y.Q FROM gauges;

-- refused unknown-field
SELECT r.spot.X FROM gauges AS r;

-- refused unknown-column
SELECT X FROM gauges;

-- refused unknown-column
SELECT Q FROM gauges;

-- refused unknown-field
SELECT y.Q FROM gauges;

-- refused unknown-field
SELECT spot.Q FROM gauges;

-- refused unknown-column
SELECT u.K FROM others CROSS JOIN UNNEST(rows_in) AS u;

-- refused unknown-column
SELECT K FROM others CROSS JOIN UNNEST(rows_in) AS u;

-- refused unknown-field
SELECT s.X FROM (SELECT spot AS s FROM gauges) AS v;

-- refused unknown-field
SELECT COUNT(*) FROM gauges GROUP BY spot.X;

-- refused unknown-field
SELECT id FROM gauges WHERE spot.y.W = 1;

-- refused unknown-field
CREATE VIEW v AS SELECT spot AS s FROM gauges; SELECT s.y.Q FROM v;

-- refused unknown-field
CREATE TABLE `m` (r ROW<`Aa` INT, bB INT>) WITH ('connector'='kafka'); SELECT r.aa FROM m;

-- refused unknown-field
CREATE TABLE `m` (r ROW<`Aa` INT, bB INT>) WITH ('connector'='kafka'); SELECT r.bb FROM m;

-- refused operand-type
SELECT ok IN (1, 0) FROM gauges;

-- refused operand-type
SELECT dy IN (TIMESTAMP '2020-01-01 00:00:00') FROM gauges;

-- refused operand-type
SELECT id FROM gauges WHERE id IN (SELECT txt FROM others);

-- refused mixed-types
SELECT id IN (TRUE, 1) FROM gauges;

-- refused mixed-types
SELECT id IN (INTERVAL '1' DAY, 1) FROM gauges;

-- refused argument-type
SELECT COALESCE(tm, z) FROM gauges;

-- refused argument-type
SELECT COALESCE(arr, ARRAY['a']) FROM gauges;

-- refused unknown-column
SELECT v.X FROM (SELECT spot.x FROM gauges) AS v;

-- refused unknown-qualifier
SELECT id.* FROM gauges;

-- refused unknown-qualifier
SELECT nothing.more.* FROM gauges;
