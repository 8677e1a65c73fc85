"""Functions that read and write texts of JSON."""
