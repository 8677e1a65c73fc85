-- The columns that an INSERT lists beside those with a value in PARTITION (Flink 2.3).
CREATE TABLE t (i INT, c STRING) WITH ('connector' = 'datagen');
CREATE TABLE p (a INT, b STRING, d INT NOT NULL) PARTITIONED BY (d) WITH ('connector' = 'print');
CREATE TABLE n (a INT, r ROW<x INT, y STRING>) WITH ('connector' = 'print');

-- taken
INSERT INTO p PARTITION (d = 7) (a) SELECT i FROM t;

-- taken
INSERT INTO p PARTITION (d = 7) SELECT i, c FROM t;

-- refused insert-columns
INSERT INTO p (a) SELECT i FROM t;

-- refused duplicate-column
INSERT INTO p PARTITION (d = '3') (a, b, d) SELECT i, c, i FROM t;

-- refused unknown-column
INSERT INTO n (r.x, a) SELECT i, i FROM t;

-- taken
INSERT INTO n (a) SELECT i FROM t;

-- taken
INSERT INTO p PARTITION (d = '7') (b, a) SELECT c, i FROM t;

-- taken
INSERT INTO p SELECT i, c, i FROM t;

-- refused duplicate-column
INSERT INTO p PARTITION (d = 7) (d) SELECT i FROM t;

-- refused duplicate-column
INSERT INTO n (a, a) SELECT i, i FROM t;

-- taken
INSERT INTO n (a) VALUES (1), (2);

-- taken
INSERT INTO n (r, a) SELECT ROW(i, c), i FROM t;

-- taken
INSERT INTO p (d, a) SELECT i, i FROM t UNION ALL SELECT i, 2 FROM t;

-- taken
INSERT INTO p PARTITION (d = -1) (b) SELECT c FROM t;

-- refused duplicate-column
INSERT INTO p PARTITION (d = 7) (a, d) SELECT i, i FROM t;

-- refused unknown-column
INSERT INTO n (a, r.y) SELECT i, c FROM t;

-- refused sink-columns
INSERT INTO n (a) SELECT i, c FROM t;

-- refused unknown-column
INSERT INTO n (a, x) SELECT i, i FROM t;
