"""``keepstate check --watch``: what a check reads, looked at again and again."""
