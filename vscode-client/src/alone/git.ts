/** Revisions of files by the Git extension of the editor, which is absent in a browser and in untrusted workspaces. */
import * as vscode from "vscode";
import { nameOf } from "./files";
import { wordsOf } from "./words";

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
  /** Rejects with the code `UnknownPath` where a commit has no such file. */
  getObjectDetails(ref: string, path: string): Promise<unknown>;
  getCommit(ref: string): Promise<{ readonly hash: string }>;
  getMergeBase(one: string, other: string): Promise<string | undefined>;
  diffWith(ref: string): Promise<readonly { readonly originalUri: vscode.Uri }[]>;
}

/** A commit, and the reading of files in it: undefined for a file that it has not; rejects where git cannot read one. */
export interface Commit {
  readonly hash: string;
  read(uri: vscode.Uri): Promise<string | undefined>;
  /** The files that are others today, by the names that they had. */
  changed(): Promise<readonly vscode.Uri[]>;
}

/** Why there is no commit; `isAmiss` where there should be one. */
export interface NoCommit {
  readonly reason: string;
  readonly isInRepository: boolean;
  readonly isAmiss: boolean;
}

export class Git implements vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<void>();
  /** HEAD of a repository is another commit. */
  readonly onDidMove = this.moved.event;
  private readonly disposables: vscode.Disposable[] = [this.moved];
  private readonly heads = new Map<string, string | undefined>();
  private opened: Promise<GitApi | undefined> | undefined;

  /** The commit of a revision in the repository of a file, or why there is none. */
  async commit(uri: vscode.Uri, revision: string): Promise<Commit | NoCommit> {
    return this.found(uri, async (repository) => (await repository.getCommit(revision)).hash);
  }

  /** The commit at which the branch of a file left another one. */
  async mergeBase(uri: vscode.Uri, branch: string): Promise<Commit | NoCommit> {
    return this.found(uri, (repository) => repository.getMergeBase("HEAD", branch));
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async found(uri: vscode.Uri, hashOf: (repository: Repository) => Promise<string | undefined>): Promise<Commit | NoCommit> {
    const api = await this.api();
    if (api === undefined) {
      return { reason: "this window has no git", isInRepository: false, isAmiss: false };
    }
    const repository = api.getRepository(uri);
    if (repository === null) {
      return { reason: "it lies in no git repository", isInRepository: false, isAmiss: false };
    }
    try {
      const hash = await hashOf(repository);
      if (hash !== undefined) {
        const changed = async (): Promise<vscode.Uri[]> => (await repository.diffWith(hash)).map(({ originalUri }) => originalUri);
        return { hash, read: (file) => textIn(repository, hash, file), changed };
      }
    } catch {
      // Git says of a commit that is damaged what it says of one that is not there.
    }
    const { HEAD } = repository.state;
    const isUnborn = HEAD !== undefined && HEAD.commit === undefined;
    return { reason: isUnborn ? "there is no commit yet" : "git finds no such commit", isInRepository: true, isAmiss: !isUnborn };
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

async function textIn(repository: Repository, hash: string, file: vscode.Uri): Promise<string | undefined> {
  try {
    return await repository.show(hash, file.fsPath);
  } catch (error) {
    // A file that cannot be read is not a new one. The codes of `show` do not tell the two apart.
    if (await isUnknown(repository, hash, file)) {
      return undefined;
    }
    throw new Error(`git cannot read ${nameOf(file)} in ${hash.slice(0, 7)}: ${wordsOf(error)}`, { cause: error });
  }
}

async function isUnknown(repository: Repository, hash: string, file: vscode.Uri): Promise<boolean> {
  try {
    await repository.getObjectDetails(hash, file.fsPath);
    return false;
  } catch (error) {
    return (error as { readonly gitErrorCode?: unknown }).gitErrorCode === "UnknownPath";
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
