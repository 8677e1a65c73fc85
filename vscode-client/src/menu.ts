/** What a click on the status bar item offers. */
import * as vscode from "vscode";
import { MISSING } from "./alone/words";
import { COMPARE, PLAN_CUTOVER } from "./announcement";
import { isAllowed } from "./trust";

interface Entry extends vscode.QuickPickItem {
  readonly command: string;
}

/** All of them are commands of the palette as well. */
const ENTRIES: readonly Entry[] = [
  { label: "$(output) Show Report", description: "all jobs of the workspace", command: "keepstate.showReport" },
  { label: "$(diff) Compare with Baseline", command: COMPARE },
  { label: "$(git-commit) Choose Baseline...", command: "keepstate.pickBaseline" },
  { label: "$(rocket) Mark as Deployed...", command: "keepstate.recordDeployed" },
  { label: "$(list-tree) Show Plan", description: "operators and their state", command: "keepstate.drawPlan" },
  { label: "$(debug-restart) Replay a Restart...", description: "what it does to results", command: "keepstate.replayRestart" },
  { label: "$(beaker) Verify on Real Flink...", description: "whether the changed job starts", command: "keepstate.verifyRestart" },
  { label: "$(git-pull-request) Plan a Cutover...", description: "how the change goes into production", command: PLAN_CUTOVER },
  { label: "$(info) Show Output", description: "the log of Keepstate", command: "keepstate.showOutput" },
];

/** Those that need no server. */
const ALONE: ReadonlySet<string> = new Set([COMPARE, "keepstate.pickBaseline", "keepstate.showOutput"]);

/** What leads to the others. */
export interface More {
  readonly label: string;
  explain(): unknown;
}

export async function showMenu(sentence: string): Promise<void> {
  await choose(sentence, ENTRIES);
}

/** The menu of a window without a server: what there is, and what is missing. */
export async function showMenuOfFew(sentence: string, { label, explain }: More): Promise<void> {
  const more = { label, detail: `${MISSING.slice(0, 1).toUpperCase()}${MISSING.slice(1)}`, command: "" };
  if ((await choose(sentence, [...ENTRIES.filter(({ command }) => ALONE.has(command)), more])) === more) {
    await explain();
  }
}

async function choose(sentence: string, offered: readonly Entry[]): Promise<Entry | undefined> {
  const entries = offered.filter(({ command }) => isAllowed(command, vscode.workspace.isTrusted));
  const chosen = await vscode.window.showQuickPick(entries, { title: "Keepstate", placeHolder: sentence });
  if (chosen !== undefined && chosen.command !== "") {
    await vscode.commands.executeCommand(chosen.command);
  }
  return chosen;
}
