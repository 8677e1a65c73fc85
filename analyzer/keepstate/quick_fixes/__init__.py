"""Fixes: edits of the current text that raise the verdict, and the findings to take back."""
