"""Text to the pieces that are statements: semicolons, quotes, comments, and what a keystroke changes of that."""
