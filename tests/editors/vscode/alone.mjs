/**
 * Keepstate without a server: on a machine without Python, or in a browser alone (`inBrowser`). A breaking change is typed;
 * described by a JSON file like session.mjs.
 */
import fs from "node:fs/promises";
import path from "node:path";
import {
  entriesOf,
  hoverOver,
  openFile,
  play,
  putCursorOn,
  quickFixes,
  runCommand,
  savedText,
  serverStatus,
  squiggles,
  statusBarItem,
  statusBarText,
  textOf,
} from "./editor.mjs";

/** Python is started in the window, which takes its time on a busy machine. */
const LONG = 150_000;

await play(async ({ page, plan, seen, mark, picture }) => {
  const asked = [];
  page.on("request", (request) => /^https?:/.test(request.url()) && !request.url().startsWith("http://127.0.0.1") && asked.push(request.url()));
  await openFile(page, path.basename(plan.file));
  if (plan.message !== undefined) {
    const message = page.locator(".notification-toast", { hasText: "Keepstate" });
    // It hides by itself, so it is read before the verdict is waited for.
    await message.first().waitFor({ timeout: LONG });
    seen.message = await message.locator(".notification-list-item-message").innerText();
    seen.buttons = await message.locator(".notification-list-item-buttons-container a").allInnerTexts();
    await picture("message");
    await page.keyboard.press("Escape");
    await message.first().waitFor({ state: "detached" });
  }
  const item = statusBarItem(page).filter({ hasText: plan.first });
  await item.waitFor({ timeout: LONG });
  seen.statusBar = [await textOf(item)];
  mark("the first verdict is there");
  seen.status = await serverStatus(page, plan.running);
  await page.mouse.move(640, 10);
  await page.locator(".hover-language-status").first().waitFor({ state: "detached" });

  await putCursorOn(page, plan.typing.line, plan.typing.at);
  await page.keyboard.press("End");
  for (const key of plan.typing.keys) {
    await page.keyboard.press(key);
  }
  await page.keyboard.type(plan.typing.text);
  await page.locator(".editor-instance .view-overlays [class*='squiggly-error']").first().waitFor();
  seen.squiggles = await squiggles(page);
  seen.statusBar.push(await statusBarText(page, "Incompatible"));
  mark("the change is underlined");
  seen.lens = await page.locator(".codelens-decoration a", { hasText: "Incompatible" }).first().innerText();
  seen.hover = await hoverOver(page, plan.hover);
  await picture("hover");

  await statusBarItem(page).click();
  seen.menu = await entriesOf(page, "Keepstate");
  await picture("menu");
  await page.keyboard.press("Escape");

  await page.locator(".codelens-decoration a", { hasText: "Incompatible" }).first().click();
  const sides = page.locator(".monaco-diff-editor .editor");
  await sides.nth(1).locator(".view-line", { hasText: plan.typing.text.trim() }).first().waitFor();
  seen.comparison = await page.locator(".tab.active .label-name").innerText();
  seen.former = await textOf(sides.nth(0).locator(".view-lines"));
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  await putCursorOn(page, plan.hover.line, plan.hover.text);
  seen.fixes = await quickFixes(page);
  await page.locator(".action-widget .monaco-list-row.action", { hasText: plan.fix }).first().click();
  await page.locator(".editor-instance .view-overlays [class*='squiggly-error']").first().waitFor({ state: "detached" });
  await page.keyboard.press("Control+S");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  seen.fixed = await savedText(plan.file, (text) => !text.includes(plan.typing.text.trim()));
  seen.statusBar.push(await statusBarText(page, plan.last));
  mark("the fix is applied");
  seen.foreign = asked;
});
