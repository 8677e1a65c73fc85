-- Bounds of joins on time, and rows that change in front of what goes by time (Flink 2.3).
CREATE TABLE pings (id INT, host STRING, lag_ms BIGINT, load_avg DOUBLE, ok BOOLEAN, tag STRING, at_time TIMESTAMP(3), seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '3' SECOND) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE jumps (id INT, host STRING, n INT, noted TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR noted AS noted) WITH ('connector'='kafka','topic'='j','format'='json');
CREATE TABLE zoned (id INT, host STRING, z TIMESTAMP_LTZ(3), WATERMARK FOR z AS z) WITH ('connector'='kafka','topic'='z','format'='json');
CREATE TABLE hosts (host STRING, owner STRING, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (host) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='h');
CREATE TABLE dim (id INT, host STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE plain (id INT, host STRING, at_time TIMESTAMP(3)) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE appended (id INT, n BIGINT) WITH ('connector'='kafka','topic'='a','format'='json');
CREATE TABLE log_out (id INT, n BIGINT) WITH ('connector'='print');
CREATE TABLE cdc (id INT NOT NULL, host STRING, v INT, at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='mysql-cdc');
CREATE VIEW topn AS SELECT id, host, at_time, seen FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY lag_ms) AS rn FROM pings) WHERE rn <= 3;
CREATE VIEW lastrow AS SELECT id, host, at_time, seen FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at_time DESC) AS rn FROM pings) WHERE rn = 1;
CREATE VIEW firstrow AS SELECT id, host, at_time, seen FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at_time) AS rn FROM pings) WHERE rn = 1;
CREATE VIEW firstproc AS SELECT id, host, at_time, seen FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY seen) AS rn FROM pings) WHERE rn = 1;
CREATE VIEW lim AS SELECT * FROM pings ORDER BY lag_ms LIMIT 10;
CREATE VIEW lim2 AS SELECT * FROM pings LIMIT 10;
CREATE VIEW agg AS SELECT id, host, PROCTIME() AS seen, MAX(at_time) AS at_time FROM pings GROUP BY id, host;
CREATE VIEW uni AS SELECT id, host, at_time FROM topn UNION ALL SELECT id, host, at_time FROM pings;
CREATE VIEW leftd AS SELECT p.id, p.host, p.at_time, PROCTIME() AS seen, d.v FROM pings p LEFT JOIN dim d ON p.id = d.id;
CREATE TABLE plainz (id INT, z TIMESTAMP_LTZ(3)) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE nn (id INT, at_time TIMESTAMP(3) NOT NULL, WATERMARK FOR at_time AS at_time) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE arrs (id INT, xs ARRAY<INT>, at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time) WITH ('connector'='kafka','topic'='p','format'='json');

-- taken
SELECT v.id FROM agg v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS d ON v.host = d.host;

-- taken
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM leftd;

-- taken
SELECT id FROM leftd ORDER BY at_time;

-- taken
SELECT v.id FROM leftd v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS d ON v.host = d.host;

-- taken
INSERT INTO appended SELECT id, 1 FROM leftd;

-- taken
INSERT INTO appended SELECT p.id, 1 FROM pings p LEFT JOIN dim d ON p.id = d.id;

-- taken
INSERT INTO appended SELECT p.id, 1 FROM dim d RIGHT JOIN pings p ON p.id = d.id;

-- taken
INSERT INTO appended SELECT p.id, 1 FROM pings p LEFT JOIN (SELECT id, MAX(host) AS host FROM jumps GROUP BY id) d ON p.id = d.id;

-- taken
INSERT INTO appended SELECT id, 1 FROM (SELECT p.id, (SELECT MAX(id) FROM jumps) AS m FROM pings p);

-- taken
INSERT INTO appended SELECT id, 1 FROM (SELECT p.id, (SELECT COUNT(*) FROM jumps j WHERE j.id = p.id) AS m FROM pings p);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN jumps j ON p.id = j.id; SELECT v.id FROM v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS h ON v.host = h.host;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.seen AS at_time FROM pings p JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT * FROM (SELECT p.id, p.host, p.at_time, j.noted FROM pings p JOIN jumps j ON p.id = j.id) WHERE at_time BETWEEN noted AND noted + INTERVAL '1' HOUR; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, z AS at_time FROM zoned UNION ALL SELECT p.id, p.seen AS at_time FROM pings p JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT p.id, p.seen AS at_time FROM pings p JOIN jumps j ON p.id = j.id UNION ALL SELECT id, z AS at_time FROM zoned; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT p.id, p.seen AS at_time FROM pings p JOIN jumps j ON p.id = j.id UNION ALL SELECT id, z AS at_time FROM plainz; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT v.id FROM topn v JOIN dim FOR SYSTEM_TIME AS OF v.seen AS d ON v.id = d.id;

-- taken
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM firstrow;

-- taken
SELECT id FROM firstproc ORDER BY at_time;

-- taken
SELECT * FROM TABLE(TUMBLE(TABLE lim, DESCRIPTOR(seen), INTERVAL '1' HOUR));

-- taken
SELECT COUNT(*) FROM lim2 GROUP BY HOP(seen, INTERVAL '1' MINUTE, INTERVAL '1' HOUR);

-- taken
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time) FROM leftd;

-- taken
INSERT INTO appended SELECT id, 1 FROM pings WHERE id IN (SELECT id FROM jumps);

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time) FROM topn;

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM topn;

-- refused changing-rows
SELECT id FROM topn ORDER BY seen;

-- refused changing-rows
SELECT * FROM topn MATCH_RECOGNIZE (ORDER BY seen MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY seen) FROM lastrow;

-- refused changing-rows
SELECT id FROM lastrow ORDER BY at_time;

-- refused changing-rows
SELECT v.id FROM lastrow v JOIN jumps j ON v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time) FROM lim;

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM lim;

-- refused changing-rows
SELECT id FROM lim ORDER BY seen;

-- refused changing-rows
SELECT * FROM lim MATCH_RECOGNIZE (ORDER BY seen MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused changing-rows
SELECT id FROM agg ORDER BY seen;

-- refused changing-rows
SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time) FROM uni;

-- refused changing-rows
SELECT id FROM uni ORDER BY at_time;

-- refused changing-rows
SELECT * FROM uni MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused append-only-sink
INSERT INTO appended SELECT a.id, a.lag_ms FROM pings a LEFT JOIN jumps b ON a.id = b.id AND a.at_time <= b.noted;

-- refused append-only-sink
INSERT INTO appended SELECT a.id, a.lag_ms FROM pings a LEFT JOIN jumps b ON a.id = b.id AND ABS(a.id) < b.id AND a.at_time > b.noted;

-- refused append-only-sink
INSERT INTO appended SELECT a.id, a.lag_ms FROM pings a LEFT JOIN jumps b ON a.id = b.id AND a.seen > b.pt;

-- refused append-only-sink
INSERT INTO appended SELECT a.id, a.lag_ms FROM pings a LEFT JOIN jumps b ON a.id = b.id AND TIMESTAMPDIFF(SECOND, a.at_time, b.noted) < 5;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR JOIN dim d ON p.id = d.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time > j.noted AND p.at_time <> j.noted; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time > j.noted AND j.noted < p.at_time + INTERVAL '1' HOUR; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND CAST(p.at_time AS DATE) = CAST(j.noted AS DATE); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused append-only-sink
INSERT INTO appended SELECT id, 1 FROM topn;

-- refused temporal-table
SELECT v.id FROM uni v JOIN dim FOR SYSTEM_TIME AS OF v.at_time AS d ON v.id = d.id;

-- refused temporal-table
SELECT v.id FROM cdc v JOIN dim FOR SYSTEM_TIME AS OF v.at_time AS d ON v.id = d.id;

-- refused append-only-sink
INSERT INTO appended SELECT p.id, (SELECT MAX(id) FROM jumps) FROM pings p;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id JOIN dim d ON p.id = d.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, z AS at_time FROM plainz UNION ALL SELECT p.id, p.seen AS at_time FROM pings p JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.at_time FROM pings p JOIN jumps j ON p.id = j.id UNION ALL SELECT id, at_time FROM pings GROUP BY id, at_time; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
