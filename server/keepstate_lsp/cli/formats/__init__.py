"""Output formats of check and diff, one module each."""
