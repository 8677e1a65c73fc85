/**
 * One session of an engineer in VS Code, described by a JSON file (its path is the only argument); writes what could be
 * seen on the screen to standard output, as JSON. Judging it is the business of test_vscode.py.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { clickText, hoverOver, openEditor, openFile, quickFixes, runCommand, squiggles, textOf } from "./editor.mjs";

const plan = JSON.parse(await fs.readFile(process.argv[2], "utf8"));
const seen = { seconds: {} };
const started = performance.now();
const mark = (step) => (seen.seconds[step] = Math.round((performance.now() - started) / 100) / 10);

const { page, close } = await openEditor(plan);
page.setDefaultTimeout(20_000);
const SQUIGGLES = ".editor-instance .view-overlays [class*='squiggly-']";
const drawn = page.locator(SQUIGGLES);
const atMost = (number) =>
  page.waitForFunction(([css, limit]) => document.querySelectorAll(css).length <= limit, [SQUIGGLES, number]);
try {
  mark("editor is open");
  const name = path.basename(plan.file);
  await openFile(page, name);
  await drawn.first().waitFor();
  mark("squiggles are drawn");
  seen.language = await page.locator("#status\\.editor\\.mode").innerText();
  seen.squiggles = await squiggles(page);
  const lens = page.locator(".codelens-decoration a");
  await lens.first().waitFor();
  seen.lenses = await lens.allInnerTexts();
  seen.hover = await hoverOver(page, plan.hover);
  mark("hover is shown");

  await lens.filter({ hasText: plan.lens }).first().click();
  const sides = page.locator(".monaco-diff-editor .editor");
  await sides.nth(1).locator(".view-line").first().waitFor();
  await page.locator(".monaco-diff-editor .char-insert, .monaco-diff-editor .line-insert").first().waitFor();
  seen.comparison = {
    title: await page.locator(".tab.active .label-name").innerText(),
    baseline: await textOf(sides.nth(0).locator(".view-lines")),
    current: await textOf(sides.nth(1).locator(".view-lines")),
  };
  mark("comparison is shown");
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  await runCommand(page, "Keepstate: Compare with Baseline");
  await page.locator(".monaco-diff-editor").waitFor();
  seen.comparisonByPalette = await page.locator(".tab.active .label-name").innerText();
  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });

  for (const [name, command] of [["baseline", "Keepstate: Show Baseline"], ["plan", "Keepstate: Show Plan"]]) {
    const tabs = await page.locator(".tab").count();
    await runCommand(page, command);
    await page.locator(".tab").nth(tabs).waitFor();
    await page.locator(".editor-instance .view-line").nth(1).waitFor();
    seen[name] = await textOf(page.locator(".editor-instance .view-lines"));
    await runCommand(page, "View: Close Editor");
    await page.locator(".tab").nth(tabs).waitFor({ state: "detached" });
  }
  mark("baseline and plan are shown");

  await drawn.first().waitFor();
  await clickText(page, plan.fix.line, plan.fix.text);
  seen.fixes = await quickFixes(page);
  mark("quick-fixes are offered");
  await page.locator(".action-widget .monaco-list-row.action", { hasText: plan.fix.title }).first().click();
  await page.locator(".tab.active.dirty").waitFor();
  await page.keyboard.press("Control+S");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  seen.fixed = await fs.readFile(plan.file, "utf8");
  await atMost(seen.squiggles.length - 1);
  seen.squigglesAfterFix = await squiggles(page);
  mark("fix is applied");

  const commit = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qam", "Take it over"];
  execFileSync("git", commit, { cwd: plan.folder });
  await atMost(0);
  mark("squiggles are gone after the commit");
} catch (error) {
  seen.failure = String(error?.stack ?? error);
  await page.screenshot({ path: path.join(plan.scratch, "failure.png") });
} finally {
  await close();
}
process.stdout.write(JSON.stringify(seen));
