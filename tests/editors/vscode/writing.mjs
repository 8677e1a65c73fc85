/**
 * Writing a query in VS Code: what comes up by itself, and what it leaves in the text. Described by a JSON file like
 * session.mjs.
 */
import path from "node:path";
import { openFile, play, putCursorOn, serverStatus, textOf } from "./editor.mjs";

const LETTER = { delay: 60 };

await play(async ({ page, plan, seen, mark, picture }) => {
  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  const take = async (proposal) => {
    await rows.filter({ hasText: proposal }).first().waitFor();
    await page.keyboard.press("Tab");
    await rows.first().waitFor({ state: "hidden" });
  };
  const shows = (text) => page.locator(".view-line", { hasText: text.replaceAll(" ", "\u00a0") }).first().waitFor();
  await openFile(page, path.basename(plan.file));
  seen.server = await serverStatus(page, "answered after");
  await putCursorOn(page, plan.at.line, plan.at.text);
  await page.keyboard.press("End");
  // The FROM comes first, so the select list is written in front of it.
  await page.keyboard.type(`\n\n${plan.select}${plan.from}`, LETTER);
  for (let letter = 0; letter < plan.from.length; letter++) {
    await page.keyboard.press("ArrowLeft");
  }
  await page.keyboard.type("o.", LETTER);
  await rows.filter({ hasText: plan.column }).first().waitFor();
  seen.columns = await rows.locator(".label-name").allInnerTexts();
  await picture("completion");
  mark("columns come behind a dot");

  await page.keyboard.type(plan.column.slice(0, 2), LETTER);
  await take(plan.column);
  await shows(`${plan.select}o.${plan.column}${plan.from}`);
  mark("a column is taken");

  await page.keyboard.type(`, ${plan.function.slice(0, 3).toLowerCase()}`, LETTER);
  await take(plan.function);
  await page.keyboard.type("1,", LETTER);
  const help = page.locator(".parameter-hints-widget.visible .signature");
  await help.waitFor();
  seen.signature = await textOf(help);
  seen.parameter = await textOf(help.locator(".parameter.active"));
  await picture("signature");
  mark("the signature is shown");
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+Shift+O");
  const symbols = page.locator(".quick-input-list .monaco-list-row");
  await symbols.filter({ hasText: plan.symbol }).first().waitFor();
  seen.symbols = await symbols.locator(".label-name").allInnerTexts();
  mark("the outline is shown");
});
