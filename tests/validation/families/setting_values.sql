-- Values of settings, before queries that make Flink read them and others (Flink 1.20, 2.1, 2.2 and 2.3).
CREATE TABLE t (k STRING, v INT, s STRING NOT NULL, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka');
CREATE TABLE u (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE d (k STRING, v INT) WITH ('connector'='jdbc');
CREATE TABLE o (k STRING, v BIGINT) WITH ('connector'='kafka');
CREATE TABLE ok (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE rs (k STRING, v BIGINT) WITH ('connector'='blackhole');
CREATE TABLE ch (k CHAR(3) NOT NULL, v BIGINT) WITH ('connector'='kafka');
CREATE TABLE a (k STRING, ar ARRAY<INT>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka');
CREATE TABLE ver (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka');
CREATE TABLE cdc (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='mysql-cdc');

-- taken
SET 'table.exec.state.ttl' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.state.ttl' = 'soon';
INSERT INTO ok SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.mini-batch.allow-latency' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.mini-batch.size' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.size' = 'many';
INSERT INTO ok SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1;

-- refused setting-value
SET 'table.exec.source.idle-timeout' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.source.idle-timeout' = 'soon';
INSERT INTO ok SELECT k, v FROM u;

-- refused setting-value
SET 'table.exec.source.cdc-events-duplicate' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'THREE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'THREE';
INSERT INTO ok SELECT k, COUNT(DISTINCT s) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.distinct-agg.split.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.distinct-agg.split.enabled' = 'yes';
INSERT INTO ok SELECT k, COUNT(DISTINCT s) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.distinct-agg.split.bucket-num' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.optimizer.incremental-agg-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.join-reorder-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.reuse-sub-plan-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.reuse-source-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.reuse-sink-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.non-deterministic-update.strategy' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.optimizer.multi-join.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.optimizer.multi-join.enabled' = 'yes';
INSERT INTO o SELECT a.k, b.v FROM t a JOIN t b ON a.k = b.k;

-- refused setting-value
SET 'table.optimizer.delta-join.strategy' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.simplify-operator-name-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'parallelism.default' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.local-time-zone' = 'Europe/Nowhere';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.sink.not-null-enforcer' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.sink.type-length-enforcer' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.sink.upsert-materialize' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.sink.keyed-shuffle' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.sink.rowtime-inserter' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.legacy-cast-behaviour' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.legacy-cast-behaviour' = 'MAYBE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.uid.generation' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.async-lookup.buffer-capacity' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.async-lookup.timeout' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.async-state.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.async-state.enabled' = 'yes';
INSERT INTO o SELECT a.k, b.v FROM t a JOIN t b ON a.k = b.k;

-- taken
SET 'table.exec.rank.topn-cache-size' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.rank.topn-cache-size' = 'many';
INSERT INTO rs SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r FROM t) WHERE r <= 3;

-- taken
SET 'table.exec.deduplicate.insert-update-after-sensitive-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.deduplicate.insert-update-after-sensitive-enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1;

-- taken
SET 'table.exec.deduplicate.mini-batch.compact-changes-enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.deduplicate.mini-batch.compact-changes-enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1;

-- taken
SET 'table.exec.interval-join.min-cleanup-interval' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.interval-join.min-cleanup-interval' = 'soon';
INSERT INTO o SELECT a.k, b.v FROM t a JOIN t b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts;

-- taken
SET 'table.exec.emit.early-fire.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.emit.early-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
SET 'table.exec.emit.early-fire.delay' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.emit.early-fire.delay' = 'soon';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
SET 'table.exec.emit.late-fire.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.emit.late-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
SET 'table.exec.emit.allow-lateness' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.emit.allow-lateness' = 'soon';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);

-- taken
SET 'table.exec.unbounded-over.version' = 'two';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.unbounded-over.version' = 'two';
INSERT INTO o SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM t;

-- refused setting-value
SET 'table.generated-code.max-length' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.column-expansion-strategy' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'execution.checkpointing.interval' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'execution.checkpointing.mode' = 'MAYBE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'execution.buffer-timeout' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.object-reuse' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.operator-chaining' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.operator-chaining.enabled' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.auto-generate-uids' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.auto-watermark-interval' = 'soon';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.max-parallelism' = 'many';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'pipeline.generic-types' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'execution.state-recovery.ignore-unclaimed-state' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'execution.savepoint.ignore-unclaimed-state' = 'yes';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'TRUE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'True';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = ' true';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true ';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = '1';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = '0';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'on';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = '';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 't';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.mini-batch.enabled' = 'FALSE';
INSERT INTO o SELECT k, v FROM t WHERE v > 1;

-- taken
SET 'table.exec.state.ttl' = '1 d';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '1d';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '1 day';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '1 days';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = 'P1D';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = 'PT1H';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '1.5 h';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '-1 s';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '-1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '1 w';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '1 week';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '1 month';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = '1 hour';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '1 h 30 min';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.state.ttl' = '00:05:00';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.resource.default-parallelism' = '-1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.resource.default-parallelism' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '4 ';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = ' 4';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '99999999999';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '4.0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '4e1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.resource.default-parallelism' = '+4';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '0x4';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.resource.default-parallelism' = '-2';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.resource.default-parallelism' = '1_0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '100';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = ' 100';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '1_000';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '1e3';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '-1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '100L';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '9999999999';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '99999999999999999999';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '100.0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'one_phase';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'One_Phase';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'ONE-PHASE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'ONE PHASE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = ' ONE_PHASE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'auto';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = '';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'TWOPHASE';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'UTC';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'GMT+8';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'GMT+08:00';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'UTC+8';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'UTC+08:00';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = '+08:00';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'PST';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'EST';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'CST';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'Asia/Shanghai';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'asia/shanghai';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'default';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = 'DEFAULT';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'table.local-time-zone' = '';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'GMT';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'EST5EDT';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'Etc/GMT+1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.local-time-zone' = 'GMT+1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'pipeline.max-parallelism' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'pipeline.max-parallelism' = '-1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'pipeline.max-parallelism' = '-2';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'pipeline.max-parallelism' = '32768';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'pipeline.max-parallelism' = '32769';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'pipeline.max-parallelism' = '128';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'pipeline.max-parallelism' = '40000';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'execution.checkpointing.interval' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'execution.checkpointing.interval' = '-1';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'execution.checkpointing.interval' = '5 s';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'execution.checkpointing.interval' = '1 ms';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused setting-value
SET 'execution.checkpointing.interval' = '9 ms';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'execution.checkpointing.interval' = '10 ms';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'execution.checkpointing.interval' = '5min';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.size' = '100';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.size' = '100';
SET 'table.exec.mini-batch.allow-latency' = '0';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.size' = '100';
SET 'table.exec.mini-batch.allow-latency' = '-1 s';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.size' = '100';
SET 'table.exec.mini-batch.allow-latency' = 'soon';
INSERT INTO ok SELECT k, COUNT(*) FROM t GROUP BY k;

-- taken
SET 'table.exec.state.ttl' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.state.ttl' = 'soon';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused setting-value
SET 'table.exec.state.ttl' = 'soon';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- taken
SET 'table.exec.mini-batch.size' = 'many';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.mini-batch.size' = 'many';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- refused setting-value
SET 'table.exec.mini-batch.size' = 'many';
INSERT INTO rs SELECT 'a', COUNT(*) FROM t;

-- taken
SET 'table.exec.mini-batch.enabled' = 'true';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled' = 'true';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- taken
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused mini-batch
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- taken
SET 'table.optimizer.agg-phase-strategy' = 'THREE';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'THREE';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- refused setting-value
SET 'table.optimizer.agg-phase-strategy' = 'THREE';
INSERT INTO rs SELECT 'a', COUNT(*) FROM t;

-- taken
SET 'table.optimizer.distinct-agg.split.enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.optimizer.distinct-agg.split.enabled' = 'yes';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- refused setting-value
SET 'table.optimizer.distinct-agg.split.enabled' = 'yes';
INSERT INTO rs SELECT 'a', COUNT(*) FROM t;

-- taken
SET 'table.exec.rank.topn-cache-size' = 'many';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.rank.topn-cache-size' = 'many';
INSERT INTO rs SELECT k, v FROM t LIMIT 5;

-- taken
SET 'table.exec.source.idle-timeout' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.source.idle-timeout' = 'soon';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused setting-value
SET 'table.exec.source.idle-timeout' = 'soon';
INSERT INTO rs SELECT DISTINCT k, v FROM t;

-- refused setting-value
SET 'table.exec.source.cdc-events-duplicate' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.source.cdc-events-duplicate' = 'yes';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- taken
SET 'table.exec.source.cdc-events-duplicate' = 'yes';
INSERT INTO rs SELECT k, COUNT(*) FROM u GROUP BY k;

-- taken
SET 'table.exec.emit.early-fire.enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.emit.early-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(p, INTERVAL '1' HOUR);

-- refused setting-value
SET 'table.exec.emit.early-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '1' HOUR)) GROUP BY k, window_start, window_end;

-- taken
SET 'table.exec.emit.late-fire.enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.emit.late-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(p, INTERVAL '1' HOUR);

-- refused setting-value
SET 'table.exec.emit.late-fire.enabled' = 'yes';
INSERT INTO o SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '1' HOUR)) GROUP BY k, window_start, window_end;

-- taken
SET 'table.exec.emit.early-fire.delay' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.emit.early-fire.delay' = 'soon';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(p, INTERVAL '1' HOUR);

-- taken
SET 'table.exec.emit.allow-lateness' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.emit.allow-lateness' = 'soon';
INSERT INTO o SELECT k, COUNT(*) FROM t GROUP BY k, TUMBLE(p, INTERVAL '1' HOUR);

-- taken
SET 'table.optimizer.multi-join.enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.optimizer.multi-join.enabled' = 'yes';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused setting-value
SET 'table.optimizer.multi-join.enabled' = 'yes';
INSERT INTO rs SELECT t.k, d.v FROM t LEFT JOIN d ON t.k = d.k;

-- taken
SET 'table.exec.interval-join.min-cleanup-interval' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- taken
SET 'table.exec.async-state.enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.async-state.enabled' = 'yes';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- refused setting-value
SET 'table.exec.async-state.enabled' = 'yes';
INSERT INTO rs SELECT t.k, d.v FROM t LEFT JOIN d ON t.k = d.k;

-- refused setting-value
SET 'table.exec.legacy-cast-behaviour' = 'MAYBE';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.legacy-cast-behaviour' = 'MAYBE';
INSERT INTO rs SELECT t.k, d.v FROM t CROSS JOIN d;

-- taken
SET 'table.exec.legacy-cast-behaviour' = 'MAYBE';
INSERT INTO rs SELECT 'a', COUNT(*) FROM t;

-- taken
SET 'table.exec.unbounded-over.version' = 'two';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused setting-value
SET 'table.exec.unbounded-over.version' = 'two';
INSERT INTO o SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY p) FROM t;

-- refused setting-value
SET 'table.exec.unbounded-over.version' = 'two';
INSERT INTO o SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM t;

-- taken
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SET 'table.optimizer.distinct-agg.split.bucket-num' = 'many';
INSERT INTO ok SELECT k, v FROM cdc;

-- taken
SET 'table.exec.async-lookup.timeout' = 'soon';
INSERT INTO ok SELECT k, v FROM cdc;

-- taken
SET 'table.exec.async-lookup.buffer-capacity' = 'many';
INSERT INTO ok SELECT k, v FROM cdc;

-- taken
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.size'='100';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.optimizer.incremental-agg-enabled' = 'yes';
INSERT INTO ok SELECT k, v FROM cdc;

-- refused rank-function
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.size'='100';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.optimizer.incremental-agg-enabled' = 'yes';
INSERT INTO rs SELECT k, v FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY v) AS r FROM t) WHERE r <= 3;
