"""Stand-ins for functions of the user, made from their declared signatures."""
