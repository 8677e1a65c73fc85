"""The history of files: changes through commits and renames."""
