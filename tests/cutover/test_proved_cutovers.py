"""The page of cutovers that were run: each change stands on it, with sets of rows or a reason."""

from __future__ import annotations

import re
from pathlib import Path

from cutover_changes import CHANGES
from keepstate.cutover.cutover_plan import Approach

PAGE = Path(__file__).parents[2] / "docs" / "cutover-proofs.md"
ROWS = {
    name: (way, exact, result)
    for name, way, exact, result in re.findall(
        r"(?m)^\| (.+?) \| [a-z, -]+ \| ([a-z ]+) \| (yes|no) \| (.+) \|$", PAGE.read_text("utf-8")
    )
}
FEWEST, SETS = 40, 2


def test_each_change_is_on_the_page() -> None:
    assert list(ROWS) == [change.name for change in CHANGES]
    assert {name: exact == "yes" for name, (_, exact, _) in ROWS.items()} == {each.name: each.exact for each in CHANGES}


def test_exact_plans_were_proved_and_others_have_a_reason() -> None:
    proved = 0
    for change in CHANGES:
        way, _, result = ROWS[change.name]
        sets = re.match(r"equal with ([\d, ]+) \(", result)
        if change.approach is Approach.REPLAY:
            assert way == "replay" and sets is None and result
        elif change.exact:
            assert sets is not None and len(sets[1].split(", ")) >= SETS and "other rows" not in result, change.name
            proved += 1
        else:
            assert result.partition(". ")[2], change.name
    assert proved >= FEWEST
