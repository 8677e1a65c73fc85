"""Full names of tables, views and functions, as statements write them."""
