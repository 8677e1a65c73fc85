"""Rules: their pages, their words, and the judgement of all changes of a job."""
