"""Changes of what a pattern finds in a script."""

from __future__ import annotations

import re
from random import Random

from sql_places import Made, Places


def matched(places: Places, random: Random, pattern: str, *texts: str) -> Made:
    """Another text for one match; groups of the pattern can be in it."""
    matches = list(re.finditer(pattern, places.text))
    if not matches:
        return None
    match = random.choice(matches)
    changed = match.expand(random.choice(texts))
    return places.changed((*match.span(), changed)) if changed != match[0] else None
