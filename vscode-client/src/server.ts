/** The language server of this window: found, started, restarted, and shown in the language status. */
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  LanguageClient,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import { announcement } from "./baseline";
import { findServer, ServerNotFound, type ServerCommand } from "./discovery";
import { choiceOfServer, SECTION, settingsForServer } from "./settings";

/** Flink SQL is written in both languages; which `.sql` files are Flink's is for the server to say. */
export const DOCUMENTS = ["sql", "flink-sql"].flatMap((language) => [
  { language, scheme: "file" },
  { language, scheme: "untitled" },
]);

export class Server implements vscode.Disposable {
  client: LanguageClient | undefined;
  private readonly status = vscode.languages.createLanguageStatusItem("keepstate.server", DOCUMENTS);
  private lastStep: Promise<void> = Promise.resolve();
  private hasComplained = false;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly extension: vscode.Extension<unknown>,
  ) {
    this.status.name = "Keepstate";
    this.status.command = { command: "keepstate.showOutput", title: "Show Output" };
  }

  /** Starts the server, after stopping the one that runs. Calls that overlap are carried out one after the other. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.shutDown();
      this.hasComplained = false;
      await this.startUp();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.shutDown());
  }

  dispose(): void {
    this.status.dispose();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.lastStep = this.lastStep.then(step, step);
    return this.lastStep;
  }

  private async startUp(): Promise<void> {
    let found: ServerCommand;
    try {
      found = await findServer(surroundings());
    } catch (error) {
      return this.complain(wordsOf(error), error instanceof ServerNotFound);
    }
    this.output.info(`Server ${found.origin}: ${[found.command, ...found.args].join(" ")}`);
    this.client = this.clientOf(found);
    await this.client.start().catch((error: unknown) => {
      this.complain(`The server ${found.origin} could not be started: ${wordsOf(error)}`, false);
    });
  }

  private async shutDown(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start has nothing to stop, and says so by throwing.
    await client?.dispose().catch((error: unknown) => this.output.debug(`Stopping: ${wordsOf(error)}`));
  }

  private clientOf(found: ServerCommand): LanguageClient {
    // Python imports from the folder it runs in, so that must not be one that a workspace can put files into.
    const cwd = found.cwd ?? this.extension.extensionPath;
    const program = { command: found.command, args: [...found.args], options: { cwd } };
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENTS,
      outputChannel: this.output,
      initializationOptions: () => settingsForServer(),
      // It failed, and trying again at once would fail again; start() says so too.
      initializationFailedHandler: () => false,
      middleware,
    };
    const client = new QuietClient(SECTION, "Keepstate", program, options);
    client.clientOptions.errorHandler = this.errorHandlerOf(client);
    client.registerFeature(announcement);
    client.onDidChangeState(({ newState }) => {
      // A client that was replaced still reports its end; by then another one is shown.
      if (client === this.client || this.client === undefined) {
        this.showState(newState, `Server ${found.origin}`);
      }
    });
    return client;
  }

  /** The language client's own: it starts a server that ended again, but not for ever. */
  private errorHandlerOf(client: LanguageClient): ErrorHandler {
    const standard = client.createDefaultErrorHandler();
    return {
      error: (...args) => standard.error(...args),
      closed: async () => {
        const result = await standard.closed();
        if (result.action === CloseAction.DoNotRestart) {
          this.complain("The server ended several times in a row.", false);
        }
        return { ...result, handled: true };
      },
    };
  }

  private showState(state: State, detail: string): void {
    void vscode.commands.executeCommand("setContext", "keepstate.running", state === State.Running);
    this.status.busy = state === State.Starting;
    switch (state) {
      case State.Running: {
        const version = this.client?.initializeResult?.serverInfo?.version ?? "";
        return this.show(vscode.LanguageStatusSeverity.Information, `Keepstate ${version}`.trimEnd(), detail);
      }
      case State.Starting:
        return this.show(vscode.LanguageStatusSeverity.Information, "Keepstate starts", detail);
      default:
        return this.show(vscode.LanguageStatusSeverity.Error, "Keepstate has stopped", detail);
    }
  }

  private show(severity: vscode.LanguageStatusSeverity, text: string, detail: string): void {
    this.status.severity = severity;
    this.status.text = text;
    this.status.detail = detail;
  }

  /** Says that there is no server: always in the language status and the log, once per start in a message. */
  private complain(reason: string, isMissing: boolean): void {
    this.output.error(reason);
    this.show(vscode.LanguageStatusSeverity.Error, "Keepstate does not run", reason);
    if (this.hasComplained) {
      return;
    }
    this.hasComplained = true;
    const settings = "Open Settings";
    const other = isMissing ? "How to Install" : "Show Output";
    void vscode.window.showWarningMessage(`Keepstate does not run. ${reason}`, settings, other).then((choice) => {
      if (choice === settings) {
        return vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.server.path`);
      }
      if (choice === other) {
        return isMissing ? vscode.commands.executeCommand("extension.open", this.extension.id) : this.output.show();
      }
      return undefined;
    });
  }
}

/** Errors go to the log. What a person must hear is said by `Server`, once and in its words. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const middleware: Middleware = {
  workspace: {
    /** The server hears of its own settings only, under the names it knows. */
    configuration: async (params, token, next) => {
      const answers = await next(params, token);
      return Array.isArray(answers)
        ? params.items.map(({ section, scopeUri }, index) =>
            section === SECTION ? settingsForServer(scopeUri ? vscode.Uri.parse(scopeUri) : undefined) : answers[index],
          )
        : answers;
    },
  },
  /** A command from the palette comes without arguments: it means the document that is being edited. */
  executeCommand: (command, args, next) => {
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    return next(command, args.length === 0 && active !== undefined ? [active] : args);
  },
};

function surroundings(): Parameters<typeof findServer>[0] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    ...choiceOfServer(),
    folders: folders.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath),
    trusted: vscode.workspace.isTrusted,
    home: os.homedir(),
    env: process.env,
    platform: process.platform,
    isFile: (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false,
    hasServer,
    chosenPython,
  };
}

/** Asks the interpreter, without importing anything: `-I` keeps the current folder off its path. */
function hasServer(python: string): Promise<boolean> {
  const question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('keepstate_lsp') is None)";
  return new Promise((resolve) => {
    execFile(python, ["-I", "-c", question], { timeout: 10_000 }, (error) => resolve(error === null));
  });
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(path: { readonly path: string }): Promise<PythonEnvironment | undefined>;
  };
}

interface PythonEnvironment {
  readonly executable: { readonly uri?: vscode.Uri };
}

async function chosenPython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  const environments = (await extension?.activate())?.environments;
  const chosen = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
  return chosen?.executable.uri?.fsPath;
}
