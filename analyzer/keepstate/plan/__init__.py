"""Plans: the operators of each query with expressions in canonical form."""
