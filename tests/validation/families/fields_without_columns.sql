-- Fields of ROW columns named without the column (Flink 2.3).
CREATE TABLE t (id INT, ai ARRAY<INT>, r ROW<x INT, y STRING>) WITH ('connector'='kafka');
CREATE TABLE v (x INT, z INT) WITH ('connector'='kafka');
CREATE TABLE n (id INT, r ROW<x ROW<w INT>, k INT>) WITH ('connector'='kafka');
CREATE TABLE m (w INT, k INT, q ROW<x INT>) WITH ('connector'='kafka');
CREATE TABLE same (x INT, r ROW<x INT>) WITH ('connector'='kafka');
CREATE TABLE two (r ROW<x INT>, q ROW<x INT>) WITH ('connector'='kafka');
CREATE TABLE doubled (r ROW<x INT>, q ROW<a ROW<x INT>>) WITH ('connector'='kafka');
CREATE TABLE below (q ROW<a ROW<x INT>>) WITH ('connector'='kafka');
CREATE TABLE twice (q ROW<a ROW<x INT>, b ROW<x INT>>) WITH ('connector'='kafka');
CREATE TABLE boxed (x ROW<w INT>, z INT) WITH ('connector'='kafka');
CREATE TABLE nested (id INT, r ROW<x ROW<w INT>, k INT>) WITH ('connector'='kafka');
CREATE TABLE listed (l ARRAY<ROW<z INT>>, mm MAP<STRING, ROW<z INT>>) WITH ('connector'='kafka');
CREATE TABLE required (r ROW<z INT> NOT NULL) WITH ('connector'='kafka');

-- refused ambiguous-column
SELECT id, x FROM t CROSS JOIN UNNEST(ai) AS u(x);

-- refused ambiguous-column
SELECT id, x FROM t JOIN v ON t.id = v.z;

-- refused ambiguous-column
SELECT x FROM t JOIN v ON t.id = v.x;

-- taken
SELECT v.x FROM t JOIN v ON t.id = v.z;

-- taken
SELECT y FROM t;

-- taken
SELECT x FROM t;

-- refused ambiguous-column
SELECT id FROM t JOIN v ON t.id = x;

-- refused ambiguous-column
SELECT id, z FROM t JOIN v ON t.id = v.z WHERE x > 3;

-- refused ambiguous-column
SELECT id, x FROM (SELECT id, r FROM t) JOIN (SELECT x FROM v) ON TRUE;

-- taken
SELECT id FROM t WHERE id IN (SELECT x FROM v);

-- taken
SELECT id FROM t WHERE id IN (SELECT z FROM v WHERE x = id);

-- taken
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM v WHERE z = x);

-- refused ambiguous-column
SELECT MAX(x) FROM t JOIN v ON t.id = v.z GROUP BY x;

-- refused ambiguous-column
SELECT z FROM t JOIN v ON t.id = v.z GROUP BY z, x;

-- refused ambiguous-column
SELECT z FROM t JOIN v ON t.id = v.z ORDER BY x LIMIT 3;

-- taken
SELECT t.* FROM t JOIN v ON TRUE;

-- taken
SELECT * FROM t NATURAL JOIN v;

-- refused ambiguous-column
SELECT id, x FROM v, t;

-- refused ambiguous-column
SELECT x, COUNT(*) FROM v CROSS JOIN t GROUP BY x;

-- refused ambiguous-column
SELECT w FROM n JOIN m ON n.id = m.k;

-- refused ambiguous-column
SELECT k FROM n JOIN m ON n.id = m.w;

-- refused ambiguous-column
SELECT x FROM n JOIN m ON n.id = m.w;

-- taken
SELECT n.k FROM n;

-- refused ambiguous-column
SELECT k FROM n, m, v;

-- taken
SELECT z FROM n, m, v;

-- taken
SELECT x FROM same;

-- taken
SELECT s.x FROM same AS s;

-- taken
SELECT x FROM same GROUP BY x;

-- refused ambiguous-column
SELECT x FROM two;

-- taken
SELECT r.x FROM two;

-- refused unknown-column
SELECT X FROM same;

-- refused ambiguous-column
SELECT r.x FROM same JOIN two ON TRUE;

-- taken
SELECT x FROM (SELECT r.x AS x, r FROM two);

-- taken
SELECT x FROM (SELECT r.x, q FROM two);

-- taken
SELECT x FROM doubled;

-- taken
SELECT x FROM below;

-- refused ambiguous-column
SELECT x FROM twice;

-- refused ambiguous-column
SELECT x.w FROM boxed, nested;

-- taken
SELECT x.w FROM nested;

-- taken
SELECT boxed.x.w FROM boxed, nested;

-- taken
SELECT r.k FROM boxed, nested;

-- taken
SELECT z FROM boxed, listed;

-- refused ambiguous-column
SELECT z FROM boxed, required;

-- refused unknown-column
SELECT z FROM boxed JOIN required USING (z);

-- taken
SELECT z FROM boxed JOIN boxed AS v2 USING (z);

-- taken
SELECT (SELECT MAX(z) FROM required) FROM boxed;

-- taken
SELECT (SELECT MAX(boxed.z) FROM required) FROM boxed;

-- taken
SELECT z AS x FROM boxed ORDER BY x LIMIT 1;

-- taken
SELECT z AS k FROM boxed, nested GROUP BY z ORDER BY k LIMIT 1;

-- taken
SELECT z FROM boxed WHERE EXISTS (SELECT 1 FROM nested WHERE k = z);

-- taken
SELECT z FROM boxed, nested WHERE EXISTS (SELECT 1 FROM required WHERE k = z);

-- refused ambiguous-column
SELECT `x` FROM boxed CROSS JOIN below;
