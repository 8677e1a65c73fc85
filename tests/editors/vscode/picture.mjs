/**
 * Draws the pictures of README and docs, for docs/make-picture. Arguments: cache, scratch folder, folder to write to, and
 * "flink" for the one picture of a job on open-source Flink.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hoverOver, openEditor, openFile, pick, putCursorOn, quickFixes, runCommand, statusBarItem } from "./editor.mjs";

const [cache, scratch, pictures, engine] = process.argv.slice(2);
const WIDTH = 960;
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
  "git.blame.statusBarItem.enabled": false,
  "scm.diffDecorations": "none",
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.editor.editorActionsLocation": "hidden",
  "workbench.layoutControl.enabled": false,
};
/** What else VS Code has to say at the bottom of its window. */
const REST_OF_STATUS_BAR = ["status.host", "status.scm", "status.forwardedPorts", "eyboardLayout"]
  .map((id) => `.statusbar-item[id*='${id}']`)
  .join(", ");

const { page, close } = await openEditor({
  cache,
  scratch,
  folder: path.join(scratch, "shop"),
  vsix: fileURLToPath(new URL("../../../vscode-client/keepstate.vsix", import.meta.url)),
  settings: LOOK,
  // The taller the window, the taller a hover may become; what is below it is cut off.
  page: { viewport: { width: WIDTH, height: 2100 }, deviceScaleFactor: 1.5 },
});
const file = (name) => path.join(pictures, `${name}.png`);

/** The top of the window down to `height`, and its status bar below. */
async function withStatusBar(name, height) {
  const bar = await page.locator(".part.statusbar").boundingBox();
  const clips = [{ x: 0, y: 0, width: WIDTH, height }, { x: 0, y: bar.y, width: WIDTH, height: bar.height }];
  const parts = [];
  for (const clip of clips) {
    parts.push((await page.screenshot({ clip })).toString("base64"));
  }
  const canvas = await page.context().browser().newPage({ deviceScaleFactor: 1.5 });
  await canvas.setViewportSize({ width: WIDTH, height: Math.round(height + bar.height) });
  const images = parts.map((part) => `<img style="display: block; width: ${WIDTH}px" src="data:image/png;base64,${part}">`);
  await canvas.setContent(`<body style="margin: 0">${images.join("")}</body>`);
  await canvas.screenshot({ path: file(name) });
  await canvas.close();
}

/** The hover on a clause, as high as it is, with the status bar. */
async function hoverPicture(name, place) {
  await hoverOver(page, place);
  // VS Code shows what it has, and the rest when it comes.
  const unfinished = page.locator(".monaco-resizable-hover", { hasText: /Loading\.\.\.|Checking for quick fixes/ });
  await unfinished.waitFor({ state: "detached" });
  const hover = await page.locator(".monaco-resizable-hover").boundingBox();
  await withStatusBar(name, Math.round(hover.y + hover.height) + 16);
}

/** The light bulb, the comparison, the plan and the report. */
async function otherPictures() {
  await page.setViewportSize({ width: WIDTH, height: 560 });
  await page.keyboard.press("Escape");
  await putCursorOn(page, 18, "10");
  await quickFixes(page);
  await page.screenshot({ path: file("vscode-light-bulb") });
  await page.keyboard.press("Escape");

  await page.locator(".codelens-decoration a").nth(1).click();
  await page.locator(".monaco-diff-editor .char-insert, .monaco-diff-editor .line-insert").first().waitFor();
  await page.screenshot({ path: file("vscode-comparison") });
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  await page.setViewportSize({ width: WIDTH, height: 640 });
  await runCommand(page, "Keepstate: Show Plan");
  const plan = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  await plan.locator("button.box").first().waitFor();
  // The query with the change that costs its state.
  await plan.locator("section.pipeline").last().evaluate((section) => section.scrollIntoView());
  await page.mouse.move(0, 0);
  await page.screenshot({ path: file("vscode-plan") });
  await runCommand(page, "View: Close Editor");
  await page.locator(".tab", { hasText: "Plan: " }).waitFor({ state: "detached" });
  await page.setViewportSize({ width: WIDTH, height: 560 });

  await statusBarItem(page).click();
  await pick(page, "Keepstate", "Show Report");
  const report = page.frameLocator(".webview.ready").frameLocator("#active-frame").locator("h2").first();
  await report.waitFor();
  await runCommand(page, "View: Move Editor into Previous Group");
  await page.waitForTimeout(1_000);
  await report.waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: file("vscode-report") });
}

try {
  await runCommand(page, "View: Toggle Primary Side Bar Visibility");
  await openFile(page, "shop.flink.sql");
  await page.locator(".editor-instance [class*='squiggly-error']").first().waitFor();
  await page.locator(".codelens-decoration a").nth(engine === "flink" ? 0 : 1).waitFor();
  await page.addStyleTag({ content: `${REST_OF_STATUS_BAR}, .monaco-hover .scrollbar { display: none !important; }` });
  if (engine === "flink") {
    await hoverPicture("vscode-flink", { line: 7, text: "SUM" });
  } else {
    await hoverPicture("vscode", { line: 18, text: "10" });
    await otherPictures();
  }
} finally {
  await close();
}
for (const name of await fs.readdir(pictures)) {
  const { size } = await fs.stat(path.join(pictures, name));
  console.log(`${name}: ${Math.round(size / 1024)} KB`);
}
