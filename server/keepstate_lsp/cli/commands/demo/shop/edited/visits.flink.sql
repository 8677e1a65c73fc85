-- Page views and time on page, written years ago with group windows.
CREATE TABLE visits (
  visitor_id BIGINT,
  page       STRING,
  device     STRING,
  dwell_ms   BIGINT,
  viewed_at  TIMESTAMP_LTZ(3),
  WATERMARK FOR viewed_at AS viewed_at - INTERVAL '3' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'visits', 'format' = 'json');

INSERT INTO page_minutes
SELECT page, device,
  TUMBLE_START(viewed_at, INTERVAL '1' MINUTE) AS minute_start,
  COUNT(*) AS opened,
  SUM(dwell_ms) AS dwell,
  COUNT(DISTINCT visitor_id) AS visitors
FROM visits
GROUP BY device, page, TUMBLE(viewed_at, INTERVAL '1' MINUTE);
