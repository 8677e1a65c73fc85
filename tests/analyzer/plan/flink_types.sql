-- The tables that the expressions in flink_types.txt read: `t` where an expression names none.
CREATE TABLE t (
  b BOOLEAN, ti TINYINT, si SMALLINT, i INT, j INT, l BIGINT, f FLOAT, d DOUBLE,
  n DECIMAL(10, 2), m DECIMAL(38, 18), k DECIMAL(5, 0), w DECIMAL(20, 4),
  c CHAR(3), vc VARCHAR(20), s STRING, s2 STRING, bin BINARY(4), vb VARBINARY(8), bs BYTES,
  da DATE, tm TIME(0), tm3 TIME(3),
  ts TIMESTAMP(3), ts6 TIMESTAMP(6), ts0 TIMESTAMP(0), lt TIMESTAMP_LTZ(3), lt9 TIMESTAMP_LTZ(9),
  ai ARRAY<INT>, ast ARRAY<STRING>, msi MAP<STRING, INT>, mu MULTISET<STRING>,
  r ROW<a INT, name STRING, inner_row ROW<x DECIMAL(10, 2), y TIMESTAMP(3)>>, ar ARRAY<ROW<id INT, v STRING>>,
  nn INT NOT NULL, meta_ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE z (
  id INT, amount DECIMAL(12, 2), name STRING, lt TIMESTAMP_LTZ(3),
  WATERMARK FOR lt AS lt
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE x (
  id INT, lt TIMESTAMP_LTZ(2),
  WATERMARK FOR lt AS lt
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE y (
  i INT, c CHAR(3), vc VARCHAR(20), s STRING, b BOOLEAN, f FLOAT, d DOUBLE, n DECIMAL(10, 2),
  ch CHAR, va VARCHAR, bi BINARY, vb VARBINARY, de DECIMAL, nu NUMERIC(5), dec2 DEC(7, 3), dp DOUBLE PRECISION,
  cv CHARACTER VARYING(5), cav CHAR VARYING(6), inn INTEGER NOT NULL,
  t0 TIMESTAMP(0), ti TIME, ts TIMESTAMP, tl TIMESTAMP_LTZ, tz TIMESTAMP WITH LOCAL TIME ZONE,
  ro ROW(a INT, b STRING 'a comment'), rr ROW<`timestamp` BIGINT, `time` INT>,
  ia INT ARRAY, im INT MULTISET, iaa INT ARRAY ARRAY, an ARRAY<INT NOT NULL>,
  WATERMARK FOR t0 AS t0
) WITH ('connector' = 'kafka', 'format' = 'json');
