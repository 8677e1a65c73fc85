"""Jobs of several files: declarations of files, and the one text that a job is composed of. No file is read here."""
