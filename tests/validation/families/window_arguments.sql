-- Arguments of window table functions, and group windows beside other keys (Flink 2.3).
CREATE TABLE gauges (id INT, big BIGINT, dbl DOUBLE, dc DECIMAL(10,2), txt STRING, ok BOOLEAN, dy DATE, tm TIME, at_time TIMESTAMP(3), z TIMESTAMP_LTZ(3), arr ARRAY<INT>, mp MAP<STRING, INT>, spot ROW<x INT, y ROW<q STRING, w INT>>, bits BYTES, seen AS PROCTIME(), WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND) WITH ('connector'='kafka','topic'='t','format'='json');
CREATE TABLE others (id INT, txt STRING, stamp TIMESTAMP(3), rows_in ARRAY<ROW<k STRING, v INT>>, WATERMARK FOR stamp AS stamp) WITH ('connector'='kafka','topic'='u','format'='json');
CREATE TABLE keyed (id INT, txt STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc');
CREATE TABLE needed (id INT NOT NULL, txt STRING, v BIGINT) WITH ('connector'='print');
CREATE TABLE anyrow (id INT, txt STRING, v BIGINT) WITH ('connector'='print');

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, SIZE => INTERVAL '2' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT * FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, SIZE => INTERVAL '1' HOUR));

-- taken
SELECT * FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, SIZE => INTERVAL '2' HOUR));

-- taken
SELECT COUNT(*) FROM gauges WHERE TUMBLE_START(at_time, INTERVAL '1' HOUR) IS NOT NULL GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
SELECT COUNT(*) FROM gauges WHERE TUMBLE_START(at_time, INTERVAL '2' HOUR) IS NOT NULL GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
SELECT id FROM gauges WHERE id > 1 AND HOP_START(at_time, INTERVAL '1' MINUTE, INTERVAL '1' HOUR) IS NULL;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, SIZE => INTERVAL '2' HOUR, SIZE => INTERVAL '3' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(HOP(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SLIDE => INTERVAL '5' MINUTE, SIZE => INTERVAL '1' HOUR, SLIDE => INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(SESSION(TABLE gauges PARTITION BY (id, txt), DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '1' DAY, INTERVAL '8' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, `OFFSET` => INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;

-- taken
SELECT COUNT(*) FROM TABLE(CUMULATE(DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), STEP => INTERVAL '5' MINUTE, SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- taken
SELECT * FROM TABLE(TUMBLE(DATA => TABLE gauges, SIZE => INTERVAL '1' HOUR, TIMECOL => DESCRIPTOR(at_time)));

-- taken
SELECT * FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), (INTERVAL '30' MINUTE)));

-- taken
SELECT COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), id;

-- taken
SELECT COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), 'a';

-- taken
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), 'a';

-- taken
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), 1 + 1;

-- taken
SELECT 'a', COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), id, 'a';

-- taken
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), CAST(1 AS BIGINT);

-- taken
SELECT COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), UPPER(txt);

-- taken
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), CURRENT_DATE;

-- taken
SELECT COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), GROUPING SETS ((id));

-- taken
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), ();

-- taken
SELECT 'a', COUNT(*) FROM gauges GROUP BY HOP(at_time, INTERVAL '1' MINUTE, INTERVAL '1' HOUR), 'a';

-- taken
SELECT 'a', COUNT(*) FROM gauges GROUP BY SESSION(at_time, INTERVAL '1' HOUR), 'a';

-- taken
SELECT SESSION_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY SESSION(at_time, INTERVAL '1' HOUR), id;

-- taken
SELECT TUMBLE_START(seen, INTERVAL '1' HOUR), 'a' AS k, COUNT(*) FROM gauges GROUP BY TUMBLE(seen, INTERVAL '1' HOUR), 'a';

-- taken
SELECT COUNT(*) FROM gauges GROUP BY 1, TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
SELECT TUMBLE_END(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY id, TUMBLE(at_time, INTERVAL '1' HOUR), 'a';

-- taken
SELECT TUMBLE_END(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY 1 + 1, TUMBLE(at_time, INTERVAL '1' HOUR);

-- taken
SELECT TUMBLE_END(at_time, INTERVAL '1' HOUR), COUNT(*) FROM (SELECT *, 'x' AS k FROM gauges) GROUP BY k, TUMBLE(at_time, INTERVAL '1' HOUR);

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(TIMECOL => DESCRIPTOR(at_time), DATA => TABLE gauges, SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(SIZE => INTERVAL '1' HOUR, DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time))) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR, DATA => TABLE gauges)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges PARTITION BY id, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(CUMULATE(TABLE gauges PARTITION BY id, DESCRIPTOR(at_time), INTERVAL '1' MINUTE, INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-size
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '30' MINUTE + INTERVAL '30' MINUTE)) GROUP BY window_start, window_end;

-- refused window-size
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), 2 * INTERVAL '30' MINUTE)) GROUP BY window_start, window_end;

-- refused cast
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), CAST('1' AS INTERVAL HOUR))) GROUP BY window_start, window_end;

-- refused window-size
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), CASE WHEN TRUE THEN INTERVAL '1' HOUR END)) GROUP BY window_start, window_end;

-- refused window-size
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), CAST(NULL AS INTERVAL HOUR))) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(data => TABLE gauges, timecol => DESCRIPTOR(at_time), size => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(SESSION(TABLE gauges PARTITION BY id ORDER BY at_time, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT * FROM TABLE(TUMBLE(TIMECOL => DESCRIPTOR(at_time), DATA => TABLE gauges, SIZE => INTERVAL '1' HOUR));

-- refused window-arguments
SELECT * FROM TABLE(TUMBLE(SIZE => INTERVAL '1' HOUR, TIMECOL => DESCRIPTOR(at_time), DATA => TABLE gauges));

-- refused window-arguments
SELECT * FROM TABLE(TUMBLE(TABLE gauges PARTITION BY id, DESCRIPTOR(at_time), INTERVAL '1' HOUR));

-- refused window-arguments
SELECT * FROM TABLE(HOP(TABLE gauges PARTITION BY id, DESCRIPTOR(at_time), INTERVAL '1' MINUTE, INTERVAL '1' HOUR));

-- refused window-arguments
SELECT * FROM TABLE(SESSION(TIMECOL => DESCRIPTOR(at_time), DATA => TABLE gauges PARTITION BY id, GAP => INTERVAL '1' HOUR));

-- refused window-size
SELECT * FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '30' MINUTE * 2));

-- refused window-size
SELECT * FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '1' DAY, - INTERVAL '8' HOUR));

-- refused group-window
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), GROUPING SETS ((id), (txt));

-- refused group-window
SELECT COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), ROLLUP (id);

-- refused group-window
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), ROLLUP (id);

-- refused group-window
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(at_time, INTERVAL '1' HOUR), CUBE (id);

-- refused group-window
SELECT COUNT(*) FROM gauges GROUP BY GROUPING SETS ((TUMBLE(at_time, INTERVAL '1' HOUR), id), (TUMBLE(at_time, INTERVAL '1' HOUR), txt));

-- refused group-window
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY GROUPING SETS ((TUMBLE(at_time, INTERVAL '1' HOUR), id), (TUMBLE(at_time, INTERVAL '1' HOUR), txt));

-- refused group-window
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY GROUPING SETS ((TUMBLE(at_time, INTERVAL '1' HOUR)), (id));

-- refused group-window
SELECT COUNT(*) FROM gauges GROUP BY ROLLUP (TUMBLE(at_time, INTERVAL '1' HOUR), id);

-- refused group-window
SELECT TUMBLE_ROWTIME(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY ROLLUP (TUMBLE(at_time, INTERVAL '1' HOUR), id);

-- refused group-window
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY CUBE (TUMBLE(at_time, INTERVAL '1' HOUR));

-- refused group-window
SELECT TUMBLE_ROWTIME(seen, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY TUMBLE(seen, INTERVAL '1' HOUR), 'a';

-- refused group-window
SELECT TUMBLE_START(at_time, INTERVAL '1' HOUR), COUNT(*) FROM gauges GROUP BY GROUPING SETS ((TUMBLE(at_time, INTERVAL '1' HOUR), id), (TUMBLE(at_time, INTERVAL '1' HOUR)));

-- refused group-window
SELECT TUMBLE_ROWTIME(seen, INTERVAL '1' HOUR) FROM gauges GROUP BY TUMBLE(seen, INTERVAL '1' HOUR);

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE gauges, DATA => TABLE gauges, TIMECOL => DESCRIPTOR(at_time), SIZE => INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused unknown-column
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), big)) GROUP BY window_start, window_end;

-- refused syntax
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR('at_time'), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused unknown-column
SELECT COUNT(*) FROM TABLE(TUMBLE(gauges, DESCRIPTOR(at_time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '1' HOUR, INTERVAL '0' HOUR, INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-size
SELECT COUNT(*) FROM TABLE(HOP(TABLE gauges, DESCRIPTOR(at_time), INTERVAL '1' HOUR, INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;

-- refused window-time
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(z), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;

-- refused window-arguments
SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE gauges)) GROUP BY window_start, window_end;

-- refused window-size
SELECT * FROM TABLE(TUMBLE(TABLE gauges, DESCRIPTOR(at_time), INTERVAL -'8' HOUR));

-- refused group-window
SELECT g.id FROM gauges g JOIN others o ON g.id = o.id AND TUMBLE_START(g.at_time, INTERVAL '1' HOUR) = o.stamp;
