-- Aggregates in patterns (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COUNT(A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.id * A.big) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(LAST(A.id)) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES MAX(A.id) AS n PATTERN (A B) DEFINE B AS B.id > AVG(A.id)) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES LISTAGG(A.txt) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COLLECT(A.txt) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES FIRST_VALUE(A.txt) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES STDDEV_POP(A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES ARRAY_AGG(A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES FIRST(A.id, 1) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.id) + B.id AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES FINAL SUM(A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused distinct
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COUNT(DISTINCT A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused distinct
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(DISTINCT A.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.id + B.id) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES LAST(SUM(A.id)) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.id) FILTER (WHERE A.id > 1) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused distinct
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (A B) DEFINE B AS COUNT(DISTINCT A.id) > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES (SELECT MAX(id) FROM others) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused over-misplaced
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.id) OVER (ORDER BY at_time) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused argument-type
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(A.txt) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (PARTITION BY txt ORDER BY at_time PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n, A.big AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n, A.big AS N PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (PARTITION BY txt ORDER BY at_time MEASURES A.id AS txt PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COUNT(A.*) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.* AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (A B) DEFINE B AS COUNT(A.*) = 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES COUNT(1) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES SUM(1) AS n PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (^A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n, C.id AS m PATTERN (A B) DEFINE B AS B.id > 1, C AS A.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (A+ B{0,2} C) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (A B) DEFINE B AS B.id IS DISTINCT FROM A.id) AS m;

-- refused pattern
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS n PATTERN (A B) DEFINE B AS B.id > 1, B AS B.id < 9) AS m;

-- refused unknown-column
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES MATCH_ROWTIME(*) AS r PATTERN (A B) DEFINE B AS B.id > 1) AS m;

-- taken
SELECT * FROM gauges MATCH_RECOGNIZE (ORDER BY at_time MEASURES MATCH_ROWTIME(at_time) AS r PATTERN (A B) DEFINE B AS B.id > 1) AS m;
