/**
 * The comparison with the baseline. The text of the baseline needs nothing here: the language client serves the scheme
 * `keepstate-baseline` from the server's `workspace/textDocumentContent`.
 */
import * as vscode from "vscode";
import { CodeLensRequest } from "vscode-languageclient/node";
import { COMPARE } from "./announcement";
import type { Server } from "./server";

/** What the server's code lenses carry as the argument of `keepstate.compare` (docs/language-server.md). */
export interface Comparison {
  readonly uri: string;
  readonly baselineUri: string;
  readonly title: string;
}

/** Opens current and baseline side by side: as a code lens asks for it, else for the document that is being edited. */
export async function compare(server: Server, asked?: Comparison): Promise<void> {
  const comparison = asked ?? (await comparisonOfActiveDocument(server));
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
  const params = { textDocument: { uri: server.client.code2ProtocolConverter.asUri(document.uri) } };
  const lenses = (await server.client.sendRequest(CodeLensRequest.type, params)) ?? [];
  const lens = lenses.find(({ command }) => command?.command === COMPARE) ?? lenses[0];
  if (lens?.command?.command === COMPARE) {
    return lens.command.arguments?.[0] as Comparison;
  }
  const reason = lens?.command?.title ?? "Keepstate sees no Flink SQL query in this document.";
  void vscode.window.showInformationMessage(`Nothing to compare with: ${reason}`);
  return undefined;
}
