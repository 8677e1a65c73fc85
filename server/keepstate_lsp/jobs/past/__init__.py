"""Jobs at past commits: files and configurations as they were, and the jobs that a commit touched."""
