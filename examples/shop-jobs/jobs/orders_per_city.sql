-- Orders of each city since the beginning.
INSERT INTO orders_per_city
SELECT city, COUNT(*) AS orders
FROM orders
GROUP BY city;
