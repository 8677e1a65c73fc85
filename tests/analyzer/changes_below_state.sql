-- The tables of changes_below_state.tsv.
CREATE TABLE t (k STRING, g STRING, v INT, w INT, xs ARRAY<INT>, ys ARRAY<INT>, m MAP<STRING, INT>, rw ROW<a INT, b INT>, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE r (k STRING, g STRING, v INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='r','format'='json');
CREATE TABLE u (k STRING, v INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='u','key.format'='json','value.format'='json','properties.bootstrap.servers'='b:1');
CREATE TABLE dim (k STRING, v INT, b INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:x','table-name'='d');
