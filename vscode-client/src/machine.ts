/** What the discovery of the server may know and ask: this machine, this window, the Python extension. */
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Surroundings } from "./discovery";
import { KnownPythons, pythonOf, QUESTION, type Python } from "./pythons";
import { choiceOfServer } from "./settings";

/** Where the packaging puts the server (server/bundle.py). */
const BUNDLED = "bundled";

export class Machine implements vscode.Disposable {
  private readonly pythons: KnownPythons;
  readonly chosenPython: ChosenPython;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.pythons = new KnownPythons(context.globalState, stampOf, (program, args) => this.ask(program, args));
    this.chosenPython = new ChosenPython(context.workspaceState);
  }

  surroundings(): Surroundings {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return {
      ...choiceOfServer(),
      folders: folders.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath),
      trusted: vscode.workspace.isTrusted,
      home: os.homedir(),
      env: process.env,
      platform: process.platform,
      chosenPython: this.chosenPython.path,
      bundled: path.join(this.context.extensionPath, BUNDLED),
      isFile: (file) => stampOf(file) !== undefined,
      hasServer: (python) => this.hasServer(python),
      describe: (program, args) => this.pythons.describe(program, args),
    };
  }

  dispose(): void {
    this.chosenPython.dispose();
  }

  private async ask(program: string, args: readonly string[]): Promise<Python | undefined> {
    const answer = await this.run(program, [...args, ...QUESTION]);
    return answer === undefined ? undefined : pythonOf(answer);
  }

  /** Asks the interpreter, without importing anything: `-I` keeps the current folder off its path. */
  private async hasServer(python: string): Promise<boolean> {
    const question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('keepstate_lsp') is None)";
    return (await this.run(python, ["-I", "-c", question])) !== undefined;
  }

  /** What a program prints; undefined where it fails. It runs where no workspace has a say in what it is. */
  private run(program: string, args: readonly string[]): Promise<string | undefined> {
    return new Promise((resolve) => {
      const options = { timeout: 10_000, cwd: this.context.extensionPath, windowsHide: true };
      execFile(program, [...args], options, (error, printed) => resolve(error === null ? printed : undefined));
    });
  }
}

/** A file as far as a change of it matters; what cannot be looked at is as good as not there. */
function stampOf(file: string): string | undefined {
  try {
    const stats = fs.statSync(file);
    return stats.isFile() ? `${stats.size} ${stats.mtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(path: { readonly path: string }): Promise<PythonEnvironment | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

interface PythonEnvironment {
  readonly executable: { readonly uri?: vscode.Uri };
}

const CHOSEN = "chosenPython";

/**
 * The interpreter chosen in the Python extension. That extension takes its time to wake up; until it has spoken, what
 * it said in this workspace the last time holds.
 */
export class ChosenPython implements vscode.Disposable {
  path: string | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private isListening = false;

  constructor(private readonly memory: vscode.Memento) {
    this.path = memory.get<string>(CHOSEN);
  }

  /** Only for workspaces that are trusted: the Python extension starts what it finds in them. */
  async listen(): Promise<void> {
    const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
    if (this.isListening || extension === undefined) {
      return;
    }
    this.isListening = true;
    const { environments } = await extension.activate();
    if (environments === undefined) {
      return;
    }
    const look = async (): Promise<void> => {
      const chosen = await environments.resolveEnvironment(environments.getActiveEnvironmentPath());
      const path = chosen?.executable.uri?.fsPath;
      if (path !== this.path) {
        this.path = path;
        await this.memory.update(CHOSEN, path);
        this.changed.fire();
      }
    };
    const listener = environments.onDidChangeActiveEnvironmentPath?.(() => void look());
    if (listener !== undefined) {
      this.disposables.push(listener);
    }
    await look();
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }
}
