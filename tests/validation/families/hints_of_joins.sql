-- Hints of joins and lookups (Flink 1.20 and 2.3).
CREATE TABLE t (user_id INT, k INT, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector'='kafka');
CREATE TABLE dim (k INT, n STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE VIEW dv AS SELECT k, v, pt FROM t;

-- taken
SELECT /*+ LOOKUP('table'='dim') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='DIM') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='t') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='x') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('async'='true') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'async'='TRUE') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'async'='yes') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'async'='') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'timeout'='10 s') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'timeout'='10') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'timeout'='-1 s') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'timeout'='soon') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'timeout'='1 week') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'capacity'='100') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'capacity'='0') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'capacity'='-1') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'capacity'='1e3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'capacity'='many') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'output-mode'='ordered') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'output-mode'='ORDERED') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'output-mode'='allow_unordered') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'output-mode'='unordered') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'output-mode'='allow-unordered') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 s') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 s', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 s', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='LOOKUP_MISS', 'retry-strategy'='FIXED_DELAY', 'fixed-delay'='1 s', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='backoff', 'fixed-delay'='1 s', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='soon', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 s', 'max-attempts'='many') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 s', 'max-attempts'='0') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='-1 s', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'max-attempts'='3') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim', 'fixed-delay'='1 s') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'shuffle'='true') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'shufle'='true') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('TABLE'='dim') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('Table'='dim', 'async'='true') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP(dim) */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('dim') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP() */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim', 'async'='true', 'async'='false') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='d') */ d.n FROM t AS o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim') */ d.n FROM t AS o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;

-- refused hint
SELECT /*+ LOOKUP('table'='o') */ d.n FROM t AS o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;

-- refused hint
SELECT /*+ LOOKUP('table'='t') */ d.n FROM t AS o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;

-- refused hint
SELECT /*+ LOOKUP('table'='D') */ d.n FROM t AS o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;

-- refused hint
SELECT /*+ LOOKUP('table'='a') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ LOOKUP('table'='t') */ k FROM t;

-- taken
SELECT /*+ LOOKUP('table'='x') */ k FROM t;

-- taken
SELECT /*+ LOOKUP('table'='dim'), LOOKUP('table'='dim', 'async'='true') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ LOOKUP('table'='dim'), LOOKUP('table'='y') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim') */ dim.n FROM dv JOIN dim FOR SYSTEM_TIME AS OF dv.pt ON dv.k = dim.k;

-- taken
SELECT /*+ LOOKUP('table'='dim') */ * FROM (SELECT dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k) AS s;

-- taken
SELECT n FROM (SELECT /*+ LOOKUP('table'='dim') */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k) AS s;

-- taken
SELECT /*+ BROADCAST(a) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ BROADCAST(x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ BROADCAST(t) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ BROADCAST(a, b) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ BROADCAST(a, x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ BROADCAST('a') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ BROADCAST(A) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_HASH(a) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_HASH(x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_HASH(t) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_HASH(a, b) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_HASH(a, x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_HASH('a') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_HASH(A) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_MERGE(a) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_MERGE(x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_MERGE(t) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_MERGE(a, b) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_MERGE(a, x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ SHUFFLE_MERGE('a') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ SHUFFLE_MERGE(A) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ NEST_LOOP(a) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ NEST_LOOP(x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ NEST_LOOP(t) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ NEST_LOOP(a, b) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ NEST_LOOP(a, x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ NEST_LOOP('a') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ NEST_LOOP(A) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ MULTI_JOIN(x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ MULTI_JOIN(t) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ MULTI_JOIN(a, x) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- refused hint
SELECT /*+ MULTI_JOIN(A) */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ BROADCAST(t) */ t.k FROM t JOIN dim ON t.k = dim.k;

-- taken
SELECT /*+ BROADCAST(dv) */ t.k FROM t JOIN dv ON t.k = dv.k;

-- taken
SELECT /*+ BROADCAST(s) */ t.k FROM t JOIN (SELECT k FROM dim) s ON t.k = s.k;

-- refused hint
SELECT /*+ BROADCAST(dim) */ t.k FROM t JOIN (SELECT k FROM dim) s ON t.k = s.k;

-- taken
SELECT /*+ BROADCAST(t) */ k FROM t;

-- taken
SELECT /*+ BROADCAST(x) */ k FROM t;

-- taken
WITH c AS (SELECT k FROM dim) SELECT /*+ BROADCAST(c) */ t.k FROM t JOIN c ON t.k = c.k;

-- taken
SELECT /*+ BROADCAST(dim) */ t.k FROM t JOIN default_database.dim ON t.k = dim.k;

-- taken
SELECT /*+ BROADCAST(x) */ t.k FROM t WHERE k IN (SELECT k FROM dim);

-- taken
SELECT /*+ LOOKUP('table'='b') */ a.k FROM t a JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ LOOKUP('table'='b') */ a.k FROM t a LEFT JOIN t b ON a.k = b.k;

-- taken
SELECT /*+ LOOKUP('table'='b') */ a.k FROM t a, t b WHERE a.k = b.k;

-- refused hint
SELECT /*+ LOOKUP('table'='a') */ a.k FROM t a, t b WHERE a.k = b.k;

-- taken
SELECT /*+ LOOKUP('table'='b') */ a.k FROM t a JOIN t b ON a.k = b.k JOIN t c ON a.k = c.k;

-- taken
SELECT /*+ LOOKUP('table'='s') */ a.k FROM t a JOIN (SELECT k FROM t) s ON a.k = s.k;

-- taken
SELECT /*+ LOOKUP('table'='dv') */ a.k FROM t a JOIN dv ON a.k = dv.k;

-- taken
SELECT /*+ LOOKUP('table'='u') */ a.k FROM t a CROSS JOIN UNNEST(ARRAY[1]) AS u (x);

-- refused hint
SELECT /*+ LOOKUP('table'='x') */ a.k FROM t a CROSS JOIN UNNEST(ARRAY[1]) AS u (x);

-- taken
SELECT /*+ BROADCAST(u) */ a.k FROM t a CROSS JOIN UNNEST(ARRAY[1]) AS u (x);

-- refused hint
SELECT /*+ BROADCAST(x) */ a.k FROM t a CROSS JOIN UNNEST(ARRAY[1]) AS u (x);

-- refused hint
SELECT /*+ BROADCAST(x) */ a.k FROM t a, t b WHERE a.k = b.k;

-- taken
SELECT /*+ BROADCAST(d) */ a.k FROM t a JOIN dim FOR SYSTEM_TIME AS OF a.pt AS d ON a.k = d.k;

-- taken
SELECT /*+ BROADCAST(l) */ a.k FROM t a, LATERAL (SELECT n FROM dim WHERE dim.k = a.k) AS l;

-- taken
SELECT /*+ LOOKUP('table'='dim'), BROADCAST(t) */ dim.n FROM t JOIN dim FOR SYSTEM_TIME AS OF t.pt ON t.k = dim.k;

-- refused hint
SELECT /*+ MULTI_JOIN(x) */ a.k FROM t a, t b WHERE a.k = b.k;
