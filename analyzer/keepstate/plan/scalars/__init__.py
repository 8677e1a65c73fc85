"""From the syntax of scalar expressions to their canonical form."""
