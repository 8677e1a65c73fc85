-- Lengths of intervals that stand in no quotes, and words for units of time as arguments (Flink 2.3).
CREATE TABLE t (a BIGINT, s STRING, c CHAR(3), y BYTES, z BINARY(2), v VARBINARY(4), d DECIMAL(10,2), f BOOLEAN, ts TIMESTAMP(3), arr ARRAY<BYTES>)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sb (y BYTES)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sz (z BINARY(2))
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE ss (s STRING)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');
CREATE TABLE sa (a BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');

-- taken
SELECT INTERVAL a DAY AS r FROM t;

-- taken
SELECT INTERVAL 5 DAY AS r FROM t;

-- refused interval-value
SELECT INTERVAL 1.5 DAY AS r FROM t;

-- refused interval-value
SELECT INTERVAL 1e3 MINUTE AS r FROM t;

-- taken
SELECT INTERVAL -5 DAY AS r FROM t;

-- taken
SELECT INTERVAL (5) DAY AS r FROM t;

-- refused interval-value
SELECT INTERVAL s DAY AS r FROM t;

-- refused syntax
SELECT INTERVAL NULL DAY AS r FROM t;

-- taken
SELECT INTERVAL '5' DAY AS r FROM t;

-- refused interval-value
SELECT INTERVAL MAP['a',1] MINUTE AS r FROM t;

-- refused syntax
SELECT INTERVAL a + 1 DAY AS r FROM t;

-- refused reserved-word
SELECT INTERVAL ABS(a) DAY AS r FROM t;

-- taken
SELECT INTERVAL (a + 1) DAY AS r FROM t;

-- refused reserved-word
SELECT INTERVAL TRUE DAY AS r FROM t;

-- refused number-range
SELECT INTERVAL 12345678901234567890 DAY AS r FROM t;

-- refused interval-value
SELECT ts + INTERVAL 1.5 DAY AS r FROM t;

-- taken
SELECT ts + INTERVAL a DAY AS r FROM t;

-- refused interval-value
SELECT ts + INTERVAL d DAY AS r FROM t;

-- refused unknown-column
SELECT GREATEST(MINUTE, a) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(DAY, a) AS r FROM t;

-- refused unknown-column
SELECT ABS(SECOND) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(WEEK, a) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(QUARTER, a) AS r FROM t;

-- refused unknown-column
SELECT UPPER(YEAR) AS r FROM t;

-- taken
SELECT MINUTE(ts) AS r FROM t;

-- refused reserved-word
SELECT DAY AS r FROM t;

-- refused reserved-word
SELECT a + MONTH AS r FROM t;

-- taken
SELECT TIMESTAMPDIFF(MINUTE, ts, ts) AS r FROM t;

-- taken
SELECT EXTRACT(MINUTE FROM ts) AS r FROM t;

-- taken
SELECT FLOOR(ts TO DAY) AS r FROM t;

-- taken
SELECT CEIL(ts TO WEEK) AS r FROM t;

-- refused unknown-column
SELECT IF(f, HOUR, a) AS r FROM t;

-- refused unknown-column
SELECT CONCAT(s, MINUTE) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(MICROSECOND, a) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(DECADE, a) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(EPOCH, a) AS r FROM t;

-- refused unknown-column
SELECT COALESCE(DOW, a) AS r FROM t;
