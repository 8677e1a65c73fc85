/**
 * A job whose tables other files declare; described by a JSON file like session.mjs. `steps` come one after the other,
 * each in one file: an edit of a line, what is underlined then, what stands above the lines, what a hover says, and a
 * quick-fix that writes a file.
 */
import path from "node:path";
import {
  hoverOver,
  openFile,
  play,
  putCursorOn,
  quickFixes,
  savedText,
  squiggles,
  textOf,
} from "./editor.mjs";

/** How long a state of the screen may take to come, in milliseconds. */
const PATIENCE = 120_000;

/** Looks at each frame until what is seen is as wanted. */
async function drawn(page, look, isWanted) {
  const end = performance.now() + PATIENCE;
  let found = await look();
  while (!isWanted(found)) {
    if (performance.now() > end) {
      throw new Error(`at last there was ${JSON.stringify(found)}`);
    }
    await page.evaluate(() => new Promise(requestAnimationFrame));
    found = await look();
  }
  return found;
}

const lensesOf = async (page) => {
  const lenses = page.locator(".codelens-decoration a");
  // A lens that is drawn anew between the count and the look is looked at in the next frame.
  return (await lenses.allInnerTexts()).map((text) => text.replaceAll("\u00a0", " "));
};

await play(async ({ page, plan, seen, mark, picture }) => {
  seen.steps = [];
  for (const [number, step] of plan.steps.entries()) {
    const saw = {};
    seen.steps.push(saw);
    await openFile(page, step.file);
    await page.locator(".editor-instance .monaco-editor .view-line").first().waitFor();
    if (step.edit !== undefined) {
      await putCursorOn(page, step.edit.line, step.edit.text);
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+End");
      await page.keyboard.insertText(step.edit.typed);
    }
    const wanted = JSON.stringify(step.squiggles);
    const texts = async () => (await squiggles(page)).map((one) => one.text);
    saw.squiggles = await drawn(page, texts, (found) => JSON.stringify(found) === wanted);
    if (step.lens !== undefined) {
      saw.lenses = await drawn(page, () => lensesOf(page), (found) => found.some((text) => text.includes(step.lens)));
    }
    if (step.hover !== undefined) {
      saw.hover = await hoverOver(page, step.hover);
      await page.keyboard.press("Escape");
    }
    if (step.fix !== undefined) {
      await putCursorOn(page, step.fix.line, step.fix.text);
      saw.fixes = await quickFixes(page);
      await page.locator(".action-widget .monaco-list-row.action", { hasText: step.fix.title }).first().click();
      // The file stays to be saved, as after any edit of another file.
      await page.locator(`.tab.dirty[data-resource-name="${path.basename(step.fix.writes)}"]`).click();
      await page.keyboard.press("Control+S");
      saw.written = await savedText(step.fix.writes, (text) => text.includes(step.fix.says));
    }
    await picture(`step-${number + 1}`);
    mark(`step ${number + 1}`);
  }
  seen.problems = await textOf(page.locator("#status\\.problems"));
});
