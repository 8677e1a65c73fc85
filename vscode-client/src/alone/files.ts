/** Files of a workspace, wherever it lies: on disk, in a browser, at a host of repositories. */
import * as vscode from "vscode";

/** A configuration file, and the path of a document below its folder. */
export interface Configuration {
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly text: string;
  readonly path: string;
}

const MOST_FOLDERS = 64;
const OWN = "keepstate.toml";
const SHARED = "pyproject.toml";

/** The text of a file; undefined where there is none. */
export async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}

/** The configuration of a document: that of its folder, or of the nearest one above. */
export async function configurationOf(document: vscode.TextDocument): Promise<Configuration | undefined> {
  if (document.isUntitled) {
    return undefined;
  }
  let path = nameOf(document.uri);
  let folder = parentOf(document.uri);
  for (let depth = 0; depth < MOST_FOLDERS; depth += 1) {
    for (const name of [OWN, SHARED]) {
      const uri = vscode.Uri.joinPath(folder, name);
      const text = await textOf(uri);
      if (text !== undefined && (name === OWN || text.includes("[tool.keepstate"))) {
        return { uri, name, text, path };
      }
    }
    const above = parentOf(folder);
    if (above.path === folder.path) {
      return undefined;
    }
    path = `${nameOf(folder)}/${path}`;
    folder = above;
  }
  return undefined;
}

export function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

export function parentOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, "..");
}
