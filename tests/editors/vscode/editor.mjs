/**
 * A real VS Code (code-server) in a headless Chromium, with its own home, settings and extensions, all in one scratch
 * folder. `setup.sh` puts the programs in place.
 */
import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { watch } from "node:fs";
import fs from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

/** How long a step may take, in milliseconds. */
const PATIENCE = 120_000;

const QUIET_SETTINGS = {
  "breadcrumbs.enabled": false,
  "chat.disableAIFeatures": true,
  "editor.accessibilitySupport": "off",
  "editor.cursorBlinking": "solid",
  "editor.fontFamily": "'JetBrains Mono', 'DejaVu Sans Mono', monospace",
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.editor.enablePreview": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** Chromium must ask nobody anything: no updates, no lists, no field trials. */
const QUIET_CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Opens `folder` in VS Code with one extension installed.
 *
 * @param {object} how
 * @param {string} how.cache where setup.sh put the programs
 * @param {string} how.scratch an empty folder for everything that is written
 * @param {string} how.folder the workspace
 * @param {string} how.vsix the packaged extension
 * @param {string} [how.extensions] a folder of extensions for several sessions, one after the other: the first one
 *   installs into it. Without one the session installs for itself.
 * @param {object} how.settings user settings
 * @param {string} [how.searchPath] PATH of the editor
 * @param {object} [how.page] options of the browser page: viewport, deviceScaleFactor
 */
export async function openEditor({
  cache,
  scratch,
  folder,
  vsix,
  extensions,
  settings,
  searchPath,
  page: pageOptions = {},
}) {
  const codeServer = await serveCode({
    cache,
    scratch,
    vsix,
    extensions: extensions ?? path.join(scratch, "extensions"),
    settings: { ...QUIET_SETTINGS, ...settings },
    environment: {
      PATH: searchPath ?? process.env.PATH,
      HOME: scratch,
      LANG: "C.UTF-8",
      // Nothing is to be asked of a gallery of extensions.
      EXTENSIONS_GALLERY: "{}",
      // Started from a terminal, VS Code takes over its environment; otherwise it would ask a login shell for one.
      VSCODE_CLI: "1",
    },
  });
  const { chromium } = createRequire(path.join(cache, "package.json"))("playwright-core");
  const browser = await chromium.launch({ executablePath: path.join(cache, "chromium"), args: QUIET_CHROMIUM });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...pageOptions });
  const close = async () => {
    await browser.close();
    await codeServer.stop();
  };
  try {
    await page.goto(`${codeServer.url}?folder=${encodeURIComponent(folder)}`);
    await page.locator(".monaco-workbench .part.editor").waitFor();
    return { page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function serveCode({ cache, scratch, vsix, extensions, settings, environment }) {
  const data = path.join(scratch, "data");
  // A code-server window is a remote one: settings of scope machine count only in Machine, all others only in User.
  for (const scope of ["User", "Machine"]) {
    await fs.mkdir(path.join(data, scope), { recursive: true });
    await fs.writeFile(path.join(data, scope, "settings.json"), JSON.stringify(settings));
  }
  await fs.writeFile(path.join(scratch, "config.yaml"), "");
  const log = await fs.open(path.join(scratch, "code-server.log"), "a");
  const run = (...args) =>
    spawn(
      path.join(cache, "node"),
      [
        path.join(cache, "node_modules/code-server/out/node/entry.js"),
        ...["--config", path.join(scratch, "config.yaml"), "--user-data-dir", data, "--extensions-dir", extensions],
        ...args,
      ],
      { env: environment, cwd: scratch, stdio: ["ignore", "pipe", log.fd], detached: true },
    );

  // The list of what is installed is written at the end of an installation.
  const isInstalled = await fs.stat(path.join(extensions, "extensions.json")).catch(() => undefined);
  if (isInstalled === undefined) {
    const installing = run("--install-extension", vsix);
    installing.stdout.resume();
    const [code] = await once(installing, "exit");
    if (code !== 0) {
      throw new Error(`installing ${vsix} failed with exit code ${code}`);
    }
  }
  const serving = run("--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check");
  const stop = async () => {
    const ended = once(serving, "exit");
    // It starts helpers of its own, so its whole process group has to end.
    process.kill(-serving.pid, "SIGTERM");
    await ended;
    await log.close();
  };
  for await (const line of readline.createInterface({ input: serving.stdout })) {
    const url = line.match(/listening on (http:\S+)/)?.[1];
    if (url !== undefined) {
      serving.stdout.resume();
      return { url, stop };
    }
  }
  throw new Error("code-server ended before it listened");
}

/**
 * Runs the steps of a session that a JSON file describes (its path is the only argument of the program) and writes what
 * they saw to standard output, also where one of them failed.
 *
 * @param {(session: {page, plan, seen: object, mark(step: string): void, picture(name: string): Promise<void>}) => Promise<void>} steps
 */
export async function play(steps) {
  const plan = JSON.parse(await fs.readFile(process.argv[2], "utf8"));
  const seen = { seconds: {} };
  const started = performance.now();
  const mark = (step) => (seen.seconds[step] = Math.round((performance.now() - started) / 100) / 10);
  const { page, close } = await openEditor(plan);
  page.setDefaultTimeout(PATIENCE);
  const picture = (name) => page.screenshot({ path: path.join(plan.pictures, `${plan.name}-${name}.png`) });
  try {
    mark("editor is open");
    await steps({ page, plan, seen, mark, picture });
  } catch (error) {
    seen.failure = String(error?.stack ?? error);
    await picture("failure");
    seen.notifications = await notifications(page).catch(String);
  } finally {
    await close();
  }
  process.stdout.write(JSON.stringify(seen));
}

/** The messages of the notification center, which stay there when the small windows at the corner are gone. */
async function notifications(page) {
  await runCommand(page, "Notifications: Show Notifications");
  await page.locator(".notifications-center.visible").waitFor();
  return page.locator(".notifications-center .notification-list-item-message").allInnerTexts();
}

/** What the language status (the `{}` item of the status bar) tells of the server, as soon as it `says` so. */
export async function serverStatus(page, says) {
  await page.locator("#status\\.languageStatus").hover();
  const status = page.locator(".hover-language-status", { hasText: says }).first();
  await status.waitFor();
  return status.innerText();
}

/** The text of a file as soon as it is there and `isSaved(text)`; an editor tells what it does, not what it has done. */
export async function savedText(file, isSaved) {
  const watcher = watch(path.dirname(file));
  const changes = on(watcher, "change", { signal: AbortSignal.timeout(PATIENCE) });
  let text;
  try {
    for (;;) {
      text = await fs.readFile(file, "utf8").catch(() => undefined);
      if (text !== undefined && isSaved(text)) {
        return text;
      }
      await changes.next();
    }
  } catch (error) {
    throw new Error(`${file} was not saved: ${JSON.stringify(text)}`, { cause: error });
  } finally {
    watcher.close();
  }
}

/** The settings of the workspace, as if somebody had saved the file. */
export async function writeSettings(folder, settings) {
  await fs.mkdir(path.join(folder, ".vscode"), { recursive: true });
  await fs.writeFile(path.join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
}

export function statusBarItem(page) {
  return page.locator(".statusbar-item[id*='keepstate']").first();
}

/** What the status bar item shows, as soon as it `says` so: findings and status are told one after the other. */
export async function statusBarText(page, says) {
  const item = statusBarItem(page).filter({ hasText: says });
  await item.waitFor();
  return textOf(item);
}

/** The entries of the list with this title, as soon as it is open. */
export async function entriesOf(page, title) {
  await page.locator(".quick-input-widget .quick-input-title", { hasText: title }).waitFor();
  const entries = page.locator(".quick-input-list .monaco-list-row .quick-input-list-row:first-child .label-name");
  await entries.first().waitFor();
  return (await entries.allInnerTexts()).map((entry) => entry.trim());
}

/** Picks an entry of the list with this title by typing it. */
export async function pick(page, title, entry) {
  await entriesOf(page, title);
  await page.locator(".quick-input-widget input.input").fill(entry);
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: entry }).waitFor();
  await page.keyboard.press("Enter");
}

/** Opens a file of the workspace by its name, as a person does. */
export async function openFile(page, name) {
  await page.keyboard.press("Control+P");
  await page.locator(".quick-input-widget input").fill(name);
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
}

/** Runs a command of the palette. */
export async function runCommand(page, title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${title}`);
  await page.locator(".quick-input-list .label-name", { hasText: new RegExp(`^${title}$`) }).click();
}

/** The text that an element shows; VS Code draws spaces as no-break spaces. */
export async function textOf(locator) {
  return (await locator.innerText()).replaceAll("\u00a0", " ");
}

/**
 * The squiggles that are drawn, each with its severity and the text above it, read from where things are on the screen:
 * the characters whose middle lies over the squiggle.
 *
 * @returns {Promise<{severity: string, line: number, text: string}[]>}
 */
export function squiggles(page) {
  return page.evaluate(() => {
    const editor = document.querySelector(".editor-instance .monaco-editor");
    const lines = [...editor.querySelectorAll(".view-lines .view-line")];
    const numbers = [...editor.querySelectorAll(".margin .line-numbers")];
    const textAbove = (line, { left, right }) => {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      let text = "";
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let index = 0; index < node.length; index++) {
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          const box = range.getBoundingClientRect();
          const middle = (box.left + box.right) / 2;
          if (left <= middle && middle <= right) {
            text += node.data[index];
          }
        }
      }
      return text.replaceAll("\u00a0", " ");
    };
    const found = [...editor.querySelectorAll(".view-overlays [class*='squiggly-']")].map((drawn) => {
      const box = drawn.getBoundingClientRect();
      const sameHeight = (element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top <= (box.top + box.bottom) / 2 && (box.top + box.bottom) / 2 <= bottom + 1;
      };
      const line = lines.find(sameHeight);
      return {
        severity: drawn.className.match(/squiggly-(\w+)/)[1],
        line: Number(numbers.find(sameHeight)?.textContent),
        text: line ? textAbove(line, box) : "",
      };
    });
    return found.sort((one, other) => one.line - other.line);
  });
}

/** How long a hover or a menu has until it is asked for anew, in milliseconds, and how often. */
const REST = 5_000;
const MOST_RESTS = 24;

/** What the hover on a drawn squiggle shows, as plain text, as soon as it `says` so: its parts come one by one. */
export async function hoverOver(page, { line, text, says }) {
  await goTo(page, line);
  const hover = page.locator(".monaco-resizable-hover .monaco-hover-content");
  const shown = hover.filter({ hasText: says, hasNotText: "Loading..." }).first();
  for (let rests = 1; ; rests += 1) {
    const box = await boxOf(page, line, text);
    await page.mouse.move(box.x - 200, box.y + 200);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    try {
      await shown.waitFor({ timeout: REST });
      return textOf(hover);
    } catch (error) {
      // A code lens that came meanwhile moved the text from under the mouse.
      if (rests === MOST_RESTS) {
        throw error;
      }
    }
  }
}

/** Puts the cursor into a text of the editor: by keys, for what is above it may come and move it while a mouse is on its way. */
export async function putCursorOn(page, line, text) {
  await goTo(page, line);
  const { column, shownColumn } = await boxOf(page, line, text);
  await goTo(page, line, column, shownColumn);
}

/** What the light bulb offers at the cursor. */
export async function quickFixes(page) {
  const offered = page.locator(".action-widget .monaco-list-row.action");
  for (let rests = 1; ; rests += 1) {
    await page.keyboard.press("Control+.");
    try {
      await offered.first().waitFor({ timeout: REST });
      return offered.allInnerTexts();
    } catch (error) {
      // The menu goes when the text below it moves or its findings come anew, as on a busy machine.
      if (rests === MOST_RESTS) {
        throw error;
      }
      await page.keyboard.press("Escape");
    }
  }
}

/**
 * Puts the cursor into a line of the editor, which brings it into view, and waits until keys go there again. A column
 * counts UTF-16 units, the status bar code points.
 */
async function goTo(page, line, column = 1, shownColumn = 1) {
  await page.keyboard.press("Control+G");
  await page.locator(".quick-input-widget input").fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  const exactly = new RegExp(`^${line}$`);
  await page.locator(".editor-instance .line-numbers.active-line-number", { hasText: exactly }).waitFor();
  const position = page.locator("#status\\.editor\\.selection");
  await position.filter({ hasText: new RegExp(`^Ln ${line}, Col ${shownColumn}$`) }).waitFor();
  await page.locator(".editor-instance .monaco-editor.focused").waitFor();
}

/** The box of the last occurrence of a text in a numbered line that is in view, and the column of its middle. */
function boxOf(page, line, text) {
  return page.evaluate(
    ({ line, text }) => {
      const editor = document.querySelector(".editor-instance .monaco-editor");
      const number = [...editor.querySelectorAll(".line-numbers")].find((drawn) => Number(drawn.textContent) === line);
      const top = number.getBoundingClientRect().top;
      const drawn = [...editor.querySelectorAll(".view-line")].find(
        (candidate) => Math.abs(candidate.getBoundingClientRect().top - top) < 3,
      );
      const pieces = [];
      const walker = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let index = 0; index < node.length; index++) {
          pieces.push([node, index]);
        }
      }
      const whole = pieces.map(([node, index]) => node.data[index]).join("").replaceAll("\u00a0", " ");
      const start = whole.lastIndexOf(text);
      if (start < 0) {
        throw new Error(`line ${line} is ${JSON.stringify(whole)}, which has no ${JSON.stringify(text)}`);
      }
      const range = document.createRange();
      const [first, last] = [pieces[start], pieces[start + text.length - 1]];
      range.setStart(...first);
      range.setEnd(last[0], last[1] + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      const before = whole.slice(0, start + Math.ceil(text.length / 2));
      return { x, y, width, height, column: before.length + 1, shownColumn: [...before].length + 1 };
    },
    { line, text },
  );
}
