"""CI systems: target branch, push and default baseline of a build."""
