"""The statements that declare tables, views and functions, and those that change what they declare."""
