/** What a message about a server that does not run offers to do about it. */
import * as vscode from "vscode";
import { ServerNotFound } from "./discovery";
import { SECTION } from "./settings";

export interface Remedy {
  readonly title: string;
  apply(): unknown;
}

const PYTHON_PAGE = "https://www.python.org/downloads/";

export const SHOW_OUTPUT: Remedy = {
  title: "Show Output",
  apply: () => vscode.commands.executeCommand("keepstate.showOutput"),
};

export const RESTART: Remedy = {
  title: "Restart Server",
  apply: () => vscode.commands.executeCommand("keepstate.restartServer"),
};

const INSTALL_PYTHON: Remedy = {
  title: "Install Python",
  apply: () => vscode.env.openExternal(vscode.Uri.parse(PYTHON_PAGE)),
};

const TRY_AGAIN: Remedy = { ...RESTART, title: "Try Again" };

/** A setting that is changed restarts the server by itself. */
function openSetting(name: string): Remedy {
  return {
    title: "Open Settings",
    apply: () => vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.${name}`),
  };
}

export function remediesOf(error: unknown): readonly Remedy[] {
  if (!(error instanceof ServerNotFound)) {
    return [RESTART, SHOW_OUTPUT];
  }
  const setting = openSetting(error.setting);
  return error.lacksPython ? [INSTALL_PYTHON, setting, TRY_AGAIN] : [setting, SHOW_OUTPUT];
}

/** Says what is wrong, or what is less than it could be, and carries out what a person chooses. */
export async function complain(
  sentence: string,
  remedies: readonly Remedy[],
  show: (message: string, ...titles: string[]) => Thenable<string | undefined> = vscode.window.showWarningMessage,
): Promise<void> {
  const chosen = await show(sentence, ...remedies.map(({ title }) => title));
  await remedies.find(({ title }) => title === chosen)?.apply();
}
