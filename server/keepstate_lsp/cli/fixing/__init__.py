"""Fixes of ``keepstate check --fix``: chosen, analysed again, and written."""
