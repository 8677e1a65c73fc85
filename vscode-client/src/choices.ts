/** A list to pick from, in which something else may be typed. */
import * as vscode from "vscode";

export interface Question {
  readonly title: string;
  readonly placeholder: string;
  /** What may be typed, said behind what was typed. */
  readonly typed: string;
  readonly items: readonly vscode.QuickPickItem[];
}

/** The label of the item that was picked, or what was typed; undefined if the person left. */
export function pickOrType({ title, placeholder, typed, items }: Question): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.matchOnDescription = true;
  pick.items = items;
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => {
      const text = value.trim();
      const isNew = text !== "" && !items.some(({ label }) => label === text);
      // What the list offers comes first, so that typing a part of a name and Enter picks it.
      pick.items = isNew ? [...items, { label: text, description: typed, alwaysShow: true }] : items;
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.label);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
