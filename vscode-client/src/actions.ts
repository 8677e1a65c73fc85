/** Quick-fixes of the server, in commands that VS Code carries out also after it has dropped the list of actions. */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

/** The server's command that selects a place: behind the edit of a quick-fix, at what is left to write. */
export const SELECT = "keepstate.select";

interface Place {
  line: number;
  character: number;
}

/**
 * The action with `vscode.open` in the place of `keepstate.select`.
 *
 * VS Code keeps the arguments of an extension's command only as long as its list of actions. An edit of several files
 * takes long enough for the next list to come, and the command then fails with "Actual command not found". Arguments of
 * VS Code's own commands go along with the action.
 */
export function withLastingCommand<Action extends vscode.CodeAction | vscode.Command>(action: Action): Action {
  if (!("command" in action) || typeof action.command !== "object" || action.command.command !== SELECT) {
    return action;
  }
  const [uri, start, end] = action.command.arguments as [string, Place, Place];
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const { title } = action.command;
  action.command = { title, command: "vscode.open", arguments: [vscode.Uri.parse(uri), { selection }] };
  return action;
}

/** Of the language client: both ways in which an action comes. */
export const lastingCommands: Middleware = {
  provideCodeActions: async (document, range, context, token, next) =>
    (await next(document, range, context, token))?.map(withLastingCommand),
  // The answer repeats the command as JSON, in which a `Uri` and a `Range` are none any more: VS Code would refuse both.
  resolveCodeAction: async (action, token, next) => {
    const { command } = action;
    const resolved = await next(action, token);
    return resolved && Object.assign(resolved, command && { command });
  },
};
