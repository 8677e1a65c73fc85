-- Columns of USING and NATURAL: where their bare name means one column (Flink 2.3).
CREATE TABLE A (id INT, v INT, k STRING) WITH ('connector'='kafka','topic'='a','format'='json');
CREATE TABLE B (id INT, w INT, k STRING) WITH ('connector'='kafka','topic'='b','format'='json');
CREATE TABLE C (id INT, z INT) WITH ('connector'='kafka','topic'='c','format'='json');

-- refused ambiguous-column
SELECT id FROM A NATURAL JOIN C;

-- taken
SELECT v, z FROM A NATURAL JOIN C;

-- taken
SELECT * FROM A NATURAL JOIN C;

-- taken
SELECT A.id, z FROM A NATURAL JOIN C;

-- refused ambiguous-column
SELECT v FROM A NATURAL JOIN C WHERE id > 3;

-- refused ambiguous-column
SELECT v FROM A NATURAL JOIN C ORDER BY id LIMIT 3;

-- refused ambiguous-column
SELECT COUNT(*) FROM A NATURAL JOIN C GROUP BY id;

-- refused ambiguous-column
SELECT id, v FROM A JOIN C USING (id) WHERE id > 3;

-- taken
SELECT v FROM A JOIN C USING (id) WHERE A.id > 3;

-- taken
SELECT id, COUNT(*) FROM A JOIN C USING (id) GROUP BY id;

-- taken
SELECT COUNT(*) FROM A JOIN C USING (id) GROUP BY id;

-- taken
SELECT id + 1 FROM A JOIN C USING (id);

-- taken
SELECT id FROM A JOIN C USING (id) ORDER BY id LIMIT 3;

-- refused ambiguous-column
SELECT v FROM A JOIN C USING (id) ORDER BY id LIMIT 3;

-- taken
SELECT MAX(id) FROM A JOIN C USING (id);

-- refused ambiguous-column
SELECT v, COUNT(*) FROM A JOIN C USING (id) GROUP BY v HAVING MAX(id) > 3;

-- taken
SELECT k FROM A JOIN B USING (id, k) JOIN C USING (id);

-- taken
SELECT id FROM A JOIN B USING (id, k) JOIN C USING (id);

-- refused ambiguous-column
SELECT id FROM A JOIN B USING (id) JOIN C ON A.id = C.id;

-- taken
SELECT w FROM A JOIN B USING (id) JOIN C ON A.id = C.id;

-- refused ambiguous-column
SELECT id FROM A JOIN B USING (id) JOIN (SELECT z FROM C) x ON x.z = A.v;

-- refused ambiguous-column
SELECT k FROM A JOIN B USING (id, k) JOIN (SELECT z FROM C) x ON x.z = A.v;

-- taken
SELECT id FROM A JOIN (SELECT v AS id FROM A) x ON A.id = x.id JOIN C USING (id);

-- taken
SELECT id, z FROM A JOIN C USING (id) WHERE v > 3;

-- taken
SELECT id FROM A LEFT JOIN C USING (id);

-- taken
SELECT id FROM A RIGHT JOIN C USING (id);

-- taken
SELECT SUM(id) OVER (PARTITION BY id ORDER BY PROCTIME()) FROM A JOIN C USING (id);

-- taken
SELECT CASE WHEN id > 3 THEN 1 END FROM A JOIN C USING (id);

-- taken
SELECT x.id FROM (SELECT * FROM A NATURAL JOIN C) x;

-- taken
SELECT x.id FROM (SELECT * FROM A JOIN C USING (id)) x;

-- taken
SELECT x.id FROM (SELECT id, v FROM A JOIN C USING (id)) x;

-- taken
SELECT id FROM A JOIN (SELECT CAST(id AS BIGINT) AS id FROM C) x USING (id);

-- refused operand-type
SELECT id FROM A JOIN (SELECT CAST(id AS STRING) AS id FROM C) x USING (id);

-- refused operand-type
SELECT v FROM A JOIN (SELECT CAST(id AS STRING) AS id FROM C) x USING (id);

-- refused ambiguous-column
SELECT w FROM (SELECT id, v AS id FROM A) JOIN B USING (id);

-- refused ambiguous-column
SELECT v FROM (SELECT id, v FROM A) JOIN (SELECT id, id FROM C) USING (id);

-- taken
SELECT z FROM (SELECT id, v AS id FROM A) NATURAL JOIN C;

-- taken
SELECT DISTINCT id FROM A JOIN C USING (id);

-- refused ambiguous-column
SELECT id AS i FROM A JOIN C USING (id);

-- taken
SELECT v FROM A JOIN C USING (id, id);

-- taken
SELECT A.* FROM A JOIN C USING (id);

-- taken
SELECT id FROM A JOIN B USING (id) JOIN C USING (id);

-- taken
SELECT v FROM A JOIN B USING (id) JOIN C USING (id);

-- taken
SELECT v FROM A NATURAL JOIN B NATURAL JOIN C;

-- taken
SELECT w FROM A JOIN B ON A.id = B.id JOIN C USING (id);

-- taken
SELECT v FROM A WHERE EXISTS (SELECT 1 FROM B JOIN C USING (id) WHERE B.k = A.k);

-- taken
SELECT v FROM A WHERE EXISTS (SELECT id FROM B JOIN C USING (id) WHERE B.k = A.k);

-- taken
SELECT v FROM A JOIN C USING (id) WHERE v IN (SELECT w FROM B);

-- taken
SELECT z FROM (A JOIN C USING (id));

-- taken
SELECT id FROM (A JOIN C USING (id));

-- taken
SELECT v, id FROM A AS p JOIN C AS q USING (id);

-- taken
SELECT (id) FROM A JOIN C USING (id);

-- taken
SELECT UPPER(k) FROM A JOIN B USING (k);

-- taken
SELECT id, v FROM A JOIN C USING (id) UNION ALL SELECT id, z FROM C;
