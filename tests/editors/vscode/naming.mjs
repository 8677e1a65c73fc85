/**
 * Names in VS Code: where one is declared, and what another one costs before it is applied. Described by a JSON file
 * like session.mjs.
 */
import path from "node:path";
import { openFile, play, putCursorOn, savedText, serverStatus, textOf } from "./editor.mjs";

await play(async ({ page, plan, seen, mark, picture }) => {
  await openFile(page, path.basename(plan.file));
  seen.server = await serverStatus(page, "answered after");

  await putCursorOn(page, plan.use.line, plan.use.text);
  await page.keyboard.press("F12");
  await page.locator("#status\\.editor\\.selection", { hasText: plan.declared }).waitFor();
  mark("the definition is shown");

  const rename = async (name) => {
    await page.keyboard.press("F2");
    const box = page.locator(".rename-box .rename-input");
    await box.waitFor();
    seen.placeholder = await box.inputValue();
    await box.fill(name);
    await page.keyboard.press("Enter");
  };
  await rename(plan.newName);
  const preview = page.locator(".bulk-edit-panel");
  const rows = preview.locator(".monaco-list-row");
  await rows.nth(plan.places).waitFor();
  const warning = page.locator(".notification-list-item-message", { hasText: plan.verdict }).first();
  await warning.waitFor();
  seen.warning = await textOf(warning);
  await picture("rename");
  mark("the verdict is shown before the rename");

  // Nothing is applied that was not consented to.
  await rows.first().locator(".edit-checkbox").check();
  await preview.getByRole("button", { name: "Apply" }).click();
  await page.locator(".tab.active.dirty").waitFor();
  await page.keyboard.press("Control+S");
  seen.saved = await savedText(plan.file, (text) => text.includes(plan.newName));
  mark("the rename is saved");
});
