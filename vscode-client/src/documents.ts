/** The documents that may be Flink SQL. */
import type * as vscode from "vscode";

const LANGUAGES = ["sql", "flink-sql"];

/** Flink SQL is written in both languages; which `.sql` files are Flink's is for the analyzer to say. */
export const DOCUMENTS = LANGUAGES.flatMap((language) => [
  { language, scheme: "file" },
  { language, scheme: "untitled" },
]);

const OF_EDITORS = ["keepstate-baseline", "git", "output"];

/** Wherever the files lie: a window without a server may read them at a host of repositories. */
export function documentSelector(): vscode.DocumentFilter[] {
  return LANGUAGES.map((language) => ({ language }));
}

/** Documents that an editor makes of others, such as the former side of a comparison. */
export function isMade({ scheme }: vscode.Uri): boolean {
  return OF_EDITORS.includes(scheme);
}
