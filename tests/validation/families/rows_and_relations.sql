-- Columns of type ROW beside relations whose names differ by case (Flink 2.3).
CREATE TABLE X (x ROW<a INT, b STRING>, y ROW<x ROW<a INT>>, arr ARRAY<ROW<p INT, q STRING>>, m MAP<STRING, INT>, id INT NOT NULL, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='x','format'='json');
CREATE TABLE `Y` (k STRING, `y` ROW<a INT>, `Z` ROW<c INT>) WITH ('connector'='kafka','topic'='y','format'='json');

-- taken
SELECT t.x.a FROM X AS t;

-- taken
SELECT x.a FROM X AS t;

-- taken
SELECT x.b, id FROM X AS t;

-- taken
SELECT x.a, t.id FROM X AS t;

-- taken
SELECT x.* FROM X AS t;

-- refused unknown-qualifier
SELECT x.a FROM (SELECT * FROM X) AS X;

-- taken
SELECT x.a FROM (SELECT * FROM X) AS `Xx`;

-- taken
SELECT x.a FROM (SELECT * FROM X);

-- refused unknown-qualifier
SELECT y.a FROM `Y`;

-- taken
SELECT y.a FROM `Y` AS t;

-- refused unknown-qualifier
SELECT Z.c FROM `Y` AS z;

-- taken
SELECT Z.c FROM `Y`;

-- taken
SELECT Y.y.a FROM `Y`;

-- taken
SELECT `Y`.`y`.a FROM `Y`;

-- refused unknown-qualifier
SELECT y.x.a FROM X AS Y;

-- taken
SELECT y.x.a FROM X;

-- refused unknown-qualifier
SELECT id FROM X WHERE x.a > 3;

-- taken
SELECT id FROM X AS t WHERE x.a > 3;

-- refused unknown-qualifier
SELECT id FROM X ORDER BY x.a LIMIT 3;

-- refused unknown-qualifier
SELECT SUM(x.a) FROM X;

-- taken
SELECT SUM(x.a) FROM X AS t;

-- taken
SELECT l.id FROM X AS l JOIN `Y` AS r ON l.x.a = r.y.a;

-- refused ambiguous-column
SELECT l.id FROM X AS l JOIN `Y` AS r ON x.a = y.a;

-- refused unknown-qualifier
SELECT l.id FROM X AS l JOIN `Y` ON x.a = y.a;

-- taken
SELECT t.id FROM X AS t WHERE EXISTS (SELECT 1 FROM `Y` AS u WHERE x.a = u.y.a);

-- refused unknown-qualifier
SELECT t.id FROM X AS t WHERE EXISTS (SELECT 1 FROM `Y` WHERE y.a = t.x.a);

-- refused unknown-qualifier
SELECT X.id FROM X WHERE EXISTS (SELECT 1 FROM `Y` AS u WHERE u.y.a = x.a);

-- refused unknown-column
SELECT X.ID FROM X;

-- refused unknown-qualifier
SELECT x.id FROM X;

-- refused unknown-qualifier
SELECT Id.a FROM X;

-- taken
SELECT id FROM X AS ID;

-- refused unknown-qualifier
SELECT ID.id FROM X AS id;

-- taken
SELECT id.id FROM X AS id;

-- taken
SELECT a FROM X;

-- refused unknown-field
SELECT x.y FROM X AS t;

-- taken
SELECT x.a, COUNT(*) FROM X AS t GROUP BY x.a;

-- taken
SELECT t.x.a, COUNT(*) FROM X AS t GROUP BY x.a;

-- refused unknown-qualifier
SELECT x.a FROM X AS t JOIN `Y` AS X ON t.id = 1;

-- taken
SELECT x.a FROM X AS t JOIN `Y` AS u ON t.id = 1;
