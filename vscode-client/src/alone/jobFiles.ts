/** The files of a job of several files: below the folder of its configuration, today and at its baseline. */
import * as vscode from "vscode";
import type { Configured, Version } from "./contract";
import { textOf } from "./files";
import type { Commit } from "./git";

/** Reads the text of a path below the folder of the configuration; undefined where there is none. */
export type Reading = (path: string) => Promise<string | undefined>;

const MOST_FILES = 20_000;
const MOST_TEXTS = 1_000;
const WATCHED = "**/*.{sql,fql}";
/** Folders with a great many files, and none of a job. */
const LEFT_OUT = /^(?:\..*|node_modules)$/;

export class JobFiles implements vscode.Disposable {
  private readonly listings = new Map<string, Promise<readonly string[]>>();
  private readonly texts = new Map<string, Promise<string | undefined>>();
  private readonly formerTexts = new Map<string, Promise<string | undefined>>();
  private readonly changes = new Map<string, Promise<readonly vscode.Uri[]>>();
  private readonly moved = new vscode.EventEmitter<void>();
  /** A file that may belong to a job was made, written or deleted. */
  readonly onDidMove = this.moved.event;
  private readonly disposables: vscode.Disposable[];

  constructor() {
    const watcher = vscode.workspace.createFileSystemWatcher(WATCHED);
    const move = (): void => {
      this.forget();
      this.moved.fire();
    };
    this.disposables = [this.moved, watcher, watcher.onDidChange(move), watcher.onDidCreate(move), watcher.onDidDelete(move)];
  }

  /** The paths of all files below a folder, relative to it. */
  paths(folder: vscode.Uri): Promise<readonly string[]> {
    return kept(this.listings, folder.toString(), () => listing(folder));
  }

  /** These paths, and those that a commit has beside them. One that it has not is found out when it is read. */
  async formerPaths(folder: vscode.Uri, paths: readonly string[], commit: Commit | undefined): Promise<readonly string[]> {
    if (commit === undefined) {
      return paths;
    }
    const changed = await kept(this.changes, `${commit.hash} ${folder.toString()}`, () => commit.changed());
    const base = folder.path.endsWith("/") ? folder.path : `${folder.path}/`;
    const below = changed.filter(({ path }) => path.startsWith(base)).map(({ path }) => path.slice(base.length));
    return [...new Set([...paths, ...below])];
  }

  /** The text that a file has in an editor, else on disk. */
  async text(uri: vscode.Uri): Promise<string | undefined> {
    const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    return open === undefined ? kept(this.texts, uri.toString(), () => textOf(uri)) : open.getText();
  }

  async formerText(commit: Commit, uri: vscode.Uri): Promise<string | undefined> {
    return kept(this.formerTexts, `${commit.hash} ${uri.toString()}`, () => commit.read(uri));
  }

  /** What is on disk is read anew. */
  forget(): void {
    this.listings.clear();
    this.texts.clear();
    this.changes.clear();
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }
}

/** A version of a job with the texts of its files, without those that are not there. */
export async function versionOf({ script, context, ...configured }: Configured, read: Reading): Promise<Version> {
  const files: Record<string, string> = {};
  for (const path of [...script, ...context]) {
    const text = await read(path);
    if (text !== undefined) {
      files[path] = text;
    }
  }
  const job = script.filter((path) => path in files);
  const [only] = job;
  return { files, job: only !== undefined && job.length === 1 ? only : job, ...configured };
}

/** What a map has, else what is found now. A failure is not kept. */
function kept<Found>(map: Map<string, Promise<Found>>, key: string, find: () => Promise<Found>): Promise<Found> {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  if (map.size >= MOST_TEXTS) {
    map.clear();
  }
  const found = find();
  map.set(key, found);
  found.catch(() => map.delete(key));
  return found;
}

async function listing(folder: vscode.Uri): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting: [folder: vscode.Uri, prefix: string][] = [[folder, ""]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [place, prefix] = next;
    for (const [name, type] of await vscode.workspace.fs.readDirectory(place)) {
      // Links are not followed: they may lead out of the folder.
      if (type === vscode.FileType.Directory && !LEFT_OUT.test(name)) {
        waiting.push([vscode.Uri.joinPath(place, name), `${prefix}${name}/`]);
      } else if (type === vscode.FileType.File) {
        found.push(`${prefix}${name}`);
      }
    }
    if (found.length > MOST_FILES) {
      throw new Error(`More than ${MOST_FILES} files lie beside this configuration: that needs the server of Keepstate, and so Python.`);
    }
  }
  return found.sort();
}
