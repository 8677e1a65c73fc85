"""Reading and writing files: bounded, atomic, locked."""
