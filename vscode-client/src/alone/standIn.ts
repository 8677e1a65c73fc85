/** Keepstate in place of a server that no Python is there for. */
import * as vscode from "vscode";
import { complain, type Remedy } from "../remedies";
import type { Status } from "../status";
import { nodeChannel } from "./nodeChannel";
import { Session } from "./session";
import { MISSING } from "./words";

const SAID = "alone.said";

export class StandIn implements vscode.Disposable {
  private session: Session | undefined;
  /** Says what there is, what is missing, and offers what leads to it. */
  explain: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Undefined while a server runs, or nothing does. */
  get running(): Session | undefined {
    return this.session;
  }

  /** Starts it; `reason` says why no server runs, `remedies` lead to one. It is said once, and not in each window. */
  start(reason: string, remedies: readonly Remedy[], listener: { reported(status: Status): void; failed(reason: string): void }): void {
    this.stop();
    const { extensionPath, globalState } = this.context;
    this.output.info(`No server: ${reason} Keepstate runs inside of the editor.`);
    this.session = new Session(nodeChannel(extensionPath), listener, (words) => this.output.error(words));
    void vscode.commands.executeCommand("setContext", "keepstate.alone", true);
    this.explain = () => {
      const sentence = `Keepstate runs without Python: findings, hovers and fixes are there. Missing are ${MISSING}. ${reason}`;
      return complain(sentence, remedies, vscode.window.showInformationMessage);
    };
    if (globalState.get(SAID) !== true) {
      void globalState.update(SAID, true);
      void this.explain();
    }
  }

  stop(): void {
    this.session?.dispose();
    this.session = undefined;
    void vscode.commands.executeCommand("setContext", "keepstate.alone", false);
  }

  dispose(): void {
    this.stop();
  }
}
