/**
 * One session of an engineer in VS Code, described by a JSON file (its path is the only argument); writes what could be
 * seen on the screen to standard output, as JSON. Judging it is the business of test_vscode.py.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import {
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
  writeSettings,
} from "./editor.mjs";

const SQUIGGLES = ".editor-instance .view-overlays [class*='squiggly-']";

/** Opens the drawn plan, presses a box by the keyboard, and comes back to the file alone. */
async function drawnPlan(page, { command, tab, box }, picture) {
  const refused = [];
  const listen = (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text());
  page.on("console", listen);
  await runCommand(page, command);
  const frame = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  const wanted = frame.locator("button.box", { hasText: box }).first();
  await wanted.waitFor();
  const saw = {
    tab: await page.locator(".tab.active .label-name", { hasText: tab }).innerText(),
    heading: await frame.locator("h1").innerText(),
    verdict: await frame.locator("p.verdict").innerText(),
    sides: await frame.locator("h3").allInnerTexts(),
    boxes: await frame.locator("button.box").allInnerTexts(),
    overlapping: await frame.locator(".field").evaluateAll(overlapping),
    refused,
  };
  await picture("plan");
  await wanted.focus();
  saw.focused = await wanted.evaluate(() => document.activeElement.tagName);
  await page.keyboard.press("Enter");
  const position = page.locator("#status\\.editor\\.selection", { hasText: "selected" });
  await position.waitFor();
  saw.selected = await position.innerText();
  await runCommand(page, "View: Close Editors in Other Groups");
  await page.locator(".tab", { hasText: tab }).waitFor({ state: "detached" });
  page.off("console", listen);
  return saw;
}

/** The one colour of words of the editor, each where it stands alone; false until they have one. */
function sharedColour(words) {
  const spans = [...document.querySelectorAll(".editor-instance .view-line span span")];
  const shown = (span) => span.textContent.replaceAll("\u00a0", " ").trim();
  const colours = words.map((word) => spans.find((one) => shown(one) === word)).map((one) => one && getComputedStyle(one).color);
  return colours.every((colour) => colour !== undefined && colour === colours[0]) && colours[0];
}

/** How many pairs of boxes of a field lie over each other. */
function overlapping(fields) {
  let found = 0;
  for (const field of fields) {
    const boxes = [...field.querySelectorAll(".box")].map((box) => box.getBoundingClientRect());
    boxes.forEach((one, index) => {
      const others = boxes.slice(index + 1);
      found += others.filter((other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom).length;
    });
  }
  return found;
}

await play(async ({ page, plan, seen, mark, picture }) => {
  const number = (wanted) =>
    page.waitForFunction(([css, count]) => document.querySelectorAll(css).length === count, [SQUIGGLES, wanted]);
  await openFile(page, path.basename(plan.file));
  await number(plan.squiggles);
  mark("squiggles are drawn");
  seen.language = await page.locator("#status\\.editor\\.mode").innerText();
  seen.squiggles = await squiggles(page);
  // A word that the grammar of SQL does not know has the colour of those that it knows.
  seen.colour = await (await page.waitForFunction(sharedColour, plan.words)).jsonValue();
  seen.server = await serverStatus(page, "answered after");
  const lens = page.locator(".codelens-decoration a");
  await lens.nth(plan.lenses - 1).waitFor();
  seen.lenses = await lens.allInnerTexts();
  const item = statusBarItem(page);
  seen.statusBar = await statusBarText(page, plan.lens);
  await item.hover();
  const tooltip = page.locator(".workbench-hover-container", { hasText: plan.lens });
  seen.statusBarTooltip = await textOf(tooltip.first());
  seen.hover = await hoverOver(page, plan.hover);
  await picture("hover");
  mark("hover is shown");

  await lens.filter({ hasText: plan.lens }).first().click();
  const sides = page.locator(".monaco-diff-editor .editor");
  await sides.nth(1).locator(".view-line").first().waitFor();
  await page.locator(".monaco-diff-editor .char-insert, .monaco-diff-editor .line-insert").first().waitFor();
  for (const [side, says] of plan.sides.entries()) {
    await sides.nth(side).locator(".view-line", { hasText: says }).first().waitFor();
  }
  seen.comparison = {
    title: await page.locator(".tab.active .label-name").innerText(),
    baseline: await textOf(sides.nth(0).locator(".view-lines")),
    current: await textOf(sides.nth(1).locator(".view-lines")),
  };
  await picture("comparison");
  mark("comparison is shown");
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  await runCommand(page, "Keepstate: Compare with Baseline");
  await page.locator(".monaco-diff-editor").waitFor();
  seen.comparisonByPalette = await page.locator(".tab.active .label-name").innerText();
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  for (const { name, command, says } of plan.documents) {
    const tabs = await page.locator(".tab").count();
    await runCommand(page, command);
    await page.locator(".tab").nth(tabs).waitFor();
    // The tab comes before its text, which takes the place of the one before it.
    await page.locator(".editor-instance .view-lines", { hasText: says }).waitFor();
    seen[name] = await textOf(page.locator(".editor-instance .view-lines"));
    await runCommand(page, "View: Close Editor");
    await page.locator(".tab").nth(tabs).waitFor({ state: "detached" });
  }
  mark("baseline and plan are shown");
  seen.drawing = await drawnPlan(page, plan.drawing, picture);
  mark("the plan is drawn, and leads to a clause");

  await page.keyboard.press("Control+Home");
  await number(plan.squiggles);
  await writeSettings(plan.folder, plan.changedSettings);
  await page.locator(`.editor-instance .squiggly-info`).first().waitFor();
  await page.locator(".editor-instance .view-line", { hasText: plan.inlay }).first().waitFor();
  await number(plan.squiggles);
  seen.squigglesAfterSetting = await squiggles(page);
  await picture("inlay-hints");
  await writeSettings(plan.folder, {});
  await page.locator(`.editor-instance .squiggly-info`).first().waitFor({ state: "detached" });
  mark("settings are changed and changed back");

  await number(plan.squiggles);
  await putCursorOn(page, plan.fix.line, plan.fix.text);
  seen.fixes = await quickFixes(page);
  await picture("light-bulb");
  mark("quick-fixes are offered");
  const edited = await fs.readFile(plan.file, "utf8");
  await page.locator(".action-widget .monaco-list-row.action", { hasText: plan.fix.title }).first().click();
  await page.locator(".tab.active.dirty").waitFor();
  await page.keyboard.press("Control+S");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  seen.fixed = await savedText(plan.file, (text) => text !== "" && text !== edited);
  await number(plan.squiggles - 1);
  seen.squigglesAfterFix = await squiggles(page);
  seen.statusBarAfterFix = await statusBarText(page, plan.fix.leaves);
  mark("fix is applied");

  const commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qam", "Take it over"];
  execFileSync("git", commit, { cwd: plan.folder });
  await number(0);
  seen.statusBarAfterCommit = await statusBarText(page, "Unchanged");
  mark("squiggles are gone after the commit");
});
