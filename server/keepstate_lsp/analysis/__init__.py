"""What a keystroke starts: documents, their analysis in the worker, and the schedule."""
