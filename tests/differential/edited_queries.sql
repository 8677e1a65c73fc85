-- t1
CREATE TABLE ev (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE evn (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE ord (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ord','format'='json');
CREATE TABLE mf (id INT, k STRING, g STRING, v INT, p DECIMAL(10,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/mf','format'='json');
CREATE TABLE dim (k STRING, label STRING, f FLOAT, d DOUBLE, n INT) WITH ('connector'='filesystem','path'='data/ref','format'='json');
CREATE TABLE bids (item STRING, who STRING, price DECIMAL(10,2), qty INT, bt TIMESTAMP(3), WATERMARK FOR bt AS bt - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='data/bids','format'='json');
CREATE TABLE cdc (id INT, k STRING, name STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(8,2), ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/cdc','format'='debezium-json');
CREATE TABLE pr1 (k STRING, id INT, v INT) WITH ('connector'='print','print-identifier'='PR1');
CREATE TABLE pr2 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR2');
CREATE TABLE pr3 (id INT, s STRING, c BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR3');
CREATE TABLE up1 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up1');
CREATE TABLE up2 (v INT, k STRING, id INT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up2');
CREATE TABLE up3 (k STRING, s STRING, c BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up3');
CREATE VIEW best AS SELECT id, k, g, v, p FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM evn) WHERE rn = 1;
CREATE VIEW wagg AS SELECT window_start, window_end, item, SUM(price) AS total, COUNT(*) AS c, MAX(qty) AS mq FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bt), INTERVAL '2' MINUTES)) GROUP BY window_start, window_end, item;
CREATE VIEW lastcdc AS SELECT id, k, name, v, p FROM cdc WHERE v IS NOT NULL;
-- t2
CREATE TABLE ev (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE evn (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE ord (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ord','format'='json');
CREATE TABLE mf (id INT, k STRING, g STRING, v INT, p DECIMAL(10,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/mf','format'='json');
CREATE TABLE dim (k STRING, label STRING, f FLOAT, d DOUBLE, n INT) WITH ('connector'='filesystem','path'='data/ref','format'='json');
CREATE TABLE bids (item STRING, who STRING, price DECIMAL(10,2), qty INT, bt TIMESTAMP(3), WATERMARK FOR bt AS bt - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='data/bids','format'='json');
CREATE TABLE cdc (id INT, k STRING, name STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(8,2), ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/cdc','format'='debezium-json');
CREATE TABLE pr1 (k STRING, id INT, v INT) WITH ('connector'='print','print-identifier'='PR1');
CREATE TABLE pr2 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR2');
CREATE TABLE pr3 (id INT, s STRING, c BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR3');
CREATE TABLE up1 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up1');
CREATE TABLE up2 (v INT, k STRING, id INT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up2');
CREATE TABLE up3 (k STRING, s STRING, c BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up3');
CREATE VIEW best AS SELECT id, k, g, v, p FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM evn) WHERE rn = 1;
CREATE VIEW wagg AS SELECT window_start, window_end, item, SUM(price) AS total, COUNT(*) AS c, MAX(qty) AS mq FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bt), INTERVAL '2' MINUTES)) GROUP BY window_start, window_end, item;
CREATE VIEW lastcdc AS SELECT id, k, name, v, p FROM cdc WHERE v IS NOT NULL;
CREATE TABLE s1 (k STRING, id INT, v INT) WITH ('connector'='filesystem','path'='data/s1','format'='json');
CREATE TABLE s2 (k STRING, label STRING, n INT) WITH ('connector'='filesystem','path'='data/s2','format'='json');
CREATE TABLE z (id INT, k STRING, d DOUBLE, f FLOAT) WITH ('connector'='filesystem','path'='data/z','format'='debezium-json');
CREATE TABLE z2 (id INT, k STRING, d DOUBLE, f FLOAT) WITH ('connector'='filesystem','path'='data/z2','format'='debezium-json');
CREATE TABLE pr4 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR4');
CREATE TABLE bh (k STRING, id INT, v INT) WITH ('connector'='blackhole');
CREATE VIEW top AS SELECT k, id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM s1) WHERE rn = 1;
-- t3
CREATE TABLE ev (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE evn (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/ev','format'='json');
CREATE TABLE ord (id INT, k STRING, g STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(10,2), b BOOLEAN, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ord','format'='json');
CREATE TABLE mf (id INT, k STRING, g STRING, v INT, p DECIMAL(10,2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/mf','format'='json');
CREATE TABLE dim (k STRING, label STRING, f FLOAT, d DOUBLE, n INT) WITH ('connector'='filesystem','path'='data/ref','format'='json');
CREATE TABLE bids (item STRING, who STRING, price DECIMAL(10,2), qty INT, bt TIMESTAMP(3), WATERMARK FOR bt AS bt - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='data/bids','format'='json');
CREATE TABLE cdc (id INT, k STRING, name STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(8,2), ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='data/cdc','format'='debezium-json');
CREATE TABLE pr1 (k STRING, id INT, v INT) WITH ('connector'='print','print-identifier'='PR1');
CREATE TABLE pr2 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR2');
CREATE TABLE pr3 (id INT, s STRING, c BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR3');
CREATE TABLE up1 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up1');
CREATE TABLE up2 (v INT, k STRING, id INT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up2');
CREATE TABLE up3 (k STRING, s STRING, c BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:postgresql://h/d','table-name'='up3');
CREATE VIEW best AS SELECT id, k, g, v, p FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM evn) WHERE rn = 1;
CREATE VIEW wagg AS SELECT window_start, window_end, item, SUM(price) AS total, COUNT(*) AS c, MAX(qty) AS mq FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(bt), INTERVAL '2' MINUTES)) GROUP BY window_start, window_end, item;
CREATE VIEW lastcdc AS SELECT id, k, name, v, p FROM cdc WHERE v IS NOT NULL;
CREATE TABLE s1 (k STRING, id INT, v INT) WITH ('connector'='filesystem','path'='data/s1','format'='json');
CREATE TABLE s2 (k STRING, label STRING, n INT) WITH ('connector'='filesystem','path'='data/s2','format'='json');
CREATE TABLE z (id INT, k STRING, d DOUBLE, f FLOAT) WITH ('connector'='filesystem','path'='data/z','format'='debezium-json');
CREATE TABLE z2 (id INT, k STRING, d DOUBLE, f FLOAT) WITH ('connector'='filesystem','path'='data/z2','format'='debezium-json');
CREATE TABLE pr4 (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='print','print-identifier'='PR4');
CREATE TABLE bh (k STRING, id INT, v INT) WITH ('connector'='blackhole');
CREATE VIEW top AS SELECT k, id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM s1) WHERE rn = 1;
CREATE TABLE z3 (id INT, k STRING, n STRING, v INT) WITH ('connector'='filesystem','path'='data/z3','format'='debezium-json');
CREATE TABLE cpk (id INT, k STRING, name STRING, v INT, d DOUBLE, f FLOAT, p DECIMAL(8,2), ts TIMESTAMP(3), up AS UPPER(name), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cdc','format'='debezium-json');
CREATE TABLE pr5 (s STRING, c BIGINT) WITH ('connector'='print','print-identifier'='PR5');
-- t4
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE cust (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), since DATE, updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
CREATE TABLE custv (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR updated_at AS updated_at - INTERVAL '2' HOUR) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
-- t5
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE citems (item_id BIGINT, oid BIGINT, sku STRING, n INT, price DECIMAL(10,2), PRIMARY KEY (item_id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/citems.json','format'='debezium-json');
-- t6
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE corders (oid BIGINT, cust_id BIGINT, total DOUBLE, state STRING, items INT, created TIMESTAMP(3), PRIMARY KEY (oid) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/corders.json','format'='debezium-json');
CREATE TABLE citems (item_id BIGINT, oid BIGINT, sku STRING, n INT, price DECIMAL(10,2), PRIMARY KEY (item_id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/citems.json','format'='debezium-json');
-- t7
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE cust (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), since DATE, updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
CREATE TABLE corders (oid BIGINT, cust_id BIGINT, total DOUBLE, state STRING, items INT, created TIMESTAMP(3), PRIMARY KEY (oid) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/corders.json','format'='debezium-json');
-- t8
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE cust (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), since DATE, updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
CREATE TABLE corders (oid BIGINT, cust_id BIGINT, total DOUBLE, state STRING, items INT, created TIMESTAMP(3), PRIMARY KEY (oid) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/corders.json','format'='debezium-json');
CREATE TABLE citems (item_id BIGINT, oid BIGINT, sku STRING, n INT, price DECIMAL(10,2), PRIMARY KEY (item_id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/citems.json','format'='debezium-json');
-- t9
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE cust (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), since DATE, updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
-- t10
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE corders (oid BIGINT, cust_id BIGINT, total DOUBLE, state STRING, items INT, created TIMESTAMP(3), PRIMARY KEY (oid) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/corders.json','format'='debezium-json');
-- t11
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
CREATE VIEW ev AS SELECT usr, rt, kind, PARSE_URL(url,'PATH') pth, CASE WHEN dwell<0 THEN NULL ELSE dwell END dw FROM clicks WHERE usr<>'';
CREATE VIEW sess AS SELECT usr, window_start ws, window_end we, window_time wt, COUNT(*) n, COUNT(DISTINCT pth) paths, MAX(CASE kind WHEN 'buy' THEN 1 ELSE 0 END) bought, SUM(dw) dw FROM TABLE(SESSION(TABLE ev PARTITION BY usr, DESCRIPTOR(rt), INTERVAL '6' MINUTE)) GROUP BY usr, window_start, window_end, window_time;
CREATE VIEW hourly AS SELECT window_start, window_end, COUNT(*) s, SUM(bought) b, AVG(n) an, MAX(TIMESTAMPDIFF(SECOND, ws, we)) mx FROM TABLE(TUMBLE(TABLE sess, DESCRIPTOR(wt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
-- t12
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
CREATE VIEW ev AS SELECT usr, rt, kind, PARSE_URL(url,'PATH') pth, CASE WHEN dwell<0 THEN NULL ELSE dwell END dw FROM clicks WHERE usr<>'';
CREATE VIEW sess AS SELECT usr, window_start ws, window_end we, window_time wt, COUNT(*) n, COUNT(DISTINCT pth) paths, MAX(CASE kind WHEN 'buy' THEN 1 ELSE 0 END) bought, SUM(dw) dw FROM TABLE(SESSION(TABLE ev PARTITION BY usr, DESCRIPTOR(rt), INTERVAL '6' MINUTE)) GROUP BY usr, window_start, window_end, window_time;
CREATE VIEW hourly AS SELECT window_start, window_end, COUNT(*) s, SUM(bought) b, AVG(n) an, MAX(TIMESTAMPDIFF(SECOND, ws, we)) mx FROM TABLE(TUMBLE(TABLE sess, DESCRIPTOR(wt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
-- t13
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE VIEW feats AS SELECT tx, acct, tt, amt, COUNT(*) OVER w n5, SUM(amt) OVER w s5, MAX(amt) OVER w m5 FROM txns WINDOW w AS (PARTITION BY acct ORDER BY tt RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW);
CREATE VIEW scored AS SELECT *, CASE WHEN n5>4 AND s5>1000 THEN 'HIGH' WHEN m5>=500 THEN 'MED' ELSE 'LOW' END risk FROM feats;
-- t14
SET 'table.local-time-zone' = 'Asia/Tokyo';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE VIEW feats AS SELECT tx, acct, tt, amt, COUNT(*) OVER w n5, SUM(amt) OVER w s5, MAX(amt) OVER w m5 FROM txns WINDOW w AS (PARTITION BY acct ORDER BY tt RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW);
CREATE VIEW scored AS SELECT *, CASE WHEN n5>4 AND s5>1000 THEN 'HIGH' WHEN m5>=500 THEN 'MED' ELSE 'LOW' END risk FROM feats;
-- t15
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE VIEW feats AS SELECT tx, acct, tt, amt, COUNT(*) OVER w n5, SUM(amt) OVER w s5, MAX(amt) OVER w m5 FROM txns WINDOW w AS (PARTITION BY acct ORDER BY tt RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW);
CREATE VIEW scored AS SELECT *, CASE WHEN n5>4 AND s5>1000 THEN 'HIGH' WHEN m5>=500 THEN 'MED' ELSE 'LOW' END risk FROM feats;
-- t16
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE iso (k STRING, v INT, t TIMESTAMP(3), d DATE, arr ARRAY<ROW<sku STRING, n INT>>, nest ROW<`in` ROW<q DOUBLE>, lst ARRAY<INT>>, WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE VIEW lines AS SELECT k, t, a.sku, a.n, nest.`in`.q AS q FROM iso CROSS JOIN UNNEST(arr) AS a(sku,n);
CREATE VIEW wins AS SELECT window_start ws, window_end we, window_time wt, sku, SUM(n) n, MAX(q) q, COUNT(DISTINCT k) dk FROM TABLE(HOP(TABLE lines, DESCRIPTOR(t), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, window_time, sku;
-- t17
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE nexmark (event_type INT, person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` TIMESTAMP(3), extra STRING>, auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>, bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING>, `dateTime` TIMESTAMP(3), WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND) WITH ('connector'='filesystem','path'='data/nexmark.json','format'='json');
CREATE VIEW person AS SELECT person.id, person.name, person.emailAddress, person.creditCard, person.city, person.state, `dateTime`, person.extra FROM nexmark WHERE event_type = 0;
CREATE VIEW auction AS SELECT auction.id, auction.itemName, auction.description, auction.initialBid, auction.reserve, `dateTime`, auction.expires, auction.seller, auction.category, auction.extra FROM nexmark WHERE event_type = 1;
CREATE VIEW bid AS SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, `dateTime`, bid.extra FROM nexmark WHERE event_type = 2;
-- t18
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE ticker (symbol STRING, price INT, vol INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
-- t19
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE devices (dev STRING, place STRING, prio INT, installed DATE, maint TIME(0)) WITH ('connector'='filesystem','path'='data/devices.csv','format'='csv','csv.field-delimiter'=';');
CREATE TABLE mini (a INT, b STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='filesystem','path'='data/mini.json','format'='json');
-- t20
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE mini (a INT, b STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='filesystem','path'='data/mini.json','format'='json');
-- t21
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE rates (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE TABLE mini (a INT, b STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='filesystem','path'='data/mini.json','format'='json');
-- t22
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
-- t23
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
-- t24
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
-- t25
SET 'table.local-time-zone' = 'Asia/Kolkata';
CREATE TABLE odd (id INT, s STRING, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(20,2), bo BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), tl TIMESTAMP_LTZ(3), r ROW<x INT, y STRING>, ar ARRAY<INT>, m MAP<STRING,INT>) WITH ('connector'='filesystem','path'='data/odd.json','format'='json');
-- t26
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE odd (id INT, s STRING, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(20,2), bo BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), tl TIMESTAMP_LTZ(3), r ROW<x INT, y STRING>, ar ARRAY<INT>, m MAP<STRING,INT>) WITH ('connector'='filesystem','path'='data/odd.json','format'='json');
-- t27
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE odd (id INT, s STRING, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(20,2), bo BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), tl TIMESTAMP_LTZ(3), r ROW<x INT, y STRING>, ar ARRAY<INT>, m MAP<STRING,INT>) WITH ('connector'='filesystem','path'='data/odd.json','format'='json');
-- t28
SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE odd (id INT, s STRING, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(20,2), bo BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), tl TIMESTAMP_LTZ(3), r ROW<x INT, y STRING>, ar ARRAY<INT>, m MAP<STRING,INT>) WITH ('connector'='filesystem','path'='data/odd.json','format'='json');
-- t29
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE iso (k STRING, v INT, t TIMESTAMP(3), d DATE, arr ARRAY<ROW<sku STRING, n INT>>, nest ROW<`in` ROW<q DOUBLE>, lst ARRAY<INT>>, WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json','json.timestamp-format.standard'='ISO-8601');
-- t30
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE TABLE devices (dev STRING, place STRING, prio INT, installed DATE, maint TIME(0)) WITH ('connector'='filesystem','path'='data/devices.csv','format'='csv','csv.field-delimiter'=';');
-- t31
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE logs (id INT, host STRING, `level` STRING, payload STRING, msg STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/logs.json','format'='json');
-- t32
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE ticker (symbol STRING, price INT, vol INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
CREATE VIEW mr AS SELECT symbol, mt, (hi-lo)*100/hi drop_pct FROM ticker MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY rt MEASURES FIRST(A.price) AS hi, LAST(B.price) AS lo, MATCH_ROWTIME() AS mt ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C) WITHIN INTERVAL '1' MINUTE DEFINE B AS B.price < LAST(A.price,0), C AS C.price >= A.price);
-- t33
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
CREATE VIEW sev AS SELECT dev, ts, temp, state FROM sensors WHERE volt IS NOT NULL;
-- t34
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
-- t35
SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
-- t36
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
-- t37
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
CREATE TABLE snk_i01 (dev STRING, ws TIMESTAMP(3), n INT, note VARCHAR(3)) WITH ('connector'='filesystem','path'='data/i01','format'='json');
-- t38
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE TABLE snk_i02 (a DECIMAL(6,1), b CHAR(3), c BIGINT, d STRING) WITH ('connector'='filesystem','path'='data/i02','format'='json');
-- t39
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE TABLE snk_i04 (tx INT, tt TIMESTAMP(3), amt DECIMAL(5,1)) WITH ('connector'='filesystem','path'='data/i04','format'='json');
-- t40
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
CREATE TABLE devices (dev STRING, place STRING, prio INT, installed DATE, maint TIME(0)) WITH ('connector'='filesystem','path'='data/devices.csv','format'='csv','csv.field-delimiter'=';');
-- t41
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE TABLE rates (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
-- t42
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE rates (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
-- t43
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE rates_a (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE VIEW v AS SELECT currency, rate, rts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY currency ORDER BY rts DESC) rn FROM rates_a) WHERE rn=1;
-- t44
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
-- t45
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE rates (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE VIEW conv AS SELECT p.pts, p.cur, p.amount*r.rate AS x FROM (SELECT amount, pts, CASE `method` WHEN 'card' THEN 'EUR' ELSE 'USD' END cur FROM payments) p LEFT JOIN rates FOR SYSTEM_TIME AS OF p.pts AS r ON p.cur=r.currency;
-- t46
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE rates_a (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
-- t47
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE VIEW ex AS SELECT order_id, tags, ts FROM orders WHERE status IS NOT NULL;
-- t48
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE VIEW ex AS SELECT o.order_id, t.tag, o.price, o.ts FROM orders o CROSS JOIN UNNEST(o.tags) AS t(tag);
-- t49
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
-- t50
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE ticker (symbol STRING, price INT, vol INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
CREATE VIEW v AS SELECT symbol, rt, price, price - LAG(price) OVER (PARTITION BY symbol ORDER BY rt) chg FROM ticker;
-- t51
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE TEMPORARY VIEW clean AS SELECT order_id, COALESCE(user_id,-1) uid, product, NULLIF(TRIM(UPPER(status)),'') st, COALESCE(price,0.00) price, CASE WHEN qty<=0 OR qty IS NULL THEN 1 ELSE qty END qty, ts FROM orders;
CREATE TEMPORARY VIEW latest AS SELECT order_id, uid, product, st, price, qty, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY uid, product ORDER BY ts DESC) rn FROM clean) WHERE rn=1;
CREATE TEMPORARY VIEW per_user AS SELECT uid, COUNT(*) n, SUM(price*qty) amount, MAX(st) mst FROM latest GROUP BY uid;
-- t52
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE VIEW ij AS SELECT p.pts, p.pay_id, TIMESTAMPDIFF(SECOND, t.pts, p.pts) lag_s FROM payments p JOIN payments t ON p.amount = t.amount AND p.pts BETWEEN t.pts - INTERVAL '2' MINUTE AND t.pts + INTERVAL '2' MINUTE;
-- t53
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE rates_a (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE VIEW v AS SELECT currency, rate*1.1 AS rate, rts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY currency ORDER BY rts DESC) AS rn FROM rates_a WHERE rate > 0.01) WHERE rn=1;
-- t54
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE rates (currency STRING, rate DECIMAL(10,4), rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/rates.json','format'='json');
CREATE TABLE ticker (symbol STRING, price INT, vol INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
CREATE TABLE ticker_x (symbol STRING, price INT, rt TIMESTAMP(3), cur AS CASE symbol WHEN 'ACME' THEN 'USD' ELSE 'JPY' END, WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
-- t55
SET 'table.local-time-zone' = 'Asia/Tokyo';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
-- t56
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE VIEW dd AS SELECT tx, acct, amt, tt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY acct, amt, cur ORDER BY tt ASC) rn FROM txns) WHERE rn=1;
-- t57
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE orders (order_id BIGINT, user_id INT, product STRING, category STRING, price DECIMAL(10,2), qty INT, status STRING, coupon STRING, addr ROW<city STRING, zip STRING>, tags ARRAY<STRING>, attrs MAP<STRING,STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/orders.json','format'='json');
CREATE VIEW m1 AS SELECT window_time AS wt, category, product, COUNT(*) n, SUM(price) rev FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '30' SECOND)) GROUP BY window_start, window_end, window_time, category, product;
-- t58
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
CREATE VIEW m2 AS SELECT window_time AS wt, dev, COUNT(*) n FROM TABLE(TUMBLE(TABLE sensors, DESCRIPTOR(ts), INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, window_time, dev;
-- t59
SET 'table.local-time-zone' = 'Europe/London';
CREATE TABLE txns (tx INT, acct STRING, amt DOUBLE, cur STRING, merchant STRING, tt TIMESTAMP_LTZ(3), WATERMARK FOR tt AS tt - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/txns.json','format'='json','json.timestamp-format.standard'='ISO-8601');
-- t60
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
WITH m AS (SELECT window_start AS ws, window_time AS wt, dev, AVG(temp) AS t, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE sensors, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, window_time, dev)
-- t61
SET 'table.local-time-zone' = 'America/Sao_Paulo';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
-- t62
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE clicks (usr STRING, url STRING, ms BIGINT, kind STRING, dwell INT, loc STRING, rt AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR rt AS rt - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/clicks.csv','format'='csv');
-- t63
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE mini (a INT, b STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ('connector'='filesystem','path'='data/mini.json','format'='json');CREATE DATABASE d1; CREATE VIEW d1.v AS SELECT * FROM mini;
-- t64
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE iso (k STRING, v INT, t TIMESTAMP(3), d DATE, arr ARRAY<ROW<sku STRING, n INT>>, nest ROW<`in` ROW<q DOUBLE>, lst ARRAY<INT>>, WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE TABLE isox (k STRING, v INT, v2 AS COALESCE(v,0)*2+1, `$src` STRING METADATA FROM 'file.name' VIRTUAL) WITH ('connector'='filesystem','path'='data/iso.json','format'='json');
-- t65
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE iso (k STRING, v INT, t TIMESTAMP(3), d DATE, arr ARRAY<ROW<sku STRING, n INT>>, nest ROW<`in` ROW<q DOUBLE>, lst ARRAY<INT>>, WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE TABLE iso2 (k STRING, v INT, t STRING, rt AS TO_TIMESTAMP(REPLACE(t,'T',' '), 'yyyy-MM-dd HH:mm:ss.SSS'), WATERMARK FOR rt AS rt - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json');
-- t66
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE iso (k STRING, v INT, t TIMESTAMP(3), d DATE, arr ARRAY<ROW<sku STRING, n INT>>, nest ROW<`in` ROW<q DOUBLE>, lst ARRAY<INT>>, WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/iso.json','format'='json','json.timestamp-format.standard'='ISO-8601');
CREATE TABLE iso3 (extra_col STRING) LIKE iso (INCLUDING ALL EXCLUDING WATERMARKS);
-- t67
SET 'table.local-time-zone' = 'UTC';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '100';
CREATE TABLE sensors (dev STRING, ts TIMESTAMP(3), temp DOUBLE, hum FLOAT, bat SMALLINT, okk BOOLEAN, volt DECIMAL(8,3), state STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/sensors.csv','format'='csv');
-- t68
SET 'table.local-time-zone' = 'UTC';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '100';
CREATE TABLE cust (id BIGINT, name STRING, country STRING, vip BOOLEAN, credit DECIMAL(10,2), since DATE, updated_at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='data/cust.json','format'='debezium-json');
-- t69
SET 'table.local-time-zone' = 'UTC';
CREATE TABLE payments (pay_id STRING, order_id BIGINT, amount DOUBLE, `method` STRING, pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='data/payments.json','format'='json');
CREATE TABLE ticker (symbol STRING, price INT, vol INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='data/ticker.json','format'='json');
CREATE VIEW un AS SELECT 'pay' src, pts AS t FROM payments UNION ALL SELECT 'tick', rt FROM ticker;
-- t70
CREATE TABLE bids (id BIGINT, auction BIGINT, bidder STRING, price DECIMAL(12,3), qty INT, dbl DOUBLE, flag BOOLEAN, chan STRING, d DATE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector'='filesystem','path'='data/bids','format'='json');
CREATE TABLE late (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='data/late','format'='json');
CREATE TABLE pre (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/pre','format'='json');
CREATE TABLE eras (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/eras','format'='json');
CREATE TABLE dst (id BIGINT, k STRING, v INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/dst','format'='json');
CREATE TABLE howe (id BIGINT, k STRING, v INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/howe','format'='json');
CREATE TABLE nested (id BIGINT, who ROW<name STRING, addr ROW<city STRING, zip INT>>, tags ARRAY<STRING>, nums ARRAY<INT>, props MAP<STRING, INT>, doc STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='filesystem','path'='data/nested','format'='json');
CREATE TABLE rates (cur STRING, rate DOUBLE, rt TIMESTAMP(3), WATERMARK FOR rt AS rt) WITH ('connector'='filesystem','path'='data/rates','format'='json');
CREATE TABLE orders (oid BIGINT, cur STRING, amt DECIMAL(10,2), ot TIMESTAMP(3), WATERMARK FOR ot AS ot) WITH ('connector'='filesystem','path'='data/orders','format'='json');
CREATE TABLE ships (sid BIGINT, oid BIGINT, carrier STRING, st TIMESTAMP(3), WATERMARK FOR st AS st) WITH ('connector'='filesystem','path'='data/ships','format'='json');
CREATE TABLE ticks (sym STRING, price INT, tax INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt) WITH ('connector'='filesystem','path'='data/ticks','format'='json');
CREATE TABLE person (id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` TIMESTAMP(3), extra STRING, WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND) WITH ('connector'='filesystem','path'='data/person','format'='json');
CREATE TABLE auction (id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING, WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND) WITH ('connector'='filesystem','path'='data/auction','format'='json');
CREATE TABLE nbid (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING, WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND) WITH ('connector'='filesystem','path'='data/nbid','format'='json');
CREATE VIEW versions AS SELECT cur, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM rates) WHERE rn = 1;
CREATE VIEW inner_hop AS SELECT window_time AS wt, bidder, SUM(qty) AS s FROM TABLE(HOP(TABLE bids, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, window_time, bidder;
CREATE VIEW u AS SELECT id, ts FROM bids UNION ALL SELECT id, ts FROM bids WHERE flag;
CREATE VIEW lw AS SELECT window_time AS wt, k, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE late, DESCRIPTOR(ts), INTERVAL '30' SECOND)) GROUP BY window_start, window_end, window_time, k;
CREATE VIEW lf AS SELECT * FROM late WHERE v > 10;
CREATE VIEW dst_h AS SELECT window_time AS wt, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE dst, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, window_time;
CREATE VIEW howe_h AS SELECT window_time AS wt, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE howe, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, window_time;

-- t71
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
-- t72
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE VIEW m1 AS SELECT window_time AS rt, sku, SUM(qty) AS q FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, window_time, sku;
-- t73
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
-- t74
CREATE TABLE strts (id BIGINT, k STRING, amt STRING, ts_str STRING, ts AS TO_TIMESTAMP(ts_str), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/strts', 'format' = 'json');
-- t75
CREATE TABLE nums (id INT, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(20,6), s STRING, dt DATE, tm TIME, t3 TIMESTAMP(3), bl BOOLEAN, `by` BYTES) WITH ('connector' = 'filesystem', 'path'='data/nums', 'format' = 'json');
-- t76
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
-- t77
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
CREATE TABLE dim_users (uid INT, name STRING, city STRING, PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'print');
-- t78
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
-- t79
CREATE TABLE fx_cdc (cur STRING, rate DECIMAL(10,4), upd TIMESTAMP(3), WATERMARK FOR upd AS upd, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/fx_cdc', 'format' = 'debezium-json');
-- t80
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
CREATE TABLE city_stats2 (city STRING, n BIGINT, hi INT, PRIMARY KEY (city) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'c', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
-- t81
CREATE TABLE ticks (tid BIGINT, sym STRING, price INT, vol INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path'='data/ticks', 'format' = 'json');
-- t82
CREATE TABLE logins (lid BIGINT, uid BIGINT, ip STRING, country STRING, ok BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'filesystem', 'path'='data/logins', 'format' = 'json');
-- t83
CREATE TABLE sensors (dev STRING, temp DOUBLE, hum FLOAT, lvl SMALLINT, st TINYINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sensors', 'format' = 'csv', 'csv.null-literal' = 'n/a');
CREATE TABLE csv_out (dev STRING, temp DECIMAL(8,2), ts TIMESTAMP(3), on_ BOOLEAN) WITH ('connector' = 'filesystem', 'path'='data/csv', 'format' = 'csv');
-- t84
CREATE TABLE logs_part (n INT, lvl STRING, svc STRING, dt STRING, rg STRING) PARTITIONED BY (dt, rg) WITH ('connector' = 'filesystem', 'path'='data/logs_part', 'format' = 'csv');
-- t85
CREATE TABLE dirty (id BIGINT, v INT, `at` TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path'='data/dirty', 'format' = 'json', 'json.ignore-parse-errors' = 'true', 'json.timestamp-format.standard' = 'ISO-8601');
-- t86
CREATE TABLE dirty (id BIGINT, v INT, `at` TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path'='data/dirty', 'format' = 'json', 'json.ignore-parse-errors' = 'true', 'json.timestamp-format.standard' = 'ISO-8601');
CREATE TABLE raw_json (id BIGINT, payload ROW<a INT, b STRING>, `at` STRING, proc AS UPPER('x'), t AS TO_TIMESTAMP(REPLACE(`at`, 'T', ' '))) WITH ('connector' = 'filesystem', 'path'='data/dirty', 'format' = 'json', 'json.ignore-parse-errors' = 'true');
-- t87
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
-- t88
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TEMPORARY VIEW good AS SELECT * FROM clicks WHERE ok;
CREATE TEMPORARY VIEW per_page (pg, n) AS SELECT page, COUNT(*) FROM good GROUP BY page;
-- t89
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE VIEW win AS SELECT window_start AS ws, window_end AS we, user_id, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, user_id;
-- t90
SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE logins (lid BIGINT, uid BIGINT, ip STRING, country STRING, ok BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'filesystem', 'path'='data/logins', 'format' = 'json');
-- t91
CREATE TABLE epochs (eid BIGINT, k STRING, v INT, epoch_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path'='data/epochs', 'format' = 'json');
-- t92
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE epochs (eid BIGINT, k STRING, v INT, epoch_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path'='data/epochs', 'format' = 'json');
-- t93
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
-- t94
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE sales_dedup (sale_id BIGINT, cust INT, sku STRING, price DECIMAL(10,2)) WITH ('connector' = 'print');
-- t95
CREATE TABLE sensors (dev STRING, temp DOUBLE, hum FLOAT, lvl SMALLINT, st TINYINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sensors', 'format' = 'csv', 'csv.null-literal' = 'n/a');
-- t96
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE fx_log (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from) WITH ('connector' = 'filesystem', 'path'='data/fx', 'format' = 'json');
CREATE VIEW latest_fx AS SELECT cur, rate FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fx_log) WHERE rn = 1;
-- t97
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '100';
-- t98
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
-- t99
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
-- t100
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE TABLE best (region STRING, sale_id BIGINT, price DECIMAL(10,2), PRIMARY KEY (region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'b', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
-- t101
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE out_clicks (id BIGINT, u STRING, page STRING, secs BIGINT, secs_d DOUBLE, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
-- t102
SET 'table.local-time-zone' = 'Asia/Tokyo';
CREATE TABLE epochs (eid BIGINT, k STRING, v INT, epoch_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path'='data/epochs', 'format' = 'json');
-- t103
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE daily_agg (cust INT, d DATE, n BIGINT, total DECIMAL(38, 2), PRIMARY KEY (cust, d) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'daily', 'properties.bootstrap.servers' = 'k:9092', 'key.format' = 'json', 'value.format' = 'json');
-- t104
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
-- t105
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
-- t106
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE logins (lid BIGINT, uid BIGINT, ip STRING, country STRING, ok BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'filesystem', 'path'='data/logins', 'format' = 'json');
-- t107
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE TABLE payments_s (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
-- t108
CREATE TABLE fx (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/fx', 'format' = 'json');
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
-- t109
CREATE TABLE fx_log (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from) WITH ('connector' = 'filesystem', 'path'='data/fx', 'format' = 'json');
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE VIEW fx_ver AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fx_log) WHERE rn = 1;
-- t110
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE TABLE payments_s (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
CREATE VIEW allev2 AS SELECT pay_method AS who, pts AS ts FROM payments_s UNION ALL SELECT CAST(cust AS STRING), ts FROM sales_s;
-- t111
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
-- t112
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
-- t113
CREATE TABLE events (id BIGINT, payload STRING, tags ARRAY<STRING>, nums ARRAY<INT>, attrs MAP<STRING, STRING>, items ARRAY<ROW<sku STRING, qty INT, price DECIMAL(8,2)>>, who ROW<name STRING, addr ROW<city STRING, zip STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path'='data/events', 'format' = 'json');
-- t114
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE hourly (h STRING, page STRING, pv BIGINT, uv BIGINT) WITH ('connector' = 'blackhole');
-- t115
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE sales2 (WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) LIKE sales (OVERWRITING WATERMARKS);
-- t116
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE clicks_x (total_s AS dur_ms / 1000.0, day_str AS DATE_FORMAT(ts, 'yyyyMMdd')) LIKE clicks;
-- t117
CREATE TABLE events (id BIGINT, payload STRING, tags ARRAY<STRING>, nums ARRAY<INT>, attrs MAP<STRING, STRING>, items ARRAY<ROW<sku STRING, qty INT, price DECIMAL(8,2)>>, who ROW<name STRING, addr ROW<city STRING, zip STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path'='data/events', 'format' = 'json');
CREATE TABLE nums (id INT, ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(20,6), s STRING, dt DATE, tm TIME, t3 TIMESTAMP(3), bl BOOLEAN, `by` BYTES) WITH ('connector' = 'filesystem', 'path'='data/nums', 'format' = 'json');
-- t118
CREATE TABLE events (id BIGINT, payload STRING, tags ARRAY<STRING>, nums ARRAY<INT>, attrs MAP<STRING, STRING>, items ARRAY<ROW<sku STRING, qty INT, price DECIMAL(8,2)>>, who ROW<name STRING, addr ROW<city STRING, zip STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path'='data/events', 'format' = 'json');
CREATE TABLE flat (id BIGINT, name STRING, city STRING, os STRING, first_sku STRING) WITH ('connector' = 'print');
-- t119
CREATE TABLE events (id BIGINT, payload STRING, tags ARRAY<STRING>, nums ARRAY<INT>, attrs MAP<STRING, STRING>, items ARRAY<ROW<sku STRING, qty INT, price DECIMAL(8,2)>>, who ROW<name STRING, addr ROW<city STRING, zip STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path'='data/events', 'format' = 'json');
CREATE TABLE nested_out (id BIGINT, p ROW<n STRING, c STRING>, tags ARRAY<STRING>, m MAP<STRING, STRING>) WITH ('connector' = 'print');
-- t120
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE q7 (sale_id BIGINT, price DECIMAL(10,2), ts TIMESTAMP(3)) WITH ('connector' = 'blackhole');
-- t121
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
-- t122
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE lead_bulk (`key` STRING, val STRING) WITH ('connector' = 'print');
-- t123
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE tx_agg (cust INT, ws TIMESTAMP(3), we TIMESTAMP(3), window_type STRING, tx_count BIGINT, total_amount DECIMAL(38,2), avg_amount DECIMAL(38,6), min_amount DECIMAL(10,2), max_amount DECIMAL(10,2)) WITH ('connector' = 'kafka', 'topic' = 'tx_agg', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');
-- t124
CREATE TABLE events (id BIGINT, payload STRING, tags ARRAY<STRING>, nums ARRAY<INT>, attrs MAP<STRING, STRING>, items ARRAY<ROW<sku STRING, qty INT, price DECIMAL(8,2)>>, who ROW<name STRING, addr ROW<city STRING, zip STRING>>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path'='data/events', 'format' = 'json');
CREATE TABLE ms_sink (id BIGINT, doc_type STRING, uid INT, ev_date STRING) WITH ('connector' = 'print');
-- t125
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
CREATE VIEW v_sales AS SELECT *, price * qty AS amt FROM sales WHERE qty > 0;
CREATE VIEW v_cust AS SELECT cust, COUNT(*) AS orders, SUM(amt) AS ltv FROM v_sales GROUP BY cust;
-- t126
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
-- t127
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
CREATE TABLE enriched (sale_id BIGINT, name STRING, country STRING, price DECIMAL(10,2)) WITH ('connector' = 'print');
-- t128
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE partial_cols (id INT, note STRING, total DECIMAL(38,2)) WITH ('connector' = 'print');
-- t129
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE casts (sale_id INT, price DOUBLE, ts TIMESTAMP(0), sold STRING) WITH ('connector' = 'print');
-- t130
CREATE TABLE texts (id INT, s STRING, t STRING) WITH ('connector' = 'filesystem', 'path'='data/texts', 'format' = 'json');
-- t131
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE fx (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/fx', 'format' = 'json');
-- t132
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE fx_cdc (cur STRING, rate DECIMAL(10,4), upd TIMESTAMP(3), WATERMARK FOR upd AS upd, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/fx_cdc', 'format' = 'debezium-json');
-- t133
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
CREATE TABLE fx_log (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from) WITH ('connector' = 'filesystem', 'path'='data/fx', 'format' = 'json');
CREATE VIEW fx_ver AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fx_log) WHERE rn = 1;
-- t134
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE top_sku (region STRING, rk BIGINT, sku STRING, total DECIMAL(38,2), PRIMARY KEY (region, rk) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://h/db', 'table-name' = 'top_sku');
-- t135
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE sink_pv (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, pv BIGINT, dur BIGINT) WITH ('connector' = 'print');
-- t136
SET 'table.local-time-zone' = 'America/Los_Angeles';
CREATE TABLE logins (lid BIGINT, uid BIGINT, ip STRING, country STRING, ok BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'filesystem', 'path'='data/logins', 'format' = 'json');
CREATE TABLE login_days (d DATE, n BIGINT, u BIGINT, PRIMARY KEY (d) NOT ENFORCED) WITH ('connector' = 'print');
-- t137
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
-- t138
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE VIEW allev AS SELECT user_id AS who, ts FROM clicks UNION ALL SELECT CAST(cust AS STRING), ts FROM sales;
-- t139
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE payments (pay_id BIGINT, sale_id BIGINT, pay_method STRING, amount DECIMAL(10,2), pts TIMESTAMP(3), WATERMARK FOR pts AS pts) WITH ('connector' = 'filesystem', 'path'='data/payments', 'format' = 'json');
CREATE VIEW u_all AS SELECT 'sale' AS kind, CAST(sale_id AS STRING) AS id, price AS amt, ts FROM sales UNION ALL SELECT 'pay' AS kind, CAST(pay_id AS STRING) AS id, amount AS amt, pts AS ts FROM payments;
-- t140
CREATE TABLE texts (id INT, s STRING, t STRING) WITH ('connector' = 'filesystem', 'path'='data/texts', 'format' = 'json');
CREATE TABLE ch (c STRING, v VARCHAR(4)) WITH ('connector' = 'print');
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';
-- t141
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '2 s';
SET 'table.exec.mini-batch.size' = '5000';
-- t142
CREATE TABLE strts (id BIGINT, k STRING, amt STRING, ts_str STRING, ts AS TO_TIMESTAMP(ts_str), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/strts', 'format' = 'json');
SET 'table.exec.legacy-cast-behaviour' = 'enabled';
-- t143
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
SET 'table.exec.source.idle-timeout' = '10 s';
-- t144
CREATE TABLE rawt (line STRING) WITH ('connector' = 'filesystem', 'path'='data/odd', 'format' = 'raw');
-- t145
CREATE TABLE em (id BIGINT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path'='data/empty', 'format' = 'json');
-- t146
CREATE TABLE wn (id BIGINT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path'='data/withnull', 'format' = 'json');
-- t147
CREATE TABLE mt (id BIGINT, v INT, `file.name` STRING NOT NULL METADATA, sz BIGINT NOT NULL METADATA FROM 'file.size') WITH ('connector' = 'filesystem', 'path'='data/withnull', 'format' = 'json');
-- t148
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
CREATE TEMPORARY TABLE IF NOT EXISTS t2 (`编号` BIGINT, `v` INT, `ts` TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR `ts` AS `ts` - INTERVAL '0.5' SECOND) COMMENT 'x' WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
-- t149
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
CREATE VIEW a AS SELECT g, v FROM tardy;
DROP VIEW a;
CREATE VIEW a AS SELECT g, v * 2 AS v FROM tardy;
-- t150
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE TABLE pk (cust INT, name STRING, n BIGINT, PRIMARY KEY (cust, name) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://h/db', 'table-name' = 'pk');
-- t151
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
CREATE TABLE pt (sale_id BIGINT, price DECIMAL(10,2), dt STRING) PARTITIONED BY (dt) WITH ('connector' = 'filesystem', 'path'='data/pt', 'format' = 'csv');
-- t152
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
CREATE VIEW c1 AS SELECT window_time AS rt, g, SUM(v) AS s FROM TABLE(TUMBLE(TABLE tardy, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time, g;
-- t153
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
CREATE VIEW h1 AS SELECT window_time AS rt, SUM(v) AS s FROM TABLE(HOP(TABLE tardy, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
-- t154
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE users_cdc (uid INT, name STRING, city STRING, lvl INT, bal DECIMAL(10,2), PRIMARY KEY (uid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path'='data/users_cdc', 'format' = 'debezium-json');
-- t155
CREATE TABLE vs (i INT, s VARCHAR(10), t TIMESTAMP(3)) WITH ('connector' = 'print');
-- t156
CREATE TABLE texts (id INT, s STRING, t STRING) WITH ('connector' = 'filesystem', 'path'='data/texts', 'format' = 'json');
CREATE TABLE ch (c CHAR(5), v VARCHAR(4), b VARBINARY(100)) WITH ('connector' = 'print');
-- t157
CREATE TABLE sales (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales', 'format' = 'json');
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
-- t158
SET 'table.local-time-zone' = 'Asia/Kathmandu';
CREATE TABLE epochs (eid BIGINT, k STRING, v INT, epoch_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path'='data/epochs', 'format' = 'json');
-- t159
SET 'table.local-time-zone' = 'Europe/Berlin';
-- t160
SET 'table.local-time-zone' = 'Australia/Lord_Howe';
CREATE TABLE epochs (eid BIGINT, k STRING, v INT, epoch_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path'='data/epochs', 'format' = 'json');
-- t161
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE logins (lid BIGINT, uid BIGINT, ip STRING, country STRING, ok BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'filesystem', 'path'='data/logins', 'format' = 'json');
-- t162
CREATE TABLE clicks (click_id BIGINT, user_id STRING, page STRING, dur_ms BIGINT, referrer STRING, ok BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/clicks', 'format' = 'json');
CREATE TABLE tardy (id BIGINT, g STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path'='data/tardy', 'format' = 'json');
-- t163
CREATE TABLE customers (cust INT, name STRING, tier STRING, country STRING, since DATE, credit DECIMAL(12,3)) WITH ('connector' = 'filesystem', 'path'='data/customers', 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = '');
CREATE TABLE sales_s (sale_id BIGINT, cust INT, sku STRING, qty INT, price DECIMAL(10,2), disc DOUBLE, region STRING, cur STRING, sold DATE, paid BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path'='data/sales_s', 'format' = 'json');
-- t164
SET 'table.local-time-zone' = 'America/New_York';
