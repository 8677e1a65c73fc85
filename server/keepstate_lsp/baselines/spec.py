"""Names of baselines: revisions, ``merge-base:REF``, ``tag:GLOB``, ``deployed[:ENV]``, ``file:PATH``, ``plan:PATH``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from keepstate_lsp.baselines.deployments import PRODUCTION, is_environment
from keepstate_lsp.near_names import did_you_mean, near_names

_KIND = re.compile(r"([A-Za-z][A-Za-z_-]*):(.*)", re.DOTALL)
_LONGEST = 1_000
"""Characters: more than any name of a revision, and than any path."""
_LIKELY = 0.75
"""The likeness of a misspelled kind: a short word before a colon may be anything."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class SpecKind(Enum):
    REVISION = "revision"
    """Anything that git resolves to a commit: ``HEAD``, a branch, a tag, ``HEAD~2``, a hash."""
    MERGE_BASE = "merge-base"
    """The best common ancestor of a ref and HEAD."""
    TAG = "tag"
    """The newest tag that matches a glob and is reachable from HEAD."""
    DEPLOYED = "deployed"
    """The text that was marked as deployed in an environment."""
    FILE = "file"
    """A file on disk; no git involved."""
    PLAN = "plan"
    """A file on disk with a compiled plan of Flink, and no SQL."""

    @property
    def is_on_disk(self) -> bool:
        """Return whether no git is involved."""
        return self in (SpecKind.FILE, SpecKind.PLAN)


_RANGE = re.compile(r"(?P<start>[^.{]*(?:\.[^.{]+)*)(?P<dots>\.{2,3})[^{]*")
"""Two revisions, as ``git diff`` takes them: no name of a ref has two dots, but a search in braces may."""


class BaselineSpecError(ValueError):
    """The text names no kind of baseline; the message is for the author of the text."""


@dataclass(frozen=True, slots=True)
class BaselineSpec:
    """One way to find a baseline."""

    kind: SpecKind
    value: str
    """The revision, ref, glob or environment; for a file its path, absolute when ``parse`` was given a folder."""
    text: str
    """The spec as the person wrote it, for reports."""

    @staticmethod
    def parse(text: str, folder: Path | None = None) -> BaselineSpec:
        """The spec that ``text`` names; the path of ``file:PATH`` is taken relative to ``folder``.

        Raises:
            BaselineSpecError: ``text`` names none.
        """
        if not text.strip():
            raise BaselineSpecError("The baseline is empty: name a git revision such as HEAD.")
        if len(text) > _LONGEST:
            raise BaselineSpecError(f"The baseline has more than {_LONGEST:,} characters.")
        if _CONTROL.search(text):
            raise BaselineSpecError(f"The baseline {text!r} contains a control character.")
        if text == "deployed":
            return BaselineSpec(SpecKind.DEPLOYED, PRODUCTION, text)
        match = _KIND.fullmatch(text)
        if match is None:
            return BaselineSpec(SpecKind.REVISION, _revision(text), text)
        kind, value = match.groups()
        kinds_by_name = {
            "merge-base": SpecKind.MERGE_BASE,
            "tag": SpecKind.TAG,
            "deployed": SpecKind.DEPLOYED,
            "file": SpecKind.FILE,
            "plan": SpecKind.PLAN,
        }
        if kind not in kinds_by_name:
            kinds = ", ".join(f"{name}:" for name in kinds_by_name)
            suggestion = did_you_mean(f"{name}:{value}" for name in near_names(kind, kinds_by_name, likeness=_LIKELY))
            use = f".{suggestion}" if suggestion else f": use a git revision, or one of {kinds}"
            raise BaselineSpecError(f"The baseline {text!r} is of no known kind{use}")
        if not value:
            raise BaselineSpecError(f"The baseline {text!r} lacks what should stand behind the colon.")
        if kinds_by_name[kind] is SpecKind.MERGE_BASE:
            value = _revision(value)
        elif kinds_by_name[kind] is SpecKind.TAG:
            value = _option_free(value)
        elif kinds_by_name[kind] is SpecKind.DEPLOYED:
            if not is_environment(value):
                raise BaselineSpecError(
                    f"The baseline {text!r} names no environment: letters, digits, '.', '_' and '-' may be used."
                )
        elif folder is not None:
            value = str(folder / value)
        return BaselineSpec(kinds_by_name[kind], value, text)

    def __str__(self) -> str:
        return self.text


def _revision(text: str) -> str:
    if match := _RANGE.fullmatch(text):
        start = match["start"]
        instead = f"merge-base:{start}" if match["dots"] == "..." else start
        suggestion = f" Did you mean {instead}?" if start else ""
        raise BaselineSpecError(f"The baseline {text!r} is a range and no revision.{suggestion}")
    # git would read the rest as a path inside of the revision, or as a search through commit messages.
    if ":" in re.sub(r"\{[^}]*\}", "", text):
        raise BaselineSpecError(f"The baseline {text!r} contains a colon: name the revision alone, without a path.")
    return _option_free(text)


def _option_free(text: str) -> str:
    if text.startswith("-"):
        raise BaselineSpecError(f"The baseline {text!r} begins with a dash, which no git revision does.")
    return text


HEAD = BaselineSpec(SpecKind.REVISION, "HEAD", "HEAD")
"""The default baseline of an editor."""
