"""Output: terminal, files, pages, pictures, progress, signals."""
