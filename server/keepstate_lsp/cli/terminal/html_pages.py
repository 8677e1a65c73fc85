"""HTML pages in one file, without network and scripts. Their texts come from untrusted authors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from keepstate_lsp.cli.terminal.sanitize import one_line, shortened

_LIGHT = "--ink: #2b3138; --soft: #667079; --faint: #d9dde2; --line: #e3e6ea; --paper: #fff; --ground: #f5f6f8;"
_DARK = "--ink: #e2e6ea; --soft: #9aa4ae; --faint: #3b434c; --line: #343b43; --paper: #1d2228; --ground: #14181c;"
_STYLE = """
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: var(--ground);
  margin: 0; padding: 2.5rem 1rem 4rem; }
main { max-width: 62rem; margin: auto; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
p { margin: .3rem 0 .9rem; overflow-wrap: anywhere; } .soft { color: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 1.3rem 1.5rem;
  margin-top: 1.2rem; overflow-x: auto; }
svg { width: 100%; height: auto; display: block; } svg text { font-family: inherit !important; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; color: var(--soft); font-weight: 500; } th, td { padding: .35rem .6rem .35rem 0; }
tr + tr td { border-top: 1px solid var(--line); } td { vertical-align: top; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 1rem; }
code { font: .86em ui-monospace, SFMono-Regular, Menlo, monospace; }
.key { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .35rem; }
footer { color: var(--soft); font-size: .85rem; margin-top: 1.6rem; overflow-wrap: anywhere; }
@media (max-width: 46rem) { body { padding: 1.4rem .6rem 3rem; } section { padding: 1rem; } }
@media print { :root { color-scheme: light; print-color-adjust: exact; } body { padding: 0; background: #fff; }
  section { border-radius: 0; border-width: 1px 0 0;
  padding: 1rem 0; overflow: visible; } tr, svg, h2 { break-inside: avoid; } h2 { break-after: avoid; } }
"""


def page(title: str, content: Iterable[str], style: str = "", light: str = "", dark: str = "") -> str:
    """The document; ``content`` is HTML. ``light`` and ``dark`` are CSS variables of readers by day and by night."""
    # Markup that slipped through could load nothing, and run nothing.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    colors = f":root {{ color-scheme: light dark; {_LIGHT} {light} }}\n"
    colors += f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} {dark} }} }}"
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{text(title)}</title>\n<style>\n{colors}{_STYLE}{style}</style>\n</head>\n<body>\n<main>",
    )
    return "".join(f"{line}\n" for line in (*head, *content, "</main>\n</body>\n</html>"))


def section(title: str, words: str, content: str) -> Iterator[str]:
    """A part of a page; all of these are HTML."""
    yield f"<section><h2>{title}</h2>"
    if words:
        yield f'<p class="soft">{words}</p>'
    yield f"{content}</section>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML; a column whose name begins with ``n:`` holds numbers."""
    if not rows:
        return ""
    classes = [' class="n"' if name.startswith("n:") else "" for name in header]
    head = "".join(f"<th{kind}>{name.removeprefix('n:')}</th>" for name, kind in zip(header, classes, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{kind}>{cell}</td>' for cell, kind in zip(row, classes, strict=True))}</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def text(words: str, most: int = 300) -> str:
    """An untrusted text, as HTML on one line."""
    return escape(shortened(one_line(words), most))


def code(words: str, most: int = 300) -> str:
    return f"<code>{text(words, most)}</code>"
