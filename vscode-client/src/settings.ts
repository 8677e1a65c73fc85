/** The settings under `keepstate.*`: those that choose the server, and those that are passed on to it. */
import * as vscode from "vscode";

export const SECTION = "keepstate";

/** Those that decide which program runs: a change restarts it. */
const CHOOSING = ["server.path", "server.args", "python"];

/** Those that the server knows, under its own names (docs/language-server.md). */
const PASSED_ON = {
  engine: "engine",
  baseline: "baseline",
  preset: "preset",
  severity: "severity",
  inlayHints: "inlayHints",
  workspace: "workspace",
  docsUrl: "docsUrl",
  trace: "trace.server",
};

export interface ChoiceOfServer {
  readonly serverPath: string | readonly string[];
  readonly serverArgs: readonly string[];
  readonly python: string;
}

/** In an untrusted workspace the editor itself leaves out what the workspace says (`restrictedConfigurations`). */
export function choiceOfServer(): ChoiceOfServer {
  const section = vscode.workspace.getConfiguration(SECTION);
  return {
    serverPath: section.get<string | string[]>("server.path", ""),
    serverArgs: section.get<string[]>("server.args", []),
    python: section.get<string>("python", ""),
  };
}

export function changesServer(event: vscode.ConfigurationChangeEvent): boolean {
  return CHOOSING.some((name) => event.affectsConfiguration(`${SECTION}.${name}`));
}

/** The settings for the server. An empty text is left out: it stands for "whatever the server takes by default". */
export function settingsForServer(resource?: vscode.Uri): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(SECTION, resource);
  const entries = Object.entries(PASSED_ON).map(([name, setting]) => [name, section.get(setting)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ""));
}
