"""No page, example, comment or hint has a stranger's package installed.

No index of packages has Keepstate; a package of its name there is another program. What works is a clone, an address or
a wheel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from test_house_rules import texts

_INSTALLERS = (
    r"pip[\d.]*\s+(?:install|download|wheel)",
    r"pipx\s+(?:install|run|inject)",
    r"uv\s+tool\s+install",
    # With --from the name is that of a command, not of a package.
    r"(?:uv\s+tool\s+run|uvx)(?!\s+--from\s+[\"']?(?:\.|git\+|[\w./-]+\.whl))",
    r"(?:uv|poetry|pdm)\s+add",
    r"conda\s+install",
)
# Between words of a list are quotes and commas. A line may break behind the installer alone: another line is another
# command.
_BREAK = r"(?:[\s\"',]|\\\n)+"
_GAP = r"(?:[ \t\"',]|\\\n)+"
_WORD = r"[^\s\"'`,#;|&()\\]+"
_END = r"(?![\w./@-]|\[|\s*@)"
FROM_AN_INDEX = re.compile(
    rf"\b(?:{'|'.join(_INSTALLERS)}){_BREAK}"
    rf"(?:(?:-{_WORD}{_GAP})*(?P<first>[Kk]eepstate{_END})|(?:{_WORD}{_GAP}){{1,6}}?(?P<later>keepstate{_END}))"
    r"|(?<![\w./-])(?P<pinned>[Kk]eepstate\s*(?:[=~<>!]=)\s*[\d$*])"
    r"|(?<![\w./-])(?P<extra>[Kk]eepstate\[[\w, -]+\](?!\s*@))"
)
# A name with a version or an extra counts wherever it stands, a plain one as a word of a command.
OWN_EXTRAS = "pyproject.toml"
"""Extras that contain others name them by the name of the package itself, which is the one being installed."""
MEASURED = "tests/truth/"


def places(name: str, text: str) -> Iterator[str]:
    for found in FROM_AN_INDEX.finditer(text):
        kind = found.lastgroup
        assert kind is not None
        start = found.start(kind)
        line = text.count("\n", 0, start) + 1
        if name == OWN_EXTRAS and kind == "extra":
            continue
        yield f"{name}:{line}: {found[kind]}"


def test_nothing_is_installed_by_a_name_that_is_not_ours() -> None:
    read = {name: text for name, text in texts().items() if not name.startswith(MEASURED)}
    found = [place for name, text in read.items() for place in places(name, text)]
    assert len(read) > 100
    assert not found, "a stranger's package:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "written",
    [
        "pip install NAME",
        "pip install 'NAME[spark]'",
        "pip install --upgrade NAME",
        "pip3 install -U pip NAME",
        "python -m pip install --quiet NAME==0.1.0",
        "pipx install NAME",
        "pipx run NAME check",
        "uv tool install NAME",
        "uv pip install NAME",
        "uvx NAME check",
        "uvx --from NAME==0.1.0 NAME check",
        "Where a page says `pip install\n'NAME[spark]'`",
        'command = ["pip install", "NAME"]',
        '"is not installed: pip install "\n    "NAME"',
        "needs `NAME[flink]`",
        "NAME==0.1.0",
    ],
)
def test_such_a_line_is_found(written: str) -> None:
    text = f"first\n{written.replace('NAME', 'keepstate')}\n"
    assert [place.rpartition(":")[0] for place in places("page.md", text)] in (["page.md:2"], ["page.md:3"])


@pytest.mark.parametrize(
    "written",
    [
        "pip install .            # from a clone; the command is `NAME`",
        "pip install '.[spark]' && NAME run job.sql",
        "pip install ./NAME-0.1.0-py3-none-any.whl",
        "pip install './NAME-0.1.0-py3-none-any.whl[spark]'",
        "pip install 'NAME[spark] @ git+https://HOST/OWNER/NAME@COMMIT'",
        "pip install 'NAME @ git+https://HOST/OWNER/NAME@COMMIT'",
        "pipx install git+https://HOST/OWNER/NAME@COMMIT",
        "pip install '.[spark]'\nNAME run job.sql",
        "uvx --from . NAME demo",
        "uv tool run --from ./NAME-0.1.0-py3-none-any.whl NAME demo",
    ],
)
def test_a_line_that_works_is_not_found(written: str) -> None:
    assert list(places("page.md", written.replace("NAME", "keepstate"))) == []
