"""States that are computed from the rows of the past, for queries that go on from them."""
