/** What a job is compared with, and which text of it runs where: the choices that a person makes. */
import * as vscode from "vscode";
import { pickOrType } from "./choices";
import type { Server } from "./server";
import { SECTION } from "./settings";
import type { StatusBar } from "./statusBar";

/** An entry of `keepstate.listBaselines`. */
interface Choice {
  readonly spec: string;
  readonly words: string;
  readonly found: string;
}

const DEPLOYED = "deployed:";
const PRODUCTION = "production";
const AS_SET = "As the settings say";

export class Baselines implements vscode.Disposable {
  /** Chosen for this session; the server forgets it when it is started again. */
  private chosen: string | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly statusBar: StatusBar,
  ) {
    this.listener = server.onDidStart(() => (this.chosen === undefined ? undefined : this.keepForSession(this.chosen)));
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** Asks what to compare with and where to keep that. */
  async choose(): Promise<void> {
    const current = this.statusBar.active?.spec;
    const offered = (await this.offered()).map(({ spec, words, found }) => ({
      label: spec,
      description: words,
      detail: found,
      ...(spec === current && { iconPath: new vscode.ThemeIcon("check") }),
    }));
    const spec = await pickOrType({
      title: "Compare with which baseline?",
      placeholder: "Pick one, or type a revision, merge-base:BRANCH, tag:GLOB, deployed:ENVIRONMENT or file:PATH",
      typed: "as typed",
      items: this.chosen === undefined ? offered : [...offered, { label: AS_SET, description: "no choice for this session" }],
    });
    if (spec === AS_SET) {
      await this.keepForSession(undefined);
    } else if (spec !== undefined) {
      await this.keep(spec);
    }
  }

  /** Asks for an environment and records the file that is being edited as what runs there. */
  async markDeployed(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) {
      return;
    }
    const known = (await this.offered()).map(({ spec }) => spec).filter((spec) => spec.startsWith(DEPLOYED));
    const names = new Set([PRODUCTION, ...known.map((spec) => spec.slice(DEPLOYED.length))]);
    const environment = await pickOrType({
      title: "Where does this job run with this text?",
      placeholder: "Pick an environment, or type the name of a new one",
      typed: "a new environment",
      items: [...names].map((label) => ({ label })),
    });
    if (environment !== undefined && (await isOnDisk(document))) {
      await this.server.command("keepstate.markDeployed", document.uri.toString(), environment);
    }
  }

  private async offered(): Promise<readonly Choice[]> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    return uri === undefined ? [] : this.server.command<readonly Choice[]>("keepstate.listBaselines", uri);
  }

  private async keep(spec: string): Promise<void> {
    const session = { label: "For this session", description: "until the window is closed" };
    const workspace = { label: "In the settings of the workspace", description: `${SECTION}.baseline` };
    const isInWorkspace = vscode.workspace.workspaceFolders !== undefined;
    const title = `Compare with ${spec}: where to keep that?`;
    const place = isInWorkspace ? await vscode.window.showQuickPick([session, workspace], { title }) : session;
    if (place === workspace) {
      await vscode.workspace.getConfiguration(SECTION).update("baseline", spec, vscode.ConfigurationTarget.Workspace);
      // What was chosen for the session would hide it.
      await this.keepForSession(undefined);
    } else if (place === session) {
      await this.keepForSession(spec);
    }
  }

  private async keepForSession(spec: string | undefined): Promise<void> {
    await this.server.command("keepstate.chooseBaseline", spec ?? null);
    this.chosen = spec;
  }
}

/** What is recorded is what lies on disk, so a text that was not saved has to be, or to be left out on purpose. */
async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  if (!document.isDirty) {
    return true;
  }
  const [save, leave] = ["Save and Record", "Record the File as It Is on Disk"];
  const question = "This file has changes that are not saved.";
  const choice = await vscode.window.showWarningMessage(question, { modal: true }, save, leave);
  return choice === save ? document.save() : choice === leave;
}
