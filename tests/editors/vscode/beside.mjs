/**
 * What leads out of the file that is being edited: to both texts side by side from a hover and from the baseline, to a
 * file of its own for a new metric, and to the configuration. Described by a JSON file like session.mjs.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { hoverOver, openFile, play, putCursorOn, quickFixes, runCommand, savedText, squiggles, textOf } from "./editor.mjs";

/** How long a link of a hover may take to be clicked on, in milliseconds, and how often a hover is asked for. */
const PATIENCE = 4_000;
const MOST_TRIES = 6;
const SQUIGGLES = ".editor-instance .view-overlays [class*='squiggly-']";

/** Clicks on a link of a hover, and returns its text. A hover goes where findings come meanwhile, and is asked for again. */
async function followLink(page, hover, text) {
  const link = page.locator(".monaco-resizable-hover a:visible", { hasText: text }).first();
  for (let tries = 1; ; tries += 1) {
    await hoverOver(page, hover);
    try {
      const words = await link.innerText({ timeout: PATIENCE });
      await link.click({ timeout: PATIENCE });
      return words;
    } catch (error) {
      if (tries === MOST_TRIES) {
        throw error;
      }
    }
  }
}

await play(async ({ page, plan, seen, mark, picture }) => {
  const drawn = page.locator(SQUIGGLES);
  const title = page.locator(".editor-group-container.active .tab.active .label-name");
  const compared = async () => {
    await page.locator(".monaco-diff-editor .editor").nth(1).locator(".view-line").first().waitFor();
    const shown = await title.innerText();
    await runCommand(page, "View: Close Editor");
    await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
    return shown;
  };
  await openFile(page, path.basename(plan.file));
  await drawn.first().waitFor();
  await page.locator(".codelens-decoration a", { hasText: "Incompatible" }).first().waitFor();
  mark("squiggles are drawn");

  seen.link = await followLink(page, plan.hover, "Compare with HEAD");
  seen.fromHover = await compared();
  mark("the link of the hover is followed");

  await runCommand(page, "Keepstate: Show Baseline");
  const button = page.locator(".editor-group-container.active .editor-actions a[aria-label*='Compare with Baseline']");
  await button.first().waitFor();
  await picture("baseline");
  await button.first().click();
  seen.fromBaseline = await compared();
  await runCommand(page, "View: Close All Editors");
  mark("the button of the baseline is pressed");

  await openFile(page, plan.configuration.name);
  await drawn.first().waitFor();
  seen.configuration = await squiggles(page);
  seen.configurationHover = await hoverOver(page, plan.configuration);
  await picture("configuration");
  mark("the configuration is marked");

  const ledger = path.join(plan.folder, plan.ledger.name);
  const idle = await fs.readFile(ledger, "utf8");
  await openFile(page, plan.ledger.name);
  await page.locator(".squiggly-inline-unnecessary, .squiggly-unnecessary").first().waitFor();
  await putCursorOn(page, plan.ledger.line, plan.ledger.text);
  seen.ledgerFixes = await quickFixes(page);
  await page.locator(".action-widget .monaco-list-row.action", { hasText: "Remove this acceptance" }).first().click();
  await page.locator(".tab.active.dirty").waitFor();
  await page.keyboard.press("Control+S");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  seen.ledger = await savedText(ledger, (text) => text !== idle);
  mark("an idle entry is taken out");

  await openFile(page, path.basename(plan.file));
  await drawn.first().waitFor();
  await putCursorOn(page, plan.metric.line, plan.metric.text);
  seen.fixes = await quickFixes(page);
  await picture("light-bulb");
  const edited = await fs.readFile(plan.file, "utf8");
  await page.locator(".action-widget .monaco-list-row.action", { hasText: "in a new file" }).first().click();
  // VS Code saves what a quick-fix changes in several files: one after the other, and the new one is empty at first.
  seen.edited = await savedText(plan.file, (text) => text !== "" && text !== edited);
  seen.created = await savedText(plan.created, (text) => text !== "");
  // It is opened at what is left to write.
  await page.locator(`.tab.active[data-resource-name="${path.basename(plan.created)}"]`).waitFor();
  const position = page.locator("#status\\.editor\\.selection", { hasText: "selected" });
  await position.waitFor();
  seen.toWrite = await position.innerText();
  const lens = page.locator(".codelens-decoration a", { hasText: "baseline" }).first();
  await lens.waitFor();
  seen.lens = await textOf(lens);
  await picture("new-file");
  mark("the metric is in a file of its own");
});
