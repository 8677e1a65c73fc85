CREATE TABLE depots (oid INT, k INT, addr ROW<city STRING, zip INT>, tags ARRAY<STRING>) WITH ('connector' = 'filesystem', 'path' = 'depots.json', 'format' = 'json');
CREATE TABLE places (k INT, city STRING) WITH ('connector' = 'filesystem', 'path' = 'places.json', 'format' = 'json');
CREATE VIEW boxed_depots AS SELECT oid, ROW(k, addr) AS r FROM depots;
CREATE VIEW moved_depots AS SELECT oid AS zip, addr FROM depots;
CREATE TABLE paced (id INT, x INT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = 'paced.json', 'format' = 'json');
CREATE TABLE named (id INT, k STRING, name STRING) WITH ('connector' = 'filesystem', 'path' = 'named.json', 'format' = 'json');
CREATE VIEW windowed AS SELECT * FROM TABLE(TUMBLE(TABLE paced, DESCRIPTOR(ts), INTERVAL '30' SECOND));
CREATE VIEW hopped AS SELECT * FROM TABLE(HOP(TABLE paced, DESCRIPTOR(ts), INTERVAL '15' SECOND, INTERVAL '30' SECOND));
