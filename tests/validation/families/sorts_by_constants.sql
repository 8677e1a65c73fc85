-- Orders of a stream by what is no column (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');

-- refused ambiguous-column
SELECT amount, qty, amount FROM orders ORDER BY amount DESC LIMIT 5;

-- taken
SELECT amount, amount AS qty FROM orders ORDER BY amount DESC LIMIT 5;

-- refused ambiguous-column
SELECT amount AS x, qty AS x FROM orders ORDER BY x LIMIT 5;

-- refused ambiguous-column
SELECT *, ts FROM orders ORDER BY ts;

-- taken
SELECT *, amount FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts, ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts AS ts, ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts, ts + INTERVAL '1' DAY AS ts FROM orders ORDER BY ts;

-- refused ambiguous-column
SELECT ts, amount, amount FROM orders ORDER BY ts, amount;

-- refused sort
CREATE TEMPORARY VIEW v1 AS SELECT * FROM orders; SELECT * FROM v1 ORDER BY 'x';

-- refused sort
SELECT * FROM orders ORDER BY 'x';

-- refused sort
SELECT * FROM orders ORDER BY 1;

-- refused bare-null
SELECT * FROM orders ORDER BY NULL;

-- taken
SELECT ts, order_id FROM orders ORDER BY 1;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY 2;

-- refused order-by
SELECT ts, order_id FROM orders ORDER BY 3;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY 1 + 1;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY ts + INTERVAL '1' DAY;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY TRUE, ts;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY 'x', ts;

-- taken
SELECT ts, order_id FROM orders ORDER BY ts, 'x';

-- taken
SELECT ts, order_id FROM orders ORDER BY 'x' LIMIT 3;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY CURRENT_DATE;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY (SELECT 1);

-- taken
SELECT ts, order_id FROM orders ORDER BY (SELECT 1) LIMIT 3;

-- taken
SELECT ts, order_id FROM orders ORDER BY PI() LIMIT 3;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY CURRENT_TIMESTAMP;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY NOW();

-- taken
SELECT ts, order_id FROM orders ORDER BY PROCTIME();

-- refused sort
SELECT ts, order_id FROM orders ORDER BY LOCALTIMESTAMP;

-- taken
SELECT ts, order_id FROM orders ORDER BY (1);

-- refused sort
SELECT ts, order_id FROM orders ORDER BY -1;

-- taken
SELECT ts, order_id FROM orders ORDER BY 1.5;

-- taken
SELECT ts, order_id FROM orders ORDER BY 2.5 LIMIT 3;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY CAST(NULL AS TIMESTAMP(3));

-- refused sort
SELECT ts, order_id FROM orders ORDER BY CAST('2024-01-01 00:00:00' AS TIMESTAMP(3));

-- refused sort
SELECT ts, order_id FROM orders ORDER BY TIMESTAMP '2024-01-01 00:00:00';

-- refused sort
SELECT ts, order_id FROM orders ORDER BY DATE '2024-01-01', ts;

-- refused sort
SELECT ts, order_id FROM orders ORDER BY RAND();

-- refused sort
SELECT ts, order_id FROM orders ORDER BY COALESCE(ts, ts);

-- taken
SELECT ts, order_id FROM orders ORDER BY CASE WHEN qty > 1 THEN ts ELSE ts END;

-- taken
SELECT ts, order_id FROM orders ORDER BY (ts);

-- taken
SELECT ts AS t, order_id FROM orders ORDER BY (t);

-- refused sort
SELECT ts AS t, order_id FROM orders ORDER BY qty > 1;

-- refused sort
SELECT ts AS t, order_id FROM orders ORDER BY qty IS NULL, t;

-- refused sort
SELECT ts AS t, order_id FROM orders ORDER BY INTERVAL '1' DAY;

-- refused sort
SELECT COUNT(*) FROM orders ORDER BY 1;

-- refused sort
SELECT COUNT(*) AS n FROM orders ORDER BY 'x';

-- refused bare-null
SELECT order_id, amount FROM orders ORDER BY NULL DESC LIMIT 5;

-- refused bare-null
SELECT order_id, amount FROM orders ORDER BY NULL LIMIT 5;

-- taken
SELECT order_id, amount FROM orders ORDER BY CAST(NULL AS INT) LIMIT 5;

-- refused bare-null
SELECT order_id, amount FROM orders ORDER BY amount, NULL LIMIT 5;

-- refused bare-null
SELECT order_id, amount FROM orders ORDER BY amount + NULL LIMIT 5;
