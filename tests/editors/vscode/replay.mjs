/** A restart is replayed, and its page looked at; described by a JSON file like session.mjs. */
import path from "node:path";
import { openFile, play, runCommand, statusBarText } from "./editor.mjs";

/** How long Spark may take to start and to answer, in milliseconds. */
const SPARK = 150_000;

await play(async ({ page, plan, seen, mark, picture }) => {
  await openFile(page, path.basename(plan.file));
  await statusBarText(page, plan.verdict);
  await runCommand(page, "Keepstate: Replay a Restart...");
  const box = page.locator(".quick-input-widget", { hasText: "When is the restart?" });
  await box.waitFor();
  seen.proposed = await box.locator("input").inputValue();
  await page.keyboard.press("Enter");

  const toast = (text) => page.locator(".notification-toast", { hasText: text });
  const running = toast("Replaying a restart");
  await running.waitFor();
  seen.cancels = await running.locator(".monaco-button, .action-label[aria-label*='ancel']").first().innerText();
  await picture("progress");
  const said = toast("restart at");
  await said.filter({ hasText: "Open Report" }).waitFor({ timeout: SPARK });
  mark("the restart is replayed");
  seen.said = await said.locator(".notification-list-item-message").innerText();
  await page.locator(".contentWidgets .codelens-decoration, .codelens-decoration", { hasText: "Replayed" }).first().waitFor();
  await said.locator(".monaco-button", { hasText: "Open Report" }).click();
  // The page is a document in a frame in a frame.
  const report = page.frameLocator(".webview.ready").frameLocator("#active-frame").locator("body");
  await report.locator("h1, h2").first().waitFor();
  seen.report = await report.innerText();
  seen.pictures = await report.locator("svg, img").count();
  await picture("report");
  mark("the report is shown");
});
