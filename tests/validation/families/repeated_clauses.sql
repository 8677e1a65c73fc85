-- Bounds, filters and keys of patterns that are written twice (Flink 1.20 and 2.3).
CREATE TABLE t (user_id INT, k INT, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka');
CREATE TABLE dim (k INT, n STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE VIEW dv AS SELECT k, v, pt FROM t;

-- refused limit
SELECT k FROM t LIMIT 70 LIMIT 5;

-- refused limit
SELECT k FROM t ORDER BY ts LIMIT 5 OFFSET 2 LIMIT 3;

-- refused limit
SELECT k FROM t FETCH FIRST 3 ROWS ONLY LIMIT 5;

-- refused limit
SELECT k FROM t LIMIT 5 FETCH FIRST 3 ROWS ONLY;

-- taken
SELECT k FROM t LIMIT 5 OFFSET 2;

-- refused limit
SELECT k FROM t OFFSET 2 ROWS LIMIT 5;

-- refused limit
SELECT k FROM t LIMIT 5 OFFSET 2 OFFSET 3;

-- refused limit
SELECT k FROM t LIMIT 2, 5;

-- refused limit
SELECT k FROM t LIMIT 2, 5 LIMIT 3;

-- refused function-form
SELECT COUNT(*) FILTER (WHERE k > 1) FILTER (WHERE v > 1) FROM t;

-- taken
SELECT COUNT(*) FILTER (WHERE k > 1 AND v > 1) FROM t;

-- refused function-form
SELECT SUM(v) FILTER (WHERE k > 1) FILTER (WHERE k > 1), k FROM t GROUP BY k;

-- refused pattern
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY user_id, user_id ORDER BY ts MEASURES A.v AS v PATTERN (A B) DEFINE B AS B.v > A.v);

-- refused pattern
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY user_id, k, user_id ORDER BY ts MEASURES A.v AS v PATTERN (A B) DEFINE B AS B.v > A.v);

-- refused pattern
SELECT v FROM t MATCH_RECOGNIZE (PARTITION BY user_id, user_id ORDER BY ts MEASURES A.v AS v PATTERN (A B) DEFINE B AS B.v > A.v);

-- refused pattern
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.v AS user_id PATTERN (A B) DEFINE B AS B.v > A.v);

-- refused pattern
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.v AS v, A.k AS v PATTERN (A B) DEFINE B AS B.v > A.v);

-- refused pattern
SELECT v FROM t MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.v AS v, A.k AS v PATTERN (A B) DEFINE B AS B.v > A.v);

-- taken
SELECT k FROM t LIMIT 5;

-- taken
SELECT k FROM t FETCH FIRST 3 ROWS ONLY;

-- taken
SELECT k FROM (SELECT k FROM t LIMIT 5) LIMIT 3;

-- taken
SELECT k FROM t UNION ALL SELECT k FROM t LIMIT 5;

-- taken
SELECT k FROM t OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY;

-- taken
SELECT COUNT(*) FILTER (WHERE k > 1), SUM(v) FILTER (WHERE v > 1) FROM t;
