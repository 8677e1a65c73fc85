-- Columns of stars in common tables, aggregates of rows, partitions of patterns, columns of CREATE TABLE AS.
CREATE TABLE orders (
  id BIGINT, user_id BIGINT, product STRING, qty INT, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE payments (id BIGINT, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'payments', 'format' = 'json');
CREATE TABLE rates (product STRING, rate DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (product) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'rates', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE sink (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sink', 'format' = 'json');

-- refused duplicate-column
WITH q AS (SELECT *, id FROM orders) SELECT product FROM q;

-- taken
WITH q AS (SELECT id, * FROM orders) SELECT product FROM q;

-- taken
WITH q AS (SELECT *, id AS id2 FROM orders) SELECT product FROM q;

-- refused duplicate-column
WITH q AS (SELECT *, qty + 1 AS id FROM orders) SELECT product FROM q;

-- taken
WITH q AS (SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT product FROM q;

-- taken
WITH q AS (SELECT o.*, p.amount FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT product FROM q;

-- refused duplicate-column
WITH q AS (SELECT o.*, p.ts FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT product FROM q;

-- taken
WITH q AS (SELECT * FROM orders AS o JOIN payments AS p USING (id)) SELECT product FROM q;

-- taken
WITH q AS (SELECT * FROM orders AS o JOIN payments AS p USING (id, ts)) SELECT product FROM q;

-- taken
WITH q AS (SELECT * FROM orders NATURAL JOIN payments) SELECT product FROM q;

-- taken
WITH q AS (SELECT * FROM (SELECT id, id + 1 AS id2 FROM orders)) SELECT id FROM q;

-- taken
WITH q (a, b, c, d, e, f, g, h, i, j) AS (SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT a FROM q;

-- taken
WITH q AS (SELECT * FROM (SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id)) SELECT product FROM q;

-- refused duplicate-column
WITH q AS (SELECT o.id, p.id FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT 1 FROM q;

-- refused duplicate-column
WITH q AS (SELECT *, id FROM orders UNION ALL SELECT *, qty FROM orders) SELECT product FROM q;

-- taken
WITH q AS (SELECT 1 AS a UNION ALL SELECT 2 AS b) SELECT a FROM q;

-- taken
WITH q AS (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) SELECT product FROM q;

-- taken
SELECT product FROM (SELECT *, id FROM orders) AS q;

-- taken
SELECT product FROM (SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id) AS q;

-- taken
CREATE VIEW v AS SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id;
SELECT product FROM v;

-- refused over-missing
SELECT product, NTILE(3) FROM orders GROUP BY product;

-- refused over-missing
SELECT product, ROW_NUMBER() FROM orders GROUP BY product;

-- refused over-missing
SELECT product, RANK() FROM orders GROUP BY product;

-- refused nested-aggregate
SELECT product, MAX(qty), LEAD(MAX(qty)) FROM orders GROUP BY product;

-- taken
SELECT FIRST_VALUE(qty) FROM orders;

-- refused argument-type
SELECT product, MIN(ROW(qty, note)) FROM orders GROUP BY product;

-- refused argument-type
SELECT product, MAX(ARRAY[qty]) FROM orders GROUP BY product;

-- refused argument-type
SELECT product, MAX(MAP['a', qty]) FROM orders GROUP BY product;

-- taken
SELECT product, COUNT((qty, 1)) FROM orders GROUP BY product;

-- taken
SELECT product, LAST_VALUE((qty, 1)) FROM orders GROUP BY product;

-- taken
SELECT product, FIRST_VALUE(ARRAY[qty]) FROM orders GROUP BY product;

-- refused argument-type
SELECT product, SUM(ROW(qty)) FROM orders GROUP BY product;

-- taken
SELECT product, COLLECT(ROW(qty)) FROM orders GROUP BY product;

-- refused argument-type
SELECT product, MAX(CAST(note AS BYTES)) FROM orders GROUP BY product;

-- taken
SELECT product, MAX(qty > 1) FROM orders GROUP BY product;

-- taken
SELECT product, MAX(ts), MIN(proc) FROM orders GROUP BY product;

-- refused argument-type
SELECT product, MAX(INTERVAL '1' DAY) FROM orders GROUP BY product;

-- refused pattern
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY UPPER(product) ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused pattern
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY 1 ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused pattern
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY qty + 1 ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- taken
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY (user_id) ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- taken
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY user_id, product ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- taken
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY orders.user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused pattern
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts, qty + 1 MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused sink-type
CREATE TABLE t (id INT) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
CREATE TABLE t (id BIGINT) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
CREATE TABLE t (qty BIGINT) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- refused sink-type
CREATE TABLE t (qty STRING) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
CREATE TABLE t (x INT) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- refused sink-type
CREATE TABLE t (id BIGINT NOT NULL) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
CREATE TABLE t (id, qty) WITH ('connector' = 'blackhole') AS SELECT qty, id FROM orders;

-- refused insert-columns
CREATE TABLE t (x INT NOT NULL) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
SELECT id, SUM(qty) OVER (PARTITION BY user_id ORDER BY ts, 1) FROM orders;

-- taken
SELECT id, SUM(qty) OVER (PARTITION BY user_id ORDER BY 1, ts) FROM orders;

-- refused over-order
SELECT id, SUM(qty) OVER (PARTITION BY user_id ORDER BY 1) FROM orders;

-- refused over-order
SELECT id, SUM(qty) OVER (PARTITION BY user_id ORDER BY ts, qty) FROM orders;

-- taken
SELECT id, SUM(qty) OVER (PARTITION BY user_id ORDER BY ts, 'x') FROM orders;

-- taken
SELECT id, SUM(qty) OVER (PARTITION BY 1 ORDER BY ts) FROM orders;
