"""Single statements in what stands above them: their answers, and those that an edit elsewhere leaves as they are."""
