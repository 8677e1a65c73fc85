/** The report about all jobs of the workspace. */
import * as vscode from "vscode";
import { withRelativeLinks } from "./links";
import type { Server } from "./server";

/** The answer to `keepstate.report`, as far as it is of use here. */
interface Report {
  readonly text: string;
}

export class ReportPage {
  private readonly page: vscode.Uri;

  constructor(
    private readonly server: Server,
    context: vscode.ExtensionContext,
  ) {
    // One page per workspace, so that a preview which is still open shows the newest report.
    this.page = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "Keepstate report.md");
  }

  /** Shows the report beside the editor, once all jobs are checked. */
  async show(): Promise<void> {
    const progress = { location: vscode.ProgressLocation.Window, title: "Keepstate checks all jobs" };
    const { text } = await vscode.window.withProgress(progress, () =>
      this.server.command<Report>("keepstate.report", { format: "markdown", show: false }),
    );
    const folder = vscode.Uri.joinPath(this.page, "..").fsPath;
    const page = withRelativeLinks(text, folder, (uri) => vscode.Uri.parse(uri).fsPath);
    await vscode.workspace.fs.writeFile(this.page, new TextEncoder().encode(page));
    await vscode.commands.executeCommand("markdown.showPreviewToSide", this.page);
  }
}
