import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as vscode from "vscode";
import { lastingCommands, SELECT, withLastingCommand } from "../src/actions";

const uri = "file:///repository/shop_sold.sql";
const select = () => ({ title: "Select", command: SELECT, arguments: [uri, { line: 2, character: 3 }, { line: 2, character: 9 }] });
const opened = { title: "Select", command: "vscode.open", arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(2, 3, 2, 9) }] };
const none = {} as never;
const fix = (command?: vscode.Command): vscode.CodeAction => Object.assign({ title: "Remove `COUNT(*)`" }, command && { command });

describe("the command behind the edit of a quick-fix", () => {
  it("is one whose arguments VS Code carries along", () => {
    assert.deepEqual(withLastingCommand(fix(select())), fix(opened));
  });

  it("stays what it is where it selects nothing", () => {
    const page = { title: "Open", command: "keepstate.openRule", arguments: ["group-key-added"] };
    for (const action of [fix(), fix(page), page]) {
      assert.deepEqual(withLastingCommand(structuredClone(action)), action);
    }
  });

  it("is such a one in a list of actions", async () => {
    const listed = await lastingCommands.provideCodeActions!(none, none, none, none, async () => [fix(select()), fix()]);
    assert.deepEqual(listed, [fix(opened), fix()]);
  });

  it("outlasts the way of an action to the server and back", async () => {
    const edit = {} as vscode.WorkspaceEdit;
    const asJson = async (action: vscode.CodeAction) => ({ ...JSON.parse(JSON.stringify(action)), edit }) as vscode.CodeAction;
    for (const action of [withLastingCommand(fix(select())), fix()]) {
      const resolved = await lastingCommands.resolveCodeAction!(action, none, asJson);
      assert.deepEqual(resolved, { ...action, edit });
    }
  });

  it("needs an answer of the server", async () => {
    assert.equal(await lastingCommands.provideCodeActions!(none, none, none, none, async () => null), undefined);
    assert.equal(await lastingCommands.resolveCodeAction!(fix(), none, async () => null), null);
  });
});
