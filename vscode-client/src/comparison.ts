/**
 * The comparison with the baseline. The text of the baseline needs nothing here: the language client serves the scheme
 * `keepstate-baseline` from the server's `workspace/textDocumentContent`.
 */
import * as vscode from "vscode";
import { CodeLensRequest } from "vscode-languageclient/node";
import { COMPARE } from "./announcement";
import { DOCUMENTS } from "./documents";
import { HOSTS, type Server } from "./server";

/** What the server's code lenses carry as the argument of `keepstate.compare` (docs/language-server.md). */
export interface Comparison {
  readonly uri: string;
  readonly baselineUri: string;
  readonly title: string;
}

/** The scheme of baselines: related information and "Show Baseline" lead to documents of it. */
const BASELINE_SCHEME = "keepstate-baseline";

/**
 * Opens current and baseline side by side: as a code lens or a hover asks for it, else for the document that is looked
 * at, be it the current one or its baseline. The button of an editor passes the address of its document, no comparison.
 */
export async function compare(server: Server, asked?: Comparison | vscode.Uri): Promise<void> {
  const isTold = asked !== undefined && "baselineUri" in asked;
  const comparison = isTold ? asked : await comparisonOfActiveDocument(server);
  if (comparison !== undefined) {
    const { baselineUri, uri, title } = comparison;
    await vscode.commands.executeCommand("vscode.diff", vscode.Uri.parse(baselineUri), vscode.Uri.parse(uri), title);
  }
}

/** The code lenses know the baseline, and where there is none they say why. */
async function comparisonOfActiveDocument(server: Server): Promise<Comparison | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || server.client === undefined) {
    void vscode.window.showInformationMessage("Open a Flink SQL file first: it is what is compared.");
    return undefined;
  }
  const found =
    document.uri.scheme === BASELINE_SCHEME
      ? await comparisonWith(document.uri, server)
      : await comparisonOf(document, server);
  if (typeof found === "string") {
    void vscode.window.showInformationMessage(`Nothing to compare with: ${found}`);
    return undefined;
  }
  return found;
}

/** The comparison of a document with its baseline, or why there is none. */
async function comparisonOf(document: vscode.TextDocument, server: Server): Promise<Comparison | string> {
  if (server.client === undefined) {
    return "Keepstate does not run.";
  }
  const params = { textDocument: { uri: server.client.code2ProtocolConverter.asUri(document.uri) } };
  const lenses = (await server.client.sendRequest(CodeLensRequest.type, params)) ?? [];
  const lens = lenses.find(({ command }) => command?.command === COMPARE) ?? lenses[0];
  return lens?.command?.command === COMPARE
    ? (lens.command.arguments?.[0] as Comparison)
    : (lens?.command?.title ?? "Keepstate sees no Flink SQL query in this document.");
}

/** The comparison that a baseline is one side of, among the open documents. */
async function comparisonWith(baseline: vscode.Uri, server: Server): Promise<Comparison | string> {
  const selector = [...DOCUMENTS, ...HOSTS];
  for (const document of vscode.workspace.textDocuments.filter((one) => vscode.languages.match(selector, one) > 0)) {
    const found = await comparisonOf(document, server);
    if (typeof found !== "string" && vscode.Uri.parse(found.baselineUri).path === baseline.path) {
      return found;
    }
  }
  return "no open document has this baseline.";
}
