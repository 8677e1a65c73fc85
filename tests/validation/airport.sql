-- Programs over the tables of an airport, each with the answer that Flink 2.3 gave: `taken`, or `refused` with the rule
-- of the validation; `open` where the script does not tell. Tables first, then one program behind each such line.
CREATE TABLE flights (flight_id STRING, carrier STRING, origin STRING, dest STRING, seats INT, fuel_kg DOUBLE, fare DECIMAL(9, 2), delayed BOOLEAN, legs ARRAY<ROW<stop STRING, mins INT>>, notes MAP<STRING, STRING>, crew ROW<captain STRING, head_count INT>, dep_date DATE, dep_time TIME(0), body STRING, bytes_in BYTES, dep TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR dep AS dep - INTERVAL '20' SECOND)
  WITH ('connector' = 'kafka', 'topic' = 'f', 'format' = 'json');
CREATE TABLE bags (bag_id BIGINT, flight_id STRING, kg FLOAT, scanned TIMESTAMP_LTZ(3), WATERMARK FOR scanned AS scanned)
  WITH ('connector' = 'kafka', 'topic' = 'b', 'format' = 'json');
CREATE TABLE airports (code STRING, city STRING, runways INT, changed TIMESTAMP(3), WATERMARK FOR changed AS changed, PRIMARY KEY (code) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'a', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE gates (gate STRING, code STRING, wide BOOLEAN)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://x/y', 'table-name' = 'g');
CREATE TABLE out_log (carrier STRING, n BIGINT, total DECIMAL(38, 2))
  WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');
CREATE TABLE out_up (carrier STRING, n BIGINT, total DECIMAL(38, 2), PRIMARY KEY (carrier) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'u', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE out_day (carrier STRING, n BIGINT, d STRING) PARTITIONED BY (d)
  WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'json');

-- taken
SELECT f.flight_id, g.wide FROM flights AS f JOIN gates FOR SYSTEM_TIME AS OF f.pt AS g ON f.origin = g.code;

-- refused temporal-time
SELECT f.flight_id, g.wide FROM flights AS f JOIN gates FOR SYSTEM_TIME AS OF f.dep_date AS g ON f.origin = g.code;

-- taken
SELECT f.flight_id, a.city FROM flights AS f LEFT JOIN airports FOR SYSTEM_TIME AS OF f.dep AS a ON f.origin = a.code;

-- refused temporal-key
SELECT f.flight_id, a.city FROM flights AS f LEFT JOIN airports FOR SYSTEM_TIME AS OF f.dep AS a ON f.origin = a.city;

-- refused temporal-side
SELECT f.flight_id, a.city FROM flights AS f RIGHT JOIN airports FOR SYSTEM_TIME AS OF f.dep AS a ON f.origin = a.code;

-- taken
SELECT flight_id, l.stop, l.mins + 1 FROM flights CROSS JOIN UNNEST(legs) AS l (stop, mins);

-- refused alias-columns
SELECT flight_id, l.stop FROM flights CROSS JOIN UNNEST(legs) AS l (stop, mins, extra);

-- refused unnest
SELECT flight_id, x FROM flights CROSS JOIN UNNEST(carrier) AS t (x);

-- taken
SELECT flight_id, k, v FROM flights CROSS JOIN UNNEST(notes) AS t (k, v);

-- taken
SELECT flight_id, e, o FROM flights CROSS JOIN UNNEST(ARRAY['a', 'b']) WITH ORDINALITY AS t (e, o);

-- taken
SELECT legs[1].stop, notes['gate'], crew.captain FROM flights;

-- refused argument-type
SELECT legs['1'] FROM flights;

-- refused array-index
SELECT legs[0] FROM flights;

-- refused unknown-field
SELECT crew.pilot FROM flights;

-- taken
SELECT carrier, origin, COUNT(*), GROUPING(carrier) FROM flights GROUP BY ROLLUP (carrier, origin);

-- refused not-grouped
SELECT carrier, GROUPING(dest) FROM flights GROUP BY ROLLUP (carrier, origin);

-- taken
SELECT carrier, origin, SUM(seats) FROM flights GROUP BY GROUPING SETS ((carrier), (origin), ());

-- refused not-grouped
SELECT carrier, dest, SUM(seats) FROM flights GROUP BY GROUPING SETS ((carrier), (origin), ());

-- taken
SELECT carrier, LISTAGG(origin, ';'), COUNT(DISTINCT dest) FILTER (WHERE delayed) FROM flights GROUP BY carrier;

-- refused argument-type
SELECT carrier, LISTAGG(seats) FROM flights GROUP BY carrier;

-- refused condition-type
SELECT COUNT(*) FILTER (WHERE seats) FROM flights;

-- taken
SELECT carrier FROM flights GROUP BY carrier HAVING SUM(seats) > 100 AND MAX(fare) IS NOT NULL;

-- refused not-grouped
SELECT carrier FROM flights GROUP BY carrier HAVING seats > 100;

-- refused unknown-column
SELECT seats * 2 AS double_seats FROM flights WHERE double_seats > 10;

-- taken
SELECT flight_id FROM flights AS f WHERE EXISTS (SELECT 1 FROM bags AS b WHERE b.flight_id = f.flight_id);

-- taken
SELECT flight_id FROM flights WHERE flight_id IN (SELECT flight_id FROM bags WHERE kg > 20);

-- refused subquery-columns
SELECT flight_id FROM flights WHERE flight_id IN (SELECT flight_id, kg FROM bags);

-- refused operand-type
SELECT flight_id FROM flights WHERE seats IN (SELECT flight_id FROM bags);

-- taken
SELECT CASE carrier WHEN 'LH' THEN 1 WHEN 'AF' THEN 2 ELSE 0 END, CASE WHEN delayed THEN fare ELSE 0 END FROM flights;

-- refused mixed-types
SELECT CASE WHEN delayed THEN dep_date ELSE seats END FROM flights;

-- refused argument-type
SELECT COALESCE(seats, delayed) FROM flights;

-- taken
SELECT COALESCE(fare, seats, 0), NULLIF(carrier, ''), IFNULL(seats, 0) FROM flights;

-- taken
SELECT JSON_VALUE(body, '$.a'), JSON_VALUE(body, '$.n' RETURNING INT DEFAULT 0 ON EMPTY), JSON_QUERY(body, '$.b'), JSON_EXISTS(body, '$.c') FROM flights;

-- taken
SELECT JSON_VALUE(seats, '$.a') FROM flights;

-- refused argument-count
SELECT JSON_EXISTS(body) FROM flights;

-- taken
SELECT dep + INTERVAL '1' DAY, dep_date - INTERVAL '2' MONTH, TIMESTAMPADD(HOUR, 3, dep), EXTRACT(DOW FROM dep), FLOOR(dep TO HOUR) FROM flights;

-- refused operand-type
SELECT dep + 5 FROM flights;

-- refused operand-type
SELECT dep - scanned FROM flights JOIN bags ON flights.flight_id = bags.flight_id;

-- refused time-unit
SELECT EXTRACT(FORTNIGHT FROM dep) FROM flights;

-- taken
SELECT UPPER(carrier) || '-' || origin, SUBSTRING(body FROM 2 FOR 3), TRIM(BOTH ' ' FROM dest), POSITION('a' IN body), OVERLAY(body PLACING 'x' FROM 1), REGEXP_EXTRACT(body, '(a)', 1), SPLIT_INDEX(body, ',', 0) FROM flights;

-- refused operand-type
SELECT carrier || seats FROM flights;

-- refused argument-type
SELECT UPPER(seats) FROM flights;

-- refused argument-count
SELECT SUBSTRING(body) FROM flights;

-- taken
SELECT flight_id FROM flights WHERE dep BETWEEN TIMESTAMP '2026-01-01 00:00:00' AND TIMESTAMP '2026-02-01 00:00:00' AND carrier LIKE 'L%' ESCAPE '!' AND seats NOT BETWEEN 1 AND 5;

-- refused operand-type
SELECT flight_id FROM flights WHERE seats BETWEEN 'a' AND dep;

-- refused operand-type
SELECT flight_id FROM flights WHERE seats LIKE '1%';

-- taken
SELECT flight_id, SUM(fuel_kg) OVER w, COUNT(*) OVER w FROM flights WINDOW w AS (PARTITION BY carrier ORDER BY dep RANGE BETWEEN INTERVAL '30' MINUTE PRECEDING AND CURRENT ROW);

-- refused over-frame
SELECT SUM(fuel_kg) OVER (PARTITION BY carrier ORDER BY dep ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) FROM flights;

-- refused over-order
SELECT SUM(fuel_kg) OVER (PARTITION BY carrier ORDER BY seats ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM flights;

-- taken
INSERT INTO out_log SELECT carrier, n, CAST(NULL AS DECIMAL(38, 2)) FROM (SELECT carrier, CAST(seats AS BIGINT) AS n, ROW_NUMBER() OVER (PARTITION BY flight_id ORDER BY dep ASC) AS rn FROM flights) WHERE rn = 1;

-- refused append-only-sink
INSERT INTO out_log SELECT carrier, n, CAST(NULL AS DECIMAL(38, 2)) FROM (SELECT carrier, CAST(seats AS BIGINT) AS n, ROW_NUMBER() OVER (PARTITION BY flight_id ORDER BY dep DESC) AS rn FROM flights) WHERE rn = 1;

-- taken
INSERT INTO out_log SELECT carrier, n, CAST(1 AS DECIMAL(10, 2)) FROM (SELECT carrier, CAST(seats AS BIGINT) AS n, ROW_NUMBER() OVER (PARTITION BY flight_id ORDER BY pt) AS rn FROM flights) WHERE rn = 1;

-- taken
SELECT L.flight_id, R.kg FROM (SELECT * FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(dep), INTERVAL '10' MINUTES))) AS L JOIN (SELECT * FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(dep), INTERVAL '10' MINUTES)) ) AS X ON L.window_start = X.window_start AND L.window_end = X.window_end AND L.flight_id = X.flight_id JOIN bags AS R ON R.flight_id = L.flight_id;

-- taken
INSERT INTO out_log SELECT f.carrier, g.n, f.fare FROM flights AS f JOIN (SELECT flight_id, CAST(seats AS BIGINT) AS n, dep FROM flights) AS g ON f.flight_id = g.flight_id AND f.dep BETWEEN g.dep - INTERVAL '1' HOUR AND g.dep + INTERVAL '2' HOUR;

-- refused append-only-sink
INSERT INTO out_log SELECT f.carrier, b.bag_id, f.fare FROM flights AS f LEFT JOIN bags AS b ON f.flight_id = b.flight_id;

-- taken
INSERT INTO out_log SELECT f.carrier, b.bag_id, f.fare FROM flights AS f JOIN bags AS b ON f.flight_id = b.flight_id;

-- taken
SELECT * FROM flights MATCH_RECOGNIZE (PARTITION BY carrier ORDER BY dep MEASURES A.flight_id AS first_id, LAST(B.dep) AS last_dep, COUNT(B.seats) AS n ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A B{2,4}? C) WITHIN INTERVAL '1' HOUR DEFINE B AS B.delayed, C AS C.seats > A.seats) AS m;

-- refused unknown-qualifier
SELECT * FROM flights MATCH_RECOGNIZE (PARTITION BY carrier ORDER BY dep MEASURES Z.flight_id AS first_id PATTERN (A B) DEFINE B AS B.delayed) AS m;

-- refused pattern
SELECT * FROM flights MATCH_RECOGNIZE (PARTITION BY carrier ORDER BY dep MEASURES A.flight_id AS first_id PATTERN (A B*) DEFINE B AS B.delayed) AS m;

-- refused pattern
SELECT * FROM flights MATCH_RECOGNIZE (PARTITION BY carrier ORDER BY seats MEASURES A.flight_id AS first_id PATTERN (A B) DEFINE B AS B.delayed) AS m;

-- taken
INSERT INTO out_day PARTITION (d = '2026-01-01') SELECT carrier, COUNT(*) FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(dep), INTERVAL '1' DAY)) GROUP BY window_start, window_end, carrier;

-- refused sink-columns
INSERT INTO out_day PARTITION (d = '2026-01-01') SELECT carrier, CAST(seats AS BIGINT), 'x' FROM flights;

-- taken
WITH a AS (SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier), b AS (SELECT n, carrier FROM a WHERE n > 3) SELECT b.carrier, a.n FROM a JOIN b ON a.carrier = b.carrier;

-- open
WITH b AS (SELECT n FROM a), a AS (SELECT COUNT(*) AS n FROM flights) SELECT * FROM b;

-- taken
SELECT flight_id, CAST(kg AS DOUBLE) FROM bags UNION ALL SELECT flight_id, fuel_kg FROM flights;

-- refused set-operation-types
SELECT flight_id FROM bags UNION ALL SELECT dep_date FROM flights;

-- taken
SELECT flight_id FROM bags INTERSECT SELECT flight_id FROM flights;

-- taken
INSERT INTO out_log VALUES ('a', CAST(1 AS BIGINT), 2.50), ('b', 3, 4);

-- refused values-columns
INSERT INTO out_log VALUES ('a', 1, 2.5), ('b', 3);

-- refused sink-type
INSERT INTO out_log VALUES ('a', 'b', 2.5);

-- taken
SELECT CAST(seats AS STRING), TRY_CAST(body AS TIMESTAMP(3)), CAST(dep AS DATE), CAST(ROW(1, 'a') AS ROW<x BIGINT, y STRING>), CAST(bytes_in AS STRING) FROM flights;

-- refused cast
SELECT CAST(dep_date AS INT) FROM flights;

-- refused cast
SELECT CAST(delayed AS TIMESTAMP(3)) FROM flights;

-- taken
CREATE VIEW busy (c, n) AS SELECT carrier, COUNT(*) FROM flights GROUP BY carrier;
INSERT INTO out_up SELECT c, n, CAST(n AS DECIMAL(38, 2)) FROM busy;

-- refused view-columns
CREATE VIEW busy (c) AS SELECT carrier, COUNT(*) FROM flights GROUP BY carrier;

-- taken
SELECT flight_id, (SELECT MAX(kg) FROM bags) FROM flights;

-- refused subquery-columns
SELECT flight_id, (SELECT kg, bag_id FROM bags) FROM flights;

-- refused distinct-order
SELECT DISTINCT carrier FROM flights ORDER BY origin LIMIT 3;

-- taken
INSERT INTO out_up SELECT carrier, n, CAST(rn AS DECIMAL(38, 2)) FROM (SELECT carrier, n, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier)) WHERE rn < 6;

-- refused over-order
SELECT * FROM (SELECT carrier, ROW_NUMBER() OVER (PARTITION BY origin) AS rn FROM flights) WHERE rn <= 3;

-- taken
SELECT window_end, AVG(fare) FROM TABLE(HOP(DATA => TABLE flights, TIMECOL => DESCRIPTOR(dep), SLIDE => INTERVAL '5' MINUTE, SIZE => INTERVAL '15' MINUTE)) GROUP BY window_start, window_end;

-- refused window-size
SELECT window_end, AVG(fare) FROM TABLE(HOP(TABLE flights, DESCRIPTOR(dep), INTERVAL '15' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(pt), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT CARDINALITY(legs), ARRAY_CONTAINS(ARRAY[1, 2], seats), MAP_KEYS(notes), ELEMENT(ARRAY[seats]), MAP['a', seats], ROW(seats, fare) FROM flights;

-- refused mixed-types
SELECT ARRAY[seats, delayed] FROM flights;

-- refused argument-type
SELECT CARDINALITY(carrier) FROM flights;

-- taken
SELECT flight_id, kg FROM flights JOIN bags USING (flight_id);

-- refused ambiguous-column
SELECT flight_id FROM flights JOIN bags ON flights.flight_id = bags.flight_id;

-- refused unknown-column
SELECT kg FROM flights JOIN bags USING (carrier);

-- taken
SELECT f.flight_id, x.m FROM flights AS f, LATERAL (SELECT MAX(b.kg) AS m FROM bags AS b WHERE b.flight_id = f.flight_id) AS x;

-- taken
SELECT flight_id FROM flights WHERE carrier IS DISTINCT FROM origin AND delayed IS NOT TRUE AND (seats, fare) IS NOT NULL;

-- refused operand-type
SELECT flight_id FROM flights WHERE NOT seats;

-- refused argument-type
SELECT SUM(carrier) FROM flights;

-- refused argument-type
SELECT AVG(dep_date) FROM flights;

-- taken
SELECT MAX(dep_date), MIN(dep), MAX(carrier), MIN(delayed) FROM flights;

-- refused interval-value
SELECT dep + INTERVAL '1.5' HOUR FROM flights;

-- taken
SELECT dep + INTERVAL '1 02:03' DAY TO MINUTE, dep - INTERVAL '01:30' HOUR TO MINUTE, dep + INTERVAL '1-2' YEAR TO MONTH FROM flights;

-- refused time-literal
SELECT TIMESTAMP '2026-13-01 00:00:00' FROM flights;

-- taken
SELECT carrier, seats FROM flights ORDER BY seats DESC LIMIT 5 OFFSET 2;

-- refused syntax
SELECT carrier FROM flights ORDER BY seats UNION ALL SELECT origin FROM flights;

-- taken
CREATE TEMPORARY TABLE IF NOT EXISTS extra (id BIGINT COMMENT 'key', name VARCHAR(20) NOT NULL, ts AS CURRENT_TIMESTAMP, m STRING METADATA FROM 'topic' VIRTUAL, CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED) COMMENT 'x' WITH ('connector' = 'upsert-kafka', 'topic' = 'e', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO extra (id, name) SELECT bag_id, flight_id FROM bags ON CONFLICT DO DEDUPLICATE;

-- refused unknown-column
CREATE TABLE extra (id BIGINT, m STRING METADATA FROM 'topic' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 'e', 'format' = 'json');
INSERT INTO extra (id, m) SELECT bag_id, flight_id FROM bags;

-- refused type-number
CREATE TABLE extra (id DECIMAL(4, 6)) WITH ('connector' = 'kafka');

-- open
CREATE TABLE extra (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'e', 'format' = 'json');
ALTER TABLE extra ADD name STRING;
INSERT INTO extra SELECT bag_id, flight_id FROM bags;

-- taken
CREATE TABLE extra (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'e', 'format' = 'json');
DROP TABLE extra;
CREATE TABLE extra (id STRING) WITH ('connector' = 'kafka', 'topic' = 'e', 'format' = 'json');
INSERT INTO extra SELECT flight_id FROM bags;

-- refused dropped
CREATE VIEW gone AS SELECT bag_id FROM bags;
DROP VIEW gone;
SELECT * FROM gone;
