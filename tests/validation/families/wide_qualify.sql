-- QUALIFY beside more than five columns, which needs its window among them (Flink 2.3).
CREATE TABLE orders (
  id BIGINT, user_id BIGINT, product STRING, qty INT, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE payments (id BIGINT, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'payments', 'format' = 'json');
CREATE TABLE rates (product STRING, rate DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (product) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'rates', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE sink (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sink', 'format' = 'json');

-- refused qualify
SELECT * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused qualify
SELECT * FROM orders WHERE qty > 1 QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) = 1;

-- taken
SELECT id, user_id, product, qty, note FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused qualify
SELECT id, user_id, product, qty, note, ts FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- taken
SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) AS n FROM orders QUALIFY n <= 2;

-- taken
SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) AS n FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- taken
SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2 AS best FROM orders QUALIFY best;

-- taken
SELECT *, ROW_NUMBER() OVER w AS n FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY qty DESC) QUALIFY n <= 2;

-- refused qualify
SELECT * FROM orders WINDOW w AS (PARTITION BY user_id ORDER BY qty DESC) QUALIFY ROW_NUMBER() OVER w <= 2;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) AS n FROM orders) WHERE n <= 2;

-- taken
SELECT * FROM payments QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY amount DESC) <= 2;

-- refused qualify
SELECT id FROM (SELECT * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2);

-- taken
SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused qualify
CREATE VIEW v AS SELECT * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused qualify
SELECT * FROM orders QUALIFY COUNT(*) OVER (PARTITION BY user_id ORDER BY ts) > 2;

-- taken
SELECT *, COUNT(*) OVER (PARTITION BY user_id ORDER BY ts) AS n FROM orders QUALIFY n > 2;

-- refused qualify
SELECT id + 1, user_id + 1, qty + 1, qty + 2, qty + 3, qty + 4 FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused append-only-sink
INSERT INTO sink SELECT id, product FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) <= 2;

-- refused qualify
SELECT o.*, p.amount FROM orders o JOIN payments p ON o.id = p.id QUALIFY ROW_NUMBER() OVER (PARTITION BY o.user_id ORDER BY p.amount DESC) <= 2;

-- taken
SELECT id, user_id, product, qty, note, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty DESC) AS n FROM orders QUALIFY n <= 2 AND note <> 'x';
