/** What an editor shows and offers in a workspace that nobody trusts; described by a JSON file like session.mjs. */
import path from "node:path";
import { entriesOf, openFile, play, squiggles, statusBarItem } from "./editor.mjs";

await play(async ({ page, plan, seen, picture }) => {
  await openFile(page, path.basename(plan.file));
  await page.locator(".editor-instance .view-overlays [class*='squiggly-']").nth(plan.squiggles - 1).waitFor();
  seen.squiggles = await squiggles(page);
  await statusBarItem(page).click();
  seen.menu = await entriesOf(page, "Keepstate");
  await picture("menu");
});
