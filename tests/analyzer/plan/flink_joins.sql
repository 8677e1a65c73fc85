-- The tables that the queries in flink_joins.txt read.
CREATE TABLE a (
  id BIGINT, k STRING, x INT, y INT, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE b (
  id BIGINT, k STRING, x INT, y INT, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE c (
  id BIGINT, k STRING, x INT, y INT, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'format' = 'json');

CREATE TABLE r (
  cur STRING, rate DECIMAL(10, 4), z INT, vt TIMESTAMP(3), WATERMARK FOR vt AS vt, PRIMARY KEY (cur) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json');

CREATE TABLE d (id BIGINT, k STRING, x INT, y INT) WITH ('connector' = 'jdbc');

CREATE VIEW rv AS SELECT cur, rate, vt FROM (
  SELECT k AS cur, y AS rate, ts AS vt, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM c) WHERE rn = 1;
