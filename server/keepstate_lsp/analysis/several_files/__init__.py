"""Jobs of several files in the server: the files of revisions, jobs composed of them, and findings in their files."""
