CREATE TABLE T (k STRING, u STRING, a INT, b INT, l BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE R (k STRING, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='r','format'='json');
CREATE TABLE C (id INT, k STRING, a INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='kafka','topic'='c','format'='debezium-json');
CREATE TABLE U (id INT, k STRING, a INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='c','key.format'='json','value.format'='json');
