/** The editors of the page, with squiggles, hovers, fixes and completions from the worker. */
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic, linter, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension, type Text } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, lineNumbers, type Tooltip } from "@codemirror/view";
import type { Completion, Edit, Finding, Fix, Hover, Position, Problem, Range } from "./contract.js";
import { element } from "./drawing.js";
import { flinkSql } from "./flinkSql.js";

const SEVERITIES: Record<string, Diagnostic["severity"]> = { incompatible: "error", unknown: "warning", partial: "warning" };

export function offsetOf(text: Text, { line, character }: Position): number {
  const found = text.line(Math.min(line + 1, text.lines));
  return Math.min(found.from + character, found.to);
}

export function spanOf(text: Text, range: Range): { from: number; to: number } {
  return { from: offsetOf(text, range.start), to: offsetOf(text, range.end) };
}

/** Questions of an editor about its text. */
export interface Asked {
  changed(): void;
  hover(position: Position): Promise<Hover>;
  complete?(position: Position): Promise<Completion>;
}

export function editorIn(parent: HTMLElement, label: string, asked: Asked | { changed(): void; hover?: never; complete?: never }): EditorView {
  const extensions: Extension[] = [
    lineNumbers(),
    history(),
    flinkSql,
    // Messages and fixes come before what else a hover says.
    linter(null),
    lintGutter(),
    // Tab leaves the editor, as it leaves any other field.
    keymap.of([...lintKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        asked.changed();
      }
    }),
  ];
  const { hover, complete } = asked;
  if (hover !== undefined) {
    extensions.push(hoverTooltip((view, offset) => tooltipAt(view, offset, hover)));
  }
  if (complete !== undefined) {
    extensions.push(autocompletion({ override: [(context) => completions(context, complete)], activateOnTypingDelay: 150 }));
  }
  // In a shadow tree the styles of the editor are objects; in the page they would be elements, which its policy refuses.
  const root = parent.attachShadow({ mode: "open" });
  const sheet = document.createElement("link");
  [sheet.rel, sheet.href] = ["stylesheet", "style.css"];
  const holder = element("div", "", parent.id);
  root.append(sheet, holder);
  return new EditorView({ parent: holder, root, state: EditorState.create({ extensions }) });
}

export function positionOf(text: Text, offset: number): Position {
  const line = text.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

async function tooltipAt(view: EditorView, offset: number, ask: Asked["hover"]): Promise<Tooltip | null> {
  const text = view.state.doc;
  const hover = await ask(positionOf(text, offset));
  if (hover.range === null || !view.state.doc.eq(text)) {
    return null;
  }
  const { from, to } = spanOf(text, hover.range);
  return { pos: from, end: to, above: true, create: () => ({ dom: hoverElement(hover) }) };
}

export function hoverElement(hover: Hover): HTMLElement {
  const page = element("div", "", "hover");
  const line = (label: string, text: string | null): void => {
    if (text) {
      const paragraph = element("p", "", "");
      paragraph.append(element("strong", `${label}: `, ""), text);
      page.append(paragraph);
    }
  };
  for (const finding of hover.findings) {
    // The squiggle says the rest.
    line("Results", finding.recovery);
    line("Advice", finding.advice);
    line("Measured", finding.measured);
    const parts = new Map<string, string[]>();
    for (const { part, before, after } of finding.state) {
      parts.set(after, [...(parts.get(after) ?? []), before === "-" || before === "kept" ? part : `${part} (was ${before})`]);
    }
    for (const [outcome, names] of parts) {
      line(`State ${outcome}`, names.join(", "));
    }
  }
  for (const note of hover.notes) {
    page.append(element("p", note.title, "hover-title"));
    line("Why", note.explanation);
    line("Keeps", note.keeps.join("; "));
    line("Keyed by", note.keyed_by.join(", "));
    line("Kept until", note.until);
  }
  return page;
}

async function completions(context: CompletionContext, ask: NonNullable<Asked["complete"]>): Promise<CompletionResult | null> {
  if (!context.explicit && !context.matchBefore(/[\w.]$/)) {
    return null;
  }
  const text = context.state.doc;
  const { range, proposals } = await ask(positionOf(text, context.pos));
  if (range === null || context.aborted) {
    return null;
  }
  const options = proposals.map(({ label, kind, insert, detail, meaning }) => ({ label, apply: insert, detail, info: meaning || undefined, type: kind }));
  return { ...spanOf(text, range), options: options as CompletionResult["options"], filter: true };
}

/** The findings of a file as squiggles, each with its fixes. */
export function findingDiagnostics(text: Text, findings: Finding[], apply: (fix: Fix) => void): Diagnostic[] {
  return findings.map((finding) => ({
    ...spanOf(text, finding.range),
    severity: SEVERITIES[finding.verdict] ?? "info",
    source: finding.rule,
    message: finding.message,
    actions: applicable(finding.fixes).map((fix) => ({ name: fix.title, apply: () => apply(fix) })),
  }));
}

/** The fixes that the page can make: those within its texts. */
export function applicable(fixes: Fix[]): Fix[] {
  return fixes.filter((fix) => fix.new_files.length === 0);
}

export function problemDiagnostics(text: Text, problems: Problem[]): Diagnostic[] {
  return problems.map(({ range, message }) => ({
    ...(range === null ? { from: 0, to: 0 } : spanOf(text, range)),
    severity: "error",
    message,
  }));
}

export function show(view: EditorView, diagnostics: Diagnostic[]): void {
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

export function applyEdits(view: EditorView, edits: Edit[]): void {
  const changes = edits.map(({ range, new_text }) => ({ ...spanOf(view.state.doc, range), insert: new_text }));
  view.dispatch({ changes });
}

export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

export function goTo(view: EditorView, range: Range): void {
  const { from, to } = spanOf(view.state.doc, range);
  view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
  view.focus();
}
