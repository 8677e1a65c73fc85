/** The language server of this window: found, started, restarted, and shown in the language status. */
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  State,
  WorkDoneProgress,
  WorkDoneProgressCancelNotification,
  type CloseHandlerResult,
  type ErrorHandler,
  type ErrorHandlerResult,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import { lastingCommands } from "./actions";
import { announcement, COMPARE } from "./announcement";
import type { StandIn } from "./alone/standIn";
import { findServer, NoPython, type ServerCommand } from "./discovery";
import { DOCUMENTS } from "./documents";
import type { Machine } from "./machine";
import { complain, remediesOf, RESTART, SHOW_OUTPUT, type Remedy } from "./remedies";
import { GIVING_UP, Restarts } from "./restarts";
import { SECTION, settingsForServer } from "./settings";
import { STATUS, type Status } from "./status";
import { isAllowed } from "./trust";

/** In these `keepstate.toml` may name values that are SQL; of all others the server says nothing. */
export const HOSTS = [{ scheme: "file", pattern: "**/*.{yaml,yml,tf,hcl}" }];

/** What jobs obey, and what teams accepted: the server says what is wrong there, and which entries may go. */
const OBEYED = ["keepstate.toml", "keepstate.accepted.toml"].map((name) => ({ scheme: "file", pattern: `**/${name}` }));

export class Server implements vscode.Disposable {
  client: LanguageClient | undefined;
  private readonly languageStatus = vscode.languages.createLanguageStatusItem("keepstate.server", DOCUMENTS);
  private readonly restarts = new Restarts();
  private readonly started = new vscode.EventEmitter<void>();
  private readonly ended = new vscode.EventEmitter<void>();
  private readonly reported = new vscode.EventEmitter<Status>();
  /** The server answers. */
  readonly onDidStart = this.started.event;
  /** What it said no longer holds. */
  readonly onDidEnd = this.ended.event;
  /** It says of a document how things stand. */
  readonly onDidTell = this.reported.event;
  private lastStep: Promise<void> = Promise.resolve();
  private nextStart: NodeJS.Timeout | undefined;
  private running: ServerCommand | undefined;
  private hasComplained = false;
  /** Why no server runs, in words; undefined while one does, or starts, or was asked to stop. */
  private trouble: string | undefined;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly machine: Machine,
    private readonly extension: vscode.Extension<unknown>,
    private readonly standIn: StandIn,
  ) {
    this.languageStatus.name = "Keepstate";
    this.languageStatus.command = { command: "keepstate.showOutput", title: "Show Output" };
  }

  /** Starts the server, after stopping the one that runs. Calls that overlap are carried out one after the other. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.shutDown();
      this.hasComplained = false;
      this.restarts.forget();
      await this.startUp();
    });
  }

  /** Restarts if there is another server to run by now. */
  async reconsider(): Promise<void> {
    const found = await findServer(this.machine.surroundings()).catch(() => undefined);
    if (found !== undefined && JSON.stringify(found) !== JSON.stringify(this.running)) {
      await this.restart();
    }
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.shutDown());
  }

  /** What the server answers to one of its commands. */
  async command<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    if (this.client === undefined) {
      throw new Error("Keepstate does not run.");
    }
    return this.client.sendRequest<T>(ExecuteCommandRequest.method, { command: name, arguments: args });
  }

  /**
   * The same of a command that takes its time and a token for its progress: in a notification with a button that cancels.
   * What the language client shows by itself stands in the status bar, and has none.
   */
  commandInSight<T>(title: string, name: string, document: string, options: object): Thenable<T> {
    const where = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
    return vscode.window.withProgress(where, async (shown, cancellation) => {
      const client = this.client;
      const progressToken = `keepstate-${Date.now()}`;
      const listener = client?.onProgress(WorkDoneProgress.type, progressToken, (step) => {
        if (step.kind === "report" && step.message !== undefined) {
          shown.report({ message: step.message });
        }
      });
      cancellation.onCancellationRequested(
        () => void client?.sendNotification(WorkDoneProgressCancelNotification.type, { token: progressToken }),
      );
      try {
        return await this.command<T>(name, document, { ...options, progressToken });
      } finally {
        listener?.dispose();
      }
    });
  }

  /** The same; an error is shown as a warning, and there is no answer then. */
  async triedInSight<T>(title: string, name: string, document: string, options: object): Promise<T | undefined> {
    try {
      return await this.commandInSight<T>(title, name, document, options);
    } catch (error) {
      void vscode.window.showWarningMessage(wordsOf(error));
      return undefined;
    }
  }

  dispose(): void {
    for (const disposable of [this.languageStatus, this.started, this.ended, this.reported]) {
      disposable.dispose();
    }
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.lastStep = this.lastStep.then(step, step);
    return this.lastStep;
  }

  private async startUp(isAgain = false): Promise<void> {
    this.trouble = undefined;
    const begun = performance.now();
    let found: ServerCommand;
    try {
      found = await findServer(this.machine.surroundings());
    } catch (error) {
      return error instanceof NoPython ? this.doWithout(error) : this.giveUp(wordsOf(error), remediesOf(error));
    }
    this.running = found;
    this.output.info(`Server ${found.origin}: ${[found.command, ...found.args].join(" ")}`);
    const client = this.clientOf(found);
    this.client = client;
    // One that ends right after its first answer is no longer the client of this window: its end has been dealt with.
    try {
      await client.start();
    } catch (error) {
      if (this.client !== client) {
        return;
      }
      const reason = `The server ${found.origin} could not be started: ${wordsOf(error)}`;
      return isAgain ? void this.startAgain(reason) : this.giveUp(reason, remediesOf(error));
    }
    if (this.client !== client) {
      return;
    }
    const needed = `It answered after ${((performance.now() - begun) / 1_000).toFixed(2)} s`;
    this.output.info(needed);
    this.languageStatus.detail = `Server ${found.origin}. ${needed}`;
    this.started.fire();
  }

  private async shutDown(): Promise<void> {
    clearTimeout(this.nextStart);
    const client = this.client;
    this.client = this.running = undefined;
    this.standIn.stop();
    this.ended.fire();
    // A client that failed to start has nothing to stop, and says so by throwing.
    await client?.dispose().catch((error: unknown) => this.output.debug(`Stopping: ${wordsOf(error)}`));
  }

  /** No Python runs the server: Keepstate runs inside of the editor, which is less, and no error. */
  private doWithout(error: NoPython): void {
    const reason = wordsOf(error);
    this.standIn.start(reason, remediesOf(error), {
      reported: (status) => this.reported.fire(status),
      failed: (why) => {
        this.standIn.stop();
        this.ended.fire();
        this.giveUp(why, remediesOf(error));
      },
    });
    this.show(vscode.LanguageStatusSeverity.Information, "Keepstate without Python", reason);
  }

  private clientOf(found: ServerCommand): LanguageClient {
    // Python imports from the folder it runs in, so that must not be one that a workspace can put files into.
    const cwd = found.cwd ?? this.extension.extensionPath;
    const program = { command: found.command, args: [...found.args], options: { cwd } };
    const options: LanguageClientOptions = {
      documentSelector: [...DOCUMENTS, ...HOSTS, ...OBEYED],
      outputChannel: this.output,
      initializationOptions: () => settingsForServer(),
      // Hovers link to the comparison and to nothing else that runs.
      markdown: { isTrusted: { enabledCommands: [COMPARE] } },
      // It failed, and trying again at once would fail again; start() says so too.
      initializationFailedHandler: () => false,
      middleware,
    };
    const client = new QuietClient(SECTION, "Keepstate", program, options);
    client.clientOptions.errorHandler = this.errorHandlerOf(client);
    client.registerFeature(announcement);
    client.onNotification(STATUS, (status: Status) => this.reported.fire(status));
    client.onDidChangeState(({ newState }) => {
      // A client that was replaced still reports its end; by then another one is shown.
      if (client === this.client || this.client === undefined) {
        this.showState(newState, `Server ${found.origin}`);
      }
    });
    return client;
  }

  private errorHandlerOf(client: LanguageClient): ErrorHandler {
    const standard = client.createDefaultErrorHandler();
    return {
      // A server that dies with messages unread resets the connection: then there is an error, and no close is reported.
      error: async (...args): Promise<ErrorHandlerResult> => {
        const result = await standard.error(...args);
        return result.action === ErrorAction.Shutdown
          ? { action: ErrorAction.Shutdown, handled: true, message: this.takeEndOf(client) }
          : result;
      },
      closed: (): CloseHandlerResult => ({
        action: CloseAction.DoNotRestart,
        handled: true,
        message: this.takeEndOf(client),
      }),
    };
  }

  /** What becomes of a client whose connection is lost, in words. */
  private takeEndOf(client: LanguageClient): string {
    // Of a client that has not answered yet, start() tells; one that was replaced is of no interest.
    if (client !== this.client || client.state !== State.Running) {
      return "The connection to the server is closed.";
    }
    this.client = undefined;
    return this.startAgain("The server ended.");
  }

  /** After an end that nobody asked for: starts the server a while later, unless that happened too often. */
  private startAgain(reason: string): string {
    this.ended.fire();
    const wait = this.restarts.waitAfterEnd(Date.now());
    if (wait === undefined) {
      this.giveUp(GIVING_UP, [RESTART, SHOW_OUTPUT]);
      return GIVING_UP;
    }
    const words = `${reason} It is started again in ${wait / 1_000} s.`;
    this.output.warn(words);
    this.showTrouble(words);
    this.nextStart = setTimeout(() => void this.enqueue(() => this.startUp(true)), wait);
    return words;
  }

  private showState(state: State, detail: string): void {
    void vscode.commands.executeCommand("setContext", "keepstate.running", state === State.Running);
    this.languageStatus.busy = state === State.Starting;
    switch (state) {
      case State.Running: {
        const version = this.client?.initializeResult?.serverInfo?.version ?? "";
        return this.show(vscode.LanguageStatusSeverity.Information, `Keepstate ${version}`.trimEnd(), detail);
      }
      case State.Starting:
        return this.show(vscode.LanguageStatusSeverity.Information, "Keepstate starts", detail);
      default:
        // The client says so after its error handler has said why.
        return this.showTrouble(this.trouble ?? "It was stopped.");
    }
  }

  private showTrouble(reason: string): void {
    this.trouble = reason;
    this.show(vscode.LanguageStatusSeverity.Error, "Keepstate does not run", reason);
  }

  private show(severity: vscode.LanguageStatusSeverity, text: string, detail: string): void {
    this.languageStatus.severity = severity;
    this.languageStatus.text = text;
    this.languageStatus.detail = detail;
  }

  /** Says that there is no server: always in the language status and the log, once per start in a message. */
  private giveUp(reason: string, remedies: readonly Remedy[]): void {
    this.output.error(reason);
    this.showTrouble(reason);
    if (!this.hasComplained) {
      this.hasComplained = true;
      void complain(`Keepstate does not run. ${reason}`, remedies);
    }
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

/** Those of the server's commands that are about a document and have an entry in the palette. */
const ABOUT_A_DOCUMENT = ["keepstate.showBaseline", "keepstate.showPlan"];

const middleware: Middleware = {
  ...lastingCommands,
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
    if (!isAllowed(command, vscode.workspace.isTrusted)) {
      return undefined;
    }
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    const isBare = args.length === 0 && ABOUT_A_DOCUMENT.includes(command);
    return next(command, isBare && active !== undefined ? [active] : args);
  },
};
