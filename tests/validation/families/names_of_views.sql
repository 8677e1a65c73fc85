-- Columns of views and common tables that have no alias: calls get numbers, functions without brackets keep their word.
CREATE TABLE orders (
  id BIGINT, user_id BIGINT, product STRING, qty INT, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE payments (id BIGINT, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'payments', 'format' = 'json');
CREATE TABLE rates (product STRING, rate DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (product) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'rates', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE sink (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sink', 'format' = 'json');

-- taken
CREATE VIEW v AS SELECT COUNT(*), COUNT(*) FROM orders;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT SUM(qty), SUM(id) FROM orders;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT product, MAX(qty), MAX(id) FROM orders GROUP BY product;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT UPPER(product), UPPER(note) FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT SUM(qty) AS n, SUM(id) AS n FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT id, id FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT id, (id) FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT id, id + 1 AS id FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT qty AS n, COUNT(*), COUNT(*) AS n FROM orders GROUP BY qty;
SELECT * FROM v;

-- taken
CREATE VIEW v (a, b) AS SELECT COUNT(*), COUNT(*) FROM orders;
SELECT * FROM v;

-- refused duplicate-column
CREATE VIEW v (a, a) AS SELECT COUNT(*), COUNT(*) FROM orders;
SELECT * FROM v;

-- taken
WITH q AS (SELECT COUNT(*), COUNT(*) FROM orders) SELECT * FROM q;

-- taken
WITH q AS (SELECT MAX(qty), MAX(id) FROM orders) SELECT `EXPR$1` FROM q;

-- refused duplicate-column
WITH q AS (SELECT MAX(qty) AS m, MAX(id) AS m FROM orders) SELECT * FROM q;

-- refused duplicate-column
WITH q AS (SELECT id, id FROM orders) SELECT * FROM q;

-- refused duplicate-column
WITH q AS (SELECT CURRENT_DATE, CURRENT_DATE FROM orders) SELECT * FROM q;

-- taken
WITH q AS (SELECT CURRENT_DATE FROM orders) SELECT * FROM q;

-- refused duplicate-column
CREATE VIEW v AS SELECT LOCALTIMESTAMP, LOCALTIMESTAMP FROM orders;

-- taken
CREATE VIEW v AS SELECT id, LOCALTIMESTAMP FROM orders;

-- refused view-column-name
CREATE VIEW v AS SELECT id, LOCALTIMESTAMP FROM orders;
SELECT id FROM v;

-- taken
CREATE VIEW v AS SELECT id, LOCALTIMESTAMP AS l FROM orders;
SELECT id FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT id, CURRENT_DATE FROM orders;
INSERT INTO sink SELECT id, 'x' FROM v;

-- refused view-column-name
CREATE TEMPORARY VIEW v AS SELECT CURRENT_TIMESTAMP FROM orders;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v (t) AS SELECT CURRENT_TIMESTAMP FROM orders;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT x.id FROM (SELECT id, LOCALTIME FROM orders) AS x;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT ts FROM orders UNION ALL SELECT LOCALTIMESTAMP FROM payments;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT ts FROM orders UNION ALL SELECT LOCALTIMESTAMP AS ts FROM payments;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS WITH q AS (SELECT id, CURRENT_DATE FROM orders) SELECT id FROM q;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT id FROM orders WHERE ts < LOCALTIMESTAMP;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT id, PROCTIME(), NOW() FROM orders;
SELECT * FROM v;

-- taken
CREATE VIEW v AS SELECT id, CAST(CURRENT_DATE AS STRING) FROM orders;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT id, CURRENT_DATE FROM orders;
CREATE VIEW w AS SELECT id FROM v;
SELECT * FROM w;

-- refused view-column-name
CREATE VIEW v AS SELECT id FROM orders WHERE CURRENT_DATE IN (SELECT CURRENT_DATE FROM payments);
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT id, (SELECT CURRENT_DATE FROM payments LIMIT 1) AS d FROM orders;
SELECT * FROM v;

-- refused view-column-name
CREATE VIEW v AS SELECT id FROM orders o WHERE EXISTS (SELECT CURRENT_DATE FROM payments p WHERE p.id = o.id);
SELECT * FROM v;

-- taken
SELECT id, LOCALTIMESTAMP FROM orders;

-- refused duplicate-column
CREATE VIEW v AS SELECT *, id FROM orders;

-- taken
CREATE VIEW v AS SELECT id, * FROM orders;

-- refused duplicate-column
CREATE VIEW v AS SELECT o.*, p.ts FROM orders AS o JOIN payments AS p ON o.id = p.id;

-- refused duplicate-column
CREATE VIEW v AS SELECT *, qty + 1 AS id FROM orders;

-- taken
CREATE VIEW v AS SELECT *, qty + 1 AS id2 FROM orders;

-- taken
CREATE VIEW v AS SELECT o.*, p.* FROM orders AS o JOIN payments AS p ON o.id = p.id;

-- taken
CREATE VIEW v AS SELECT p.*, o.* FROM orders AS o JOIN payments AS p ON o.id = p.id;
SELECT id0 FROM v;

-- refused duplicate-column
CREATE VIEW v AS SELECT *, id FROM orders UNION ALL SELECT *, id FROM orders;

-- taken
WITH q AS (SELECT o.*, p.* FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT product FROM q;

-- taken
WITH q AS (SELECT o.*, p.*, o.id AS id3 FROM orders AS o JOIN payments AS p ON o.id = p.id) SELECT product FROM q;

-- taken
CREATE VIEW v (a, b, c, d, e, f, g, h) AS SELECT *, id FROM orders;

-- refused duplicate-column
CREATE VIEW v (a, b, c, d, e, f, g, a) AS SELECT *, id FROM orders;

-- refused view-column-name
CREATE VIEW v AS SELECT *, LOCALTIMESTAMP FROM orders;
SELECT id FROM v;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT *, id FROM orders;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, id FROM orders;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT COUNT(*), COUNT(*) FROM orders;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id AS a, qty AS a FROM orders;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT * FROM orders AS o JOIN payments AS p ON o.id = p.id;

-- taken
INSERT INTO sink SELECT id, product AS id FROM orders;
