-- The three largest orders of each city.
INSERT INTO largest_orders
SELECT city, order_id, amount, place
FROM (
  SELECT city, order_id, amount, ROW_NUMBER() OVER (PARTITION BY city ORDER BY amount DESC) AS place
  FROM orders
)
WHERE place <= 3;
