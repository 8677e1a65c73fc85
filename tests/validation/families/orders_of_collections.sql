-- Comparisons and choices of arrays, maps and rows (Flink 2.3).
CREATE TABLE t (id INT, bo BOOLEAN, ai ARRAY<INT>, ab ARRAY<BIGINT>, m MAP<STRING,INT>, r ROW<x INT>, s STRING, b BYTES, ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3), d DATE, ti TIME, dc DECIMAL(5,2), ms MULTISET<INT>, v VARIANT) WITH ('connector'='kafka');

-- refused argument-type
SELECT IF(bo, ai, ai) FROM t;

-- refused argument-type
SELECT IF(bo, m, m) FROM t;

-- refused argument-type
SELECT IF(bo, r, r) FROM t;

-- refused argument-type
SELECT IF(bo, ms, ms) FROM t;

-- taken
SELECT IF(bo, b, b) FROM t;

-- refused argument-type
SELECT IF(bo, ai, NULL) FROM t;

-- refused bare-null
SELECT IF(bo, NULL, ai) FROM t;

-- refused argument-type
SELECT IF(bo, ARRAY[1], ARRAY[2]) FROM t;

-- taken
SELECT IF(bo, ts, tz) FROM t;

-- refused argument-type
SELECT IF(bo, d, ts) FROM t;

-- refused argument-type
SELECT IF(bo, ti, d) FROM t;

-- refused argument-type
SELECT IF(bo, s, 1) FROM t;

-- taken
SELECT IF(bo, bo, bo) FROM t;

-- refused argument-type
SELECT IF(bo, bo, s) FROM t;

-- refused argument-type
SELECT IF(bo, INTERVAL '1' DAY, INTERVAL '2' DAY) FROM t;

-- taken
SELECT CASE WHEN bo THEN ai ELSE ai END FROM t;

-- taken
SELECT CASE WHEN bo THEN m ELSE m END FROM t;

-- taken
SELECT CASE WHEN bo THEN r ELSE r END FROM t;

-- taken
SELECT COALESCE(ai, ai) FROM t;

-- taken
SELECT COALESCE(r, r) FROM t;

-- taken
SELECT IFNULL(ai, ai) FROM t;

-- taken
SELECT IFNULL(m, m) FROM t;

-- taken
SELECT NULLIF(ai, ai) FROM t;

-- taken
SELECT NULLIF(m, m) FROM t;

-- taken
SELECT NULLIF(r, r) FROM t;

-- refused operand-type
SELECT ai < ARRAY[1] FROM t;

-- taken
SELECT ai > ai FROM t;

-- refused operand-type
SELECT ai < ab FROM t;

-- refused operand-type
SELECT ai <= ARRAY[id] FROM t;

-- refused operand-type
SELECT ai BETWEEN ARRAY[1] AND ARRAY[2] FROM t;

-- taken
SELECT m < m FROM t;

-- refused operand-type
SELECT m < MAP['a', 1] FROM t;

-- refused operand-type
SELECT m BETWEEN MAP['k',1] AND MAP['k',1] FROM t;

-- refused operand-type
SELECT r < ROW(1) FROM t;

-- taken
SELECT r < r FROM t;

-- taken
SELECT ai = ARRAY[1] FROM t;

-- taken
SELECT m = MAP['a', 1] FROM t;

-- taken
SELECT r = ROW(1) FROM t;

-- refused operand-type
SELECT id FROM t WHERE ai < ARRAY[1];

-- taken
SELECT id FROM t WHERE ai < ai;

-- taken
SELECT ms < ms FROM t;

-- taken
SELECT b < X'00' FROM t;

-- taken
SELECT bo < TRUE FROM t;

-- taken
SELECT ai NOT BETWEEN ai AND ai FROM t;

-- refused argument-type
SELECT MAX(ai) FROM t;

-- taken
SELECT id FROM t ORDER BY ai LIMIT 3;

-- refused argument-type
SELECT GREATEST(ai, ai) FROM t;

-- taken
SELECT ai IN (ARRAY[1], ARRAY[2]) FROM t;

-- taken
SELECT r IN (ROW(1), ROW(2)) FROM t;

-- taken
SELECT m IN (MAP['a',1]) FROM t;

-- taken
SELECT ai IS DISTINCT FROM ab FROM t;

-- taken
SELECT m IS NOT DISTINCT FROM m FROM t;
