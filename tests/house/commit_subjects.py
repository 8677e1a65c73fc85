"""Subjects of commits: short enough for a list of them, with the why in the body.

python tests/house/commit_subjects.py main..HEAD             # commits of a range
python tests/house/commit_subjects.py --message FILE         # a message that is about to be committed
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

LONGEST = 72
_MADE_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
"""Beginnings of subjects that git itself writes."""


def faults(message: str) -> Iterator[str]:
    """Faults of a commit message, each a sentence. Lines of comments are none of the message."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    while lines and not lines[0]:
        del lines[0]
    subject = lines[0] if lines else ""
    if not subject:
        yield "the message has no subject"
    elif not subject.startswith(_MADE_BY_GIT):
        if len(subject) > LONGEST:
            yield f"the subject has {len(subject)} characters, {LONGEST} at most: {subject}"
        if subject.endswith("."):
            yield f"the subject ends with a period: {subject}"
        if len(lines) > 1 and lines[1]:
            yield f"no blank line behind the subject: {subject}"


def messages(commits: str) -> Iterator[tuple[str, str]]:
    """Hash and message of each commit of a range, without merges."""
    command = ["git", "log", "--no-merges", "-z", "--format=%h %B", commits]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    for entry in listed.split("\0"):
        if entry:
            name, _, message = entry.partition(" ")
            yield name, message


def main(arguments: Sequence[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "--message":
        found = list(faults(Path(arguments[1]).read_text("utf-8")))
    elif len(arguments) == 1 and not arguments[0].startswith("-"):
        found = [f"{name}: {fault}" for name, message in messages(arguments[0]) for fault in faults(message)]
    else:
        sys.stderr.write(__doc__ or "")
        return 2
    for fault in found:
        sys.stderr.write(f"commit subject: {fault}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
