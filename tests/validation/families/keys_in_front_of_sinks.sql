-- Keys of rows in front of sinks with a key (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE users (
  user_id BIGINT, name STRING, city STRING, level INT, updated TIMESTAMP(3), WATERMARK FOR updated AS updated,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'users', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE sk (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'sk', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE skp (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'skp', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE skpart (a BIGINT, b STRING) PARTITIONED BY (b) WITH ('connector' = 'filesystem', 'path' = 'file:///lake/y', 'format' = 'json');

-- refused upsert-key
INSERT INTO skp SELECT order_id, (SELECT 'a') FROM orders;

-- refused upsert-key
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty, proc;

-- refused upsert-key
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty, ts;

-- refused upsert-key
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty, CURRENT_DATE;

-- refused upsert-key
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty, PROCTIME();

-- taken
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty, 'x';

-- taken
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY qty;

-- refused upsert-key
INSERT INTO skp SELECT qty, MAX(product) FROM orders GROUP BY proc, qty;

-- refused upsert-key
INSERT INTO skp SELECT DISTINCT qty, product FROM orders;

-- refused upsert-key
INSERT INTO skp SELECT qty, product FROM orders;

-- taken
INSERT INTO skp SELECT qty, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY qty ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- refused upsert-key
INSERT INTO skp SELECT qty, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY qty, proc ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO sk SELECT INTERVAL '1' DAY, product FROM orders;

-- taken
INSERT INTO sk SELECT INTERVAL '1' MONTH, product FROM orders;

-- refused sink-type
INSERT INTO sk SELECT order_id, INTERVAL '1' DAY FROM orders;

-- taken
INSERT INTO skp SELECT order_id, MAX(product) FROM orders GROUP BY order_id;

-- taken
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, DATE '2024-01-01';

-- taken
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, UPPER('a');

-- taken
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, 1 + 1;

-- refused upsert-key
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, RAND();

-- refused upsert-key
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, NOW();

-- refused upsert-key
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, UUID();

-- refused upsert-key
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, CURRENT_TIMESTAMP;

-- refused upsert-key
INSERT INTO skp SELECT user_id, MAX(product) FROM orders GROUP BY user_id, DATE_FORMAT(CURRENT_TIMESTAMP, 'yyyy');

-- taken
INSERT INTO skp SELECT user_id, name FROM users;

-- taken
INSERT INTO skp SELECT CAST(level AS BIGINT), MAX(name) FROM users GROUP BY level;

-- taken
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, 'x' ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- refused upsert-key
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, CURRENT_DATE ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO skp SELECT user_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY proc) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO skpart PARTITION (b = 'x') SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = 1) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = product) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = UPPER('x')) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = NULL) SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = -1) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = DATE '2024-01-01') SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b) SELECT order_id, product FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = TRUE) SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = 'x' || 'y') SELECT order_id FROM orders;

-- refused partition-column
INSERT INTO skpart PARTITION (b = CAST('x' AS STRING)) SELECT order_id FROM orders;

-- taken
INSERT INTO skpart PARTITION (b = INTERVAL '1' DAY) SELECT order_id FROM orders;

-- refused over-missing
INSERT INTO sk SELECT LEAD(order_id) AS x, channel FROM orders GROUP BY channel, TUMBLE(ts, INTERVAL '1' HOUR);
