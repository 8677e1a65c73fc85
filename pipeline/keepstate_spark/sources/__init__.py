"""The tables of a job as files: where they lie, how their rows are read, and which rows cannot be."""
