"""Plans that are equal because their queries say the same, so that they need not be made to be compared."""
