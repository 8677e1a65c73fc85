"""The jobs of a workspace or repository: today, at each commit, and as deployed."""
