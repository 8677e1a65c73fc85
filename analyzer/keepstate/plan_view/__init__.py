"""Drawings of plans and state layouts: of one version of a job, or of two with their differences.

``plans`` makes a ``Drawing`` of plain values. Operators are described by ``facts`` (read off their fields) and by their
states. ``nodes`` holds the shown items beside the values for the comparison, ``alignment`` pairs counterparts,
``diff_marks`` marks their differences. ``rows`` are the lines of a text.
"""
