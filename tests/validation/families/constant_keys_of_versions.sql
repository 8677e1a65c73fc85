-- Keys of versions that are compared with constants (Flink 2.3; some of these are refused as they start).
CREATE TABLE orders (id INT, cur STRING, amt INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='o','format'='json');
CREATE TABLE upd (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='u','format'='debezium-json');
CREATE VIEW eur AS SELECT *, 'EUR' AS k FROM orders;
CREATE VIEW w AS SELECT * FROM orders WHERE cur = 'EUR';
CREATE TABLE two (cur STRING, region STRING, rate DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur, region) NOT ENFORCED) WITH ('connector'='filesystem','path'='u','format'='debezium-json');

-- taken
SELECT o.id, r.rate FROM w o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
SELECT o.id, r.rate FROM w o LEFT JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur AND o.cur = 'EUR';

-- taken
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur AND r.cur = 'EUR';

-- taken
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur WHERE r.cur = 'EUR';

-- taken
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur WHERE o.cur = 'EUR';

-- taken
SELECT o.id, r.rate FROM eur o JOIN two FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur AND o.cur = r.region;

-- taken
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON COALESCE(o.cur, 'EUR') = r.cur;

-- taken
SELECT o.id, r.rate FROM (SELECT id, ts, SUBSTRING('xEUR' FROM 2) AS k FROM orders) o LEFT JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur;

-- refused temporal-key
SELECT o.id, r.rate FROM eur o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur;

-- refused temporal-key
SELECT o.id, r.rate FROM eur o LEFT JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur;

-- refused temporal-key
SELECT o.id, r.rate FROM orders o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON r.cur = 'EUR';

-- refused temporal-key
SELECT o.id, r.rate FROM orders o JOIN two FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur AND r.region = 'a';

-- refused temporal-key
SELECT o.id, r.rate FROM (SELECT id, UPPER('eur') AS k, ts FROM orders) o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur;

-- refused temporal-key
SELECT o.id, r.rate FROM (SELECT id, CAST('EUR' AS STRING) AS k, ts FROM orders) o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur;

-- refused temporal-key
SELECT o.id, r.rate FROM (SELECT id, ts, 'EUR' AS k, 'a' AS g FROM orders) o JOIN two FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur AND o.g = r.region;

-- refused temporal-key
SELECT o.id, r.rate FROM (SELECT id, ts, amt, 'E' || 'UR' AS k FROM orders) o JOIN upd FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.cur WHERE o.amt > 3;
