"""Facts derived of operators (Calcite's metadata): rows, changelogs, join sides, lifetimes."""
