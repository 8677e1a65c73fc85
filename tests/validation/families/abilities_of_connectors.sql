-- What connectors overwrite, read and write of metadata, and answer for single rows (Flink 1.20 and 2.3).
CREATE TABLE src (id INT, v STRING, k INT, pt AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '/lake/s', 'format' = 'json');
CREATE TABLE t_filesystem (id INT, v STRING) WITH ('connector' = 'filesystem', 'path' = '/lake/x', 'format' = 'json');
CREATE TABLE p_filesystem (id INT, v STRING) PARTITIONED BY (v) WITH ('connector' = 'filesystem', 'path' = '/lake/x', 'format' = 'json');
CREATE TABLE m_filesystem (id INT, v STRING, m TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'filesystem', 'path' = '/lake/x', 'format' = 'json');
CREATE TABLE mv_filesystem (id INT, v STRING, m STRING METADATA FROM 'file.path' VIRTUAL) WITH ('connector' = 'filesystem', 'path' = '/lake/x', 'format' = 'json');
CREATE TABLE mx_filesystem (id INT, v STRING, m STRING METADATA) WITH ('connector' = 'filesystem', 'path' = '/lake/x', 'format' = 'json');
CREATE TABLE t_print (id INT, v STRING) WITH ('connector' = 'print');
CREATE TABLE p_print (id INT, v STRING) PARTITIONED BY (v) WITH ('connector' = 'print');
CREATE TABLE m_print (id INT, v STRING, m TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'print');
CREATE TABLE mv_print (id INT, v STRING, m STRING METADATA FROM 'file.path' VIRTUAL) WITH ('connector' = 'print');
CREATE TABLE mx_print (id INT, v STRING, m STRING METADATA) WITH ('connector' = 'print');
CREATE TABLE t_blackhole (id INT, v STRING) WITH ('connector' = 'blackhole');
CREATE TABLE m_blackhole (id INT, v STRING, m TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'blackhole');
CREATE TABLE t_datagen (id INT, v STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1');
CREATE TABLE m_datagen (id INT, v STRING, m TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'datagen', 'number-of-rows' = '1');
CREATE TABLE mv_datagen (id INT, v STRING, m STRING METADATA FROM 'file.path' VIRTUAL) WITH ('connector' = 'datagen', 'number-of-rows' = '1');
CREATE TABLE t_kafka (id INT, v STRING) WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'k:1', 'format' = 'json');
CREATE TABLE m_kafka (id INT, v STRING, m TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'k:1', 'format' = 'json');
CREATE TABLE t_jdbc (id INT, v STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://h/db', 'table-name' = 't');
CREATE TABLE pk_fs (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '/tmp/x', 'format' = 'json');

-- refused connector-option
INSERT OVERWRITE t_filesystem SELECT id, v FROM src;

-- refused connector-option
INSERT OVERWRITE p_filesystem PARTITION (v='x') SELECT id FROM src;

-- refused connector-option
INSERT OVERWRITE t_print SELECT id, v FROM src;

-- refused connector-option
INSERT INTO m_print SELECT id, v, CAST(ts AS TIMESTAMP_LTZ(3)) FROM src;

-- refused temporal-table
SELECT s.id, t.v FROM src s JOIN t_filesystem FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM src s LEFT JOIN t_filesystem FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM src s LEFT JOIN t_datagen FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM src s LEFT JOIN t_kafka FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- taken
SELECT s.id, t.v FROM src s LEFT JOIN t_jdbc FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM (SELECT *, PROCTIME() AS p FROM src) s LEFT JOIN t_filesystem FOR SYSTEM_TIME AS OF s.p AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM (SELECT *, PROCTIME() AS p FROM src) s LEFT JOIN t_kafka FOR SYSTEM_TIME AS OF s.p AS t ON s.id = t.id;

-- refused temporal-table
SELECT s.id, t.v FROM src s LEFT JOIN pk_fs FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE t_filesystem SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO t_filesystem SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO p_filesystem SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO p_filesystem PARTITION (v='x') SELECT id FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE p_filesystem PARTITION (v='x') SELECT id FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_filesystem SELECT id, v, CAST(ts AS TIMESTAMP_LTZ(3)) FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO mv_filesystem SELECT id, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO mx_filesystem SELECT id, v, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_filesystem (id, v) SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
SELECT id, v FROM p_filesystem;

-- taken
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM mv_filesystem;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE t_print SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO t_print SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO p_print SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO p_print PARTITION (v='x') SELECT id FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE p_print PARTITION (v='x') SELECT id FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_print SELECT id, v, CAST(ts AS TIMESTAMP_LTZ(3)) FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO mv_print SELECT id, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO mx_print SELECT id, v, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_print (id, v) SELECT id, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE t_blackhole SELECT id, v FROM src;

-- taken
SET 'execution.runtime-mode' = 'batch';
INSERT INTO t_blackhole SELECT id, v FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_blackhole SELECT id, v, CAST(ts AS TIMESTAMP_LTZ(3)) FROM src;

-- refused connector-option
SET 'execution.runtime-mode' = 'batch';
INSERT INTO m_blackhole (id, v) SELECT id, v FROM src;
