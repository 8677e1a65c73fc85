"""Reports as values for every reader: JSON of a file, next steps, effects in words."""
