-- Time attributes that joins, unions, groups and expressions keep or lose (Flink 2.3).
CREATE TABLE pings (id INT, host STRING, lag_ms BIGINT, load_avg DOUBLE, ok BOOLEAN, tag STRING, at_time TIMESTAMP(3), seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '3' SECOND) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE jumps (id INT, host STRING, n INT, noted TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR noted AS noted) WITH ('connector'='kafka','topic'='j','format'='json');
CREATE TABLE zoned (id INT, host STRING, z TIMESTAMP_LTZ(3), WATERMARK FOR z AS z) WITH ('connector'='kafka','topic'='z','format'='json');
CREATE TABLE hosts (host STRING, owner STRING, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (host) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='h');
CREATE TABLE dim (id INT, host STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE plain (id INT, host STRING, at_time TIMESTAMP(3)) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE appended (id INT, n BIGINT) WITH ('connector'='kafka','topic'='a','format'='json');
CREATE TABLE log_out (id INT, n BIGINT) WITH ('connector'='print');
CREATE TABLE plainz (id INT, z TIMESTAMP_LTZ(3)) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE nn (id INT, at_time TIMESTAMP(3) NOT NULL, WATERMARK FOR at_time AS at_time) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE arrs (id INT, xs ARRAY<INT>, at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time) WITH ('connector'='kafka','topic'='p','format'='json');
CREATE TABLE cdc (id INT NOT NULL, host STRING, v INT, at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='mysql-cdc');
CREATE VIEW wp AS SELECT id, host, at_time, window_start AS ws, window_end AS we, window_time AS wt FROM TABLE(TUMBLE(TABLE pings, DESCRIPTOR(at_time), INTERVAL '1' MINUTE));
CREATE VIEW wj AS SELECT id, window_start AS ws, window_end AS we, window_time AS wt FROM TABLE(TUMBLE(TABLE jumps, DESCRIPTOR(noted), INTERVAL '1' MINUTE));

-- taken
CREATE VIEW v AS SELECT id, host, z AS at_time FROM zoned UNION ALL SELECT id, host, pt FROM jumps; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, host, at_time FROM pings UNION ALL SELECT id, host, at_time FROM plain; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, host, at_time FROM pings UNION ALL SELECT id, host, at_time FROM plain; SELECT id FROM v ORDER BY at_time;

-- taken
CREATE VIEW v AS SELECT p.* FROM pings p JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN (SELECT DISTINCT id FROM jumps) j ON p.id = j.id; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- taken
CREATE VIEW v AS SELECT id, host, at_time FROM pings GROUP BY id, host, at_time; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT id, host, COALESCE(at_time, at_time) AS at_time FROM pings; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM jumps j LEFT JOIN pings p ON p.id = j.id; SELECT v.id FROM v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS h ON v.host = h.host;

-- taken
CREATE VIEW v AS SELECT id, host, at_time FROM pings UNION ALL SELECT id, host, at_time FROM plain; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT id, host, LAG(at_time) OVER (PARTITION BY id ORDER BY at_time) AS at_time FROM pings; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN dim d ON p.id = d.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time, c FROM pings p LEFT JOIN (SELECT id, COUNT(*) AS c FROM jumps GROUP BY id) j ON p.id = j.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, at_time FROM pings UNION ALL SELECT id, CAST(NULL AS TIMESTAMP(3)) AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, z AS at_time FROM zoned UNION ALL SELECT id, seen AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, at_time FROM nn UNION ALL SELECT id, CAST(NULL AS TIMESTAMP(3)) AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, at_time FROM pings UNION ALL SELECT id, at_time FROM plain UNION ALL SELECT id, at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, host, CASE WHEN ok THEN at_time END AS at_time FROM pings; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT id, host, IF(ok, at_time, at_time) AS at_time FROM pings; SELECT v.id FROM v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS h ON v.host = h.host;

-- taken
CREATE VIEW v AS SELECT id, host, at_time - INTERVAL '1' HOUR AS at_time FROM pings; SELECT v.id FROM v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS h ON v.host = h.host;

-- taken
CREATE VIEW v AS SELECT id, host, GREATEST(at_time, at_time) AS at_time FROM pings; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT id, host, CAST(seen AS TIMESTAMP(3)) AS at_time FROM pings; SELECT id FROM v ORDER BY at_time;

-- taken
CREATE VIEW v AS SELECT id, host, ARRAY[at_time][1] AS at_time FROM pings; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.wt AS at_time FROM wp p JOIN wj j ON p.id = j.id AND p.ws = j.ws AND p.we = j.we; SELECT v.id FROM v JOIN hosts FOR SYSTEM_TIME AS OF v.at_time AS h ON v.host = h.host;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM wp p JOIN wj j ON p.id = j.id AND p.ws = j.ws AND p.we = j.we; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM wp p JOIN wj j ON p.id = j.id AND p.ws = j.ws AND p.we = j.we; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.wt AS at_time FROM wp p JOIN dim j ON p.id = j.id; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
CREATE VIEW v AS SELECT * FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, host, seen AS at_time FROM pings UNION ALL SELECT id, host, pt FROM jumps; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time = j.noted; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- taken
CREATE VIEW v AS SELECT id, host, at_time FROM pings LIMIT 10; SELECT v.id FROM v, jumps j WHERE v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- taken
CREATE VIEW v AS SELECT id, host, CURRENT_TIMESTAMP AS at_time FROM pings; SELECT v.id FROM v, jumps j WHERE v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p LEFT JOIN jumps j ON p.id = j.id AND p.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- taken
CREATE VIEW v AS SELECT * FROM pings WHERE EXISTS (VALUES 1); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT id, at_time FROM nn UNION ALL SELECT id, z AS at_time FROM plainz; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p, LATERAL (SELECT n FROM jumps j WHERE j.id = p.id AND p.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR) x; SELECT COUNT(*) FROM v GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- refused window-time
CREATE VIEW v AS SELECT * FROM pings WHERE id IN (SELECT id FROM jumps); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused pattern
CREATE VIEW v AS SELECT * FROM pings WHERE id IN (SELECT id FROM jumps); SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused over-order
CREATE VIEW v AS SELECT * FROM pings WHERE id NOT IN (SELECT id FROM jumps); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT * FROM pings WHERE EXISTS (SELECT 1 FROM jumps j WHERE j.id = pings.id); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT * FROM pings WHERE EXISTS (SELECT 1 FROM jumps j WHERE j.id = pings.id AND pings.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT * FROM pings WHERE EXISTS (SELECT 1 FROM jumps); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT * FROM pings WHERE id > (SELECT MAX(id) FROM jumps); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused changing-rows
CREATE VIEW v AS SELECT id, host, at_time, (SELECT MAX(id) FROM jumps) AS mx FROM pings; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT * FROM pings WHERE id = ANY (SELECT id FROM jumps); SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT * FROM pings WHERE id IN (SELECT id FROM jumps) OR id = 3; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT id, host, at_time FROM pings UNION SELECT id, host, noted FROM jumps; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT id, host, at_time FROM pings INTERSECT SELECT id, host, noted FROM jumps; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT id, host, at_time FROM pings EXCEPT SELECT id, host, noted FROM jumps; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused over-order
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time > j.noted; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p CROSS JOIN UNNEST(ARRAY[1,2]) AS x (e); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused changing-rows
CREATE VIEW v AS SELECT id, host, at_time FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at_time DESC) AS rn FROM pings) WHERE rn = 1; SELECT v.id FROM v, jumps j WHERE v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- refused changing-rows
CREATE VIEW v AS SELECT id, host, at_time FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY lag_ms) AS rn FROM pings) WHERE rn <= 3; SELECT v.id FROM v, jumps j WHERE v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- refused changing-rows
CREATE VIEW v AS SELECT id, host, at_time FROM pings ORDER BY lag_ms LIMIT 10; SELECT v.id FROM v, jumps j WHERE v.id = j.id AND v.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR;

-- refused changing-rows
CREATE VIEW v AS SELECT id, host, PROCTIME() AS at_time FROM (SELECT id, host, COUNT(*) AS n FROM pings GROUP BY id, host); SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused pattern
CREATE VIEW v AS SELECT * FROM pings MATCH_RECOGNIZE (PARTITION BY id ORDER BY at_time MEASURES A.host AS host, A.at_time AS at_time PATTERN (A B) DEFINE B AS B.id > A.id) AS m; SELECT * FROM v MATCH_RECOGNIZE (ORDER BY at_time MEASURES A.id AS x PATTERN (A B) DEFINE B AS B.id > A.id) AS m;

-- refused over-order
CREATE VIEW v AS SELECT a.id, a.host, a.window_time AS at_time FROM (SELECT * FROM TABLE(TUMBLE(TABLE pings, DESCRIPTOR(at_time), INTERVAL '1' MINUTE))) a JOIN (SELECT * FROM TABLE(TUMBLE(TABLE jumps, DESCRIPTOR(noted), INTERVAL '1' MINUTE))) b ON a.id = b.id AND a.window_start = b.window_start; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT * FROM (SELECT * FROM pings WHERE id IN (SELECT id FROM jumps)); SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused over-order
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p, LATERAL (SELECT n FROM jumps j WHERE j.id = p.id) x; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused window-time
CREATE VIEW v AS SELECT * FROM pings WHERE id > (SELECT 1); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT * FROM pings WHERE (SELECT COUNT(*) FROM jumps) > 0; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time BETWEEN j.noted AND p.at_time; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND p.at_time > j.noted AND p.at_time > j.noted - INTERVAL '1' HOUR; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p JOIN jumps j ON p.id = j.id AND CAST(p.at_time AS DATE) = CAST(j.noted AS DATE); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p, LATERAL (SELECT n FROM jumps j WHERE j.id = p.id AND p.at_time BETWEEN j.noted AND j.noted + INTERVAL '1' HOUR) x; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p, LATERAL (SELECT MAX(n) FROM jumps j WHERE j.id = p.id) x; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, host, at_time FROM pings WHERE host IN (SELECT host FROM hosts); SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT a.id, a.host, a.at_time FROM pings a JOIN jumps b ON a.id = b.id AND a.at_time = b.noted + INTERVAL '1' SECOND; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, host, at_time FROM plain UNION ALL SELECT id, host, at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, host, at_time + INTERVAL '1' HOUR AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused over-order
CREATE VIEW v AS SELECT p.id, p.host, p.at_time FROM pings p CROSS JOIN jumps j; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused sort
CREATE VIEW v AS SELECT id, host, CURRENT_TIMESTAMP AS at_time FROM pings; SELECT id FROM v ORDER BY at_time;

-- refused window-time
CREATE VIEW v AS SELECT id, host, (SELECT MAX(noted) FROM jumps) AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, at_time FROM plain UNION ALL SELECT id, at_time FROM pings GROUP BY id, at_time; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-time
CREATE VIEW v AS SELECT id, at_time FROM pings GROUP BY id, at_time UNION ALL SELECT p.id, p.at_time FROM pings p JOIN jumps j ON p.id = j.id; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused over-order
CREATE VIEW v AS SELECT id, host, IF(ok, at_time, at_time) AS at_time FROM pings; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;

-- refused window-time
CREATE VIEW v AS SELECT id, host, IFNULL(at_time, at_time) AS at_time FROM pings; SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused over-order
CREATE VIEW v AS SELECT id, host, LOCALTIMESTAMP AS at_time FROM pings; SELECT id, COUNT(*) OVER (PARTITION BY id ORDER BY at_time RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM v;
