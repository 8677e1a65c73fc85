CREATE TABLE laps (id BIGINT, car STRING, team STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' HOUR) WITH ('connector' = 'filesystem', 'path' = 'laps.json', 'format' = 'json');
CREATE TABLE twins (id BIGINT, car STRING, team STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' HOUR) WITH ('connector' = 'filesystem', 'path' = 'twins.json', 'format' = 'json');
