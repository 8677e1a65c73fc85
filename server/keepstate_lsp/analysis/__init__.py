"""Documents, their analysis in the worker thread, and the schedule: the work that a keystroke starts."""
