-- What follows a relation of FROM, and its order: hints, FOR SYSTEM_TIME, MATCH_RECOGNIZE, an alias, TABLESAMPLE.
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
SELECT * FROM orders /*+ OPTIONS('a' = 'b') */ AS o;

-- refused hint
SELECT * FROM orders AS o /*+ OPTIONS('a' = 'b') */;

-- refused hint
SELECT * FROM orders o /*+ OPTIONS('a' = 'b') */ WHERE o.qty > 1;

-- taken
SELECT * FROM orders /*+ OPTIONS('a' = 'b') */;

-- refused hint
SELECT * FROM orders /*+ OPTIONS('a' = 'b') */ /*+ OPTIONS('c' = 'd') */;

-- taken
SELECT * FROM orders /*+ OPTIONS('a' = 'b', 'c' = 'd') */ o JOIN payments /*+ OPTIONS('a' = 'b') */ p ON o.id = p.id;

-- refused hint
SELECT * FROM orders AS o JOIN payments AS p /*+ OPTIONS('a' = 'b') */ ON o.id = p.id;

-- refused hint
SELECT * FROM (SELECT * FROM orders) /*+ OPTIONS('a' = 'b') */ AS o;

-- taken
SELECT * FROM (SELECT * FROM orders /*+ OPTIONS('a' = 'b') */) AS o;

-- refused hint
SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) /*+ OPTIONS('a' = 'b') */;

-- refused hint
SELECT * FROM orders, UNNEST(ARRAY[1, 2]) /*+ OPTIONS('a' = 'b') */ AS t (n);

-- taken
INSERT INTO sink /*+ OPTIONS('a' = 'b') */ SELECT id, product FROM orders;

-- taken
INSERT INTO sink SELECT id, product FROM orders /*+ OPTIONS('a' = 'b') */ AS o;

-- refused hint
INSERT INTO sink SELECT id, product FROM orders AS o /*+ OPTIONS('a' = 'b') */;

-- taken
SELECT /*+ STATE_TTL('o' = '1 d'), STATE_TTL('p' = '1 d') */ o.id FROM orders o JOIN payments p ON o.id = p.id;

-- refused hint
SELECT /*+ STATE_TTL('o' = '1 d') STATE_TTL('p' = '1 d') */ o.id FROM orders o JOIN payments p ON o.id = p.id;

-- refused hint
SELECT /*+ STATE_TTL('o' = '1 d'), */ o.id FROM orders o JOIN payments p ON o.id = p.id;

-- refused hint
SELECT /*+ */ id FROM orders;

-- taken
SELECT /* + */ id FROM orders;

-- refused hint
SELECT id FROM orders /*+ */;

-- taken
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.product = r.product;

-- refused temporal-time
SELECT o.id, r.rate FROM orders AS o JOIN rates AS r FOR SYSTEM_TIME AS OF o.ts ON o.product = r.product;

-- refused temporal-time
SELECT o.id, r.rate FROM orders AS o JOIN rates r FOR SYSTEM_TIME AS OF o.ts ON o.product = r.product;

-- taken
SELECT o.id, rates.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts ON o.product = rates.product;

-- taken
SELECT o.id, r.rate FROM orders AS o JOIN rates /*+ OPTIONS('a' = 'b') */ FOR SYSTEM_TIME AS OF o.ts AS r ON o.product = r.product;

-- refused hint
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts /*+ OPTIONS('a' = 'b') */ AS r ON o.product = r.product;

-- taken
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- taken
SELECT * FROM orders AS o MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused pattern
SELECT * FROM orders o MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- taken
SELECT * FROM (SELECT * FROM orders) MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused pattern
SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) MATCH_RECOGNIZE (PARTITION BY user_id ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.qty > 1) AS m;

-- refused tablesample
SELECT id FROM orders TABLESAMPLE BERNOULLI(10);

-- refused tablesample
SELECT id FROM orders AS o TABLESAMPLE SYSTEM(10);

-- refused alias
SELECT id FROM orders TABLESAMPLE BERNOULLI(10) AS o;

-- refused tablesample
SELECT id FROM (SELECT * FROM orders) AS o TABLESAMPLE BERNOULLI(10) REPEATABLE(3);

-- taken
SELECT o.id FROM (orders AS o JOIN payments AS p ON o.id = p.id);

-- refused parentheses
SELECT id FROM (orders AS o JOIN payments AS p ON o.id = p.id) AS j;

-- taken
SELECT a FROM ((SELECT id AS a FROM orders)) AS j;

-- refused join-kind
SELECT o.id FROM orders AS o ASOF JOIN payments AS p MATCH_CONDITION o.ts >= p.ts ON o.id = p.id;

-- refused join-kind
SELECT o.id FROM orders AS o LEFT ASOF JOIN payments AS p MATCH_CONDITION o.ts >= p.ts ON o.id = p.id;

-- taken
SELECT t.n FROM orders CROSS JOIN UNNEST(ARRAY[qty, 2]) AS t (n) WHERE t.n = qty;

-- refused join-condition
SELECT t.n FROM orders JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON t.n = qty;

-- refused join-condition
SELECT t.n FROM orders LEFT JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON t.n = orders.qty;

-- refused join-condition
SELECT t.n FROM orders LEFT JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON qty > 1;

-- taken
SELECT t.n FROM orders LEFT JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON t.n > 1;

-- taken
SELECT t.n FROM orders LEFT JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON n > 1 AND TRUE;

-- taken
SELECT t.n FROM orders JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON TRUE;

-- refused join-kind
SELECT t.n FROM orders RIGHT JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON TRUE;

-- refused join-kind
SELECT t.n FROM orders FULL JOIN UNNEST(ARRAY[qty, 2]) AS t (n) ON TRUE;

-- taken
SELECT t.n FROM orders RIGHT JOIN UNNEST(ARRAY[1, 2]) AS t (n) ON TRUE;

-- taken
SELECT t.n FROM orders RIGHT JOIN UNNEST(ARRAY[1, 2]) AS t (n) ON t.n = orders.qty;

-- taken
SELECT t.n FROM orders JOIN UNNEST(ARRAY[1, 2]) AS t (n) ON t.n = orders.qty;

-- taken
SELECT t.n, orders.id FROM orders JOIN UNNEST(ARRAY['a', 'b']) AS t (n) ON t.n = orders.note;
