"""Plans and state layouts to be drawn: those of one version of a job, or of two with their differences.

``plans`` makes a ``Drawing`` of plain values. Operators are described by ``facts`` (read off their fields) and by their
states; ``nodes`` holds what is shown of them beside what that is compared by, ``pairs`` puts counterparts together,
``marks`` says what differs between two. ``rows`` are the lines of a text.
"""
