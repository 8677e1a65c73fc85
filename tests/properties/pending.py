"""Properties that do not hold yet, by the name of the kind or of the edit. Empty means: all of them hold."""

PENDING_SPELLINGS: frozenset[str] = frozenset()
PENDING_EDITS: frozenset[str] = frozenset()
PENDING_COMBINATIONS: frozenset[str] = frozenset()
