CREATE TABLE sales (id BIGINT, item STRING, region STRING, qty INT, price DECIMAL(10, 2), ts TIMESTAMP(3), total AS qty * price, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = 'sales.json', 'format' = 'json');
CREATE TABLE goods (item STRING, stock INT, since TIMESTAMP_LTZ(3), tags ARRAY<STRING>, WATERMARK FOR since AS since) WITH ('connector' = 'filesystem', 'path' = 'goods.json', 'format' = 'json');
CREATE VIEW big AS SELECT id, item, qty FROM sales WHERE qty > 2;
CREATE TABLE rates (cur STRING, rate DOUBLE, rt TIMESTAMP(3), WATERMARK FOR rt AS rt) WITH ('connector' = 'filesystem', 'path' = 'rates.json', 'format' = 'json');
CREATE VIEW versions AS SELECT cur, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM rates) WHERE rn = 1;
CREATE VIEW paid AS SELECT id, qty, ts, CASE WHEN region = 'north' THEN 'EUR' WHEN region = 'south' THEN 'USD' ELSE 'ZZZ' END AS cur FROM sales;
