/** Draws the picture of the README, for docs/make-picture. Arguments: cache, scratch folder, Python, file to write. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hoverOver, openEditor, openFile, runCommand } from "./editor.mjs";

const [cache, scratch, python, picture] = process.argv.slice(2);
const LOOK = {
  "editor.folding": false,
  "editor.fontSize": 13,
  "editor.glyphMargin": false,
  "editor.guides.indentation": false,
  "editor.hideCursorInOverviewRuler": true,
  "editor.hover.above": false,
  "editor.lineNumbersMinChars": 3,
  "editor.matchBrackets": "never",
  "editor.overviewRulerBorder": false,
  "editor.overviewRulerLanes": 0,
  "editor.renderLineHighlight": "none",
  "editor.scrollbar.vertical": "hidden",
  "editor.stickyScroll.enabled": false,
  "scm.diffDecorations": "none",
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.editor.editorActionsLocation": "hidden",
  "workbench.layoutControl.enabled": false,
  "workbench.statusBar.visible": false,
};

const { page, close } = await openEditor({
  cache,
  scratch,
  folder: path.join(scratch, "shop"),
  vsix: fileURLToPath(new URL("../../../vscode-client/keepstate.vsix", import.meta.url)),
  settings: { ...LOOK, "keepstate.server.path": [python, "-m", "keepstate_lsp"] },
  // The taller the window, the taller a hover may become; what is below it is cut off.
  page: { viewport: { width: 960, height: 2100 }, deviceScaleFactor: 1.5 },
});
try {
  await runCommand(page, "View: Toggle Primary Side Bar Visibility");
  await openFile(page, "shop.flink.sql");
  await page.locator(".editor-instance [class*='squiggly-error']").first().waitFor();
  await page.locator(".codelens-decoration a").nth(1).waitFor();
  await hoverOver(page, { line: 18, text: "10" });
  const hover = await page.locator(".monaco-resizable-hover").boundingBox();
  await page.screenshot({ path: picture, clip: { x: 0, y: 0, width: 960, height: hover.y + hover.height + 24 } });
} finally {
  await close();
}
