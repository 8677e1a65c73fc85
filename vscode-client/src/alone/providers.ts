/** What an editor shows and offers at a text, from the answers of the contract. */
import * as vscode from "vscode";
import { COMPARE } from "../announcement";
import { type Checks, type Compared, pathsOf, uriIn } from "./checks";
import type { Completion, Fix, Hover, Pipeline, Range } from "./contract";
import { nameOf, parentOf } from "./files";
import type { Found } from "./published";
import type { Requests } from "./requests";
import { escaped, lensOf, levelOf, levelOfProblem, messageOf, pagesOf, type Level, type Page } from "./words";

const SOURCE = "keepstate";
const SEVERITIES: Readonly<Record<Exclude<Level, "off">, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};
const KINDS: Readonly<Record<string, vscode.CompletionItemKind>> = {
  keyword: vscode.CompletionItemKind.Keyword,
  column: vscode.CompletionItemKind.Field,
  table: vscode.CompletionItemKind.Class,
  view: vscode.CompletionItemKind.Interface,
  function: vscode.CompletionItemKind.Function,
  type: vscode.CompletionItemKind.TypeParameter,
  snippet: vscode.CompletionItemKind.Snippet,
  option: vscode.CompletionItemKind.Property,
};

function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The findings of a comparison in each file of the job; a document without one has an empty list. */
export function foundIn(compared: Compared, document: vscode.Uri): Found {
  const others = pathsOf(compared).filter((path) => path !== compared.path);
  const elsewhere = others.map((path) => [uriIn(compared, path, document), diagnosticsOf(compared, document, path)] as const);
  return [[document, diagnosticsOf(compared, document)], ...elsewhere.filter(([, found]) => found.length > 0)];
}

/** The findings in a file, and what could not be read of it or what Flink refuses. */
export function diagnosticsOf(compared: Compared, uri: vscode.Uri, path = compared.path): vscode.Diagnostic[] {
  const { report, settings, baseline } = compared;
  const found: vscode.Diagnostic[] = [];
  const add = (range: vscode.Range, message: string, level: Level, code: string): vscode.Diagnostic | undefined => {
    if (level === "off") {
      return undefined;
    }
    const diagnostic = new vscode.Diagnostic(range, message, SEVERITIES[level]);
    diagnostic.source = SOURCE;
    diagnostic.code = code;
    found.push(diagnostic);
    return diagnostic;
  };
  for (const finding of report.files.flatMap(({ findings }) => findings).filter(({ file }) => file === path)) {
    const diagnostic = add(rangeOf(finding.range), messageOf(finding), levelOf(finding, settings), finding.rule);
    // The baselines of other files are not served.
    if (path === compared.path && diagnostic !== undefined && finding.baseline_range !== null && finding.baseline_text !== null) {
      const location = new vscode.Location(baselineUri(uri, baseline.words), rangeOf(finding.baseline_range));
      const text = finding.baseline_text.replace(/\s+/g, " ");
      diagnostic.relatedInformation = [new vscode.DiagnosticRelatedInformation(location, `in ${baseline.words}: ${text}`)];
    }
  }
  for (const problem of report.problems.filter((each) => each.side === "current" && each.path === path)) {
    const range = problem.range === null ? new vscode.Range(0, 0, 0, 0) : rangeOf(problem.range);
    add(range, problem.message, levelOfProblem(problem, settings), problem.check ?? "not-analysed");
  }
  return found;
}

/** The address of a baseline, whose text this extension serves. */
export const BASELINE_SCHEME = "keepstate-baseline";

export function baselineUri(uri: vscode.Uri, words: string): vscode.Uri {
  return vscode.Uri.from({ scheme: BASELINE_SCHEME, path: uri.path, query: JSON.stringify([uri.toString(), words]) });
}

/** The document whose baseline an address is. */
export function documentOf(baseline: vscode.Uri): string {
  return (JSON.parse(baseline.query) as [string])[0];
}

export class Providers implements vscode.HoverProvider, vscode.CodeActionProvider, vscode.CodeLensProvider, vscode.CompletionItemProvider {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly requests: Requests,
    private readonly checks: Checks,
  ) {
    this.checks.onDidCheck(() => this.changed.fire());
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const compared = await this.checks.comparison(document);
    if (compared === undefined) {
      return undefined;
    }
    const hover = await this.requests.ask<Hover>({ do: "hover", file: compared.path, position: plain(position), ...compared.question });
    const pages = pagesOf(hover, compared.baseline.words);
    return hover.range === null || pages.length === 0 ? undefined : new vscode.Hover(pages.map(markdownOf), rangeOf(hover.range));
  }

  async provideCodeActions(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
    const compared = await this.checks.comparison(document);
    if (compared === undefined) {
      return [];
    }
    const findings = compared.report.files.flatMap((file) => file.findings);
    const shown = diagnosticsOf(compared, document.uri);
    const actions: vscode.CodeAction[] = [];
    for (const [index, finding] of findings.entries()) {
      const place = rangeOf(finding.range);
      if (finding.file !== compared.path || place.intersection(range) === undefined) {
        continue;
      }
      const { fixes } = await this.requests.ask<{ fixes: Fix[] }>({ do: "fixes", finding: index, ...compared.question });
      const diagnostics = shown.filter((each) => each.code === finding.rule && each.range.isEqual(place));
      actions.push(...fixes.map((fix) => actionOf(fix, compared, document.uri, diagnostics)));
    }
    const [first] = actions;
    if (first !== undefined) {
      first.isPreferred = true;
    }
    return actions;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const outcome = this.checks.outcome(document);
    if (outcome?.without !== undefined) {
      return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title: `No baseline: ${outcome.without}`, command: "" })];
    }
    const compared = outcome?.compared;
    return (compared?.report.files ?? []).flatMap(({ pipelines }) =>
      ownOf(pipelines, compared!).map((pipeline) => {
        const title = lensOf(pipeline, compared!.report, compared!.baseline.words);
        const start = rangeOf(pipeline.range).start;
        return new vscode.CodeLens(new vscode.Range(start, start), { title, command: COMPARE, arguments: [document.uri] });
      }),
    );
  }

  async provideCompletionItems(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
    const outcome = this.checks.outcome(document);
    if (outcome === undefined || outcome.status.verdict === null) {
      return [];
    }
    const engine = outcome.compared?.settings.engine ?? "vvr";
    const alone = nameOf(document.uri) || "untitled.sql";
    const { path: file, question } = outcome.compared ?? { path: alone, question: { current: { files: {}, job: alone } } };
    const current = { ...question.current, files: { ...question.current.files, [file]: document.getText() } };
    const { range, proposals } = await this.requests.ask<Completion>({ do: "complete", engine, current, file, position: plain(position) });
    return proposals.map(({ label, kind, insert, detail, meaning }) => {
      const item = new vscode.CompletionItem(label, KINDS[kind] ?? vscode.CompletionItemKind.Text);
      item.insertText = insert;
      item.detail = detail;
      item.documentation = meaning;
      return range === null ? item : Object.assign(item, { range: rangeOf(range) });
    });
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

/** The queries of a document, of all of its job. */
function ownOf(pipelines: readonly Pipeline[], { own }: Compared): readonly Pipeline[] {
  const places = own?.map(({ name, range }) => JSON.stringify([name, range]));
  return pipelines.filter(({ name, range }) => places === undefined || places.includes(JSON.stringify([name, range])));
}

function actionOf(fix: Fix, compared: Compared, document: vscode.Uri, diagnostics: vscode.Diagnostic[]): vscode.CodeAction {
  const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
  const edit = new vscode.WorkspaceEdit();
  for (const { file, range, new_text } of fix.edits) {
    edit.replace(uriIn(compared, file, document), rangeOf(range), new_text);
  }
  for (const { name, text } of fix.new_files) {
    edit.createFile(vscode.Uri.joinPath(parentOf(document), name), { contents: new TextEncoder().encode(text) });
  }
  action.edit = edit;
  action.diagnostics = diagnostics;
  return action;
}

/** Text that comes from SQL is text here, never Markdown. */
function markdownOf({ title, tag, blocks }: Page): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(`**${escaped(title)}**${tag === "" ? "" : ` · \`${tag}\``}`);
  for (const { label, text, isCode } of blocks) {
    markdown.appendMarkdown("\n\n");
    if (isCode === true) {
      markdown.appendMarkdown(`${escaped(label)}:`).appendCodeblock(text, "sql");
    } else {
      markdown.appendMarkdown(`${label === "" ? "" : `**${label}:** `}${escaped(text)}`);
    }
  }
  return markdown;
}
