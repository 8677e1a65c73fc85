/** What a document is compared with where no server reads its repository. */
import * as vscode from "vscode";
import { nameOf, parentOf, textOf, type Configuration } from "./files";
import type { Commit, Git, NoCommit } from "./git";
import { OPENED, specOf } from "./specs";

export interface Baseline {
  readonly spec: string;
  /** "HEAD (a1b2c3d)". */
  readonly words: string;
  readonly text: string;
  /** The text of the configuration file then; undefined where there was none. */
  readonly configuration: string | undefined;
  /** The commit that has it; undefined where other files are those of today. */
  readonly commit?: Commit;
}

/** Why there is none; `isAmiss` where there should have been one. */
export interface NoBaseline {
  readonly reason: string;
  readonly isAmiss: boolean;
}

const OPENED_WORDS = "the file as it was opened";

export class Baselines {
  private readonly opened = new Map<string, Promise<string | undefined>>();

  constructor(private readonly git: Git) {}

  /** Keeps the text on disk, before it is saved again. */
  remember(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    if (!document.isUntitled && !this.opened.has(key)) {
      this.opened.set(key, textOf(document.uri));
    }
  }

  /** The baseline by its spec. `isChosen`: a setting or the user names it. Else the text as it was opened stands in where there is no repository. */
  async find(
    document: vscode.TextDocument,
    spec: string,
    configuration: Configuration | undefined,
    isChosen: boolean,
  ): Promise<Baseline | NoBaseline> {
    const parsed = specOf(spec);
    if (document.isUntitled && parsed.kind !== "file") {
      return { reason: "the document was never saved", isAmiss: false };
    }
    switch (parsed.kind) {
      case "unknown":
        return { reason: parsed.reason, isAmiss: true };
      case "opened":
        return this.asOpened(document, configuration);
      case "file": {
        const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri ?? parentOf(document.uri);
        const base = configuration === undefined ? folder : parentOf(configuration.uri);
        const text = await textOf(vscode.Uri.joinPath(base, parsed.path));
        return text === undefined
          ? { reason: `${spec}: there is no such file`, isAmiss: true }
          : { spec, words: parsed.path, text, configuration: configuration?.text };
      }
      case "merge-base":
        return this.inCommit(document, spec, configuration, await this.git.mergeBase(document.uri, parsed.branch), isChosen);
      case "revision":
        return this.inCommit(document, spec, configuration, await this.git.commit(document.uri, parsed.revision), isChosen);
    }
  }

  private async inCommit(
    document: vscode.TextDocument,
    spec: string,
    configuration: Configuration | undefined,
    commit: Commit | NoCommit,
    isChosen: boolean,
  ): Promise<Baseline | NoBaseline> {
    if ("reason" in commit) {
      return isChosen || commit.isInRepository
        ? { reason: `${spec}: ${commit.reason}`, isAmiss: isChosen || commit.isAmiss }
        : this.asOpened(document, configuration);
    }
    const text = await commit.read(document.uri);
    const words = `${spec} (${commit.hash.slice(0, 7)})`;
    if (text === undefined) {
      return { reason: `${nameOf(document.uri)} is not in ${words}`, isAmiss: false };
    }
    const former = configuration === undefined ? undefined : await commit.read(configuration.uri);
    return { spec, words, text, configuration: former, commit };
  }

  private async asOpened(document: vscode.TextDocument, configuration: Configuration | undefined): Promise<Baseline | NoBaseline> {
    this.remember(document);
    const text = await this.opened.get(document.uri.toString());
    return text === undefined
      ? { reason: "the document lies in no file", isAmiss: false }
      : { spec: OPENED, words: OPENED_WORDS, text, configuration: configuration?.text };
  }
}
