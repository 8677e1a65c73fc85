CREATE TABLE typ (id INT, ti TINYINT, si SMALLINT, i INT, bi BIGINT, f FLOAT, db DOUBLE, dc DECIMAL(10,2), dd DECIMAL(38,10), s STRING, c CHAR(5), v VARCHAR(10), b BOOLEAN, d DATE, t TIME, ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>) WITH ('connector' = 'filesystem','path' = 'mixtures/typ','format' = 'json');
CREATE TABLE ev (id INT, k STRING, v INT, x DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem','path' = 'mixtures/ev','format' = 'json');
CREATE TABLE fd (id INT, f FLOAT, db DOUBLE, i INT, bi BIGINT, dc DECIMAL(10,2)) WITH ('connector' = 'filesystem','path' = 'mixtures/fd','format' = 'json');
CREATE TABLE fz (id INT, f FLOAT, db DOUBLE, x DOUBLE) WITH ('connector' = 'filesystem','path' = 'mixtures/fz','format' = 'json');
CREATE TABLE mm (id INT, m MAP<STRING, INT>, mi MAP<STRING, INT>, r ROW<n MAP<STRING, INT>>) WITH ('connector' = 'filesystem','path' = 'mixtures/mm','format' = 'json');
CREATE TABLE mmt (id INT, m MAP<STRING, INT>, ts AS TO_TIMESTAMP_LTZ(id, 0), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem','path' = 'mixtures/mm','format' = 'json');
CREATE TABLE bk (id INT, cust STRING, items ARRAY<STRING>, ns ARRAY<INT>, m MAP<STRING, INT>, ls ARRAY<ROW<sku STRING, n INT>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='mixtures/bk','format'='json');
CREATE VIEW per_order AS SELECT cust, id, COUNT(*) AS n, MAX(it) AS mx FROM bk CROSS JOIN UNNEST(items) AS u (it) GROUP BY cust, id;
CREATE VIEW per_item AS SELECT cust, it, COUNT(*) AS n FROM bk CROSS JOIN UNNEST(items) AS u (it) GROUP BY cust, it;
