"""git: its processes, objects, index, log and revisions."""
