/** A restart on a real Flink, asked for in the menu's words; described by a JSON file like session.mjs. */
import path from "node:path";
import { hoverOver, openFile, play, runCommand, statusBarText } from "./editor.mjs";

/** How long Flink may take to start and to answer, in milliseconds. */
const FLINK = 150_000;

await play(async ({ page, plan, seen, mark, picture }) => {
  await openFile(page, path.basename(plan.file));
  await statusBarText(page, plan.verdict);
  await runCommand(page, "Keepstate: Verify on Real Flink...");
  const rows = page.locator(".quick-input-widget", { hasText: "Before the First Row" });
  await rows.waitFor();
  await page.keyboard.press("Enter");

  const toast = (text) => page.locator(".notification-toast", { hasText: text });
  const running = toast("Restarting on a real Flink");
  await running.waitFor();
  seen.cancels = await running.locator(".monaco-button, .action-label[aria-label*='ancel']").first().innerText();
  await picture("progress");
  const said = toast("fql on Flink");
  await said.waitFor({ timeout: FLINK });
  mark("the restart is measured");
  seen.said = await said.locator(".notification-list-item-message").innerText();
  const lens = page.locator(".codelens-decoration", { hasText: "Measured on Flink" }).first();
  await lens.waitFor();
  seen.lens = await lens.innerText();
  await hoverOver(page, plan.hover);
  await picture("measured");
});
