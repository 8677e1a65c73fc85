"""Columns that queries give: the items of select lists, stars, and lists of names."""
