-- ALTER of tables and views (Flink 2.3).
CREATE TABLE orders (
  order_id BIGINT, user_id BIGINT, product STRING, category STRING, channel STRING, amount DECIMAL(10, 2), qty INT,
  status STRING, note STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
CREATE TABLE users (
  user_id BIGINT, name STRING, city STRING, level INT, updated TIMESTAMP(3), WATERMARK FOR updated AS updated,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'users', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE stock (
  sku BIGINT, product STRING, warehouse STRING, units INT, moved TIMESTAMP(3)
) WITH ('connector' = 'kafka', 'topic' = 'stock', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'debezium-json');

-- taken
ALTER TABLE orders ADD zz INT;

-- refused alter
ALTER TABLE orders ADD qty INT;

-- refused alter
ALTER TABLE orders ADD (zz INT, qty INT);

-- refused alter
ALTER TABLE orders ADD (zz INT, zz INT);

-- taken
ALTER TABLE orders ADD zz INT AFTER qty;

-- refused alter
ALTER TABLE orders ADD zz INT AFTER nosuch;

-- taken
ALTER TABLE orders ADD zz INT FIRST;

-- taken
ALTER TABLE orders ADD zz AS qty + 1;

-- taken
ALTER TABLE orders ADD zz INT METADATA;

-- taken
ALTER TABLE orders ADD PRIMARY KEY (order_id) NOT ENFORCED;

-- refused alter
ALTER TABLE orders ADD PRIMARY KEY (nosuch) NOT ENFORCED;

-- refused alter
ALTER TABLE users ADD PRIMARY KEY (user_id) NOT ENFORCED;

-- taken
ALTER TABLE users MODIFY PRIMARY KEY (name) NOT ENFORCED;

-- refused alter
ALTER TABLE orders MODIFY PRIMARY KEY (order_id) NOT ENFORCED;

-- refused alter
ALTER TABLE orders ADD WATERMARK FOR ts AS ts;

-- taken
ALTER TABLE orders MODIFY WATERMARK FOR ts AS ts;

-- refused alter
ALTER TABLE orders MODIFY WATERMARK FOR nosuch AS nosuch;

-- refused alter
ALTER TABLE stock MODIFY WATERMARK FOR moved AS moved;

-- taken
ALTER TABLE stock ADD WATERMARK FOR moved AS moved;

-- taken
ALTER TABLE orders MODIFY qty BIGINT;

-- refused alter
ALTER TABLE orders MODIFY nosuch BIGINT;

-- refused alter
ALTER TABLE orders MODIFY (qty BIGINT, nosuch INT);

-- taken
ALTER TABLE orders MODIFY qty BIGINT AFTER product;

-- refused alter
ALTER TABLE orders MODIFY qty BIGINT AFTER nosuch;

-- taken
ALTER TABLE orders MODIFY qty BIGINT FIRST;

-- taken
ALTER TABLE users MODIFY user_id STRING;

-- taken
ALTER TABLE orders RENAME qty TO zz;

-- refused alter
ALTER TABLE orders RENAME nosuch TO zz;

-- refused alter
ALTER TABLE orders RENAME qty TO product;

-- refused alter
ALTER TABLE orders RENAME ts TO zz;

-- taken
ALTER TABLE users RENAME user_id TO zz;

-- taken
ALTER TABLE orders DROP qty;

-- taken
ALTER TABLE orders DROP (qty, product);

-- refused alter
ALTER TABLE orders DROP (qty, qty);

-- refused alter
ALTER TABLE orders DROP nosuch;

-- refused alter
ALTER TABLE orders DROP (qty, nosuch);

-- refused alter
ALTER TABLE orders DROP ts;

-- refused alter
ALTER TABLE users DROP user_id;

-- taken
ALTER TABLE orders DROP WATERMARK;

-- refused alter
ALTER TABLE stock DROP WATERMARK;

-- refused alter
ALTER TABLE orders DROP PRIMARY KEY;

-- taken
ALTER TABLE users DROP PRIMARY KEY;

-- taken
ALTER TABLE orders RENAME TO zz;

-- refused alter
ALTER TABLE orders RENAME TO users;

-- taken
ALTER TABLE orders SET ('a' = 'b');

-- taken
ALTER TABLE orders RESET ('a');

-- refused alter
ALTER TABLE orders RESET ('connector');

-- refused alter
ALTER TABLE orders RESET ();

-- taken
ALTER TABLE IF EXISTS nosuch ADD zz INT;

-- taken
ALTER TABLE IF EXISTS nosuch RENAME TO zz;

-- refused alter
CREATE TEMPORARY TABLE tt (a INT) WITH ('connector' = 'datagen'); ALTER TABLE tt ADD b INT;

-- refused alter
CREATE TEMPORARY TABLE tt (a INT) WITH ('connector' = 'datagen'); ALTER TABLE tt SET ('a' = 'b');

-- refused alter
CREATE TEMPORARY TABLE tt (a INT) WITH ('connector' = 'datagen'); ALTER TABLE tt RENAME TO uu;

-- refused alter
CREATE TEMPORARY TABLE tt (a INT) WITH ('connector' = 'datagen'); ALTER TABLE tt DROP a;

-- taken
CREATE TEMPORARY TABLE tt (a INT) WITH ('connector' = 'datagen'); ALTER TABLE IF EXISTS tt DROP a;

-- refused alter
CREATE VIEW vv AS SELECT qty FROM orders; ALTER TABLE vv ADD b INT;

-- refused alter
CREATE VIEW vv AS SELECT qty FROM orders; ALTER TABLE vv RENAME TO ww;

-- taken
CREATE VIEW vv AS SELECT qty FROM orders; ALTER VIEW vv RENAME TO ww;

-- taken
CREATE VIEW vv AS SELECT qty FROM orders; ALTER VIEW vv AS SELECT product FROM orders;

-- refused alter
CREATE TEMPORARY VIEW vv AS SELECT qty FROM orders; ALTER VIEW vv RENAME TO ww;

-- refused alter
CREATE TEMPORARY VIEW vv AS SELECT qty FROM orders; ALTER VIEW vv AS SELECT product FROM orders;

-- refused alter
ALTER VIEW orders RENAME TO ww;

-- refused alter
ALTER TABLE orders ADD zz INT; ALTER TABLE orders ADD zz INT;

-- taken
ALTER TABLE orders ADD zz INT; ALTER TABLE orders DROP zz; ALTER TABLE orders ADD zz INT;

-- refused alter
ALTER TABLE orders DROP qty; ALTER TABLE orders DROP qty;

-- refused alter
ALTER TABLE orders RENAME qty TO zz; ALTER TABLE orders DROP qty;

-- taken
ALTER TABLE orders RENAME qty TO zz; ALTER TABLE orders DROP zz;

-- taken
ALTER TABLE orders DROP WATERMARK; ALTER TABLE orders ADD WATERMARK FOR ts AS ts;

-- taken
ALTER TABLE users DROP PRIMARY KEY; ALTER TABLE users ADD PRIMARY KEY (name) NOT ENFORCED;

-- refused dropped
ALTER TABLE orders RENAME TO zz; ALTER TABLE orders ADD b INT;

-- taken
ALTER TABLE orders RENAME TO zz; ALTER TABLE zz ADD b INT;

-- refused alter
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc DROP a;

-- taken
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc DROP b;

-- taken
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc DROP (a, b);

-- refused alter
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc RENAME a TO d;

-- taken
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc MODIFY b INT;

-- taken
CREATE TABLE cc (a INT, b AS a + 1, c INT) WITH ('connector' = 'datagen'); ALTER TABLE cc MODIFY c AS a + 2;

-- taken
ALTER TABLE orders ADD zz INT; DROP TABLE orders; CREATE TABLE orders (a INT) WITH ('connector' = 'datagen'); ALTER TABLE orders ADD zz INT;

-- taken
ALTER TABLE orders DROP qty; DROP TABLE orders; CREATE TABLE orders (qty INT, z INT) WITH ('connector' = 'datagen'); ALTER TABLE orders DROP qty;

-- refused alter
ALTER TABLE orders RENAME qty TO qty;

-- refused alter
CREATE TABLE rr (r ROW<x INT>, y INT) WITH ('connector' = 'datagen'); ALTER TABLE rr ADD (r.y INT);

-- refused alter
CREATE TABLE rr (r ROW<x INT>, y INT) WITH ('connector' = 'datagen'); ALTER TABLE rr MODIFY (r.x BIGINT);

-- refused alter
CREATE TABLE rr (r ROW<x INT>, y INT) WITH ('connector' = 'datagen'); ALTER TABLE rr DROP r.x;

-- taken
CREATE TABLE rr (`my col` INT, y INT) WITH ('connector' = 'datagen'); ALTER TABLE rr DROP `my col`;

-- refused alter
CREATE TABLE rr (a INT, y INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'datagen'); ALTER TABLE rr RENAME a TO b; ALTER TABLE rr DROP b;

-- refused alter
CREATE TABLE rr (a INT, y INT) PARTITIONED BY (y) WITH ('connector' = 'filesystem', 'path' = 'file:///lake/y', 'format' = 'json'); ALTER TABLE rr DROP y;

-- refused alter
CREATE TABLE rr (a INT, y INT) PARTITIONED BY (y) WITH ('connector' = 'filesystem', 'path' = 'file:///lake/y', 'format' = 'json'); ALTER TABLE rr RENAME y TO z;
