/** Revisions of files by the Git extension of the editor, which is absent in a browser and in untrusted workspaces. */
import * as vscode from "vscode";

/** The part of that extension's interface that is used here. */
interface GitExtension {
  getAPI(version: 1): GitApi;
}
interface GitApi {
  readonly repositories: readonly Repository[];
  readonly onDidOpenRepository: vscode.Event<Repository>;
  readonly onDidChangeState: vscode.Event<unknown>;
  readonly state: "uninitialized" | "initialized";
  getRepository(uri: vscode.Uri): Repository | null;
  openRepository?(root: vscode.Uri): Promise<Repository | null>;
}
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly HEAD: { readonly commit?: string } | undefined; readonly onDidChange: vscode.Event<void> };
  show(ref: string, path: string): Promise<string>;
  getCommit(ref: string): Promise<{ readonly hash: string }>;
  getMergeBase(one: string, other: string): Promise<string | undefined>;
}

/** A commit, and the reading of files in it: undefined for a file that it has not. */
export interface Commit {
  readonly hash: string;
  read(uri: vscode.Uri): Promise<string | undefined>;
}

export class Git implements vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<void>();
  /** HEAD of a repository is another commit. */
  readonly onDidMove = this.moved.event;
  private readonly disposables: vscode.Disposable[] = [this.moved];
  private readonly heads = new Map<string, string | undefined>();
  private opened: Promise<GitApi | undefined> | undefined;

  /** The commit of a revision in the repository of a file, or why there is none. */
  async commit(uri: vscode.Uri, revision: string): Promise<Commit | string> {
    return this.found(uri, async (repository) => (await repository.getCommit(revision)).hash);
  }

  /** The commit at which the branch of a file left another one. */
  async mergeBase(uri: vscode.Uri, branch: string): Promise<Commit | string> {
    return this.found(uri, (repository) => repository.getMergeBase("HEAD", branch));
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async found(uri: vscode.Uri, hashOf: (repository: Repository) => Promise<string | undefined>): Promise<Commit | string> {
    const api = await this.api();
    if (api === undefined) {
      return "this window has no git";
    }
    const repository = api.getRepository(uri);
    if (repository === null) {
      return "it lies in no git repository";
    }
    try {
      const hash = await hashOf(repository);
      if (hash !== undefined) {
        return { hash, read: (file) => repository.show(hash, file.fsPath).catch(() => undefined) };
      }
      return "git finds no such commit";
    } catch {
      return "git finds no such commit";
    }
  }

  private api(): Promise<GitApi | undefined> {
    this.opened ??= this.open();
    return this.opened;
  }

  private async open(): Promise<GitApi | undefined> {
    const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
    if (extension === undefined) {
      return undefined;
    }
    try {
      const api = (await extension.activate()).getAPI(1);
      for (const repository of api.repositories) {
        this.watch(repository);
      }
      this.disposables.push(
        api.onDidOpenRepository((repository) => {
          this.watch(repository);
          this.moved.fire();
        }),
      );
      return await initialized(api);
    } catch {
      // It throws where git is switched off, or is not installed.
      return undefined;
    }
  }

  private watch({ rootUri, state }: Repository): void {
    const key = rootUri.toString();
    this.heads.set(key, state.HEAD?.commit);
    this.disposables.push(
      state.onDidChange(() => {
        if (this.heads.get(key) !== state.HEAD?.commit) {
          this.heads.set(key, state.HEAD?.commit);
          this.moved.fire();
        }
      }),
    );
  }
}

/** Before that, it has looked for repositories in no folder. */
function initialized(api: GitApi): Promise<GitApi> {
  if (api.state === "initialized") {
    return Promise.resolve(api);
  }
  return new Promise((resolve) => {
    const listener = api.onDidChangeState(() => {
      if (api.state === "initialized") {
        listener.dispose();
        resolve(api);
      }
    });
  });
}
