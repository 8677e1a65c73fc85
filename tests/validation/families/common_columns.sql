-- The columns of `*` over joins with USING and NATURAL, in front of a sink (Flink 2.3).
CREATE TABLE a (x INT, y STRING, k INT, p DOUBLE) WITH ('connector' = 'datagen');
CREATE TABLE b (z STRING, k INT, x INT, q DOUBLE) WITH ('connector' = 'datagen');
CREATE TABLE c (w STRING, k INT) WITH ('connector' = 'datagen');
CREATE TABLE first_k (k INT, x INT, y STRING, p DOUBLE, z STRING, x0 INT, q DOUBLE) WITH ('connector' = 'blackhole');
CREATE TABLE first_x (x INT, k INT, y STRING, p DOUBLE, z STRING, q DOUBLE) WITH ('connector' = 'blackhole');
CREATE TABLE plain (x INT, y STRING, k INT, p DOUBLE, z STRING, x0 INT, q DOUBLE) WITH ('connector' = 'blackhole');
CREATE TABLE of_c (k INT, x INT, y STRING, p DOUBLE, w STRING) WITH ('connector' = 'blackhole');

-- taken
INSERT INTO first_k SELECT * FROM a JOIN b USING (k);

-- taken
INSERT INTO first_k SELECT * FROM a LEFT JOIN b USING (k);

-- taken
INSERT INTO first_k SELECT * FROM a RIGHT JOIN b USING (k);

-- taken
INSERT INTO first_k SELECT * FROM a FULL JOIN b USING (k);

-- refused sink-type
INSERT INTO plain SELECT * FROM a JOIN b USING (k);

-- refused sink-type
INSERT INTO plain SELECT * FROM a LEFT JOIN b USING (k);

-- refused sink-type
INSERT INTO plain SELECT * FROM a RIGHT JOIN b USING (k);

-- refused sink-type
INSERT INTO plain SELECT * FROM a FULL JOIN b USING (k);

-- taken
INSERT INTO first_x SELECT * FROM a NATURAL JOIN b;

-- taken
INSERT INTO first_x SELECT * FROM a JOIN b USING (x, k);

-- refused sink-columns
INSERT INTO first_k SELECT * FROM a NATURAL JOIN b;

-- refused sink-columns
INSERT INTO first_k SELECT * FROM a JOIN b USING (x, k);

-- refused sink-columns
INSERT INTO plain SELECT * FROM a NATURAL JOIN b;

-- refused sink-columns
INSERT INTO plain SELECT * FROM a JOIN b USING (x, k);

-- taken
INSERT INTO of_c SELECT * FROM a NATURAL JOIN c;

-- taken
INSERT INTO of_c SELECT * FROM a JOIN c USING (k);

-- refused sink-type
INSERT INTO of_c SELECT * FROM c JOIN a USING (k);

-- refused parentheses
INSERT INTO of_c SELECT * FROM (a JOIN c USING (k)) AS t;

-- refused sink-columns
INSERT INTO of_c SELECT k, * FROM a JOIN c USING (k);

-- refused sink-type
INSERT INTO of_c SELECT a.*, w FROM a JOIN c USING (k);
