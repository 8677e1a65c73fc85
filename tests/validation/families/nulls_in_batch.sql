-- Bare NULL as an argument in batch mode (Flink 2.3).
SET 'execution.runtime-mode' = 'batch';
CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');

-- refused bare-null
SELECT GREATEST(id, 2, NULL) AS v FROM t;

-- refused bare-null
SELECT LEAST(NULL, id) AS v FROM t;

-- refused bare-null
SELECT GREATEST(s, NULL) AS v FROM t;

-- refused bare-null
SELECT GREATEST(1, NULL) AS v FROM t;

-- refused bare-null
SELECT JSON_OBJECT('a' VALUE NULL) AS v FROM t;

-- refused bare-null
SELECT JSON_ARRAY(NULL, id) AS v FROM t;

-- refused bare-null
SELECT JSON_VALUE(NULL, '$.a') AS v FROM t;

-- refused bare-null
SELECT CONCAT(s, NULL) AS v FROM t;

-- taken
SELECT COALESCE(id, NULL) AS v FROM t;

-- taken
SELECT IFNULL(id, NULL) AS v FROM t;

-- taken
SELECT JSON_QUOTE(NULL) AS v FROM t;

-- taken
SELECT JSON_STRING(NULL) AS v FROM t;

-- taken
SELECT GREATEST(id, CAST(NULL AS INT)) AS v FROM t;

-- taken
SELECT COALESCE(NULL, id) AS v FROM t;

-- taken
SELECT JSON_OBJECT('a' VALUE CAST(NULL AS STRING)) AS v FROM t;

-- taken
SELECT LEAST(s, CAST(NULL AS STRING)) AS v FROM t;
