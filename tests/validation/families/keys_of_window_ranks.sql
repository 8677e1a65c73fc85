-- Keys of window Top-N in front of sinks with a key, and first rows in front of sinks for new rows (Flink 2.3).
CREATE TABLE orders (
  o_id BIGINT, cust STRING, prod INT, qty INT, price DECIMAL(10, 2), ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'o', 'properties.bootstrap.servers' = 'k:1', 'format' = 'json');
CREATE TABLE kf (o_id BIGINT, prod INT, r BIGINT)
WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'k:1', 'format' = 'json');
CREATE TABLE s_ws_cust_prod_total_rn__ws_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (ws, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__rn_cust (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (rn, cust) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__ws (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (ws) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__cust_prod_ws (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (cust, prod, ws) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__ws_prod_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (ws, prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__prod_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__prod (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__ws_cust_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (ws, cust, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__cust_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (cust, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__ws_prod (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (ws, prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total__ws_prod (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), PRIMARY KEY (ws, prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total__ws_prod_cust (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), PRIMARY KEY (ws, prod, cust) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_up_total_rn__cust_rn (ws TIMESTAMP(3), cust STRING, up STRING, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (cust, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cp_total_rn__cp_rn (ws TIMESTAMP(3), cp STRING, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (cp, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_bp_total_rn__bp_rn (ws TIMESTAMP(3), bp BIGINT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (bp, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_sp_total_rn__sp_rn (ws TIMESTAMP(3), sp SMALLINT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (sp, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_total_rns__prod_rns (ws TIMESTAMP(3), prod INT, total DECIMAL(38,2), rns STRING, PRIMARY KEY (prod, rns) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_total_rni__prod_rni (ws TIMESTAMP(3), prod INT, total DECIMAL(38,2), rni INT, PRIMARY KEY (prod, rni) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_total_rn__prod_rn (ws TIMESTAMP(3), prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__cust_prod_rn (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (cust, prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_cust_prod_total_rn__prod_rn_ws (ws TIMESTAMP(3), cust STRING, prod INT, total DECIMAL(38,2), rn BIGINT, PRIMARY KEY (prod, rn, ws) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_o_id_prod_rn__prod_rn (ws TIMESTAMP(3), o_id BIGINT, prod INT, rn BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_o_id_prod_rn__rn_ws (ws TIMESTAMP(3), o_id BIGINT, prod INT, rn BIGINT, PRIMARY KEY (rn, ws) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_o_id_prod_rn__ws_prod (ws TIMESTAMP(3), o_id BIGINT, prod INT, rn BIGINT, PRIMARY KEY (ws, prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_o_id_prod_rn__prod (ws TIMESTAMP(3), o_id BIGINT, prod INT, rn BIGINT, PRIMARY KEY (prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn_total_cust__prod_rn (ws TIMESTAMP(3), prod INT, rn BIGINT, total DECIMAL(38,2), cust STRING, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn_total_cust__ws_prod_rn (ws TIMESTAMP(3), prod INT, rn BIGINT, total DECIMAL(38,2), cust STRING, PRIMARY KEY (ws, prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn__prod_rn (ws TIMESTAMP(3), prod INT, rn BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_prod_rn_o_id__prod_rn (prod INT, rn BIGINT, o_id BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_rn_o_id__ws_rn (ws TIMESTAMP(3), rn BIGINT, o_id BIGINT, PRIMARY KEY (ws, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn_o_id__prod_rn (ws TIMESTAMP(3), prod INT, rn BIGINT, o_id BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn_o_id__ws_prod (ws TIMESTAMP(3), prod INT, rn BIGINT, o_id BIGINT, PRIMARY KEY (ws, prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_up_rn_o_id__up_rn (ws TIMESTAMP(3), up STRING, rn BIGINT, o_id BIGINT, PRIMARY KEY (up, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_up_rn_o_id__ws_rn (ws TIMESTAMP(3), up STRING, rn BIGINT, o_id BIGINT, PRIMARY KEY (ws, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn_ts_o_id__prod_rn_ts (ws TIMESTAMP(3), prod INT, rn BIGINT, ts TIMESTAMP(3), o_id BIGINT, PRIMARY KEY (prod, rn, ts) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_rn__ws_rn (ws TIMESTAMP(3), prod INT, rn BIGINT, PRIMARY KEY (ws, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_cust_rn__rn (ws TIMESTAMP(3), prod INT, cust STRING, rn BIGINT, PRIMARY KEY (rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_cust_rn__ws_rn (ws TIMESTAMP(3), prod INT, cust STRING, rn BIGINT, PRIMARY KEY (ws, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_cust_rn__prod_rn (ws TIMESTAMP(3), prod INT, cust STRING, rn BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_cust_rn__ws_prod_rn (ws TIMESTAMP(3), prod INT, cust STRING, rn BIGINT, PRIMARY KEY (ws, prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_rn_o_id__rn (ws TIMESTAMP(3), rn BIGINT, o_id BIGINT, PRIMARY KEY (rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_prod_rn_n__prod_rn (prod INT, rn BIGINT, n BIGINT, PRIMARY KEY (prod, rn) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE TABLE s_ws_prod_cust_rn__prod (ws TIMESTAMP(3), prod INT, cust STRING, rn BIGINT, PRIMARY KEY (prod) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 't');
CREATE VIEW fr AS SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 1;
CREATE VIEW w AS SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE));
CREATE VIEW we AS SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE));

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__rn_cust SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__cust_prod_ws SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_cust_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, cust ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__cust_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, cust ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused changing-rows
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(SESSION(TABLE orders PARTITION BY cust, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused window-time
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused window-time
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 1;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 1;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 2;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn = 2;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn < 2;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn < 2;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn BETWEEN 2 AND 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn BETWEEN 2 AND 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3 AND rn > 1;

-- refused rank-range
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= prod;

-- refused rank-range
INSERT INTO s_ws_cust_prod_total_rn__prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= prod;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3 AND total > 5;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3 AND total > 5;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws_prod SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3 AND total > 5;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total__ws_prod SELECT window_start AS ws, cust, prod, total FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total__ws_prod_cust SELECT window_start AS ws, cust, prod, total FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_up_total_rn__cust_rn SELECT window_start AS ws, cust, UPPER(cust) AS up, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, cust ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cp_total_rn__cp_rn SELECT window_start AS ws, CAST(prod AS STRING) AS cp, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_bp_total_rn__bp_rn SELECT window_start AS ws, CAST(prod AS BIGINT) AS bp, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_sp_total_rn__sp_rn SELECT window_start AS ws, CAST(prod AS SMALLINT) AS sp, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_total_rns__prod_rns SELECT window_start AS ws, prod, total, CAST(rn AS STRING) AS rns FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_total_rni__prod_rni SELECT window_start AS ws, prod, total, CAST(rn AS INT) AS rni FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_total_rn__prod_rn SELECT window_start AS ws, prod, total, rn + 1 AS rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__cust_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, UPPER(cust) ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__cust_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, cust, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__cust_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, cust, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__ws_rn SELECT window_end AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_end ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_cust_prod_total_rn__prod_rn_ws SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_o_id_prod_rn__prod_rn SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__rn_ws SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__ws_prod SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__rn_ws SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- taken
INSERT INTO s_ws_o_id_prod_rn__prod_rn SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts, price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- taken
INSERT INTO s_ws_o_id_prod_rn__ws_prod SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts, price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__rn_ws SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts, price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- taken
INSERT INTO s_ws_o_id_prod_rn__prod_rn SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 2;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__ws_prod SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 2;

-- refused upsert-key
INSERT INTO s_ws_o_id_prod_rn__prod SELECT window_start AS ws, o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 2;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT TUMBLE_START(ts, INTERVAL '10' MINUTE) AS window_start, TUMBLE_END(ts, INTERVAL '10' MINUTE) AS window_end, cust, prod, SUM(price) AS total FROM orders GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE), cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_rn_total_cust__prod_rn SELECT a.ws, a.prod, a.rn, a.total, b.cust FROM (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) a JOIN (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) b ON a.prod = b.prod AND a.rn = b.rn;

-- taken
INSERT INTO s_ws_prod_rn_total_cust__ws_prod_rn SELECT a.ws, a.prod, a.rn, a.total, b.cust FROM (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) a JOIN (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) b ON a.prod = b.prod AND a.rn = b.rn;

-- refused upsert-key
INSERT INTO s_ws_prod_rn_total_cust__prod_rn SELECT a.ws, a.prod, a.rn, a.total, b.cust FROM (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) a LEFT JOIN (SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3) b ON a.prod = b.prod;

-- refused upsert-key
INSERT INTO s_ws_cust_prod_total_rn__ws_prod_rn SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3 UNION ALL SELECT window_start AS ws, cust, prod, total, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY total DESC) AS rn FROM (SELECT window_start, window_end, cust, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, cust, prod)) WHERE rn <= 3;

-- taken
INSERT INTO s_prod_rn_o_id__prod_rn SELECT prod, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod, 5 ORDER BY price DESC) AS rn FROM (SELECT * FROM orders)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_rn_o_id__ws_rn SELECT window_start AS ws, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_rn_o_id__prod_rn SELECT window_start AS ws, prod, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time, prod ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_rn_o_id__ws_prod SELECT window_start AS ws, prod, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time, prod ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_up_rn_o_id__up_rn SELECT window_start AS ws, up, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, up ORDER BY price DESC) AS rn FROM (SELECT *, UPPER(cust) AS up FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_up_rn_o_id__ws_rn SELECT window_start AS ws, up, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, up ORDER BY price DESC) AS rn FROM (SELECT *, UPPER(cust) AS up FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_rn_ts_o_id__prod_rn_ts SELECT window_start AS ws, prod, rn, ts, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod, ts ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_rn__prod_rn SELECT w AS ws, p AS prod, r AS rn FROM (SELECT window_start AS w, window_end AS e, prod AS p, cust, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS r FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE r <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_rn__ws_rn SELECT w AS ws, p AS prod, r AS rn FROM (SELECT window_start AS w, window_end AS e, prod AS p, cust, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS r FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE r <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__ws_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_cust_rn__rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- refused upsert-key
INSERT INTO s_ws_prod_cust_rn__ws_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq <= 3)) WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a JOIN (SELECT prod, COUNT(*) AS m FROM orders GROUP BY prod) b ON a.prod = b.prod WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__ws_prod_rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a JOIN (SELECT prod, COUNT(*) AS m FROM orders GROUP BY prod) b ON a.prod = b.prod WHERE rn <= 3;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a WHERE rn <= 3 AND a.prod IN (SELECT qty FROM orders);

-- taken
INSERT INTO s_ws_prod_cust_rn__ws_prod_rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a WHERE rn <= 3 AND a.prod IN (SELECT qty FROM orders);

-- refused upsert-key
INSERT INTO s_ws_prod_cust_rn__rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a WHERE rn <= 3 AND prod = 3;

-- taken
INSERT INTO s_ws_rn_o_id__rn SELECT window_start AS ws, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn = 1;

-- taken
INSERT INTO s_ws_rn_o_id__ws_rn SELECT window_start AS ws, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_rn_o_id__ws_prod SELECT window_start AS ws, prod, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, window_time, prod ORDER BY price DESC) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn = 1;

-- refused upsert-key
INSERT INTO s_ws_up_rn_o_id__ws_rn SELECT window_start AS ws, up, rn, o_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, up ORDER BY price DESC) AS rn FROM (SELECT *, UPPER(cust) AS up FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)))) WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_cust_rn__ws_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq = 1)) WHERE rn = 1;

-- refused upsert-key
INSERT INTO s_ws_prod_cust_rn__ws_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq = 1)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, prod, cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rq FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rq = 1)) WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a JOIN (SELECT prod, COUNT(*) AS m FROM orders GROUP BY prod) b ON a.prod = b.prod WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod_rn SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a JOIN (SELECT prod, COUNT(*) AS m FROM orders GROUP BY prod) b ON a.prod = b.prod WHERE rn = 1;

-- taken
INSERT INTO s_ws_prod_cust_rn__prod SELECT window_start AS ws, a.prod, a.cust, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) a WHERE rn = 1 AND a.prod IN (SELECT qty FROM orders);

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE))) WHERE rn <= 3;

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY pt) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY window_time) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE))) WHERE rn <= 1;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= qty;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= prod;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn <= prod;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn <= qty;

-- refused rank-range
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY ts) AS rn FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= prod;

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total) AS rn FROM (SELECT window_start, window_end, prod, SUM(price) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, prod)) WHERE rn <= 3;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price DESC, o_id) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price DESC, o_id DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price, o_id DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn <= 1;

-- taken
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn < 2;

-- refused append-only-sink
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn <= 2;

-- refused append-only-sink
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 2;

-- taken
INSERT INTO kf SELECT o_id, prod, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY price) AS rn FROM orders) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY ts DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY ts DESC, o_id) AS rn FROM orders) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY pt DESC) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY pt DESC, o_id) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY CHAR_LENGTH(cust)) AS rn FROM orders) WHERE rn = 1;

-- refused over-order
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY 1) AS rn FROM orders) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT COUNT(*), prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 1 GROUP BY prod;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY qty ORDER BY o_id) AS rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rq FROM orders) WHERE rq = 1) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT n, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY n) AS rn FROM (SELECT prod, qty, COUNT(*) AS n FROM orders GROUP BY prod, qty)) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT a.o_id, a.prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) a JOIN orders b ON a.o_id = b.o_id WHERE rn = 1;

-- refused append-only-sink
INSERT INTO kf SELECT b.o_id, b.prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) a LEFT JOIN orders b ON a.o_id = b.o_id WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 1 UNION ALL SELECT o_id, prod, 2 FROM orders;

-- taken
SELECT prod, COUNT(*) OVER (PARTITION BY prod ORDER BY ts) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY price) AS rn FROM orders) WHERE rn = 1;

-- taken
SELECT prod, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY prod, window_start, window_end;

-- taken
SELECT prod, COUNT(*) FROM TABLE(TUMBLE(TABLE fr, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY prod, window_start, window_end;

-- taken
SELECT a.o_id FROM fr a JOIN orders b ON a.prod = b.prod AND a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts;

-- taken
SELECT * FROM fr MATCH_RECOGNIZE (ORDER BY ts MEASURES A.o_id AS x PATTERN (A B) DEFINE B AS B.qty > A.qty);

-- taken
SELECT * FROM fr ORDER BY ts;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY ts) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY pt) AS rn FROM orders) WHERE rn = 1;

-- taken
INSERT INTO kf SELECT o_id, prod, 1 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY prod ORDER BY ts, o_id) AS rn FROM orders) WHERE rn = 1;

-- refused window-time
SELECT a.o_id FROM w a JOIN w b ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.prod = b.prod;

-- taken
SELECT a.o_id FROM we a JOIN we b ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.prod = b.prod;

-- refused window-time
SELECT o_id FROM w a WHERE prod IN (SELECT prod FROM w b WHERE a.window_start = b.window_start AND a.window_end = b.window_end);

-- taken
SELECT o_id FROM we a WHERE prod IN (SELECT prod FROM we b WHERE a.window_start = b.window_start AND a.window_end = b.window_end);

-- taken
SELECT prod, COUNT(*) FROM w GROUP BY window_start, window_end, prod;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM we) WHERE rn <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM we) WHERE rn >= 2 AND rn <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM we) WHERE rn <= 3 AND rn <= qty;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price) AS rn FROM we) WHERE rn <= 3 AND rn <> 2;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, prod ORDER BY price) AS rn FROM w) WHERE rn <= 3;

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n) AS rn FROM (SELECT prod, window_start, window_end, window_time AS wt, COUNT(*) AS n FROM w GROUP BY window_start, window_end, window_time, prod)) WHERE rn <= 3;

-- taken
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE((SELECT prod, window_time AS wt FROM w GROUP BY window_start, window_end, window_time, prod), DESCRIPTOR(wt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(SESSION(TABLE orders PARTITION BY prod, DESCRIPTOR(pt), INTERVAL '10' MINUTE))) WHERE rn <= 3;

-- taken
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, prod ORDER BY price DESC) AS rn FROM TABLE(SESSION(TABLE orders PARTITION BY prod, DESCRIPTOR(ts), INTERVAL '10' MINUTE))) WHERE rn <= 3;
