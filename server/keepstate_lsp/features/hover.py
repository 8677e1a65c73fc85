"""The text of a hover, in Markdown or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from keepstate.report import Finding, PartOutcome, StateHover, StateOutcome
from keepstate.text import Span
from keepstate_lsp.analysis.document_analysis import Analysis, PlacedFinding
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.labels import STALE, VERDICT_WORDS, capital
from keepstate_lsp.analysis.runs.lines import NO_RUN_LINES, AllRunLines
from keepstate_lsp.analysis.several_files.document_parts import DocumentPart
from keepstate_lsp.config.external_settings import baseline_entry, current_entry
from keepstate_lsp.features.arrows import with_arrows
from keepstate_lsp.features.declared_tables import FoundName, found_name
from keepstate_lsp.reporting.effects import alarm, with_effect

_Entry = TypeVar("_Entry")
_LONGEST_CLAUSE = 600
# Only what would really be taken for Markdown: some editors show the backslashes.
_SPECIAL = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~]) | ` | <(?=[A-Za-z/!?]) | \](?=[(\[:]) | ~(?=~) | &(?=\#|\w+;)
    | (?<!\w)_ | _(?!\w) | ^(?:\#|>|[-+](?=\s))
    """,
    re.MULTILINE | re.VERBOSE,
)
_STAR = re.compile(r"\*")
_TICKS = re.compile("`+")


@dataclass(frozen=True)
class HoverText:
    markdown: str
    plain: str
    span: Span


def join_texts(texts: Sequence[HoverText]) -> HoverText | None:
    """The words of several jobs at one place, as one text; ``None`` if no job says anything."""
    if not texts:
        return None
    return HoverText(
        "\n\n---\n\n".join(text.markdown for text in texts),
        f"\n\n{'-' * 40}\n\n".join(text.plain for text in texts),
        min((text.span for text in texts), key=len),
    )


def hover_at(
    offset: int,
    analysis: Analysis,
    notes: Sequence[StateHover],
    fates: Mapping[int, StateOutcome] | None = None,
    comparison: str | None = None,
    evidence: Mapping[int, str] | None = None,
    run_lines: AllRunLines = NO_RUN_LINES,
) -> HoverText | None:
    """Everything that is to say at ``offset``: findings, the narrowest first; without one, what the clause keeps.

    ``fates`` are tables of what becomes of the state, by the index of the finding; ``comparison`` is the address of
    baseline and current text beside each other; ``evidence`` says where what a finding says was measured, by its index
    as well; ``run_lines`` are those of restarts of these very texts that were tried.
    """
    findings = analysis.findings_in(Span(offset, offset))
    touching = sorted((note for note in notes if note.span.touches(offset)), key=lambda note: len(note.span))
    # Clauses are nested; only the innermost one is meant by who points at it. A finding says what becomes of its state.
    innermost = [note for note in touching if note.span == touching[0].span and not findings]
    name = None if analysis.part is None else found_name(analysis.document.text, offset, analysis.part)
    if not findings and not innermost and name is None:
        return None
    spans = [placed.span for placed in findings] + [note.span for note in innermost]
    tables, measured = fates or {}, evidence or {}
    pages = [
        _finding_page(
            placed,
            analysis,
            _of(placed, tables),
            comparison,
            _of(placed, measured) or "",
            _run(placed, analysis, run_lines),
        )
        for placed in findings
    ] + [_note_page(note) for note in innermost]
    if name is not None and analysis.part is not None:
        spans.append(name.span)
        pages.append(_name_page(name, analysis.part))
    return HoverText(
        markdown="\n\n---\n\n".join(page.markdown() for page in pages),
        plain=f"\n\n{'-' * 40}\n\n".join(page.plain() for page in pages),
        span=min(spans, key=len),
    )


def _of(placed: PlacedFinding, entries: Mapping[int, _Entry]) -> _Entry | None:
    return entries.get(placed.index) if placed.index is not None else None


def _run(placed: PlacedFinding, analysis: Analysis, run_lines: AllRunLines) -> tuple[tuple[str, str], ...]:
    """The lines of restarts that were tried, for the query of a finding."""
    lines = run_lines.of_finding(analysis, placed.index) if placed.index is not None else ()
    return tuple(entry for line in lines for entry in line.hover)


@dataclass(frozen=True)
class _Code:
    label: str
    text: str
    language: str = "sql"


@dataclass(frozen=True)
class _Link:
    label: str
    target: str


_WITHOUT_SOURCE = ("kept", "-")


def _state_line(fate: StateOutcome) -> str:
    """The outcome of each part of the state in one line, which every client can show."""
    parts: dict[str, list[str]] = {}
    for part in fate.parts:
        parts.setdefault(part.after, []).append(_part_words(part))
    outcomes = [f"{outcome}: {', '.join(dict.fromkeys(names))}" for outcome, names in parts.items()]
    return "; ".join([*outcomes, *([f"and {fate.left_out} more"] if fate.left_out else [])])


def _part_words(part: PartOutcome) -> str:
    words = _without_name(part.part)
    return words if part.before in _WITHOUT_SOURCE else f"{words} (was {_without_name(part.before)})"


def _without_name(text: str) -> str:
    """``SUM(amount)`` for ``SUM(amount): a sum``, and ``SUM(amount) BIGINT`` for ``accState: SUM(amount) BIGINT``."""
    first, _, second = text.partition(": ")
    return first if "(" in first or not second else second


@dataclass(frozen=True)
class _Page:
    """A heading and blocks below it; made once, written in two formats."""

    title: str
    tag: str
    blocks: tuple[str | _Code | _Link | tuple[str, str], ...]

    @property
    def _display_blocks(self) -> Iterator[str | _Code | _Link | tuple[str, str]]:
        """The blocks as they are shown: prose with arrows, code as it was written."""
        for block in self.blocks:
            match block:
                case (label, text):
                    yield label, with_arrows(text)
                case str(text):
                    yield with_arrows(text)
                case _:
                    yield block

    def markdown(self) -> str:
        lines = [f"**{escaped(self.title)}**" + (f" · `{self.tag}`" if self.tag else "")]
        for block in self._display_blocks:
            match block:
                case _Code(label, text, language):
                    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
                    lines.append(f"{escaped(label)}\n{fence}{language}\n{text}\n{fence}")
                case _Link(label, target):
                    lines.append(f"[{escaped(label)}](<{target}>)")
                case (label, text):
                    lines.append(f"**{escaped(label)}:** {escaped(text)}")
                case str(text):
                    lines.append(escaped(text))
        return "\n\n".join(lines)

    def plain(self) -> str:
        lines = [self.title + (f" ({self.tag})" if self.tag else "")]
        for block in self._display_blocks:
            match block:
                case _Code(label, text):
                    lines.append(f"{label}\n" + "\n".join(f"    {line}" for line in text.splitlines()))
                case _Link(label, target):
                    lines.append(f"{label}: {target}")
                case (label, text):
                    lines.append(f"{label}: {text}")
                case str(text):
                    lines.append(text)
        return "\n\n".join(lines)


def _finding_page(
    placed: PlacedFinding,
    analysis: Analysis,
    fate: StateOutcome | None,
    comparison: str | None,
    evidence: str,
    tried: tuple[tuple[str, str], ...],
) -> _Page:
    finding = placed.finding
    words = analysis.against.baseline.words if analysis.against is not None else "baseline"
    title = alarm(finding.effect) + with_effect(VERDICT_WORDS[finding.verdict], finding.effect)
    blocks: list[str | _Code | _Link | tuple[str, str]] = [_sentence(_capital(finding.message))]
    if placed.is_stale:
        why = analysis.without.sentence if analysis.without is not None else "This text cannot be read at the moment."
        blocks.append(f"{why} The finding is {STALE}.")
    blocks += [
        (label, _sentence(text))
        for label, text in (
            # What was tried with this very job comes before what is said of all such edits.
            *tried,
            ("Results", finding.recovery),
            ("Advice", finding.advice),
            ("Measured", evidence),
        )
        if text
    ]
    if fate is not None:
        blocks.append(("State", _sentence(_state_line(fate))))
    # The clause as it is now stands under the pointer, so only the other one is worth its lines; and these come last,
    # since an editor shows the first few lines of a hover.
    if finding.baseline is not None:
        blocks.append(_Code(f"In {words}:", _clipped(finding.baseline.text)))
    blocks += _external_entries(finding, analysis)
    if comparison is not None:
        blocks.append(_Link(f"Compare with {words}", comparison))
    if page := analysis.pages.get(finding.rule):
        blocks.append(_Link(f"About {finding.rule}", page))
    return _Page(capital(title), finding.rule, tuple(blocks))


def _external_entries(finding: Finding, analysis: Analysis) -> Iterator[_Code]:
    """The entries of configuration files that set what the finding is about."""
    now = current_entry(finding, analysis.effective.config)
    if now is not None and not finding.removed:
        yield _Code(f"Now in {now.source.path.name}:", now.text, "toml")
    was = baseline_entry(finding, analysis.against.config) if analysis.against is not None else None
    if was is not None:
        yield _Code(f"In {was.source.display_name}:", was.text, "toml")


def _name_page(name: FoundName, part: DocumentPart) -> _Page:
    """The page of a name that another file declares."""
    files = [each.file.path for each in name.declarations]
    links = [_Link(f"Open {path}", uri_of(part.root / path)) for path in files]
    if name.role == "ambiguous":
        words = f"{', '.join(files)} declare it in different ways, so none of these is taken for this job."
        return _Page(name.name, "", (words, *links))
    why = {
        "context": "which `context` of the configuration names",
        "assumed": "which is assumed: no configuration names the file",
    }[name.role]
    (declaration,) = name.declarations
    code = _Code("The declaration:", _clipped(declaration.text.strip()))
    return _Page(name.name, "", (f"Declared in {files[0]}, {why}.", code, *links))


def _note_page(note: StateHover) -> _Page:
    keeps = bool(note.keeps or note.keyed_by)
    blocks: list[str | _Code | _Link | tuple[str, str]] = [note.explanation] if note.explanation else []
    blocks += [
        (label, text)
        for label, text in (
            ("Keeps", "; ".join(note.keeps)),
            ("Keyed by", ", ".join(note.keyed_by)),
            ("Kept until", note.until if keeps else ""),
            ("On a change", note.migration),
        )
        if text
    ]
    if note.until and not keeps:
        # A window keeps nothing itself; here stands how it is aligned.
        blocks.append(_sentence(_capital(note.until)))
    if note.example:
        blocks.append(_Code("For example:", "\n".join(note.example), "text"))
    return _Page(_capital(note.title), note.operator, tuple(blocks))


def escaped(text: str) -> str:
    """``text`` so that Markdown shows it as it is; only `code spans` keep their meaning.

    What comes from SQL must neither become emphasis (``COUNT(*)``) nor a link.
    """
    pieces: list[str] = []
    end = 0
    # A single star emphasises nothing.
    emphasises = text.count("*") > 1
    for code in (*_code_spans(text), Span(len(text), len(text))):
        prose = _SPECIAL.sub(r"\\\g<0>", text[end : code.start])
        pieces.append(_STAR.sub(r"\\*", prose) if emphasises else prose)
        pieces.append(code.of(text))
        end = code.end
    return "".join(pieces)


def _code_spans(text: str) -> list[Span]:
    """The code spans as Markdown finds them: from a run of backticks to the next one of the same length."""
    runs = [Span(*run.span()) for run in _TICKS.finditer(text)]
    following: dict[int, int] = {}
    closing: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        closing[index] = following.get(len(runs[index]))
        following[len(runs[index])] = index
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        close = closing[index]
        if close is None:
            index += 1
        else:
            spans.append(Span(runs[index].start, runs[close].end))
            index = close + 1
    return spans


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?:" else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_CLAUSE else f"{text[:_LONGEST_CLAUSE]} ..."
