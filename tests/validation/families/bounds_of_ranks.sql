-- Bounds on the numbers of rows, of any type (Flink 2.3).
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
CREATE TABLE m (k STRING, n BIGINT, i INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json');

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= '3';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= '';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3.0;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3.5;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn < 3.5;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= CAST(3 AS BIGINT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= CAST('3' AS INT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 1 + 2;

-- refused operand-type
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn = '1';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn < '4';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3e0;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= NULL;

-- refused operand-type
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= DATE '2020-01-01';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE 3 >= rn;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE '3' >= rn;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn BETWEEN 1 AND 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn BETWEEN '1' AND '3';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn IN (1,2);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn IN ('1');

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= i;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= -1;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 0;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn < 1;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= ABS(3);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= CAST(3.7 AS INT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn + 0 <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3 AND k = 'a';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3 OR k = 'a';

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn > 2;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn >= 2 AND rn <= 4;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE NOT rn > 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 9223372036854775807;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <> 5;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn = i;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE CAST(rn AS INT) <= 3;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE CAST(rn AS STRING) = '1';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM m) WHERE rn <= 3 AND rn <= '2';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= '3';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= '';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3.0;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3.5;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn < 3.5;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= CAST(3 AS BIGINT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= CAST('3' AS INT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 1 + 2;

-- refused operand-type
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn = '1';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn < '4';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3e0;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= NULL;

-- refused operand-type
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= DATE '2020-01-01';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE 3 >= rn;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE '3' >= rn;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn BETWEEN 1 AND 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn BETWEEN '1' AND '3';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn IN (1,2);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn IN ('1');

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= i;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= -1;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 0;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn < 1;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= ABS(3);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= CAST(3.7 AS INT);

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn + 0 <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3 AND k = 'a';

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3 OR k = 'a';

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn > 2;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn >= 2 AND rn <= 4;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE NOT rn > 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 9223372036854775807;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <> 5;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn = i;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE CAST(rn AS INT) <= 3;

-- refused over-order
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE CAST(rn AS STRING) = '1';

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM m) WHERE rn <= 3 AND rn <= '2';
