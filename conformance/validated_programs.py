"""Scores the validation against what Flink says to programs.

    python conformance/validated_programs.py FOLDER [--missed]

FOLDER holds ``programs.jsonl``: one program a line with ``sql``, ``accepted``, ``stage``, ``depends_on``, and the place
of Flink's refusal, ``line`` and ``column`` from 1. Ends with status 1 if a program that Flink takes is called invalid.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate.syntax.script import parse_script
from keepstate.text import Encoding, LineIndex
from keepstate.validation import Answer, Validity, validate


@dataclass(frozen=True)
class Scored:
    """A program with Flink's answer and ours."""

    program: dict[str, Any]
    found: Validity

    @property
    def stage(self) -> str:
        """Stage at which Flink refuses the program; ``accepted`` if it does not."""
        return self.program["stage"] or "accepted"

    @property
    def is_false_refusal(self) -> bool:
        return bool(self.program["accepted"]) and self.found.answer is Answer.INVALID

    @property
    def is_missed(self) -> bool:
        return not self.program["accepted"] and self.found.answer is not Answer.INVALID

    @property
    def points_alike(self) -> bool | None:
        """Return whether our first problem begins where Flink points; ``None`` where one of both points nowhere."""
        if self.program["accepted"] or self.program["line"] is None or not self.found.problems:
            return None
        start = self.found.problems[0].span.start
        position = LineIndex(self.program["sql"]).position(start, Encoding.UTF32)
        return (position.line + 1, position.character + 1) == (self.program["line"], self.program["column"])


def scored(folder: Path) -> Iterator[Scored]:
    with (folder / "programs.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            program = json.loads(line)
            yield Scored(program, validate(parse_script(program["sql"])))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missed", action="store_true", help="list refused programs that are not called invalid")
    arguments = parser.parse_args()
    every = list(scored(arguments.folder))
    answers = Counter((each.stage, each.program["depends_on"] or "-", each.found.answer.value) for each in every)
    for (stage, depends, answer), count in sorted(answers.items()):
        print(f"{stage:9} {depends:14} {answer:12} {count:5}")
    refused = [each for each in every if not each.program["accepted"]]
    told = sum(not each.is_missed for each in refused)
    alike = [each.points_alike for each in refused if each.points_alike is not None]
    print(f"refused and called invalid: {told} of {len(refused)} ({told / max(1, len(refused)):.1%})")
    print(f"at Flink's token: {sum(alike)} of {len(alike)} ({sum(alike) / max(1, len(alike)):.1%})")
    false = [each.program["id"] for each in every if each.is_false_refusal]
    print(f"accepted and called invalid: {len(false)} {' '.join(false)}")
    if arguments.missed:
        for kind, count in Counter(each.program["kind"] for each in refused if each.is_missed).most_common():
            print(f"{count:4} {kind}")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
