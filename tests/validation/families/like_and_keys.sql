-- Columns that LIKE leaves out, and keys of tables that a query fills.
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
CREATE TABLE t LIKE orders;
SELECT proc FROM t;

-- refused unknown-column
CREATE TABLE t LIKE orders (EXCLUDING GENERATED);
SELECT proc FROM t;

-- taken
CREATE TABLE t LIKE orders (EXCLUDING GENERATED);
SELECT id, note FROM t;

-- taken
CREATE TABLE t LIKE orders (INCLUDING GENERATED);
SELECT proc FROM t;

-- taken
CREATE TABLE t LIKE orders (EXCLUDING WATERMARKS);
SELECT proc FROM t;

-- refused unknown-column
CREATE TABLE t WITH ('connector' = 'datagen') LIKE orders (EXCLUDING ALL);
SELECT proc FROM t;

-- taken
CREATE TABLE t WITH ('connector' = 'datagen') LIKE orders (EXCLUDING ALL);
SELECT id FROM t;

-- taken
CREATE TABLE t WITH ('connector' = 'datagen') LIKE orders (EXCLUDING ALL INCLUDING GENERATED);
SELECT proc FROM t;

-- taken
CREATE TABLE t (z AS UPPER(note)) LIKE orders (EXCLUDING GENERATED);
SELECT z FROM t;

-- refused unknown-column
CREATE TABLE t (z AS UPPER(note)) LIKE orders (EXCLUDING GENERATED);
SELECT z, proc FROM t;

-- taken
CREATE TABLE t (proc AS PROCTIME()) LIKE orders (EXCLUDING GENERATED);
SELECT proc FROM t;

-- refused duplicate-column
CREATE TABLE t (proc AS PROCTIME()) LIKE orders;
SELECT proc FROM t;

-- refused unknown-column
CREATE TABLE t LIKE orders (EXCLUDING GENERATED);
CREATE TABLE u LIKE t;
SELECT proc FROM u;

-- taken
CREATE TABLE t LIKE orders (EXCLUDING GENERATED);
CREATE TABLE u (proc INT) LIKE t;
SELECT proc FROM u;

-- refused unknown-column
CREATE TABLE t LIKE orders;
CREATE TABLE u LIKE t (EXCLUDING GENERATED);
SELECT proc FROM u;

-- refused duplicate-column
CREATE TABLE t LIKE orders;
CREATE TABLE u (proc INT) LIKE t;
SELECT proc FROM u;

-- taken
CREATE TABLE m (id INT, h STRING METADATA FROM 'headers') WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING METADATA);
SELECT id FROM t;

-- refused unknown-column
CREATE TABLE m (id INT, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING METADATA);
SELECT o FROM t;

-- taken
CREATE TABLE m (id INT, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING GENERATED);
SELECT o FROM t;

-- refused unknown-column
CREATE TABLE m (id INT, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING ALL);
SELECT o FROM t;

-- taken
CREATE TABLE t LIKE orders (EXCLUDING GENERATED);
INSERT INTO t SELECT id, user_id, product, qty, note, ts FROM orders;

-- refused sink-columns
CREATE TABLE m (id INT, k TIMESTAMP(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING METADATA);
INSERT INTO t SELECT qty, ts FROM orders;

-- taken
CREATE TABLE m (id INT, k TIMESTAMP(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', 'topic' = 'm', 'format' = 'json');
CREATE TABLE t LIKE m (EXCLUDING METADATA);
INSERT INTO t SELECT qty FROM orders;

-- refused primary-key
CREATE TABLE t (PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders;

-- taken
CREATE TABLE t (PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT product, rate FROM rates;

-- taken
CREATE TABLE t (PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT COALESCE(id, 0) AS n FROM orders;

-- refused primary-key
CREATE TABLE t (PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT CAST(id AS STRING) AS n FROM orders;

-- refused primary-key
CREATE TABLE t (PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT product, SUM(qty) AS q FROM orders GROUP BY product;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders ORDER BY ts;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, RANK() OVER (PARTITION BY user_id ORDER BY qty) AS r FROM orders;

-- refused rank-function
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, r FROM (SELECT id, RANK() OVER (PARTITION BY user_id ORDER BY qty) AS r FROM orders) WHERE r < 3;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, r FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY qty) AS r FROM orders) WHERE r < 3;

-- refused tablesample
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders TABLESAMPLE SYSTEM(10);

-- refused changing-rows
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT product, SUM(rate) OVER (PARTITION BY product ORDER BY ts) AS r FROM rates;

-- refused primary-key
CREATE TABLE t (PRIMARY KEY (product, rate) NOT ENFORCED) WITH ('connector' = 'blackhole') AS SELECT product, rate FROM rates;

-- taken
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT product, SUM(qty) AS q FROM orders GROUP BY product;

-- refused sort
CREATE TABLE t WITH ('connector' = 'blackhole') AS SELECT id, qty FROM orders ORDER BY qty;
