-- Types, keys and order of the columns that an INSERT fills (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE sink_dt (a DATE) WITH ('connector'='print');
CREATE TABLE sink_tm (a TIME) WITH ('connector'='print');
CREATE TABLE sink_c3 (a CHAR(3)) WITH ('connector'='print');
CREATE TABLE sink_v3 (a VARCHAR(3)) WITH ('connector'='print');
CREATE TABLE sink_s (a STRING) WITH ('connector'='print');
CREATE TABLE sink_b3 (a BINARY(3)) WITH ('connector'='print');
CREATE TABLE sink_vb3 (a VARBINARY(3)) WITH ('connector'='print');
CREATE TABLE sink_ts (a TIMESTAMP(3)) WITH ('connector'='print');
CREATE TABLE sink_t6 (a TIMESTAMP(6)) WITH ('connector'='print');
CREATE TABLE sink_z (a TIMESTAMP_LTZ(3)) WITH ('connector'='print');
CREATE TABLE sink_d2 (a DECIMAL(4, 1)) WITH ('connector'='print');
CREATE TABLE sink_nn (a INT NOT NULL) WITH ('connector'='print');
CREATE TABLE sink_row (a ROW<p INT, q STRING>) WITH ('connector'='print');
CREATE TABLE sink_rowb (a ROW<p BIGINT, q VARCHAR(3)>) WITH ('connector'='print');
CREATE TABLE sink_rownn (a ROW<p INT NOT NULL, q STRING>) WITH ('connector'='print');
CREATE TABLE sink_arr (a ARRAY<BIGINT>) WITH ('connector'='print');
CREATE TABLE sink_ac (a ARRAY<CHAR(3)>) WITH ('connector'='print');
CREATE TABLE sink_as (a ARRAY<STRING>) WITH ('connector'='print');
CREATE TABLE sink_ann (a ARRAY<INT NOT NULL>) WITH ('connector'='print');
CREATE TABLE sink_mp (a MAP<STRING, BIGINT>) WITH ('connector'='print');
CREATE TABLE sink_mpi (a MAP<INT, INT>) WITH ('connector'='print');
CREATE TABLE src (c3 CHAR(3), c5 CHAR(5), v3 VARCHAR(3), v5 VARCHAR(5), b3 BINARY(3), b5 BINARY(5), vb5 VARBINARY(5), nn INT NOT NULL, ra ROW<p INT, q STRING>, rr ROW<x INT, y STRING>, r3 ROW<x INT, y STRING, z INT>, ann ARRAY<INT NOT NULL>, aas ARRAY<STRING>, d2 DECIMAL(4, 2), t9 TIMESTAMP(9), ml MULTISET<STRING>, fl FLOAT, ti TINYINT) WITH ('connector'='kafka');
CREATE TABLE p1 (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE pk (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE p2 (id INT, k STRING, n BIGINT, PRIMARY KEY (id, k) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE dim (id INT, k STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE ver (id INT, k STRING, v BIGINT, t TIMESTAMP(3), WATERMARK FOR t AS t, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE VIEW agg AS SELECT txt AS k, COUNT(*) AS n FROM gauges GROUP BY txt;
CREATE VIEW agg2 AS SELECT id, txt AS k, COUNT(*) AS n FROM gauges GROUP BY id, txt;
CREATE VIEW lastc AS SELECT id, txt AS k, big AS v, PROCTIME() AS pt, at_time FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at_time DESC) AS rn FROM gauges) WHERE rn = 1;
CREATE TABLE routes (id INT, leg ROW<from_stop STRING, mins INT, Extra ROW<Code STRING>>, tags ARRAY<STRING>, price DECIMAL(8,2), at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), flag BOOLEAN, note VARCHAR(20), code CHAR(2), m MAP<STRING, ARRAY<INT>>, seen AS PROCTIME(), WATERMARK FOR z AS z - INTERVAL '1' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE ev (id INT, user_id BIGINT, kind STRING, ts TIMESTAMP(3), d DATE, amount DOUBLE, pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','format'='json');
CREATE TABLE ev2 (id INT, user_id BIGINT, kind STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','format'='json');
CREATE TABLE wide (id INT, kind STRING, n BIGINT, w TIMESTAMP(3), x DOUBLE) WITH ('connector'='print');
CREATE TABLE upw (id INT, w TIMESTAMP(3), n BIGINT, PRIMARY KEY (id, w) NOT ENFORCED) WITH ('connector'='upsert-kafka');

-- taken
INSERT INTO upw SELECT id, TUMBLE_END(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, TUMBLE_PROCTIME(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, HOP_END(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, HOP_ROWTIME(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, HOP_PROCTIME(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, SESSION_END(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, SESSION(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, SESSION_ROWTIME(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, SESSION(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, SESSION_PROCTIME(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, SESSION(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, TUMBLE_END(pt, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY id, TUMBLE(pt, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT MAX(id), TUMBLE_END(ts, INTERVAL '1' HOUR), COUNT(*) FROM ev GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
INSERT INTO upw SELECT id, w, n FROM (SELECT id, TUMBLE_END(ts, INTERVAL '1' HOUR) AS w, COUNT(*) AS n FROM ev GROUP BY id, TUMBLE(ts, INTERVAL '1' HOUR)) WHERE n > 3;

-- taken
INSERT INTO sink_dt SELECT dy FROM gauges;

-- taken
INSERT INTO sink_dt SELECT t9 FROM src;

-- taken
INSERT INTO sink_c3 SELECT c5 FROM src;

-- taken
INSERT INTO sink_v3 SELECT c3 FROM src;

-- taken
INSERT INTO sink_v3 SELECT 'abcde' FROM gauges;

-- taken
INSERT INTO sink_b3 SELECT b3 FROM src;

-- taken
INSERT INTO sink_vb3 SELECT vb5 FROM src;

-- taken
INSERT INTO sink_ts SELECT CURRENT_TIMESTAMP FROM gauges;

-- taken
INSERT INTO sink_z SELECT at_time FROM gauges;

-- taken
INSERT INTO sink_d2 SELECT d2 FROM src;

-- taken
INSERT INTO sink_d2 SELECT big FROM gauges;

-- taken
INSERT INTO sink_row SELECT ra FROM src;

-- taken
INSERT INTO sink_rownn SELECT rr FROM src;

-- taken
INSERT INTO sink_ann SELECT ann FROM src;

-- taken
INSERT INTO sink_rowb SELECT ROW(id, txt) FROM gauges;

-- taken
INSERT INTO sink_ac SELECT ARRAY['abc'] FROM gauges;

-- taken
INSERT INTO sink_c3 SELECT CASE WHEN ok THEN 'abc' END FROM gauges;

-- taken
INSERT INTO sink_b3 SELECT x'010203' FROM gauges;

-- taken
INSERT INTO keyed (id) SELECT id FROM gauges GROUP BY id;

-- taken
INSERT INTO pk SELECT k, n FROM agg WHERE k > 'x';

-- taken
INSERT INTO p2 SELECT id, txt, COUNT(*) FROM gauges WHERE id = 5 GROUP BY id, txt;

-- taken
INSERT INTO p1 SELECT l.id, d.v FROM lastc l JOIN ver FOR SYSTEM_TIME AS OF l.at_time AS d ON l.id = d.id;

-- taken
INSERT INTO pk SELECT k, n FROM agg ORDER BY k LIMIT 1;

-- taken
INSERT INTO p1 SELECT id, COUNT(*) FROM (SELECT g.id, x.e FROM gauges g CROSS JOIN UNNEST(arr) AS x (e)) GROUP BY id;

-- refused sink-type
INSERT INTO sink_dt SELECT z FROM gauges;

-- refused sink-type
INSERT INTO sink_dt SELECT seen FROM gauges;

-- refused sink-type
INSERT INTO sink_tm SELECT z FROM gauges;

-- refused sink-type
INSERT INTO sink_tm SELECT CURRENT_TIMESTAMP FROM gauges;

-- refused sink-type
INSERT INTO sink_c3 SELECT v3 FROM src;

-- refused sink-type
INSERT INTO sink_c3 SELECT v5 FROM src;

-- refused sink-type
INSERT INTO sink_b3 SELECT vb5 FROM src;

-- refused sink-type
INSERT INTO sink_ac SELECT aas FROM src;

-- refused sink-type
INSERT INTO sink_c3 SELECT CASE WHEN ok THEN 'abc' ELSE 'ab' END FROM gauges;

-- refused sink-type
INSERT INTO sink_c3 VALUES ('abc'), ('a');

-- refused sink-type
INSERT INTO sink_c3 SELECT v3 FROM src UNION ALL SELECT c3 FROM src;

-- refused sink-type
INSERT INTO sink_b3 SELECT CAST(bits AS VARBINARY(3)) FROM gauges;

-- refused sink-type
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'; INSERT INTO sink_b3 SELECT bits FROM gauges;

-- refused insert-columns
CREATE TABLE k3 LIKE keyed (EXCLUDING CONSTRAINTS); INSERT INTO k3 (txt, v) SELECT txt, big FROM gauges;

-- refused upsert-key
INSERT INTO pk SELECT k, n FROM agg ORDER BY n DESC LIMIT 10;

-- refused upsert-key
INSERT INTO p2 SELECT id, txt, COUNT(*) FROM gauges GROUP BY GROUPING SETS ((id, txt), (id));

-- refused upsert-key
INSERT INTO p2 SELECT id, txt, COUNT(*) FROM gauges GROUP BY CUBE (id, txt);

-- refused upsert-key
INSERT INTO p1 SELECT g.id, d.v FROM gauges g JOIN dim FOR SYSTEM_TIME AS OF g.seen AS d ON g.id = d.id;

-- refused upsert-key
INSERT INTO p1 SELECT g.id, g.big FROM gauges g JOIN dim FOR SYSTEM_TIME AS OF g.seen AS d ON g.id = d.id;

-- refused upsert-key
INSERT INTO p1 SELECT g.id, d.v FROM gauges g JOIN dim FOR SYSTEM_TIME AS OF g.seen AS d ON g.txt = d.k;

-- refused upsert-key
INSERT INTO p1 SELECT g.id, d.v FROM gauges g JOIN ver FOR SYSTEM_TIME AS OF g.at_time AS d ON g.id = d.id;

-- refused upsert-key
INSERT INTO p1 SELECT g.id, d.v FROM gauges g LEFT JOIN ver FOR SYSTEM_TIME AS OF g.at_time AS d ON g.id = d.id;

-- refused upsert-key
INSERT INTO pk SELECT k, n FROM agg ORDER BY n LIMIT 10;

-- refused upsert-key
INSERT INTO pk SELECT k, n FROM agg ORDER BY n LIMIT 1;

-- refused upsert-key
INSERT INTO pk SELECT k, n FROM agg ORDER BY n, k LIMIT 10;

-- refused upsert-key
INSERT INTO p2 SELECT id, k, n FROM agg2 ORDER BY n DESC LIMIT 10;

-- refused upsert-key
INSERT INTO p1 SELECT id, v FROM dim ORDER BY v DESC LIMIT 10;

-- refused upsert-key
INSERT INTO p1 SELECT id, v FROM ver ORDER BY v DESC LIMIT 10;

-- refused upsert-key
INSERT INTO pk SELECT k, n FROM agg ORDER BY n DESC LIMIT 10 OFFSET 2;

-- refused upsert-key
INSERT INTO p2 SELECT id, txt, COUNT(*) FROM gauges GROUP BY id, ROLLUP (txt);

-- refused upsert-key
INSERT INTO p2 SELECT id, txt, n FROM (SELECT id, txt, COUNT(*) AS n, GROUPING(id) AS g FROM gauges GROUP BY CUBE (id, txt)) WHERE g = 0;

-- refused upsert-key
INSERT INTO p2 SELECT id, txt, n FROM (SELECT id, txt, COUNT(*) AS n FROM gauges GROUP BY ROLLUP (id, txt)) WHERE id IS NOT NULL AND txt IS NOT NULL;

-- refused sink-type
INSERT INTO sink_dt SELECT tm FROM gauges;

-- refused sink-type
INSERT INTO sink_c3 SELECT bits FROM gauges;

-- refused sink-type
INSERT INTO sink_b3 SELECT txt FROM gauges;

-- refused sink-type
INSERT INTO sink_z SELECT dy FROM gauges;

-- refused sink-type
INSERT INTO sink_row SELECT spot FROM gauges;

-- refused sink-type
INSERT INTO sink_as SELECT arr FROM gauges;

-- refused sink-type
INSERT INTO sink_arr SELECT ARRAY['a'] FROM gauges;

-- refused insert-columns
INSERT INTO keyed (txt) SELECT txt FROM gauges GROUP BY txt;

-- refused insert-columns
CREATE TABLE k3 LIKE keyed; INSERT INTO k3 (txt, v) SELECT txt, big FROM gauges;

-- refused temporal-time
INSERT INTO p1 SELECT x.id, x.c FROM (SELECT id, COUNT(*) AS c FROM gauges GROUP BY id) x JOIN dim FOR SYSTEM_TIME AS OF PROCTIME() AS d ON x.id = d.id;
