-- Filters in front of versioned tables: files give their rows before the watermark, Kafka with it (Flink 2.3).
CREATE TABLE orders (id INT, cur STRING, amt INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='o','format'='json');
CREATE TABLE lines (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='l','format'='json');
CREATE TABLE topic (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE changed_topic (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='kafka','topic'='c','format'='debezium-json');
CREATE TABLE changed (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='c','format'='debezium-json');
CREATE TABLE upserted (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='u');
CREATE TABLE parted (cur STRING, rate DOUBLE, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) PARTITIONED BY (region) WITH ('connector'='filesystem','path'='l','format'='json');

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE cur IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE TRUE;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE 1 = 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE cur = cur;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE COALESCE(cur, 'a') IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE EXISTS (SELECT 1 FROM lines f WHERE f.cur = x.cur);
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE cur IN (SELECT region FROM lines);
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE cur IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE TRUE;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE cur = cur;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE EXISTS (SELECT 1 FROM lines f WHERE f.cur = x.cur);
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM topic AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM topic AS x WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed_topic AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed_topic AS x WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM upserted AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM upserted AS x WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT cur, region, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) rn FROM changed WHERE rate > 1) WHERE rn = 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT cur, region, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) rn FROM lines) WHERE rn = 1 AND region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- taken
CREATE VIEW v AS SELECT * FROM changed WHERE rate > 1 LIMIT 3;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE region IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE ts IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE region IS NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE rate > 1 OR rate <= 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE cur <> '';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE rate BETWEEN 1 AND 2;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE region IN ('a','b');
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE ts > TIMESTAMP '2020-01-01 00:00:00';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE region LIKE 'a%';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE CHAR_LENGTH(cur) > 2;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE RAND() > 0.5;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE NOT (rate > 1);
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE rate > 1 AND 1 = 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE CASE WHEN rate > 1 THEN TRUE ELSE FALSE END;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE region IS NOT NULL;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE region LIKE 'a%';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM changed AS x WHERE CASE WHEN rate > 1 THEN TRUE ELSE FALSE END;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM parted AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM parted AS x WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT x.cur, x.rate, x.region, x.ts FROM lines AS x WHERE rate > 1;
SELECT o.id, r.region FROM orders o LEFT JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW w AS SELECT cur, rate, ts FROM changed WHERE rate > 1;
CREATE VIEW v AS SELECT cur, rate * 2 AS region, ts FROM w;
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;

-- refused temporal-table
CREATE VIEW v AS SELECT cur, region, ts FROM (SELECT * FROM lines WHERE rate > 1) WHERE region = 'a';
SELECT o.id, r.region FROM orders o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;
