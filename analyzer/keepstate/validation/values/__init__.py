"""Values: the scopes and types of expressions, and the functions and operators that take them."""
