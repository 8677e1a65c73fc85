"""Reports as values for people and programs: the JSON format, statuses in words, next steps."""
