/**
 * What a click on the status bar item leads to: the report, other baselines, marks. Described by a JSON file like
 * session.mjs.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { entriesOf, openFile, pick, play, runCommand, statusBarItem, statusBarText } from "./editor.mjs";

await play(async ({ page, plan, seen, mark, picture }) => {
  const item = statusBarItem(page);
  const fromMenu = async (entry) => {
    await item.click();
    await pick(page, "Keepstate", entry);
  };
  const [WHICH, WHERE] = ["Compare with which baseline?", "where to keep that?"];
  const shows = (baseline) => statusBarText(page, new RegExp(`${plan.verdict}\\s·\\s${baseline}\\s*$`));
  await openFile(page, path.basename(plan.file));
  seen.statusBar = [await shows("HEAD")];

  await item.click();
  seen.menu = await entriesOf(page, "Keepstate");
  await picture("menu");
  await pick(page, "Keepstate", "Show Report");
  // The preview is a document in a frame in a frame.
  const preview = page.frameLocator(".webview.ready").frameLocator("#active-frame").locator("body");
  await preview.locator("h1").waitFor();
  seen.report = await preview.innerText();
  await picture("report");
  mark("report is shown");
  await preview.locator("a", { hasText: "line" }).first().click();
  await page.locator(".tab.active", { hasText: plan.finding }).waitFor();
  // The file is opened at its first line, and the link leads on from there.
  const line = page.locator(".editor-group-container.active .active-line-number", { hasNotText: /^1$/ }).first();
  seen.lineOfLink = await line.innerText();
  mark("the link of a finding is followed");
  await runCommand(page, "View: Close All Editors");
  await openFile(page, path.basename(plan.file));
  await shows("HEAD");

  await fromMenu("Choose Baseline");
  seen.baselines = await entriesOf(page, WHICH);
  await picture("baselines");
  await pick(page, WHICH, plan.typedBaseline);
  await pick(page, WHERE, "For this session");
  seen.statusBar.push(await shows(plan.typedBaseline));
  mark("a baseline is typed, for the session");

  const gone = page.waitForFunction(() => document.querySelector(".statusbar-item[id*='keepstate']") === null);
  await runCommand(page, "Keepstate: Restart Server");
  await gone;
  await shows(plan.typedBaseline);
  mark("the choice outlives the server");

  await fromMenu("Choose Baseline");
  await pick(page, WHICH, "As the settings say");
  await shows("HEAD");
  await fromMenu("Choose Baseline");
  await pick(page, WHICH, plan.offeredBaseline);
  await pick(page, WHERE, "In the settings of the workspace");
  seen.statusBar.push(await shows(plan.offeredBaseline));
  seen.settings = JSON.parse(await fs.readFile(path.join(plan.folder, ".vscode", "settings.json"), "utf8"));
  mark("a baseline is picked, for the workspace");

  await fromMenu("Mark as Deployed");
  await pick(page, "Where does this job run with this text?", "staging");
  const message = page.locator(".notification-toast", { hasText: "deployed in staging" });
  seen.marked = await message.locator(".notification-list-item-message").innerText();
  mark("the job is marked as deployed");

  await fromMenu("Replay a Restart");
  const refusal = page.locator(".notification-toast", { hasText: "pip install '.[spark]'" });
  seen.replay = await refusal.locator(".notification-list-item-message").innerText();
  mark("a replay says what it needs");

  await runCommand(page, "View: Toggle Problems");
  const problem = page.locator(".markers-panel .monaco-list-row", { hasText: plan.problem });
  await problem.first().waitFor();
  seen.problems = await page.locator(".markers-panel .monaco-list-row").allInnerTexts();
  await picture("problems");
  mark("problems of closed files are shown");
});
