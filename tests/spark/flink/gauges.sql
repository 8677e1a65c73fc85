CREATE TABLE gauges (id BIGINT, dev STRING, rd DOUBLE, fl FLOAT, big BIGINT, cnt SMALLINT, ok BOOLEAN, dy DATE, tod TIME(0), lt TIMESTAMP_LTZ(3), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'filesystem', 'path' = 'gauges.json', 'format' = 'json');
CREATE TABLE sites (dev STRING, plant STRING, cap INT, opened DATE) WITH ('connector' = 'filesystem', 'path' = 'sites.json', 'format' = 'json');
CREATE TABLE fees (pid BIGINT, cur STRING, amt DECIMAL(8, 2), who STRING, pt TIMESTAMP(3), WATERMARK FOR pt AS pt) WITH ('connector' = 'filesystem', 'path' = 'fees.json', 'format' = 'json');
CREATE TABLE quotes (cur STRING, p DECIMAL(6, 2), vt TIMESTAMP(3), WATERMARK FOR vt AS vt) WITH ('connector' = 'filesystem', 'path' = 'quotes.json', 'format' = 'json');
CREATE VIEW prices AS SELECT cur, p, vt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY vt DESC) AS rn FROM quotes) WHERE rn = 1;
CREATE TABLE slow_fees (pid BIGINT, cur STRING, amt DECIMAL(8, 2), who STRING, pt TIMESTAMP(3), WATERMARK FOR pt AS pt - INTERVAL '2' HOUR) WITH ('connector' = 'filesystem', 'path' = 'fees.json', 'format' = 'json');
CREATE TABLE slow_quotes (cur STRING, p DECIMAL(6, 2), vt TIMESTAMP(3), WATERMARK FOR vt AS vt - INTERVAL '2' HOUR) WITH ('connector' = 'filesystem', 'path' = 'quotes.json', 'format' = 'json');
CREATE VIEW slow_prices AS SELECT cur, p, vt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY vt DESC) AS rn FROM slow_quotes) WHERE rn = 1;
