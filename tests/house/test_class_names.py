"""Names of classes and modules: one meaning each, and nouns that a reader understands without the docstring."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("analyzer", "server", "pipeline")
ALLOWED: Mapping[str, str] = {}
"""Names of several classes, each with the reason why these are one thing: the layers, and the import between them."""
NOUNS = frozenset({"Ending", "Finding", "Meaning", "Ordering", "Reading", "Setting", "Drawing", "Listing", "Spelling"})
NOUNS_OF_CODE = frozenset({"Encoding", "Lowering", "Renaming"})
"""An encoding, a lowering and a renaming are things in this field."""
STATES = frozenset({"Unresolved", "Unsupported"})
"""An expression and an operator that lowering could not make better; Spark has names of this form as well."""
PARTICIPLE = re.compile(r"[A-Z][a-z]*(?:ed|ing)|Found|Given|Kept|Left|Lost|Made|Met|Seen|Shown|Told")
EMPTY_NAMES = ("words.py", "misc.py", "utils.py", "helpers.py", "common.py")
PARTS_OF_A_PACKAGE = ("__init__.py", "__main__.py")
MOST_REPEATED = 21
"""The most names that modules of several packages share; the number only falls. What is left says the same in each of
these packages: the joins of the operators, of the differ, and of the validation.
"""
ADVERBS = ("elsewhere.py", "asked.py", "made.py", "settled.py", "told.py", "gone.py", "kept.py", "left_out.py")


@functools.cache
def modules() -> dict[str, str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in listed if path.endswith(".py")}


def public_classes(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """The modules of each public class, by its name."""
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in texts.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    return dict(homes)


@functools.cache
def class_homes() -> Mapping[str, list[str]]:
    """The modules of each public class of this checkout."""
    return public_classes(modules())


def ambiguous(homes_by_name: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: homes for name, homes in homes_by_name.items() if len(homes) > 1 and name not in ALLOWED}


def participles(names: Sequence[str]) -> list[str]:
    known = NOUNS | NOUNS_OF_CODE | STATES
    return sorted(name for name in names if PARTICIPLE.fullmatch(name) and name not in known)


def test_a_class_name_has_one_meaning() -> None:
    assert not ambiguous(class_homes())


def test_class_names_are_nouns() -> None:
    assert not participles(list(class_homes()))


def test_module_names_say_something() -> None:
    names = [path.rsplit("/", 1)[-1] for path in modules()]
    assert not [name for name in names if name in EMPTY_NAMES or name in ADVERBS]


def test_few_modules_share_a_name() -> None:
    counts = Counter(path.rsplit("/", 1)[-1] for path in modules())
    repeated = sorted(name for name, count in counts.items() if count > 1 and name not in PARTS_OF_A_PACKAGE)
    assert len(repeated) == MOST_REPEATED, repeated


def test_allowed_names_are_needed() -> None:
    homes = class_homes()
    assert not [name for name in ALLOWED if len(homes.get(name, ())) < 2]
    assert homes.keys() >= (NOUNS | NOUNS_OF_CODE | STATES)


def test_second_meaning_and_participle_are_found() -> None:
    texts = {"a.py": "class Rows: ...\nclass _Rows: ...", "b.py": "class Rows: ...", "c.py": "class _Rows: ..."}
    assert ambiguous(public_classes(texts)) == {"Rows": ["a.py", "b.py"]}
    assert participles(["Shown", "Merged", "Merging", "Finding", "MergedColumns", "Feed1"]) == [
        "Merged",
        "Merging",
        "Shown",
    ]
