CREATE TABLE n (id BIGINT, g STRING, d DOUBLE, e DOUBLE, f FLOAT, i INT, m DECIMAL(5,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='edges/edges.json','format'='json');
CREATE TABLE nn (id BIGINT NOT NULL, g STRING, d DOUBLE NOT NULL, e DOUBLE, f FLOAT, i INT, m DECIMAL(5,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='edges/edges_filled.json','format'='json');
CREATE TABLE tx (id BIGINT, t STRING, v VARCHAR(3), c CHAR(3), q STRING NOT NULL, b BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='edges/blanks.json','format'='json');
CREATE TABLE dc (id BIGINT, g STRING, x DECIMAL(38,0), y DECIMAL(30,0), z DECIMAL(38,1), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='edges/long_decimals.json','format'='json');
CREATE TABLE rg (id BIGINT, k INT, ti TINYINT, si SMALLINT, i INT, bi BIGINT, dt DATE, dc DECIMAL(10,2)) WITH ('connector'='filesystem','path'='edges/ends.json','format'='json');
CREATE TABLE pp (id INT, t STRING, n INT, p STRING, tn STRING NOT NULL, pn STRING NOT NULL, nn INT NOT NULL) WITH ('connector'='filesystem','path'='edges/pads.json','format'='json');
CREATE TABLE tr (id INT, d DOUBLE, f FLOAT) WITH ('connector'='filesystem','path'='edges/doubles.json','format'='json');
CREATE TABLE w (id INT, ts TIMESTAMP(3), dt DATE, lz TIMESTAMP_LTZ(3)) WITH ('connector'='filesystem','path'='edges/years.json','format'='json');
CREATE TABLE sm (id INT, t STRING) WITH ('connector'='filesystem','path'='edges/similar.json','format'='json');
